"""Write XML as OSS does, without namespaces. No I/O.

Rule 1: with `encoding-type=url` keys are percent-encoded; only then can every key be represented.
Rule 2: other characters that XML cannot represent become U+FFFD, so that the document stays valid.
"""

import re
from collections.abc import Callable
from urllib.parse import quote
from xml.sax.saxutils import escape

TYPE = "application/xml"
_IMPOSSIBLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Element(str):
    """XML, in contrast to text, which must be escaped."""

    __slots__ = ()


def element(name: str, *inside: object) -> Element:
    """Build an element; other values than `Element` are inserted as escaped text."""
    return Element(f"<{name}>{''.join(each if isinstance(each, Element) else _text(each) for each in inside)}</{name}>")


def document(name: str, *inside: object) -> bytes:
    """Build a whole document in UTF-8."""
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{element(name, *inside)}'.encode()


def encoder(encoding_type: str | None) -> Callable[[str], str]:
    """Return the function that encodes keys for this `encoding-type`."""
    return (lambda key: quote(key, safe="")) if encoding_type == "url" else str


def _text(value: object) -> str:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return escape(_IMPOSSIBLE.sub("\ufffd", text), {"\r": "&#13;"})
