"""Apply a fault to one request and its answer, at the level of the connection.

The server stores its transport in the state of each request (see `serving`), so that a fault can close the connection.
"""

import asyncio
from asyncio import WriteTransport
from collections.abc import Awaitable, Callable, Iterable, Iterator

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.types import Message, Send

from pai_jupyter.emulator.oss.serving import refuse
from pai_jupyter.emulator.oss_protocol.refusal import OssRefusal as OssRefusal
from pai_jupyter.emulator.protocol.bodies import refusal
from pai_jupyter.emulator.protocol.refusal import ApiRefusal
from pai_jupyter.emulator.state.faults import FaultName, Rule

_PAGE = "<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>"
_REFUSALS = {  # fault -> status and code for PAI, and for OSS
    FaultName.THROTTLING: ((429, "Throttling.User"), (503, "RequestRateLimitExceeded")),
    FaultName.SERVER_ERROR: ((503, "ServiceUnavailable"), (503, "ServiceUnavailable")),
    FaultName.EXPIRED_TOKEN: ((400, "InvalidSecurityToken.Expired"), (403, "SecurityTokenExpired")),
    FaultName.NO_PERMISSION: ((403, "NoPermission"), (403, "AccessDenied")),
    FaultName.LOWER_KEYS: ((400, "InvalidParameter"), (400, "InvalidArgument")),
    FaultName.REPLACED: ((412, "PreconditionFailed"), (412, "PreconditionFailed")),
}
_OMITTED_HEADERS = {FaultName.NO_CHECKSUM: b"x-oss-hash-crc64ecma", FaultName.NO_ETAG: b"etag"}
Respond = Callable[[Send], Awaitable[None]]


async def suffer(rule: Rule | None, request: Request, respond: Respond, send: Send, *, is_oss: bool = False) -> None:
    """Answer the request by `respond`, changed or replaced by the fault of `rule`, if any."""
    if rule is None:
        await respond(send)
        return
    match rule.name:
        case FaultName.DROPPED:
            await abort_connection(request)
        case FaultName.LOST_ANSWER:
            await respond(_discard)
            await abort_connection(request)
        case FaultName.SLOW:
            await asyncio.sleep(rule.seconds)
            await respond(send)
        case FaultName.CORRUPTED:
            await respond(_corrupting(send))
        case FaultName.TRUNCATED:
            await respond(_truncating(send, request))
        case FaultName.NO_CHECKSUM | FaultName.NO_ETAG | FaultName.LOWER_ETAG:
            await respond(_changing_headers(send, rule.name))
        case _:
            await _refusal(rule.name, request, is_oss=is_oss)(request.scope, request.receive, send)


def _refusal(name: FaultName, request: Request, *, is_oss: bool) -> Response:
    if name is FaultName.HTML:
        return HTMLResponse(_PAGE, status_code=502)
    status, code = _REFUSALS[name][is_oss]
    message = f"The emulator was asked for the fault {name}."
    if not is_oss:
        return refusal(ApiRefusal(status, code, message), request, is_lower=name is FaultName.LOWER_KEYS)
    return refuse(request, OssRefusal(status, code, message=message))


async def abort_connection(request: Request) -> None:
    """Abort the connection without an answer."""
    transport: WriteTransport = request.state.transport
    transport.abort()
    await asyncio.sleep(0.01)  # let the server notice, so that it does not send an answer itself


async def _discard(_: Message) -> None:
    """Discard an answer."""


def _corrupting(send: Send) -> Send:
    async def corrupt(message: Message) -> None:
        body = message.get("body")
        await send({**message, "body": bytes([body[0] ^ 1]) + body[1:]} if body else message)

    return corrupt


def _changing_headers(send: Send, fault: FaultName) -> Send:
    async def spoil(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*_changed_headers(message["headers"], fault)]}
        await send(message)

    return spoil


def _changed_headers(headers: Iterable[tuple[bytes, bytes]], fault: FaultName) -> Iterator[tuple[bytes, bytes]]:
    for name, value in headers:
        if name != _OMITTED_HEADERS.get(fault):
            yield name, value.lower() if name == b"etag" and fault is FaultName.LOWER_ETAG else value


def _truncating(send: Send, request: Request) -> Send:
    async def truncate(message: Message) -> None:
        body = message.get("body")
        if not body:
            await send(message)
            return
        await send({**message, "body": body[: len(body) // 2], "more_body": True})
        transport: WriteTransport = request.state.transport
        transport.close()
        await asyncio.sleep(0.01)

    return truncate
