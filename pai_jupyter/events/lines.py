r"""Decode the bytes of one log line into text, and make text safe to show.

Nothing is split into lines here. `LogView` (store/view.py) splits a log at newlines when it is read and decodes each line with
`decode_line`; `MetricParser` (metrics.py) splits on its own, only around candidates of metrics.

Rule 1: a line is what a terminal would show in the end: a bar redrawn with `\r` collapses to its last state, and a final `\r`
    leaves the bar in place. ANSI colours stay; `strip_ansi` removes them.
Rule 2: decoding never fails. Invalid UTF-8 becomes U+FFFD.
Rule 3: a caller that buffers an unfinished line keeps what `unfinished` returns, so memory is bounded; the text does not depend
    on how the bytes are chunked, even inside `\r\n`, a UTF-8 character or a progress bar.
"""

import re

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
