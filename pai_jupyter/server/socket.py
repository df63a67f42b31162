"""One WebSocket per browser tab: a `Feed` with flow control.

Rule 1: no queue grows. A message is sent after the system has taken the previous one, and the `Feed` waits for that. At most
    `IN_FLIGHT` requests of a client are processed at once; further ones are not even read.
Rule 2: a client that reads nothing for `STALLED` seconds is disconnected, even if it answers pings. It can reconnect.
Rule 3: when the socket closes, only its feed ends; jobs are still followed.
"""

import asyncio
import json
from collections.abc import Mapping

from jupyter_core.utils import ensure_async
from jupyter_server.auth.decorator import ws_authenticated
from jupyter_server.base.websocket import WebSocketMixin
from tornado import web
from tornado.websocket import WebSocketClosedError, WebSocketHandler

from pai_jupyter.errors import SpecError
from pai_jupyter.jobs import runtime
from pai_jupyter.server.http import AUTH_RESOURCE, LARGEST_REQUEST, OurHandler, on_runtime
from pai_jupyter.wire import Feed, Handler, Message, error_body, to_frame
from pai_jupyter.wire.protocol.language import wanted_language

IN_FLIGHT = 16
STALLED = 30.0  # seconds


class Socket(WebSocketMixin, WebSocketHandler, OurHandler):
    """Receives requests of one tab and sends answers and pushes; pings, origin and token as in Jupyter's own sockets."""

    max_message_size = LARGEST_REQUEST

    def initialize(self, more: Mapping[str, Handler]) -> None:
        """Take `more`, the handlers that `wire` lacks, by kind."""
        self._more = more

    @ws_authenticated
    async def get(self) -> None:
        user = self.current_user
        if not await ensure_async(self.authorizer.is_authorized(self, user, "execute", AUTH_RESOURCE)):
            raise web.HTTPError(403)
        await super().get()

    def open(self) -> None:
        super().open()
        self._loop = asyncio.get_running_loop()
        self._writing = asyncio.Lock()
        self._free = asyncio.Semaphore(IN_FLIGHT)
        self._working: set[asyncio.Task[None]] = set()
        self._feed = Feed(self.send, more=self._more, language=wanted_language(self.get_argument("language", "")))

    async def on_message(self, message: str | bytes) -> None:
        """Start processing a request; return when the next may be read."""
        await self._free.acquire()
        task = asyncio.create_task(self._work_at(message))
        self._working.add(task)
        task.add_done_callback(self._done)

    def on_close(self) -> None:
        for task in self._working:
            task.cancel()
        runtime().call(self._feed.aclose())

    async def send(self, message: Message) -> None:
        """Send a message from the runtime thread; return when the system has taken it."""
        frame = to_frame(message)
        await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(self._write(frame), self._loop))

    async def _work_at(self, message: str | bytes) -> None:
        try:
            request = _parse(message)
        except SpecError as exc:
            await self._write(to_frame(Message(body={"id": None, "error": error_body(exc)})))
        else:
            await on_runtime(self._feed.receive(request))

    def _done(self, task: "asyncio.Task[None]") -> None:
        self._working.discard(task)
        self._free.release()
        if not task.cancelled() and (exc := task.exception()) is not None:
            self.log.error("a request on the socket of pai_jupyter failed", exc_info=exc)

    async def _write(self, frame: str | bytes) -> None:
        async with self._writing:
            try:
                async with asyncio.timeout(STALLED):
                    await self.write_message(frame, binary=isinstance(frame, bytes))
            except TimeoutError:
                self.close(1008, f"nothing was read for {STALLED:g} seconds")
            except WebSocketClosedError:
                pass  # `on_close` ends the feed


def _parse(message: str | bytes) -> object:
    """Parse the JSON of a request.

    Raises:
        SpecError: it is not valid JSON text.
    """
    if isinstance(message, bytes):
        raise SpecError("a request must be a text message, and this one is binary.")
    try:
        return json.loads(message)
    except (ValueError, RecursionError) as exc:
        raise SpecError(f"this request is not valid JSON: {exc}.") from exc
