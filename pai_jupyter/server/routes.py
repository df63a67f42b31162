"""The addresses of our part of the server. Parts of an address are matched before their %-escapes are decoded."""

import os
import re
from typing import Any, TypeAlias

from jupyter_server.utils import url_path_join
from tornado.web import RequestHandler

from pai_jupyter.config.marker import Marker
from pai_jupyter.server.answers import Asking, Doing, Greeting
from pai_jupyter.server.downloads import Download, open_log, open_output, open_package
from pai_jupyter.server.http import NoSuchAddress
from pai_jupyter.server.socket import Socket
from pai_jupyter.wire.board import board_handler, locate

ROOT = "pai-jupyter/api/"
_JOB = r"jobs/(?P<job>[^/]+)"
Route: TypeAlias = tuple[str, type[RequestHandler], dict[str, Any]]  # Any: what a handler is made with


def routes(server: Marker) -> list[Route]:
    """What is served where, below the server's own `base_url`."""
    root = re.escape(url_path_join(server.base_url, ROOT))
    return [(root + address + "$", handler, given) for address, handler, given in _below(server)]


def _below(server: Marker) -> list[Route]:
    return [
        ("", Greeting, {}),
        ("socket", Socket, {"more": {"board": board_handler(locate(os.environ, server))}}),
        (_JOB, Asking, {}),
        (_JOB + r"/(?P<kind>lines|search|points|files|source|environment)", Asking, {}),
        (_JOB + r"/(?P<kind>stop|rerun)", Doing, {}),
        (_JOB + r"/files/(?P<channel>[^/]+)/(?P<path>.+)", Download, {"kind": "output", "opening": open_output}),
        (_JOB + r"/log", Download, {"kind": "log", "opening": open_log}),
        (_JOB + r"/package", Download, {"kind": "package", "opening": open_package}),
        (".*", NoSuchAddress, {}),
    ]
