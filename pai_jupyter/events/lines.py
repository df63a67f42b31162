r"""Decode the bytes of a log, cut anywhere, into lines of text.

Feed bytes to a `LineDecoder` and get the complete lines.

Rule 1: the lines do not depend on how the bytes are chunked, even inside `\r\n`, a UTF-8 character or a progress bar.
Rule 2: a line is what a terminal would show in the end: a bar redrawn with `\r` collapses to its last state, and a final `\r`
    leaves the bar in place. ANSI colours stay; `strip_ansi` removes them.
Rule 3: decoding never fails. Invalid UTF-8 becomes U+FFFD.
Rule 4: memory is bounded. Of an unfinished line only the last `MAX_LINE` bytes are kept; the log file has all of it.
"""

import codecs
import re
from collections.abc import Mapping
from typing import Any, Self

MAX_LINE = 65_536  # bytes

# Colours and cursor moves (CSI), titles and links (OSC, ended by BEL or ST), and the two-byte escapes.
_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-Z\\^-~])")
_COLOR = re.compile(r"\x1b\[[0-9;:]*m")
# C0 except tab and ESC, DEL, and C1, which has one-letter forms of the same sequences.
_CONTROLS = re.compile(r"[\x00-\x08\x0a-\x1a\x1c-\x1f\x7f-\x9f]|\x1b(?!\[[0-9;:]*m)")


def decode_line(raw: bytes) -> str:
    """Decode one line of a log, with or without its line end. The length is not bounded."""
    return raw.rstrip(b"\r\n").rpartition(b"\r")[2].decode("utf-8", "replace")


def strip_ansi(text: str) -> str:
    """Remove colours, cursor moves and titles from `text`."""
    return _ANSI.sub("", text) if "\x1b" in text else text


def keep_colors(text: str) -> str:
    """Remove all terminal sequences but colours from `text`."""
    return _ANSI.sub(lambda found: found[0] if _COLOR.fullmatch(found[0]) else "", text) if "\x1b" in text else text


def for_terminal(text: str) -> str:
    """Make `text` safe to print: a job could set the terminal's title or clipboard, or overwrite the screen."""
    return _CONTROLS.sub("", keep_colors(text))


def clip(piece: bytes, limit: int) -> bytes:
    """Keep the last `limit` bytes of `piece`; clipping while bytes arrive gives the same as clipping once."""
    return piece if len(piece) <= limit else piece[-limit:]


def unfinished(tail: bytes, limit: int) -> bytes:
    r"""Return what must be kept of an unfinished line: the last state of its progress bar, clipped.

    A final `\r` is kept: only the next byte tells whether it belongs to a `\r\n`.
    """
    bar = tail.rstrip(b"\r")
    last = clip(bar[bar.rfind(b"\r") + 1 :], limit)
    return last if len(bar) == len(tail) else last + b"\r"


class LineDecoder:
    """Bytes in, lines out; one for each replica."""

    def __init__(self) -> None:
        self._pending = b""

    def feed(self, data: bytes) -> list[str]:
        """Return the lines that `data` completes, without their line ends."""
        complete, newline, tail = (self._pending + data).rpartition(b"\n")
        self._pending = unfinished(tail, MAX_LINE)
        return _cut(complete) if newline else []

    def flush(self) -> list[str]:
        """Return the unfinished last line, if any; call it when the log has ended."""
        rest, self._pending = self._pending, b""
        return [decode_line(rest)] if rest else []

    @property
    def partial(self) -> str:
        """Return the unfinished line so far, without an incomplete character."""
        return codecs.getincrementaldecoder("utf-8")("replace").decode(self._pending.rstrip(b"\r"))

    @property
    def state(self) -> dict[str, Any]:  # Any: JSON values
        """Return the JSON that `from_state` needs to continue after the last byte fed."""
        return {"pending": self._pending.decode("latin-1")}  # Latin-1: any byte becomes one character, and back

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:  # Any: parsed JSON
        decoder = cls()
        decoder._pending = str(state.get("pending", "")).encode("latin-1")
        return decoder


def _cut(complete: bytes) -> list[str]:
    raws = complete.split(b"\n")
    if b"\r" in complete or max(map(len, raws)) > MAX_LINE:
        return [decode_line(unfinished(raw, MAX_LINE)) for raw in raws]
    # One decode for the whole chunk: no UTF-8 character contains a newline byte, so lines stay separate.
    return complete.decode("utf-8", "replace").split("\n")
