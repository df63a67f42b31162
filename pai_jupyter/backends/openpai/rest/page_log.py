"""The log of one task of v0.14, from a byte on: a page of YARN's node manager with the text in it.

The page has text: what is no UTF-8 is a `\ufffd` there, and nobody says for how many bytes each stands. Its directory has the
log's length, though. A character beyond ASCII is a number on the page, one beyond U+FFFF two: the halves of UTF-16.

Rule: where bytes are lost so, their number follows from the length, if that is the same before and after the page was read. Until
    then the text before them is told.
"""

import html
import re
import sys

from pai_jupyter.backends.openpai.rest.answers import error_of
from pai_jupyter.backends.openpai.rest.connection import ClusterConnection
from pai_jupyter.backends.openpai.rest.logs import PIECE, LogPart

_FILE = "user.pai.stdout"
_TEXT = re.compile(rb"<pre>(.*)</pre>", re.DOTALL)
_LENGTH = re.compile(rf"\b{re.escape(_FILE)}\s*:\s*Total file length is (\d+) bytes")
_LOST = "\ufffd"
_NUMBER = re.compile(r"&#(\d{1,9});")
_HALF = re.compile(r"[\ud800-\udfff]")


class PageLog:
    """The log of one attempt of one task of v0.14; `place`: the address of its directory."""

    def __init__(self, connection: ClusterConnection, place: str) -> None:
        self._connection = connection
        self._place = place.rstrip("/")

    async def read(self, start: int, *, is_over: bool = False) -> LogPart:
        text = await self._text(f"?start={start}&end={start + PIECE}")
        data = text.encode()
        if _LOST not in text:
            return LogPart(data, start + len(data))
        before, text, after = await self._length(), await self._text(f"?start={start}"), await self._length()
        if before == after and (is_over or not text.endswith(_LOST)):  # its end may be the first half of a character
            return LogPart(text.encode(), max(after, start))
        clean = text.partition(_LOST)[0].encode()
        return LogPart(clean, start + len(clean))

    async def _text(self, span: str) -> str:
        found = _TEXT.search(await self._page(f"/{_FILE}/{span}"))
        return _plain(found[1].decode(errors="replace")) if found else ""

    async def _length(self) -> int:
        found = _LENGTH.search(html.unescape((await self._page("/")).decode(errors="replace")))
        return int(found[1]) if found else 0

    async def _page(self, path: str) -> bytes:
        answer = await self._connection.piece(f"{self._place}{path}", 0, None)
        if answer.status_code == 404:
            return b""
        if not answer.is_success:
            raise error_of(answer, "to show a log")
        return answer.content


def _plain(text: str) -> str:
    """Return a page's text; `html.unescape` would read some numbers otherwise, as old browsers do."""
    halves = html.unescape(_NUMBER.sub(lambda found: _character(found[1]), text))
    return halves.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if _HALF.search(halves) else halves


def _character(number: str) -> str:
    return "&amp;" if number == "38" else chr(int(number)) if int(number) < sys.maxunicode else _LOST
