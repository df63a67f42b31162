"""The log of one task of v1.x, from a byte on: what the log manager has of it.

A list names the addresses of the log's pieces, each with a token of minutes; 403 there means: ask for the list again. The log is
rotated when it is large: `all` is the piece that grows, `all.1` the one before, and older ones are gone.

Rule 1: 404 means that there is no log yet. An address is kept in memory alone.
Rule 2: a rotation is seen by the content: each request begins a few bytes before the wanted ones, and these must be those that
    were read last. So a piece that has grown again beyond the reader's place is not taken for the old one.
"""

from typing import Any, NamedTuple, Protocol

import httpx

from pai_jupyter.backends.openpai.rest.answers import error_of, fields_of
from pai_jupyter.backends.openpai.rest.connection import ClusterConnection
from pai_jupyter.errors import UnavailableError

PIECE = 4 * 2**20  # bytes that are asked for at once
_OVERLAP = 64  # bytes
_NOW, _BEFORE = "all", "all.1"
_NONE_YET = (404, 416)


class LogPart(NamedTuple):
    """Bytes of a log, and where they end; `is_torn`: what was before them is lost."""

    data: bytes
    end: int
    is_torn: bool = False


class TaskLog(Protocol):
    """The log of one attempt of one task."""

    async def read(self, start: int, *, is_over: bool = False) -> LogPart:
        """Return what is there from byte `start` on, at most a piece; no bytes if there is nothing yet.

        `is_over`: the task has ended, and nothing more will come.

        Raises:
            BackendError: the log cannot be read now.
        """
        ...


class ManagedLog:
    """The log of one attempt of one task of v1.x; `place`: the path of its list."""

    def __init__(self, connection: ClusterConnection, place: str) -> None:
        self._connection = connection
        self._place = place
        self._addresses: dict[str, str] = {}
        self._bounds: tuple[int, int] | None = None  # where `all.1` and `all` begin, counted from the log's first byte
        self._last = b""  # what was read last

    async def read(self, start: int, *, is_over: bool = False) -> LogPart:
        if self._bounds is None and not await self._find(start):
            return LogPart(b"", start)
        assert self._bounds is not None
        if start < self._bounds[1]:
            data = await self._read(_BEFORE, start - self._bounds[0])
            if not data:  # it is gone, or read to its end by somebody who did not know its length
                return await self._torn(start)
            return self._part(data, start)
        data = await self._read(_NOW, start - self._bounds[1])
        if data is None:
            return await self._rotated(start)
        return self._part(data, start)

    def _part(self, data: bytes, start: int) -> LogPart:
        self._last = (self._last + data)[-_OVERLAP:]
        return LogPart(data, start + len(data))

    async def _find(self, start: int) -> bool:
        """Find the pieces as they are for a reader who begins; False if there is no log yet."""
        if not await self._list():
            return False
        length = await self._length(_BEFORE)
        self._bounds = (0, length)
        return True

    async def _rotated(self, start: int) -> LogPart:
        """Go on in the piece that `all` has become, if that is the one before."""
        assert self._bounds is not None
        await self._list()
        length, begun = await self._length(_BEFORE), self._bounds[1]
        self._bounds = (begun, begun + length)
        if start <= self._bounds[1] and await self._read(_BEFORE, start - begun) is not None:
            return await self.read(start)
        return await self._torn(start)

    async def _torn(self, start: int) -> LogPart:
        """Go on at the first byte that there is."""
        await self._list()
        self._last, self._bounds = b"", (start, start + await self._length(_BEFORE))
        name = _BEFORE if self._bounds[1] > start else _NOW
        data, end, _ = self._part(await self._read(name, 0) or b"", start)
        return LogPart(data, end, is_torn=True)

    async def _read(self, name: str, at: int) -> bytes | None:
        """Return the bytes of a piece from `at` on; None if what is before them is not what was read last."""
        overlap = min(len(self._last), at)
        answer = await self._ask(name, at - overlap)
        if answer is None or answer.status_code in _NONE_YET:
            return None if overlap or (answer is not None and _is_beyond(answer, at)) else b""
        if answer.status_code not in (200, 206):
            raise error_of(answer, "to show a log")
        data = answer.content
        if answer.status_code == 200:  # a server that knows no ranges
            data = data[at - overlap : at + PIECE]
        if data[:overlap] != self._last[len(self._last) - overlap :]:
            return None
        return data[overlap:]

    async def _length(self, name: str) -> int:
        """Return the length of a piece; 0 if there is none of this name."""
        answer = await self._ask(name, 0, 0) if name in self._addresses else None
        if answer is None or answer.status_code in _NONE_YET:
            return 0
        if (
            answer.status_code == 206
            and (total := answer.headers.get("content-range", "").rpartition("/")[2]).isdigit()
        ):
            return int(total)
        if answer.status_code == 200:
            return len(answer.content)
        raise error_of(answer, "to show a log")

    async def _ask(self, name: str, first: int, last: int | None = None) -> httpx.Response | None:
        """Ask for bytes of a piece, again with a new address if that is refused; None if there is none of this name."""
        for is_last in (False, True):
            if name not in self._addresses and not await self._list():
                return None
            if (address := self._addresses.get(name)) is None:
                return None
            answer = await self._connection.piece(address, first, first + PIECE - 1 if last is None else last)
            if answer.status_code != 403 or is_last:
                break
            self._addresses = {}
        return answer

    async def _list(self) -> bool:
        answer = await self._connection.answer("GET", self._place)
        if answer.status_code == 404:
            return False
        if not answer.is_success:
            raise error_of(answer, "to show a log")
        every: Any = fields_of(answer).get("locations")  # Any: JSON
        self._addresses = {
            str(item["name"]): str(item["uri"])
            for item in (every if isinstance(every, list) else ())
            if isinstance(item, dict) and isinstance(item.get("name"), str) and isinstance(item.get("uri"), str)
        }
        if _NOW not in self._addresses:
            raise UnavailableError("the cluster's list of logs has no log.")
        return True


def _is_beyond(answer: httpx.Response, at: int) -> bool:
    """Whether a piece is shorter than what was read of it: it is another one."""
    total = answer.headers.get("content-range", "").rpartition("/")[2]
    return answer.status_code == 416 and total.isdigit() and int(total) < at
