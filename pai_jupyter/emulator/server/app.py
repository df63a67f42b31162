"""The emulator as one ASGI application: finds the service of a request, applies faults, answers.

    x-acs-version: 2022-01-12     PaiStudio         ?Version=2015-04-01   STS (RPC style)
                   2021-02-04     AIWorkSpace       x-emulator-token      the control endpoint (`control`)
                   2020-12-03     DLC               anything else         OSS
                   2021-02-02     PAIFlow

All services share one address and their paths collide, so a service is not found by its path. Paths are matched undecoded; a
router would decode `%2F`.
"""

import asyncio
import logging
import traceback
from collections.abc import Mapping, MutableMapping
from email.utils import formatdate
from typing import Any
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import Message as AsgiMessage
from starlette.types import Receive, Scope, Send

from pai_jupyter.cloud.client.signatures import SignableRequest
from pai_jupyter.emulator import dlc, flow, studio, workspace
from pai_jupyter.emulator.calls.calls import ApiCall, OperationTable
from pai_jupyter.emulator.calls.context import EmulatorContext
from pai_jupyter.emulator.jobs.lifecycle import followed
from pai_jupyter.emulator.oss.serving import serve
from pai_jupyter.emulator.protocol.bodies import answer, named_in, read_body, read_fields, refusal
from pai_jupyter.emulator.protocol.refusal import ApiRefusal, Fields
from pai_jupyter.emulator.server import sts
from pai_jupyter.emulator.server.control import TOKEN_HEADER, control
from pai_jupyter.emulator.server.fault_injection import suffer
from pai_jupyter.emulator.state.access import AccessControl

FORGETS_EVERY = 60.0  # seconds
_RPC = "/"  # the path of RPC calls, which differ only in their action
_log = logging.getLogger(__name__)


class Emulator:
    """The ASGI application. Jobs are followed during its lifespan; the jobs themselves outlive it."""

    def __init__(self, world: EmulatorContext) -> None:
        self._world = world
        self._gate = AccessControl(world.keys, world.now)
        tables = (studio.TABLE, workspace.TABLE, dlc.TABLE, flow.TABLE, sts.TABLE)
        self._tables = {table.version: table for table in tables}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            await self._serve(Request(scope, receive), _dated(send, self._world))

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        jobs = followed(self._world, (studio.TrainingLifecycle, dlc.DlcLifecycle))
        async with jobs, flow.followed_runs(self._world):
            self._world.boards.resume()
            forgetting = asyncio.create_task(self._forget_nonces())
            await send({"type": "lifespan.startup.complete"})
            await receive()
            forgetting.cancel()
            await self._world.boards.aclose()
        await self._world.runner.close()
        await send({"type": "lifespan.shutdown.complete"})

    async def _forget_nonces(self) -> None:
        """Delete expired nonces regularly, also without calls: a load test leaves hundreds of thousands."""
        while True:
            await asyncio.sleep(FORGETS_EVERY)
            self._gate.forget()

    async def _serve(self, request: Request, send: Send) -> None:
        if TOKEN_HEADER in request.headers:
            response: Response = await control(request, self._world)
            await response(request.scope, request.receive, send)
        elif (table := self._table(request)) is not None:
            await self._serve_table(table, request, send)
        elif "x-acs-version" in request.headers:
            response = refusal(self._no_version(request), request)
            await response(request.scope, request.receive, send)
        else:
            await self._serve_oss(request, send)

    def _table(self, request: Request) -> OperationTable | None:
        version = request.headers.get("x-acs-version") or request.query_params.get("Version", "")
        return self._tables.get(version)

    def _no_version(self, request: Request) -> ApiRefusal:
        """Create the error for a call with an unknown version: the operation is unknown, or has another version."""
        version, action = request.headers["x-acs-version"][:40], _action(request.headers, request.query_params)
        tables = [table for table in self._tables.values() if action in table.actions]
        if action and not tables:
            return _no_action(action, version)
        known = ", ".join(table.version for table in tables or self._tables.values())
        return ApiRefusal(400, "InvalidVersion", f"Specified parameter Version is not valid: {version!r}, not {known}.")

    async def _serve_table(self, table: OperationTable, request: Request, send: Send) -> None:
        found = table.find(request.method, raw_path(request))
        action = found[0].action if found else ""
        body = await read_body(request)
        rule = self._world.faults.strike(action, request.method, raw_path(request), named_in(body))

        async def respond(send: Send) -> None:
            response = await self._answer(table, request, body)
            await response(request.scope, request.receive, send)

        await suffer(rule, request, respond, send)

    async def _serve_oss(self, request: Request, send: Send) -> None:
        rule = self._world.faults.strike(f"OSS:{request.method}", request.method, raw_path(request))

        async def respond(send: Send) -> None:
            response = await serve(request, self._world)
            await response(request.scope, request.receive, send)

        await suffer(rule, request, respond, send, is_oss=True)

    async def _answer(self, table: OperationTable, request: Request, body: bytes | None) -> JSONResponse:
        try:
            return answer(await self._handle(table, request, body), request)
        except ApiRefusal as exc:
            return refusal(exc, request)
        except Exception as exc:  # noqa: BLE001  a bug of ours; its message may contain secrets
            _log.error("%s in\n%s", type(exc).__name__, "".join(traceback.format_tb(exc.__traceback__)))
            return refusal(ApiRefusal(500, "InternalError", "The emulator has failed. See its log."), request)

    async def _handle(self, table: OperationTable, request: Request, body: bytes | None) -> Fields:
        if body is None:
            raise ApiRefusal(413, "RequestEntityTooLarge", "The body is larger than the service takes.")
        query = query_of(request)
        headers = dict(request.headers)
        path = raw_path(request)
        self._gate.admit(SignableRequest(method=request.method, path=path, query=query, headers=headers, body=body))
        found = table.find(request.method, path)
        asked = _action(headers, query)
        if found is None or (found[0].path == _RPC and asked != found[0].action):
            raise _no_action(asked or f"{request.method} {path[:200]}", table.version)
        operation, parameters, handler = found
        fields = read_fields(headers.get("content-type", ""), body)
        return await handler(
            ApiCall(
                operation=operation,
                world=self._world,
                account=self._world.account_id,
                path=parameters,
                query=query,
                body=fields,
            )
        )


def _action(headers: Mapping[str, str], query: Mapping[str, str]) -> str:
    """Return the action that a request names; RPC calls have it in the query, others in a header."""
    return (query.get("Action") or headers.get("x-acs-action", ""))[:100]


def _no_action(what: str, version: str) -> ApiRefusal:
    sentence = "Specified api is not found, check url and method"
    return ApiRefusal(404, "InvalidAction.NotFound", f"{sentence}: the emulator does not have {what} ({version}).")


def raw_path(request: Request) -> str:
    """Return the path undecoded, as in the request line."""
    return bytes(request.scope["raw_path"]).decode("latin-1")


def query_of(request: Request) -> Mapping[str, str]:
    return dict(parse_qsl(request.url.query, keep_blank_values=True))


def _dated(send: Send, world: EmulatorContext) -> Send:
    """Wrap `send` to set the header Date to the services' time, which clients may use to correct their clock."""

    async def send_dated(message: AsgiMessage) -> None:
        if message["type"] == "http.response.start":
            _add_date(message, world)
        await send(message)

    return send_dated


def _add_date(message: MutableMapping[str, Any], world: EmulatorContext) -> None:  # Any: of ASGI
    headers = [pair for pair in message.get("headers", []) if pair[0].lower() != b"date"]
    message["headers"] = [*headers, (b"date", formatdate(world.now(), usegmt=True).encode())]
