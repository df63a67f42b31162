"""Local TensorBoards, passed on to who is logged in: the browser never learns the secret that a board asks for.

A board answers below a secret alone (package `tensorboard`), which this server reads from the board's folder. What comes and
goes is streamed as it is, but for the headers: a board gets no cookie and no token of Jupyter, and sets none.

Rule 1: only a board of ours whose process is alive, or an app of the emulator that runs, is asked: never a port that
    anybody names.
Rule 2: TensorBoard knows nothing of Jupyter's XSRF token, and its POSTs only read. They must come from a page of this
    server.
"""

import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from functools import partial
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPResponse, InvalidURL
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from jupyter_server.auth.decorator import authorized
from jupyter_server.utils import url_path_join
from tornado import web
from tornado.iostream import StreamClosedError

from pai_jupyter.config.marker import Marker
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.server.http import OurHandler, on_thread, status_of
from pai_jupyter.tensorboard import VIEWS
from pai_jupyter.wire.tabs.boards import direct_address

if TYPE_CHECKING:
    from pai_jupyter.server.routes import Route

PIECE = 256 * 1024  # bytes
PATIENCE = 120.0  # seconds; a board reads large files before it answers
_TOLD = ("Accept", "Accept-Language", "Content-Type", "If-Modified-Since", "If-None-Match", "Range")
_PASSED = (
    "Cache-Control",
    "Content-Disposition",
    "Content-Encoding",
    "Content-Length",
    "Content-Range",
    "Content-Type",
    "ETag",
    "Expires",
    "Last-Modified",
    "X-Content-Type-Options",
)
_POLICY = "Content-Security-Policy"
_threads = ThreadPoolExecutor(max_workers=16, thread_name_prefix="pai-jupyter-boards")


def views(server: Marker) -> "list[Route]":
    """Return the routes of boards, below the server's own `base_url`."""
    root = re.escape(url_path_join(server.base_url, VIEWS))
    return [(root + r"/(?P<board>[^/]+)/(?P<path>.*)$", BoardView, {})]


class BoardView(OurHandler):
    """One board, and all that is below it."""

    SUPPORTED_METHODS = ("GET", "POST")

    @web.authenticated
    @authorized(action="read")  # type: ignore[untyped-decorator]  # jupyter_server's
    async def get(self, board: str, path: str) -> None:
        await self._pass_on(board, path)

    @web.authenticated
    @authorized(action="read")  # type: ignore[untyped-decorator]  # jupyter_server's
    async def post(self, board: str, path: str) -> None:
        await self._pass_on(board, path)

    def check_xsrf_cookie(self) -> None:
        """Refuse what another site's page sends (rule 2)."""
        if not hasattr(self, "_jupyter_current_user"):
            return  # tornado asks before Jupyter knows who it is, and Jupyter asks again
        if not self.token_authenticated and not (self.get_origin() and self.check_origin()):
            raise web.HTTPError(HTTPStatus.FORBIDDEN, "this must come from a page of this server.")

    async def _pass_on(self, board: str, path: str) -> None:
        try:
            direct = await on_thread(partial(direct_address, board), threads=_threads)
        except PaiJupyterError as exc:
            raise web.HTTPError(status_of(exc), str(exc)) from exc
        parts = urlsplit(direct)
        assert parts.port is not None, "direct addresses have one"
        connection = HTTPConnection("127.0.0.1", parts.port, timeout=PATIENCE)
        with closing(connection):
            try:
                reply = await on_thread(partial(self._ask, connection, parts.path), threads=_threads)
            except (InvalidURL, UnicodeError) as exc:
                raise web.HTTPError(HTTPStatus.BAD_REQUEST, "this is no address of a TensorBoard.") from exc
            except (OSError, HTTPException) as exc:
                raise web.HTTPError(HTTPStatus.BAD_GATEWAY, "the TensorBoard does not answer. Try again.") from exc
            await self._answer(reply)

    def _ask(self, connection: HTTPConnection, secret: str) -> HTTPResponse:
        """Ask the board for the rest of this address, %-escapes and all."""
        rest = self.request.uri.partition(f"/{VIEWS}/")[2].partition("/")[2] if self.request.uri else ""
        headers = {name: self.request.headers[name] for name in _TOLD if name in self.request.headers}
        # What a browser unpacks, it unpacks here as well.
        headers["Accept-Encoding"] = self.request.headers.get("Accept-Encoding", "identity")
        connection.request(self.request.method or "GET", secret + rest, self.request.body or None, headers)
        return connection.getresponse()

    async def _answer(self, reply: HTTPResponse) -> None:
        self.set_status(reply.status)
        self.clear_header("Content-Type")
        for name in _PASSED:
            if (value := reply.headers.get(name)) is not None:
                self.set_header(name, value)
        for value in reply.headers.get_all(_POLICY, []):
            self.add_header(_POLICY, value)  # beside Jupyter's own, which lets no other site frame it
        self.set_header("Referrer-Policy", "same-origin")
        try:
            while piece := await on_thread(partial(reply.read, PIECE), threads=_threads):
                self.write(piece)
                await self.flush()
        except (OSError, HTTPException):  # of the board, or of a browser that has had enough (StreamClosedError is one)
            self.detach().close()
        else:
            with suppress(StreamClosedError):  # all is sent, and the browser has gone
                await self.finish()

    def compute_etag(self) -> None:
        """Compute no ETag, as the board sends its own."""
