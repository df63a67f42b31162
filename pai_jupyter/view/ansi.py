"""Convert terminal colours to HTML with inline styles: a saved notebook is also shown where our style sheets are missing."""

import re
from html import escape

from pai_jupyter.events import strip_ansi

_SGR = re.compile(r"\x1b\[([0-9;]*)m")
# Legible on white and on black.
_COLORS = ("#777", "#d33", "#293", "#a70", "#36c", "#a3a", "#088", "#888")


def ansi_to_html(text: str) -> str:
    """Escape `text` and turn its colours and bold into spans; other terminal sequences are dropped."""
    parts = _SGR.split(text)
    out = [escape(strip_ansi(parts[0]))]
    style: dict[str, str] = {}
    for codes, piece in zip(parts[1::2], parts[2::2], strict=True):
        style = _apply(style, [int(code or 0) for code in codes[:100].split(";")])
        if written := escape(strip_ansi(piece)):
            css = ";".join(f"{name}:{value}" for name, value in style.items())
            out.append(f'<span style="{css}">{written}</span>' if css else written)
    return "".join(out).replace("\x1b", "")


def _apply(style: dict[str, str], codes: list[int]) -> dict[str, str]:
    """Return the style after these SGR (Select Graphic Rendition) codes."""
    style = dict(style)
    while codes:
        code, *codes = codes
        match code:
            case 0:
                style = {}
            case 1:
                style["font-weight"] = "bold"
            case 22:
                style.pop("font-weight", None)
            case 39:
                style.pop("color", None)
            case 38 | 48:
                codes = codes[4:] if codes[:1] == [2] else codes[2:]  # 8-bit and 24-bit colours are ignored
            case _ if 30 <= code <= 37 or 90 <= code <= 97:
                style["color"] = _COLORS[code % 10]
    return style
