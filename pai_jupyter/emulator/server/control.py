"""The control endpoint, for tests and demonstrations: `GET|POST|DELETE /emulator/faults`, `POST /emulator/algorithms`.

It needs no signature, but the token in DIR/control.token, which only this user can read; so a web page that guesses the port
cannot use it.
"""

import hmac
import json
import os
import secrets
from pathlib import Path

from starlette.requests import Request
from starlette.responses import JSONResponse

from pai_jupyter.emulator.calls.context import EmulatorContext
from pai_jupyter.emulator.protocol.bodies import answer, refusal
from pai_jupyter.emulator.protocol.refusal import ApiRefusal, Fields
from pai_jupyter.emulator.server.seeding import seed
from pai_jupyter.emulator.state.faults import Rule, listed

TOKEN_HEADER = "x-emulator-token"  # noqa: S105  the name of a header
TOKEN_FILE = "control.token"  # noqa: S105  the name of a file


def make_token(data: Path) -> None:
    """Create the token in the emulator's directory, unless there is one."""
    path = data / TOKEN_FILE
    if not path.exists():
        with open(path, "w", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            file.write(secrets.token_urlsafe(24))


async def control(request: Request, world: EmulatorContext) -> JSONResponse:
    """Answer a request that has the header `x-emulator-token`."""
    try:
        return answer(await _control(request, world), request)
    except ApiRefusal as exc:
        return refusal(exc, request)


async def _control(request: Request, world: EmulatorContext) -> Fields:
    token = (world.data / TOKEN_FILE).read_text()
    if not hmac.compare_digest(token.encode(), request.headers[TOKEN_HEADER].encode()):
        raise ApiRefusal(403, "Forbidden", f"{TOKEN_HEADER} is not the token of this emulator")
    if request.url.path == "/emulator/algorithms" and request.method == "POST":
        return {"AlgorithmId": seed(world, await _fields(request))}
    if request.url.path != "/emulator/faults":
        raise ApiRefusal(404, "NotFound", "the emulator is controlled at /emulator/faults and /emulator/algorithms")
    match request.method:
        case "POST":
            world.faults.rules.append(Rule.read(await _fields(request)))
        case "DELETE":
            world.faults.clear()
        case "GET":
            pass
        case _:
            raise ApiRefusal(405, "UnsupportedHTTPMethod", "faults are listed by GET, added by POST, cleared by DELETE")
    return {"Faults": listed(world.faults.rules)}


async def _fields(request: Request) -> Fields:
    try:
        fields = json.loads(await request.body())
    except (ValueError, RecursionError):
        fields = None
    if not isinstance(fields, dict):
        raise ApiRefusal(
            400, "InvalidParameter", 'the body must be a JSON object, e.g. {"name": "throttling", "times": 2}'
        )
    return fields
