"""The body of a call: read whole but not without end, and turned into fields."""

import json
import re
from urllib.parse import parse_qsl

from starlette.requests import Request

from pai_jupyter.emulator.api import Fields, Refusal

LIMIT = 16 * 1024 * 1024  # bytes
_NAMED = re.compile(rb'"(?:TrainingJobName|DisplayName)"\s*:\s*"([^"]{0,300})"')


async def read_body(request: Request) -> bytes | None:
    """Read the body; return None when it is larger than any service takes."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > LIMIT:
            return None
    return bytes(body)


def read_fields(content_type: str, body: bytes) -> Fields:
    """Parse a body of JSON, or a form whose values are all text.

    Raises:
        Refusal: it is neither.
    """
    if not body.strip():
        return {}
    if content_type.startswith("application/x-www-form-urlencoded"):
        return {**dict(parse_qsl(body.decode(errors="replace"), keep_blank_values=True))}
    try:
        fields = json.loads(body)
        if b"\\u" in body:  # half of a pair is no text that anybody could write
            json.dumps(fields, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as exc:
        raise Refusal(400, "InvalidParameter", "the body is no JSON") from exc
    if not isinstance(fields, dict):
        raise Refusal(400, "InvalidParameter", "the body is no JSON object")
    return fields


def named_in(body: bytes | None) -> str:
    """Find the name that a call gives to a job without parsing the body, which is not verified yet."""
    found = _NAMED.search(body or b"")
    return found[1].decode(errors="replace") if found else ""
