r"""Bytes of a log, cut anywhere, into lines of text.

A log is bytes; whoever shows it wants lines. Push bytes into a `LineDecoder`, take out the lines that are complete.

Rule 1: only the bytes decide. However they are cut into chunks, the same lines come out: in the middle of `\r\n`, of a
        letter in UTF-8, of a progress bar.
Rule 2: a line is what a terminal would show at its end: a bar redrawn behind `\r` collapses to its last state, and
        a `\r` with nothing behind it leaves the bar there. ANSI colours stay; who cannot draw them takes `strip_ansi`.
Rule 3: nothing fails. Bytes that are no UTF-8 become U+FFFD.
Rule 4: memory is bounded. Of a line without an end the last `MAX_LINE` bytes are kept; the log itself has it whole.
"""

import codecs
import re
from collections.abc import Mapping
from typing import Any, Self

MAX_LINE = 65_536  # bytes

# Colours and cursor moves (CSI), titles and links (OSC, ended by BEL or ST), and the two-byte escapes.
_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-Z\\^-~])")
_COLOR = re.compile(r"\x1b\[[0-9;:]*m")
# C0 but tab and what begins a colour, DEL, and C1, which has one-letter forms of the same sequences.
_CONTROLS = re.compile(r"[\x00-\x08\x0a-\x1a\x1c-\x1f\x7f-\x9f]|\x1b(?!\[[0-9;:]*m)")


def decode_line(raw: bytes) -> str:
    """Decode one line of a log, with or without its line end. The length is not bounded."""
    return raw.rstrip(b"\r\n").rpartition(b"\r")[2].decode("utf-8", "replace")


def strip_ansi(text: str) -> str:
    """`text` without colours, cursor moves, titles."""
    return _ANSI.sub("", text) if "\x1b" in text else text


def keep_colors(text: str) -> str:
    """`text` whose terminal sequences are colours alone."""
    return _ANSI.sub(lambda found: found[0] if _COLOR.fullmatch(found[0]) else "", text) if "\x1b" in text else text


def for_terminal(text: str) -> str:
    """`text` as it may be written to a terminal: a job could set its title or clipboard, or write over what stands there."""
    return _CONTROLS.sub("", keep_colors(text))


def clip(piece: bytes, limit: int) -> bytes:
    """Keep the last `limit` bytes of `piece`; clipping while bytes arrive gives the same as clipping once."""
    return piece if len(piece) <= limit else piece[-limit:]


def unfinished(tail: bytes, limit: int) -> bytes:
    r"""Return what must be kept of an unfinished line: the last state of its progress bar, clipped.

    A `\r` at its end is kept as one: only the next byte tells whether it belongs to a `\r\n`.
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
        """What the unfinished line shows so far; a letter that is not whole yet is left out."""
        return codecs.getincrementaldecoder("utf-8")("replace").decode(self._pending.rstrip(b"\r"))

    @property
    def state(self) -> dict[str, Any]:  # Any: JSON values
        """What `from_state` needs to go on after the last byte fed, as JSON."""
        return {"pending": self._pending.decode("latin-1")}  # any byte becomes a character and comes back

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:  # Any: parsed JSON
        decoder = cls()
        decoder._pending = str(state.get("pending", "")).encode("latin-1")
        return decoder


def _cut(complete: bytes) -> list[str]:
    raws = complete.split(b"\n")
    if b"\r" in complete or max(map(len, raws)) > MAX_LINE:
        return [decode_line(unfinished(raw, MAX_LINE)) for raw in raws]
    # One decode for the whole chunk: no letter of UTF-8 contains a newline, so lines cannot run into each other.
    return complete.decode("utf-8", "replace").split("\n")
