"""The log of one task from a byte on.

v1.x    a list names the log's address, which carries a token of minutes; 403 there means: ask for the list again
v0.14   a page of YARN's with the text in it; bytes that are no UTF-8 are lost there

Rule: 404 means that there is no log yet. An address is kept in memory alone.
"""

import html
import re
from typing import Any

from pai_jupyter.backends.openpai.rest.answers import error_of, fields_of
from pai_jupyter.backends.openpai.rest.connection import ClusterConnection
from pai_jupyter.errors import UnavailableError

PIECE = 4 * 2**20  # bytes that are asked for at once
_TEXT = re.compile(rb"<pre>(.*)</pre>", re.DOTALL)


class TaskLog:
    """One task's log; `place` is what the cluster says of it."""

    def __init__(self, connection: ClusterConnection, place: str) -> None:
        self._connection = connection
        self.place = place
        self._address: str | None = None

    async def read(self, start: int) -> bytes:
        """Return what is there from `start` on, at most a piece; b"" if there is nothing yet.

        Raises:
            BackendError: the log cannot be read now.
        """
        if await self._connection.generation() == "yarn":
            return await self._page(start)
        for _ in range(2):
            if self._address is None and (found := await self._find()) is None:
                return b""
            self._address = self._address or found
            answer = await self._connection.piece(str(self._address), start, start + PIECE - 1)
            if answer.status_code != 403:
                break
            self._address = None
        if answer.status_code in (404, 416):
            return b""
        if answer.status_code == 206:
            return answer.content
        if answer.status_code == 200:  # a server that knows no ranges
            return answer.content[start : start + PIECE]
        raise error_of(answer, "to show a log")

    async def _find(self) -> str | None:
        answer = await self._connection.answer("GET", self.place)
        if answer.status_code == 404:
            return None
        if not answer.is_success:
            raise error_of(answer, "to show a log")
        every: Any = fields_of(answer).get("locations")  # Any: JSON
        for item in every if isinstance(every, list) else ():
            if isinstance(item, dict) and item.get("name") == "all" and isinstance(item.get("uri"), str):
                return str(item["uri"])
        raise UnavailableError("the cluster's list of logs has no log.")

    async def _page(self, start: int) -> bytes:
        answer = await self._connection.piece(f"{self.place.rstrip('/')}/user.pai.stdout/?start={start}", 0, PIECE)
        if answer.status_code == 404:
            return b""
        if not answer.is_success:
            raise error_of(answer, "to show a log")
        found = _TEXT.search(answer.content)
        return html.unescape(found[1].decode()).encode() if found else b""
