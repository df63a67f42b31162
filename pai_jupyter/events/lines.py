r"""Bytes of one line of a log into text, and text that is safe to show.

Nothing is cut into lines here. A log is cut when it is read, at each newline (`LogView` of store/view.py), and what is cut
out is decoded here; `MetricParser` (metrics.py) cuts on its own, only around signs of a metric.

Rule 1: a line is what a terminal would show at its end: a bar redrawn behind `\r` collapses to its last state, and
        a `\r` with nothing behind it leaves the bar there. ANSI colours stay; who cannot draw them takes `strip_ansi`.
Rule 2: nothing fails. Bytes that are no UTF-8 become U+FFFD.
Rule 3: whoever keeps the beginning of a line until its end arrives keeps what `unfinished` says, so memory is bounded; and
        however the bytes were cut into chunks, the same text comes out: in the middle of `\r\n`, of a letter, of a bar.
"""

import re

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
