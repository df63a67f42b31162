"""Base of all handlers: authorization, errors as {type, message, hint}, calls on other threads.

Authorization is Jupyter's: token or cookie, origin, XSRF check for requests that change anything, and the server's
authorizer, with the resource "pai-jupyter" and the actions read, write (requests that change anything), execute (socket).
"""

import asyncio
import json
from collections.abc import Callable, Coroutine, Iterator, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any, TypeVar

from jupyter_server.base.handlers import APIHandler, JupyterHandler
from tornado import web

from pai_jupyter.errors import (
    BackendError,
    LimitExceededError,
    NotFoundError,
    PackageError,
    PaiJupyterError,
    SpecError,
    UnavailableError,
)
from pai_jupyter.jobs import runtime
from pai_jupyter.wire.protocol.language import spoken, wanted_language
from pai_jupyter.wire.protocol.messages import Message, error_body, error_of_type, to_frame

AUTH_RESOURCE = "pai-jupyter"
LARGEST_REQUEST = 1024 * 1024  # bytes of JSON
T = TypeVar("T")

# The first match counts; the last row: other errors of ours mean that the state of the job does not allow the request.
_STATUS: tuple[tuple[type[PaiJupyterError], HTTPStatus], ...] = (
    (SpecError, HTTPStatus.BAD_REQUEST),
    (PackageError, HTTPStatus.BAD_REQUEST),
    (NotFoundError, HTTPStatus.NOT_FOUND),
    (LimitExceededError, HTTPStatus.CONFLICT),
    (UnavailableError, HTTPStatus.SERVICE_UNAVAILABLE),
    (BackendError, HTTPStatus.BAD_GATEWAY),
    (PaiJupyterError, HTTPStatus.CONFLICT),
)
_threads = ThreadPoolExecutor(max_workers=8, thread_name_prefix="pai-jupyter-rest")
_INTERNAL = "pai_jupyter failed at this request. See the log of the Jupyter server."
_KINDS: dict[int, str] = {HTTPStatus.FORBIDDEN: "AuthError", HTTPStatus.NOT_FOUND: "NotFoundError"}


async def on_runtime(coroutine: Coroutine[Any, Any, T]) -> T:  # Any: what a coroutine yields and is sent
    """Run `coroutine` on the runtime thread; await its result on the server's loop."""
    return await asyncio.wrap_future(runtime().call(coroutine))


async def on_thread(work: Callable[[], T], *, threads: Executor = _threads) -> T:
    """Run blocking `work` on a thread; await its result on the server's loop.

    It uses pools of our own, so that slow services and large files do not delay the server's other work.
    """
    return await asyncio.get_running_loop().run_in_executor(threads, work)


def status_of(exc: PaiJupyterError) -> HTTPStatus:
    """Return the HTTP status of an error: 4xx for the request or the job's state, 5xx for a backend or service."""
    return next(status for kind, status in _STATUS if isinstance(exc, kind))


class OurHandler(JupyterHandler):
    """Base of REST and socket handlers: resource name, exact decoding of addresses, errors in the wire format."""

    auth_resource = AUTH_RESOURCE

    def decode_argument(self, value: bytes, name: str | None = None) -> str:
        """Decode a part of the address unchanged; file names need not be UTF-8."""
        return value.decode("utf-8", "surrogateescape")

    def write_error(self, status_code: int, **kwargs: Any) -> None:  # Any: tornado's own
        """Send errors of Jupyter, tornado and unexpected exceptions in the wire format."""
        if status_code == HTTPStatus.METHOD_NOT_ALLOWED:
            self.set_header("Allow", ", ".join(self._methods()))
        exc = kwargs.get("exc_info", (None, None))[1]
        if isinstance(exc, web.HTTPError):
            message = exc.get_message() or exc.reason or HTTPStatus(status_code).phrase
            self.answer(error_of_type(_KINDS.get(status_code, "SpecError"), message))
        else:
            self.answer(error_of_type("InternalError", _INTERNAL))

    def answer(self, body: Mapping[str, object]) -> None:
        """Finish with JSON, its messages in the user's language."""
        self.finish(dict(spoken(Message(body=body), self.language()).body))

    def language(self) -> str:
        return wanted_language(self.request.headers.get("Accept-Language", ""))

    def _methods(self) -> Iterator[str]:
        """Yield the HTTP methods that the handler implements, for the `Allow` header."""
        for method in self.SUPPORTED_METHODS:
            if getattr(type(self), method.lower(), None) is not getattr(web.RequestHandler, method.lower()):
                yield method


class Handler(OurHandler, APIHandler):
    """The base of our REST handlers."""

    @contextmanager
    def refusing(self, *, mistake: HTTPStatus = HTTPStatus.BAD_REQUEST) -> Iterator[None]:
        """Answer an error of ours with its message; `mistake` replaces the status 400."""
        try:
            yield
        except PaiJupyterError as exc:
            status = status_of(exc)
            self.set_status(mistake if status is HTTPStatus.BAD_REQUEST else status)
            self.answer(error_body(exc))

    def send(self, message: Message) -> None:
        """Answer with a message, as a frame if it has binary parts."""
        if message.buffers:
            self.finish(to_frame(spoken(message, self.language())), set_content_type="application/octet-stream")
        else:
            self.answer(message.body)

    def json_body(self) -> dict[str, object]:
        """Parse the request body as a JSON object, whatever its content type.

        Raises:
            SpecError: it is not a JSON object, or has NaN, an infinity or a lone surrogate.
        """
        if len(self.request.body) > LARGEST_REQUEST:
            raise web.HTTPError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"more than {LARGEST_REQUEST:,} bytes of JSON.")
        try:
            value = json.loads(self.request.body, parse_constant=_refuse_constant)
            json.dumps(value, ensure_ascii=False).encode()
        except (ValueError, RecursionError) as exc:
            raise SpecError(f"the body of this request is not valid JSON: {exc}.") from exc
        if not isinstance(value, dict):
            raise SpecError("the body of this request must be a JSON object.")
        return value


def _refuse_constant(word: str) -> None:
    raise ValueError(f"{word} is not allowed")


class NoSuchAddress(Handler):
    """Answers 404 for all other addresses below ours."""

    @web.authenticated
    def get(self) -> None:
        with self.refusing():
            raise NotFoundError(f"there is nothing at {self.request.path!r}.")

    post = put = patch = delete = get
