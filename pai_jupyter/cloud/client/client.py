"""`Client`: calls a service, with retries, until it answers or fails for good.

A try returns the answer's fields or a `CallFailure`. `retry` decides what follows, `refusals` words the error; this module only
sends, waits and keeps deadlines.

Rule 1: exceptions of the HTTP library become text here. Their frames have the signed headers, so they are never the cause or
    context of our errors.
Rule 2: every wait has a limit: for a connection, one try, and the whole call with its pauses.
"""

import asyncio
import logging
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from itertools import count
from types import TracebackType
from typing import Literal, Self

import httpx

from pai_jupyter.cloud.client import paging
from pai_jupyter.cloud.client.answer import CallFailure, clean, read_answer
from pai_jupyter.cloud.client.auth import Clock, SignatureAuth, fresh_nonce
from pai_jupyter.cloud.client.credential import Credential, CredentialProvider
from pai_jupyter.cloud.client.endpoints import Endpoints
from pai_jupyter.cloud.client.operation import Operation
from pai_jupyter.cloud.client.refusals import error_of
from pai_jupyter.cloud.client.request import Query, UnsignedRequest, prepare
from pai_jupyter.cloud.client.retry import TRIES, is_gone, may_repeat, pause_before
from pai_jupyter.errors import SpecError
from pai_jupyter.spec import Json

_log = logging.getLogger(__name__)
_CONNECT = 5.0  # seconds
# Keep-alive equals the maximum: with less, httpcore 1.0 opens a new connection for every request under load.
_LIMITS = httpx.Limits(max_connections=16, max_keepalive_connections=16, keepalive_expiry=15)
_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError)


class Client:
    """The client of the services at `endpoints`, with the current key of `credentials`.

    `deadline` limits a whole call, `timeout` the server's silence in one try, both in seconds. The rest is for tests.
    """

    def __init__(
        self,
        endpoints: Endpoints,
        credentials: CredentialProvider,
        *,
        deadline: float = 60.0,
        timeout: float = 20.0,
        transport: httpx.AsyncBaseTransport | None = None,
        now: Callable[[], float] = time.time,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
        nonce: Callable[[], str] = fresh_nonce,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._endpoints = endpoints
        self._credentials = credentials
        self._deadline = deadline
        self._clock = Clock(now)
        self._pause = pause
        self._nonce = nonce
        self._chance = chance
        self._http = _http(httpx.Timeout(timeout, connect=_CONNECT), transport, trust_env=not endpoints.is_local)

    @property
    def clock_skew(self) -> float:
        """Seconds by which the services' clock is ahead, as learned from rejected requests."""
        return self._clock.skew

    async def call(
        self,
        operation: Operation,
        *,
        path: Mapping[str, str] | None = None,
        query: Query | None = None,
        body: Mapping[str, Json] | None = None,
        deadline: float | None = None,
    ) -> dict[str, Json]:
        """Make one call and return the fields of its answer; `path` and `query` are its parameters.

        Raises:
            UncertainError: it may have been carried out and must not be repeated.
            PaiJupyterError: see `refusals`: SpecError, AuthError, NotFoundError, LimitExceededError, UnavailableError,
                ProtocolError.
        """
        base_url = self._endpoints.base_url(operation.service.origin)
        request = prepare(operation, base_url, path=path, query=query, body=body)
        ends = asyncio.get_running_loop().time() + (self._deadline if deadline is None else deadline)
        answer = await self._insist(operation, request, ends)
        if isinstance(answer, CallFailure):
            skew = self._clock.skew_of(answer.date)
            raise error_of(operation, answer, skew=skew, emulator=self._endpoints.address)
        return answer

    def pages(
        self, operation: Operation, *, path: Mapping[str, str] | None = None, query: Query | None = None
    ) -> AsyncIterator[paging.Items]:
        """Yield a list page by page; each page is a call with its own deadline."""

        def ask(query: Query) -> Awaitable[dict[str, Json]]:
            return self.call(operation, path=path, query=query)

        return paging.pages(operation, query or {}, ask)

    async def aclose(self) -> None:
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def _insist(self, operation: Operation, call: UnsignedRequest, ends: float) -> dict[str, Json] | CallFailure:
        was_lost = False
        for tries in count(1):
            answer = await self._try(call, ends)
            if was_lost and is_gone(operation, answer):
                return {}  # an earlier try with a lost answer has deleted it
            if not isinstance(answer, CallFailure) or tries == TRIES or not may_repeat(operation, answer):
                break
            pause = pause_before(tries, answer, self._chance())
            if asyncio.get_running_loop().time() + pause >= ends:
                break
            was_lost |= answer.kind == "lost"
            _log.debug("%s again in %.1f s: %s", operation.action, pause, answer.message)
            await self._pause(pause)
        return answer

    async def _try(self, call: UnsignedRequest, ends: float) -> dict[str, Json] | CallFailure:
        try:
            async with asyncio.timeout_at(ends):  # a source of keys may do blocking I/O, so not in the loop
                credential = await asyncio.to_thread(self._credentials.get)
        except TimeoutError:
            return CallFailure(kind="busy", message="the source of the credentials gave none in time")
        try:
            async with asyncio.timeout_at(ends):
                response = await self._send(call, credential)
        except TimeoutError:
            return CallFailure(kind="lost", message="it did not answer in time")
        except httpx.RequestError as exc:
            return _trouble(exc, credential, is_local=self._endpoints.is_local)
        return read_answer(call.method, response.status_code, response.headers, response.content, credential)

    async def _send(self, call: UnsignedRequest, credential: Credential) -> httpx.Response:
        request = self._http.build_request(call.method, call.url, headers=call.headers, content=call.body)
        return await self._http.send(request, auth=SignatureAuth(credential, clock=self._clock, nonce=self._nonce))


def _http(timeout: httpx.Timeout, transport: httpx.AsyncBaseTransport | None, *, trust_env: bool) -> httpx.AsyncClient:
    try:
        return httpx.AsyncClient(transport=transport, timeout=timeout, limits=_LIMITS, trust_env=trust_env)
    except (ImportError, OSError, ValueError) as exc:  # httpx reads proxy variables here; SOCKS needs another package
        raise SpecError(
            "Invalid proxy or certificate setting: check HTTPS_PROXY, ALL_PROXY and SSL_CERT_FILE"
            f" ({type(exc).__name__})."
        ) from None  # a proxy's address may have a password


def _trouble(exc: httpx.RequestError, credential: Credential, *, is_local: bool) -> CallFailure:
    """Classify a failure below HTTP: a request that was not sent was not carried out."""
    text = clean(str(exc), credential.secrets) or "no reason given"
    message = f"{type(exc).__name__}, {text}"
    if "CERTIFICATE_VERIFY_FAILED" in text:
        return CallFailure(kind="refused", message=message)
    kind: Literal["busy", "lost"] = "busy" if isinstance(exc, _NOT_SENT) else "lost"
    return CallFailure(kind=kind, message=message, is_absent=is_local and _is_nobody_there(exc))


def _is_nobody_there(exc: BaseException | None) -> bool:
    """Return whether the port is closed; the HTTP library keeps the reason in the chain of its exceptions."""
    while exc is not None and not isinstance(exc, ConnectionRefusedError):
        exc = exc.__cause__ or exc.__context__
    return exc is not None
