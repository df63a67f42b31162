"""Bodies: that of a call is read whole but not without end, and turned into fields; answers are as the cloud writes them.

An answer is JSON with a RequestId, an error has Code, Message and HostId.
"""

import json
import re
import uuid
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import JSONResponse

from pai_jupyter.emulator.protocol.refusal import ApiRefusal, Fields

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
        raise ApiRefusal(400, "InvalidParameter", "the body is no JSON") from exc
    if not isinstance(fields, dict):
        raise ApiRefusal(400, "InvalidParameter", "the body is no JSON object")
    return fields


def named_in(body: bytes | None) -> str:
    """Find the name that a call gives to a job without parsing the body, which is not verified yet."""
    found = _NAMED.search(body or b"")
    return found[1].decode(errors="replace") if found else ""


def answer(fields: Fields, request: Request) -> JSONResponse:
    return _json(200, fields, request)


def refusal(refused: ApiRefusal, request: Request, *, is_lower: bool = False) -> JSONResponse:
    """Answer with an error; `is_lower` writes its keys as some gateways do: `code`, `message`, `requestId`."""
    if is_lower:
        lower: Fields = {"code": refused.code, "message": refused.message}
        return _json(refused.status, lower, request, id_key="requestId")
    fields: Fields = {
        "Code": refused.code,
        "Message": refused.message,
        "HostId": request.headers.get("host", ""),
    }
    return _json(refused.status, fields, request)


def _json(status: int, fields: Fields, request: Request, *, id_key: str = "RequestId") -> JSONResponse:
    request_id = str(uuid.uuid4()).upper()
    return JSONResponse({**fields, id_key: request_id}, status_code=status, headers={"x-acs-request-id": request_id})
