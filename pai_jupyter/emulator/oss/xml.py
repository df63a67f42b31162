"""XML as OSS writes it: no namespace, and keys that may hold anything. No I/O.

Rule 1: to a client that asks for `encoding-type=url` keys go percent-encoded; only then does every key come through.
Rule 2: what XML cannot hold becomes U+FFFD rather than a document that nobody can read.
"""

import re
from collections.abc import Callable
from urllib.parse import quote
from xml.sax.saxutils import escape

TYPE = "application/xml"
_IMPOSSIBLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Element(str):
    """A piece of XML, as against a text that is yet to be escaped."""

    __slots__ = ()


def element(name: str, *inside: object) -> Element:
    """Build an element from child elements and anything else as text."""
    return Element(f"<{name}>{''.join(each if isinstance(each, Element) else _text(each) for each in inside)}</{name}>")


def document(name: str, *inside: object) -> bytes:
    """Build a whole document in UTF-8."""
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{element(name, *inside)}'.encode()


def encoder(encoding_type: str | None) -> Callable[[str], str]:
    """Return how to write keys for a client that asked for this encoding."""
    return (lambda key: quote(key, safe="")) if encoding_type == "url" else str


def _text(value: object) -> str:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return escape(_IMPOSSIBLE.sub("\ufffd", text), {"\r": "&#13;"})
