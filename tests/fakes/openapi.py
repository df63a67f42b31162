"""A service of Alibaba Cloud on loopback: it checks signatures, nonces and dates, keeps training jobs, and has bad days.

What goes wrong is planned, one `Fault` for each request to come; a request for which nothing is planned is answered well.
"""

import asyncio
import json
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import formatdate
from types import TracebackType
from typing import Self
from urllib.parse import parse_qsl, unquote

from pai_jupyter.cloud.client.signatures import SignableRequest, acs3, parse_authorization, signed_names
from pai_jupyter.spec import Json

KEY, SECRET, TOKEN = "LTAI-fake", "fake-secret-f1e2d3c4", "fake/token+b5a6=="
_PATIENCE = 15 * 60  # seconds that a date may be wrong


@dataclass(frozen=True, kw_only=True)
class Received:
    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes

    @property
    def action(self) -> str:
        return self.headers.get("x-acs-action", "")


@dataclass(frozen=True, kw_only=True)
class Reply:
    status: int = 200
    body: bytes = b"{}"
    headers: Mapping[str, str] = field(default_factory=dict)


Fault = Callable[["OpenApi", Received], Awaitable[Reply | None]]  # None: the connection is dropped without an answer


def says(status: int, said: dict[str, Json] | bytes | str = "", **headers: str) -> Fault:
    """The request is not carried out, but answered so; an underscore in a header's name stands for a hyphen."""
    body = said if isinstance(said, bytes) else said.encode() if isinstance(said, str) else json.dumps(said).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}

    async def fault(_: "OpenApi", __: Received) -> Reply:
        return Reply(status=status, body=body, headers=named)

    return fault


def code(status: int, name: str, message: str = "no", **headers: str) -> Fault:
    return says(status, {"Code": name, "Message": message, "RequestId": "REQ-1"}, **headers)


async def dropped(_: "OpenApi", __: Received) -> None:
    """The connection breaks before anything is done."""


async def lost(service: "OpenApi", request: Received) -> None:
    """The request is carried out, and the connection breaks before its answer."""
    service.carry_out(request)


async def stalled(service: "OpenApi", request: Received) -> None:
    """The request is carried out, and then nothing comes."""
    service.carry_out(request)
    await service.closing.wait()


async def garbled(service: "OpenApi", request: Received) -> Reply:
    """The request is carried out, and half of the answer arrives."""
    whole = service.carry_out(request)
    return Reply(status=whole.status, body=whole.body[:-5])


class OpenApi:
    """The service at `address`; `ahead` is how far its clock is ahead, in seconds, `date` what it says the time is."""

    def __init__(self) -> None:
        self.plan: deque[Fault] = deque()
        self.requests: list[Received] = []
        self.jobs: dict[str, Json] = {}
        self.lines = [f"line {number}" for number in range(1, 251)]
        self.ahead = 0.0
        self.date: str | None = None
        self.secrets = {KEY: SECRET}
        self.arrived = asyncio.Event()
        self.closing = asyncio.Event()
        self._nonces: set[str] = set()
        self._open: dict[asyncio.StreamWriter, asyncio.Task[None] | None] = {}
        self._server: asyncio.Server | None = None

    @property
    def address(self) -> str:
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    @property
    def connections(self) -> int:
        """How many there have been."""
        return len(self._open)

    @property
    def actions(self) -> list[str]:
        return [request.action for request in self.requests]

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self.closing.set()
        self._server.close()
        for writer in self._open:
            writer.close()
        await asyncio.gather(*filter(None, self._open.values()))
        await self._server.wait_closed()

    def carry_out(self, request: Received) -> Reply:
        """Do what is asked, if the request may be believed."""
        if refusal := self._refuse(request):
            return _reply(400, {"Code": refusal, "Message": "not believed", "RequestId": "REQ-0"})
        job = unquote(request.path.removeprefix("/api/v1/trainingjobs").removesuffix("/logs").strip("/"))
        match request.action:
            case "CreateTrainingJob":
                job = f"train{len(self.jobs) + 1}"
                self.jobs[job] = {"TrainingJobId": job, **json.loads(request.body)}
                return _reply(200, {"TrainingJobId": job})
            case "GetTrainingJob" | "DeleteTrainingJob" if job not in self.jobs:
                return _reply(404, {"Code": "TRAINING_JOB_NOT_FOUND", "Message": "no such job", "RequestId": "REQ-4"})
            case "GetTrainingJob":
                return _reply(200, self.jobs[job])
            case "DeleteTrainingJob":
                del self.jobs[job]
            case "ListTrainingJobLogs":
                number, size = int(request.query["PageNumber"]), min(100, int(request.query["PageSize"]))
                page: list[Json] = [*self.lines[(number - 1) * size : number * size]]
                return _reply(200, {"Logs": page, "TotalCount": str(len(self.lines))})
        return _reply(200, {})

    def _refuse(self, request: Received) -> str:
        """The code by which a request is refused that its sender's key does not vouch for."""
        headers = request.headers
        given = parse_authorization(headers.get("authorization", ""))
        if given is None or given.access_key_id not in self.secrets:
            return "InvalidAccessKeyId.NotFound"
        message = SignableRequest(
            method=request.method, path=request.path, query=request.query, headers=headers, body=request.body
        )
        signature = acs3(message, given.signed_headers, self.secrets[given.access_key_id])
        if set(signed_names(headers)) - set(given.signed_headers) or not signature.matches(given.signature):
            return "SignatureDoesNotMatch"
        dated = datetime.strptime(headers["x-acs-date"], "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC).timestamp()
        if abs(time.time() + self.ahead - dated) > _PATIENCE:
            return "InvalidTimeStamp.Expired"
        nonce = headers["x-acs-signature-nonce"]
        if nonce in self._nonces:
            return "SignatureNonceUsed"
        self._nonces.add(nonce)
        return ""

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open[writer] = asyncio.current_task()
        with suppress(OSError, asyncio.IncompleteReadError):
            while not self.closing.is_set():
                request = await _read(reader)
                self.requests.append(request)
                self.arrived.set()
                reply = await self.plan.popleft()(self, request) if self.plan else self.carry_out(request)
                if reply is None:
                    break
                writer.write(self._written(reply))
                await writer.drain()
        writer.close()

    def _written(self, reply: Reply) -> bytes:
        headers = {
            "Date": self.date or formatdate(time.time() + self.ahead, usegmt=True),
            "Content-Length": str(len(reply.body)),
            **reply.headers,
        }
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        return f"HTTP/1.1 {reply.status} X\r\n{lines}\r\n".encode() + reply.body


def _reply(status: int, said: Json) -> Reply:
    fields = {"RequestId": "REQ-2", **said} if isinstance(said, dict) else said
    return Reply(status=status, body=json.dumps(fields, ensure_ascii=False).encode())


async def _read(reader: asyncio.StreamReader) -> Received:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, target, _ = head[0].split(" ")
    path, _, query = target.partition("?")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    pairs = dict(parse_qsl(query, keep_blank_values=True))
    return Received(method=method, path=path, query=pairs, headers=headers, body=body)
