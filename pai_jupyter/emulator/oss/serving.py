"""OSS over HTTP: Starlette request in, response out. Signatures are checked before the body is read.

Rule 1: bodies of any size need only a few blocks of memory; one block is written while the next is received.
Rule 2: the disk is used on threads, never on the event loop, so that other services can answer meanwhile.
Rule 3: errors are logged without the text of the request, which may contain secrets.
"""

import asyncio
import hmac
import logging
import secrets
import time
import traceback
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse

from pai_jupyter.emulator.calls.context import EmulatorContext
from pai_jupyter.emulator.object_store.content import BLOCK, ContentDraft
from pai_jupyter.emulator.oss import routing
from pai_jupyter.emulator.oss.call import Answer, OssCall, Owner, Stream
from pai_jupyter.emulator.oss_protocol import request, signatures
from pai_jupyter.emulator.oss_protocol.refusal import ERROR_HEADER, OssRefusal, error_header, error_xml
from pai_jupyter.emulator.oss_protocol.xml import TYPE
from pai_jupyter.emulator.state.access import Keys

_LONGEST_TEXT = 8 * 1024 * 1024  # bytes of XML; 1,000 keys or 10,000 parts need less
_SERVER = "AliyunOSS"
_BODILESS = frozenset({204, 304})
_log = logging.getLogger(__name__)


async def serve(received: Request, world: EmulatorContext) -> Response:
    """Answer a request for OSS."""
    began, request_id = time.monotonic(), _new_request_id()
    asked = request.read(
        received.method, received.scope["raw_path"], received.scope["query_string"], received.scope["headers"]
    )
    try:
        answer = await _answer(asked, received, world)
    except OssRefusal as refusal:
        answer = _refused(refusal, received.method, request_id)
    except ClientDisconnect:
        return Response(status_code=400)  # the client is gone
    except Exception as exc:  # noqa: BLE001  a bug of ours, or a disk error
        _log.error("%s in\n%s", type(exc).__name__, "".join(traceback.format_tb(exc.__traceback__)))
        answer = _refused(
            OssRefusal(500, "InternalError", message="The emulator has failed."), received.method, request_id
        )
    took = {"x-oss-request-id": request_id, "x-oss-server-time": str(int((time.monotonic() - began) * 1000))}
    return _response(answer, {"server": _SERVER, **took, **answer.headers})


async def _answer(asked: request.OssRequest, received: Request, world: EmulatorContext) -> Answer:
    version = signatures.check(asked, _secret_of(world.keys), region=world.region, now=world.now())
    operation = routing.find(asked)
    owner = Owner(account_id=world.account_id, region=world.region, endpoint=world.address.partition("://")[2])
    call = OssCall(request=asked, store=world.objects, owner=owner, draft=world.objects.draft())
    try:
        if version is None:
            await asyncio.to_thread(routing.check_public, call, operation)
        if routing.takes_content(operation):
            rest = await _spool(received, call.draft)
        else:
            call, rest = replace(call, text=await _text(received)), bytearray()
        return await asyncio.to_thread(_carry_out, operation, call, rest)
    finally:
        call.draft.discard()


def _secret_of(keys: Keys) -> signatures.Secret:
    def secret_of(access_key_id: str, token: str | None) -> str:
        key = keys.find(access_key_id)
        if key is None or (key.token and not token):
            raise OssRefusal(403, "InvalidAccessKeyId", OSSAccessKeyId=access_key_id)
        given = (token or "").encode(errors="surrogateescape")
        if not hmac.compare_digest(given, (key.token or "").encode()):
            raise OssRefusal(403, "InvalidSecurityToken")
        return key.secret

    return secret_of


async def _spool(received: Request, draft: ContentDraft) -> bytearray:
    """Write the body to the draft, except the returned last bytes, which the caller writes on the operation's thread."""
    pending, writing = bytearray(), None
    try:
        async for block in received.stream():
            pending += block
            if len(pending) >= BLOCK:
                if writing is not None:
                    await writing
                writing = asyncio.create_task(asyncio.to_thread(draft.write, pending))
                pending = bytearray()
    finally:
        if writing is not None:
            await writing
    return pending


async def _text(received: Request) -> bytes:
    text = bytearray()
    async for block in received.stream():
        text += block
        if len(text) > _LONGEST_TEXT:
            raise OssRefusal(400, "MalformedXML")
    return bytes(text)


def _carry_out(operation: routing.Operation, call: OssCall, rest: bytearray) -> Answer:
    call.draft.write(rest)
    answer = operation(call)
    if isinstance(answer.body, Stream) and answer.body.size <= BLOCK:
        with answer.body.reading:
            return replace(answer, body=b"".join(answer.body.blocks()))
    return answer


def refuse(received: Request, refusal: OssRefusal) -> Response:
    """Answer any request with this error."""
    request_id = _new_request_id()
    answer = _refused(refusal, received.method, request_id)
    return _response(answer, {"server": _SERVER, "x-oss-request-id": request_id, **answer.headers})


def _refused(refusal: OssRefusal, method: str, request_id: str) -> Answer:
    if refusal.status in _BODILESS:
        return Answer(status=refusal.status, headers=refusal.headers)
    xml = error_xml(refusal, request_id=request_id)
    headers = {"content-type": TYPE, **refusal.headers}
    if method == "HEAD":
        return Answer(status=refusal.status, headers={**headers, ERROR_HEADER: error_header(xml)})
    return Answer(status=refusal.status, headers=headers, body=xml)


def _response(answer: Answer, headers: Mapping[str, str]) -> Response:
    size = answer.body.size if isinstance(answer.body, Stream) else len(answer.body)
    length = {} if answer.status in _BODILESS else {"content-length": str(size)}
    if isinstance(answer.body, Stream):
        response: Response = StreamingResponse(_blocks(answer.body), status_code=answer.status)
    else:
        response = Response(answer.body, status_code=answer.status)
    # Headers stored by users may have any bytes; they are returned unchanged.
    told = {**length, **headers}.items()
    response.raw_headers = [(name.encode(), value.encode(errors="surrogateescape")) for name, value in told]
    return response


async def _blocks(stream: Stream) -> AsyncIterator[bytes]:
    with stream.reading:
        blocks = stream.blocks()
        while block := await asyncio.to_thread(next, blocks, b""):
            yield block


def _new_request_id() -> str:
    return secrets.token_hex(12).upper()
