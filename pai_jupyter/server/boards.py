"""Reverse proxy to local TensorBoards for logged-in users, so that the browser never learns a board's secret.

A board answers only below a secret path (package `tensorboard`), which this server reads from the board's folder. Bodies are
streamed unchanged. Of the headers only listed ones pass: a board gets no cookie or token of Jupyter, and sets none.

Rule 1: requests go only to boards of ours whose process is alive, and to running apps of the emulator, never to a port that
    a client names.
Rule 2: TensorBoard does not know Jupyter's XSRF token, and its POSTs only read. So they must come from a page of this server.
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
_REQUEST_HEADERS = ("Accept", "Accept-Language", "Content-Type", "If-Modified-Since", "If-None-Match", "Range")
_RESPONSE_HEADERS = (
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
    """Return the routes of boards, below the server's `base_url`."""
    root = re.escape(url_path_join(server.base_url, VIEWS))
    return [(root + r"/(?P<board>[^/]+)/(?P<path>.*)$", BoardView, {})]


class BoardView(OurHandler):
    """One board: all addresses below it."""

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
        """Refuse requests from pages of other sites (rule 2)."""
        if not hasattr(self, "_jupyter_current_user"):
            return  # tornado checks before Jupyter has identified the user; Jupyter checks again
        if not self.token_authenticated and not (self.get_origin() and self.check_origin()):
            raise web.HTTPError(HTTPStatus.FORBIDDEN, "this request must come from a page of this server.")

    async def _pass_on(self, board: str, path: str) -> None:
        try:
            direct = await on_thread(partial(direct_address, board), threads=_threads)
        except PaiJupyterError as exc:
            raise web.HTTPError(status_of(exc), str(exc)) from exc
        parts = urlsplit(direct)
        assert parts.port is not None, "direct addresses have a port"
        connection = HTTPConnection("127.0.0.1", parts.port, timeout=PATIENCE)
        with closing(connection):
            try:
                reply = await on_thread(partial(self._ask, connection, parts.path), threads=_threads)
            except (InvalidURL, UnicodeError) as exc:
                raise web.HTTPError(HTTPStatus.BAD_REQUEST, "this is not an address of a TensorBoard.") from exc
            except (OSError, HTTPException) as exc:
                raise web.HTTPError(HTTPStatus.BAD_GATEWAY, "the TensorBoard does not answer. Try again.") from exc
            await self._answer(reply)

    def _ask(self, connection: HTTPConnection, secret: str) -> HTTPResponse:
        """Request the rest of this address from the board, with its %-escapes."""
        rest = self.request.uri.partition(f"/{VIEWS}/")[2].partition("/")[2] if self.request.uri else ""
        headers = {name: self.request.headers[name] for name in _REQUEST_HEADERS if name in self.request.headers}
        # Content is passed on as encoded, so the board may use only what this browser decodes.
        headers["Accept-Encoding"] = self.request.headers.get("Accept-Encoding", "identity")
        connection.request(self.request.method or "GET", secret + rest, self.request.body or None, headers)
        return connection.getresponse()

    async def _answer(self, reply: HTTPResponse) -> None:
        self.set_status(reply.status)
        self.clear_header("Content-Type")
        for name in _RESPONSE_HEADERS:
            if (value := reply.headers.get(name)) is not None:
                self.set_header(name, value)
        for value in reply.headers.get_all(_POLICY, []):
            self.add_header(_POLICY, value)  # in addition to Jupyter's, which forbids frames of other sites
        self.set_header("Referrer-Policy", "same-origin")
        try:
            while piece := await on_thread(partial(reply.read, PIECE), threads=_threads):
                self.write(piece)
                await self.flush()
        except (OSError, HTTPException):  # the board failed, or the browser disconnected (StreamClosedError)
            self.detach().close()
        else:
            with suppress(StreamClosedError):  # all is sent; the browser has disconnected
                await self.finish()

    def compute_etag(self) -> None:
        """Compute no ETag, as the board sends its own."""
