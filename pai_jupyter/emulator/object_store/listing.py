"""A page of a listing: keys in byte order after a marker; keys with a delimiter are grouped as one common prefix.

Rule 1: `next` is set if and only if there are more entries.
Rule 2: rows below a common prefix are not read: the cursor skips to the first key after it.
"""

from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass

from pai_jupyter.emulator.oss_protocol.model import Object

Rows = Callable[[bytes, bytes], Generator[Object]]


@dataclass(frozen=True, kw_only=True)
class ListingPage:
    """Objects and common prefixes; `next` is the marker of the next page, None if this is the last."""

    objects: list[Object]
    prefixes: list[str]
    next: str | None


def page(rows: Rows, *, prefix: str = "", delimiter: str = "", after: str = "", limit: int) -> ListingPage:
    """Return the first `limit` objects and common prefixes that begin with `prefix` and come after `after`.

    `rows(start, end)` yields the objects with keys from `start` up to but not including `end`.
    """
    names = _names(rows, prefix.encode(), delimiter.encode(), after.encode())
    objects, prefixes, last = list[Object](), list[str](), ""
    with closing(names):
        for name in names:
            if len(objects) + len(prefixes) == limit:
                return ListingPage(objects=objects, prefixes=prefixes, next=last)
            if isinstance(name, Object):
                objects.append(name)
                last = name.key
            else:
                prefixes.append(name)
                last = name
    return ListingPage(objects=objects, prefixes=prefixes, next=None)


def _names(rows: Rows, prefix: bytes, delimiter: bytes, after: bytes) -> Generator[Object | str]:
    """Yield all objects and common prefixes after `after`, in order."""
    start, end = max(prefix, after + b"\0" if after else b""), behind(prefix)
    while start < end:
        group = None
        with closing(rows(start, end)) as found:
            for each in found:
                group = _group(each.key.encode(), prefix, delimiter)
                if group is not None:
                    break
                yield each
        if group is None:
            return
        if group > after:
            yield group.decode()
        start = behind(group)


def _group(key: bytes, prefix: bytes, delimiter: bytes) -> bytes | None:
    at = key.find(delimiter, len(prefix)) if delimiter else -1
    return None if at < 0 else key[: at + len(delimiter)]


def behind(prefix: bytes) -> bytes:
    """Return the first UTF-8 key after all keys with this prefix."""
    return prefix[:-1] + bytes([prefix[-1] + 1]) if prefix else b"\xff"
