"""Lists that come in pages, against servers that page as the services do, and as they should not."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from pai_jupyter.cloud.client import aiworkspace, paiflow, paistudio
from pai_jupyter.cloud.client.paging import Items, pages
from pai_jupyter.cloud.client.request import Query
from pai_jupyter.errors import ProtocolError

Ask = Callable[[Query], Awaitable[dict[str, Any]]]


def number(query: Query, name: str) -> int:
    return int(str(query[name]))


class Lists:
    """Has the numbers from 0 to `count`, and gives at most `most` of them at once."""

    def __init__(self, count: int, *, most: int = 1000, total: Callable[[int], Any] = int) -> None:
        self.count = count
        self.most = most
        self.total = total
        self.asked: list[Query] = []

    async def numbered(self, query: Query) -> dict[str, Any]:
        self.asked.append(query)
        size = min(self.most, number(query, "PageSize"))
        return self._page((number(query, "PageNumber") - 1) * size, size)

    async def offset(self, query: Query) -> dict[str, Any]:
        self.asked.append(query)
        return self._page(number(query, "Offset"), min(self.most, number(query, "PageSize")))

    async def token(self, query: Query) -> dict[str, Any]:
        self.asked.append(query)
        begin, size = int(str(query.get("PageToken", 0))), min(self.most, number(query, "MaxResults"))
        after = begin + size
        return {"Metrics": self._items(begin, size), "NextPageToken": after if after < self.count else 0}

    def _page(self, begin: int, size: int) -> dict[str, Any]:
        return {"Logs": self._items(begin, size), "TotalCount": self.total(self.count)}

    def _items(self, begin: int, size: int) -> list[int]:
        return list(range(begin, min(begin + size, self.count)))


def logs(ask: Ask, **query: Any) -> AsyncIterator[Items]:
    return pages(paistudio.LIST_TRAINING_JOB_LOGS, query, ask)


async def everything(found: AsyncIterator[Items]) -> list[Any]:
    return [item async for page in found for item in page]


def no_total(_: int) -> None:
    return None


@pytest.mark.parametrize("count", [0, 1, 99, 100, 101, 250])
@pytest.mark.parametrize("total", [int, str, no_total])
@pytest.mark.parametrize("style", ["number", "offset", "token"])
async def test_every_item_comes_once(count: int, total: Callable[[int], Any], style: str) -> None:
    lists = Lists(count, total=total)
    found = {
        "number": logs(lists.numbered, PageSize=100),
        "offset": pages(paiflow.LIST_NODE_LOGS, {}, lists.offset),
        "token": pages(aiworkspace.LIST_RUN_METRICS, {}, lists.token),
    }[style]
    assert await everything(found) == list(range(count))


@pytest.mark.parametrize("style", ["number", "offset"])
async def test_a_server_may_give_smaller_pages_than_asked_for(style: str) -> None:
    lists = Lists(250, most=30)
    found = logs(lists.numbered) if style == "number" else pages(paiflow.LIST_NODE_LOGS, {}, lists.offset)
    assert await everything(found) == list(range(250))


async def test_nothing_is_asked_beyond_the_end() -> None:
    lists = Lists(2000)
    await everything(logs(lists.numbered))
    assert len(lists.asked) == 2


async def test_who_asks_may_begin_later_and_choose_the_size() -> None:
    lists = Lists(100)
    assert await everything(logs(lists.numbered, PageNumber=3, PageSize=40, InstanceId="i")) == list(range(80, 100))
    assert lists.asked == [{"PageNumber": 3, "PageSize": 40, "InstanceId": "i"}]


async def test_a_total_that_is_too_large_ends_with_an_empty_page() -> None:
    lists = Lists(5, total=lambda _: 1_000_000)
    assert await everything(logs(lists.numbered)) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("answer", [{}, {"Logs": None}, {"Logs": [], "TotalCount": 7}])
async def test_a_list_that_is_not_there_is_empty(answer: dict[str, Any]) -> None:
    async def ask(_: Query) -> dict[str, Any]:
        return answer

    assert await everything(logs(ask)) == []


@pytest.mark.parametrize(
    "answer", [{"Logs": "text"}, {"Logs": {"a": 1}}, {"Logs": ["a"], "TotalCount": "many"}], ids=str
)
async def test_what_is_no_page_is_a_protocol_error(answer: dict[str, Any]) -> None:
    async def ask(_: Query) -> dict[str, Any]:
        return answer

    with pytest.raises(ProtocolError):
        await everything(logs(ask))


async def test_a_token_that_leads_to_itself_is_a_protocol_error() -> None:
    async def ask(_: Query) -> dict[str, Any]:
        return {"Metrics": [1], "NextPageToken": 5}

    with pytest.raises(ProtocolError, match="do not end"):
        await everything(pages(aiworkspace.LIST_RUN_METRICS, {}, ask))
