"""Lists: the query parameters that filter, sort and page them. No I/O.

Listing costs only as much as the page (`state.rows`): convert records for the answer after cutting out the page.

Clients write numbers and booleans as text, booleans in either case; an invalid one raises `ApiRefusal`.
"""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from pai_jupyter.emulator.calls.calls import ApiCall
from pai_jupyter.emulator.protocol.refusal import Fields, invalid
from pai_jupyter.emulator.state.records import Records
from pai_jupyter.emulator.state.rows import Rows

MAX_PAGE = 1000  # items; larger pages are cut to this size
_MADE = "GmtCreateTime"


def flag(call: ApiCall, name: str) -> bool:
    """Read a boolean of the query; false when missing."""
    text = call.query.get(name, "").lower()
    if text not in ("", "true", "false"):
        raise invalid(name, text, "true or false")
    return text == "true"


def number(call: ApiCall, name: str, default: int, *, least: int = 1) -> int:
    """Read an integer of the query."""
    text = call.query.get(name, "")
    if not text:
        return default
    if not text.isascii() or not text.isdigit() or int(text[:18]) < least:
        raise invalid(name, text, f"a whole number from {least}")
    return int(text[:18])


def words(call: ApiCall, name: str) -> list[str]:
    """Read a comma-separated list of the query."""
    return [word for word in call.query.get(name, "").split(",") if word]


def pairs(call: ApiCall, name: str) -> dict[str, str]:
    """Read a parameter of the query that is a JSON object of texts."""
    text = call.query.get(name) or "{}"
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        read = None
    if not isinstance(read, dict):
        raise invalid(name, text, 'a JSON object, e.g. {"team": "vision"}')
    return {key: str(value) for key, value in read.items()}


def check_status(call: ApiCall, known: Collection[str]) -> None:
    """Refuse a query for jobs in an unknown status."""
    if (status := call.query.get("Status")) and status not in known:
        raise invalid("Status", status, f"one of {', '.join(sorted(known))}")


def chosen(call: ApiCall, records: Records, *names: str) -> Rows:
    """Filter records by the query's values for these fields, if given."""
    return records.rows({name: call.query[name] for name in names if call.query.get(name)})


def equal_to(call: ApiCall, items: Iterable[Fields], *names: str) -> list[Fields]:
    """Filter items by the query's values for these fields, if given."""
    wanted = {name: call.query[name] for name in names if call.query.get(name)}
    return [item for item in items if all(item.get(name) == value for name, value in wanted.items())]


def ordered(call: ApiCall, items: Sequence[Fields], keys: Mapping[str, str], *, default: str = "ASC") -> list[Fields]:
    """Sort items by the field that `SortBy` names (`keys`: lower-case name -> field); without it, keep their order."""
    field, is_falling = order(call, keys, default)
    # Times are in seconds: equal ones keep the order of creation.
    numbered = sorted(enumerate(items), key=_sort_key(field), reverse=is_falling)
    return [item for _, item in numbered]


def rows_ordered(call: ApiCall, rows: Rows, keys: Mapping[str, str], *, default: str = "ASC") -> Rows:
    """Order like `ordered`; by creation time no sorting is needed, as records are in that order."""
    field, is_falling = order(call, keys, default)
    if field in (None, _MADE):
        return rows.newest_first() if is_falling else rows
    return rows.ordered(field, is_falling=is_falling)


def in_pages(call: ApiCall, key: str, items: Sequence[Fields], *, size: int = 20) -> Fields:
    """Return the page for `PageNumber` and `PageSize` under `key`, with the total."""
    size = min(number(call, "PageSize", size), MAX_PAGE)
    start = (number(call, "PageNumber", 1) - 1) * size
    return {key: list(items[start : start + size]), "TotalCount": len(items)}


def by_token(call: ApiCall, key: str, items: Sequence[Fields], *, size: int = 10) -> Fields:
    """Return the page for `PageToken` and `MaxResults` under `key`, with the next token, 0 at the end."""
    start = number(call, "PageToken", 0, least=0)
    after = start + min(number(call, "MaxResults", size), MAX_PAGE)
    return {
        key: list(items[start:after]),
        "NextPageToken": after if after < len(items) else 0,
        "TotalCount": len(items),
    }


def order(call: ApiCall, keys: Mapping[str, str], default: str = "ASC") -> tuple[str | None, bool]:
    """Return the field to sort by, if given, and whether the order is descending."""
    wanted = (call.query.get("Order") or default).upper()
    if wanted not in ("ASC", "DESC"):
        raise invalid("Order", wanted, "ASC or DESC")
    by = call.query.get("SortBy", "")
    if by and by.lower() not in keys:
        raise invalid("SortBy", by, ", ".join(keys.values()))
    return keys.get(by.lower()), wanted == "DESC"


def _sort_key(field: str | None) -> Callable[[tuple[int, Fields]], Any]:  # Any: whatever JSON sorts by
    return lambda numbered: (numbered[1].get(field) if field else 0, numbered[0])
