"""Read lists page by page, in each paging style of the services.

A server may return fewer items than requested, so a short page is the last only without a contrary total. An empty page is
always the last.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from pai_jupyter.cloud.client.operation import Operation, Paging
from pai_jupyter.cloud.client.request import Query
from pai_jupyter.errors import ProtocolError
from pai_jupyter.spec import Json

Items = list[Any]  # objects of the service; the caller knows their fields
Ask = Callable[[Query], Awaitable[dict[str, Json]]]


def pages(operation: Operation, query: Query, ask: Ask) -> AsyncIterator[Items]:
    """Yield the pages of `operation`, calling `ask` with each query; `query` may set the page size and start."""
    paging = operation.paging
    if paging is None:
        raise TypeError(f"{operation.action} gives no pages")
    match paging.style:
        case "number":
            return _by_number(paging, query, ask)
        case "offset":
            return _by_offset(paging, query, ask)
        case "token":
            return _by_token(paging, query, ask)


async def _by_number(paging: Paging, query: Query, ask: Ask) -> AsyncIterator[Items]:
    fixed: Query = {"PageSize": paging.size, "PageNumber": 1, **query}
    number, size = int(str(fixed["PageNumber"])), int(str(fixed["PageSize"]))
    seen = (number - 1) * size
    while True:
        answer = await ask({**fixed, "PageNumber": number})
        items = _items(paging, answer)
        if items:
            yield items
        seen += len(items)
        total = _number(answer, "TotalCount")
        if not items or (len(items) < size if total is None else seen >= total):
            return
        number += 1


async def _by_offset(paging: Paging, query: Query, ask: Ask) -> AsyncIterator[Items]:
    fixed: Query = {"PageSize": paging.size, "Offset": 0, **query}
    offset, size = int(str(fixed["Offset"])), int(str(fixed["PageSize"]))
    while True:
        answer = await ask({**fixed, "Offset": offset})
        items = _items(paging, answer)
        if items:
            yield items
        offset += len(items)
        total = _number(answer, "TotalCount")
        if not items or (len(items) < size if total is None else offset >= total):
            return


async def _by_token(paging: Paging, query: Query, ask: Ask) -> AsyncIterator[Items]:
    fixed: Query = {"MaxResults": paging.size, **query}
    token: str | int | None = None
    while True:
        answer = await ask({**fixed, "PageToken": token} if token is not None else fixed)
        if items := _items(paging, answer):
            yield items
        after = answer.get("NextPageToken")
        if not after or after == "0":
            return
        if not isinstance(after, str | int) or after == token:
            raise ProtocolError(f"the pages of {paging.items} do not end: the one after {token!r} is {after!r}.")
        token = after


def _items(paging: Paging, answer: dict[str, Json]) -> Items:
    items = answer.get(paging.items)
    if items is None:
        return []
    if not isinstance(items, list):
        raise ProtocolError(f"`{paging.items}` in the answer is not a list. Update pai_jupyter.")
    return items


def _number(answer: dict[str, Json], name: str) -> int | None:
    """Read a number of the answer; some calls write it as text."""
    value = answer.get(name)
    try:
        return None if value is None else int(str(value))
    except ValueError as exc:
        raise ProtocolError(f"`{name}` in the answer is not a number. Update pai_jupyter.") from exc
