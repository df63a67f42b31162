"""A job in a browser tab of its own: `<base_url>pai-jupyter/jobs/<id>`, with the view that a cell's output has.

The page is an empty frame; its script asks over the same socket as JupyterLab's views. All its addresses are relative, so that it
works below a hub's prefix and behind a proxy.

Rule 1: who is not logged in is sent to Jupyter's own login, and comes back from there.
Rule 2: only files of this package are loaded: no script of a job, of the page itself or of elsewhere can run (`_POLICY`).
"""

import re
from http import HTTPStatus
from importlib.resources import files
from typing import TYPE_CHECKING

from jupyter_server.auth.decorator import authorized
from jupyter_server.utils import url_path_join
from tornado import web
from tornado.escape import xhtml_escape

from pai_jupyter import callbacks
from pai_jupyter.config.marker import Marker
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.server.http import OurHandler, on_thread, status_of
from pai_jupyter.wire.protocol.jobs import find_job
from pai_jupyter.wire.protocol.language import wanted_language

if TYPE_CHECKING:
    from pai_jupyter.server.routes import Route

ROOT = "pai-jupyter/"
_FILES = {"page.js": "text/javascript; charset=utf-8", "page.css": "text/css; charset=utf-8"}
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self' {socket}; img-src 'self' data: blob:; "
    "frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)
_PAGE = """<!DOCTYPE html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="../page/page.css">
{head}</head>
<body>{body}</body>
</html>
"""
_SCRIPT = '<script type="module" src="../page/page.js"></script>\n'


def pages(server: Marker) -> "list[Route]":
    """Return the routes of pages and of their files, below the server's `base_url`."""
    root = re.escape(url_path_join(server.base_url, ROOT))
    return [
        (root + r"jobs/(?P<job>[^/]+)$", JobPage, {}),
        (root + r"page/(?P<name>[\w.]+)$", PageFile, {}),
    ]


class JobPage(OurHandler):
    """The page of one job, or the sentence that there is no such job."""

    @property
    def content_security_policy(self) -> str:
        """Allow what the view needs; browsers that do not count a socket as of the same origin are told its address."""
        scheme = "wss" if self.request.protocol == "https" else "ws"
        host = self.request.host if re.fullmatch(r"[\w.:\[\]-]+", self.request.host) else ""
        return _POLICY.format(socket=f"{scheme}://{host}" if host else "")

    def language(self) -> str:
        """Return the language that the address asks for, else the browser's."""
        return wanted_language(
            self.get_query_argument("language", "") or self.request.headers.get("Accept-Language", "")
        )

    @web.authenticated
    @authorized(action="read")  # type: ignore[untyped-decorator]  # jupyter_server's
    async def get(self, job: str) -> None:
        language = self.language()
        try:
            await on_thread(lambda: find_job(job).folder.record)
        except PaiJupyterError as exc:
            self.set_status(status_of(exc))
            self._send(job, language, body=f'<main class="pj-Page"><p role="alert">{_said(exc, language)}</p></main>')
        else:
            main = f'<main class="pj-JobTab pj-Page" data-job="{xhtml_escape(job)}" data-language="{language}"></main>'
            self._send(job, language, head=_SCRIPT, body=main)

    def _send(self, job: str, language: str, *, head: str = "", body: str) -> None:
        self.set_header("Content-Type", "text/html; charset=utf-8")
        self.set_header("Cache-Control", "no-store")
        self.set_header("X-Content-Type-Options", "nosniff")
        self.finish(_PAGE.format(language=language, title=xhtml_escape(_shown(job)), head=head, body=body))


class PageFile(OurHandler):
    """A file of the page."""

    @web.authenticated
    @authorized(action="read")  # type: ignore[untyped-decorator]  # jupyter_server's
    async def get(self, name: str) -> None:
        path = files("pai_jupyter") / "static" / name
        if name not in _FILES or not path.is_file():
            raise web.HTTPError(HTTPStatus.NOT_FOUND, f"there is nothing at {self.request.path!r}.")
        content = await on_thread(path.read_bytes)
        self.set_header("Content-Type", _FILES[name])
        self.set_header("Cache-Control", "no-cache")
        self.set_header("X-Content-Type-Options", "nosniff")
        self.finish(content)


def _said(exc: PaiJupyterError, language: str) -> str:
    sentence = str(exc)
    if language != "en" and callbacks.translator:
        sentence = callbacks.translator(sentence, language)
    return xhtml_escape(_shown(sentence))


def _shown(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
