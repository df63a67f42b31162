"""Messages: JSON and optional binary parts, sent as one WebSocket frame or one comm message.

    text frame      JSON without binary parts
    binary frame    u32 length n of the header, little-endian; the header; the parts
                    header: JSON with the parts' lengths in bytes under "buffers", padded with spaces so that 4 + n is a
                    multiple of 8; each part padded with zeros to a multiple of 8, so that a browser reads float64 in place

Rule 1: every `Message` can be sent, since its body is converted on creation: nan and infinity become words, a lone
    surrogate becomes U+FFFD.
"""

import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.events import number_to_json
from pai_jupyter.spec import Json
from pai_jupyter.wire.schema.limits import MAX_SENTENCE

if TYPE_CHECKING:
    from pai_jupyter.wire.schema.values import WireError

Body: TypeAlias = dict[str, Json]
_ALIGNED = 8  # bytes


@dataclass(frozen=True, kw_only=True)
class Message:
    """One answer or push."""

    body: Mapping[str, object]  # as `pai_jupyter.wire.schema` declares them
    buffers: tuple[bytes, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "body", sendable(self.body))


def to_frame(message: Message) -> str | bytes:
    """Encode a message as a WebSocket frame: text if it has no binary parts, else bytes."""
    if not message.buffers:
        return encode(message.body).decode()
    header = encode({**message.body, "buffers": [len(part) for part in message.buffers]})
    header += b" " * (-(4 + len(header)) % _ALIGNED)
    parts = [part + bytes(-len(part) % _ALIGNED) for part in message.buffers]
    return b"".join([struct.pack("<I", len(header)), header, *parts])


def encode(value: object) -> bytes:
    """Encode as compact JSON in UTF-8."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


def error_body(exc: PaiJupyterError) -> "WireError":
    """Build the error body that a client receives."""
    return error_of_type(type(exc).__name__, str(exc))


def error_of_type(kind: str, sentence: str) -> "WireError":
    return {"type": kind, "message": sentence[:MAX_SENTENCE], "hint": ""}


def sendable(value: Any) -> Any:  # Any: JSON values, and numbers and texts that JSON lacks
    """Replace everything in a value that JSON cannot represent."""
    if isinstance(value, str):
        return _whole_characters(value)
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, float):
        return number_to_json(value)
    if isinstance(value, list | tuple):
        return [sendable(item) for item in value]
    if isinstance(value, dict | Mapping):  # in this order: to ask an abstract class takes far longer
        return {_whole_characters(name): sendable(item) for name, item in value.items()}
    return value


def _whole_characters(text: str) -> str:
    if text.isascii():
        return text  # which most are
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
