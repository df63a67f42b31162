"""Read the body of a call, up to a limit, and parse its fields; build answers in the cloud's format.

An answer is JSON with a RequestId; an error has Code, Message and HostId, too.
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
    """Read the body; None if it is larger than `LIMIT`."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > LIMIT:
            return None
    return bytes(body)


def read_fields(content_type: str, body: bytes) -> Fields:
    """Parse a body of JSON, or a form whose values are all text.

    Raises:
        ApiRefusal: it is not a JSON object.
    """
    if not body.strip():
        return {}
    if content_type.startswith("application/x-www-form-urlencoded"):
        return {**dict(parse_qsl(body.decode(errors="replace"), keep_blank_values=True))}
    try:
        fields = json.loads(body)
        if b"\\u" in body:  # refuse lone surrogates, which cannot be encoded
            json.dumps(fields, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as exc:
        raise ApiRefusal(400, "InvalidParameter", "the body is not valid JSON") from exc
    if not isinstance(fields, dict):
        raise ApiRefusal(400, "InvalidParameter", "the body is not a JSON object")
    return fields


def named_in(body: bytes | None) -> str:
    """Find the job name in a body without parsing it, since it is not verified yet; "" if there is none."""
    found = _NAMED.search(body or b"")
    return found[1].decode(errors="replace") if found else ""


def answer(fields: Fields, request: Request) -> JSONResponse:
    return _json(200, fields, request)


def refusal(refused: ApiRefusal, request: Request, *, is_lower: bool = False) -> JSONResponse:
    """Build an error answer; `is_lower` uses the keys `code`, `message`, `requestId`, as some gateways do."""
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
