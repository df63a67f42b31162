"""Answers as the cloud writes them: JSON with a RequestId, and errors with Code, Message and HostId."""

import uuid

from starlette.requests import Request
from starlette.responses import JSONResponse

from pai_jupyter.emulator.api import Fields, Refusal


def answer(fields: Fields, request: Request) -> JSONResponse:
    return _json(200, fields, request)


def refusal(refused: Refusal, request: Request, *, is_lower: bool = False) -> JSONResponse:
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
