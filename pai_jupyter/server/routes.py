"""The addresses of this extension. Parts of an address are matched before their %-escapes are decoded."""

import os
import re
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from jupyter_server.utils import url_path_join
from tornado.web import RequestHandler

from pai_jupyter.config.marker import Marker
from pai_jupyter.server import job_files
from pai_jupyter.server.annotations import ANNOTATIONS
from pai_jupyter.server.answers import OURS, Greeting, JobActionHandler, JobAnswerHandler
from pai_jupyter.server.backends import backends
from pai_jupyter.server.cells import Describing, SubmitHandler
from pai_jupyter.server.components import CHECKED, LISTED, ONE, REGISTERED, STARTED, STEP, STEP_STARTED
from pai_jupyter.server.costs import COST
from pai_jupyter.server.downloads import Download, open_log, open_output, open_package
from pai_jupyter.server.http import NoSuchAddress
from pai_jupyter.server.listing import AdoptHandler, JobHandler, Listing, name_metric
from pai_jupyter.server.reports import REPORT
from pai_jupyter.server.rest import ApiRoute, Rest
from pai_jupyter.server.runs import INPUTS, ONE_RUN, RERUN, RUNS, STOPPED
from pai_jupyter.server.socket import Socket
from pai_jupyter.server.storage import FOLDER, PLACES, PREVIEWED, StoredFile, open_stored
from pai_jupyter.server.table import CSV, TABLE
from pai_jupyter.wire.protocol.offers import images, instances
from pai_jupyter.wire.tabs.board import Locate, board_handler, locate
from pai_jupyter.wire.tabs.boards import boards, open_asked, stop_board
from pai_jupyter.workflow.remote_source import show_remote_runs

if TYPE_CHECKING:
    from pai_jupyter.wire.schema.panel import BoardRow

ROOT = "pai-jupyter/api/"
_JOB = r"jobs/(?P<job>[^/]+)"
_RUN = r"runs/(?P<run>[^/]+)"
Route: TypeAlias = tuple[str, type[RequestHandler], dict[str, Any]]  # Any: arguments of a handler's `initialize`


def routes(server: Marker) -> list[Route]:
    """Return the routes of this extension, below the server's `base_url`; from now on its views also show runs of PAIFlow."""
    show_remote_runs()
    root = re.escape(url_path_join(server.base_url, ROOT))
    return [(root + address + "$", handler, given) for address, handler, given in _below(server)]


def _below(server: Marker) -> list[Route]:
    find = locate(os.environ, server)
    return [
        ("", Greeting, {}),
        ("socket", Socket, {"more": {**OURS, "board": board_handler(find)}}),
        ("jobs", Listing, {}),
        (_JOB, JobHandler, {}),
        (_JOB + r"/adopt", AdoptHandler, {}),
        (_JOB + r"/annotations", Rest, {"deeds": ANNOTATIONS}),
        (
            _JOB + r"/(?P<kind>lines|search|points|files|overview|changes|source|environment|difference|cell|form)",
            JobAnswerHandler,
            {},
        ),
        (_JOB + r"/(?P<kind>stop|rerun)", JobActionHandler, {}),
        (_JOB + r"/files/(?P<channel>[^/]+)/(?P<path>.+)", Download, {"kind": "output", "opening": open_output}),
        (_JOB + r"/log", Download, {"kind": "log", "opening": open_log}),
        (_JOB + r"/package", Download, {"kind": "package", "opening": open_package}),
        *_boards(find),
        ("backends", Rest, {"deeds": {"get": ApiRoute(kind="backends", answer=backends)}}),
        ("images", Rest, {"deeds": {"get": ApiRoute(kind="images", answer=images)}}),
        ("instances", Rest, {"deeds": {"get": ApiRoute(kind="instances", answer=instances)}}),
        ("cost", Rest, {"deeds": COST}),
        ("jobfile", Rest, {"deeds": job_files.CHECKED}),
        ("jobfile/submit", Rest, {"deeds": job_files.SUBMITTED}),
        ("jobfile/simulate", Rest, {"deeds": job_files.SIMULATED}),
        ("clusters", Rest, {"deeds": job_files.CLUSTERS}),
        ("clusters/check", Rest, {"deeds": job_files.ASKED}),
        ("clusters/use", Rest, {"deeds": job_files.CHOSEN}),
        ("clusters/login", Rest, {"deeds": job_files.LOGIN}),
        ("components", Rest, {"deeds": LISTED}),
        ("component", Rest, {"deeds": ONE}),
        ("component/problems", Rest, {"deeds": CHECKED}),
        ("component/register", Rest, {"deeds": REGISTERED}),
        ("component/step", Rest, {"deeds": STEP}),
        ("component/step/run", Rest, {"deeds": STEP_STARTED}),
        ("component/run", Rest, {"deeds": STARTED}),
        ("runs", Rest, {"deeds": RUNS}),
        (_RUN, Rest, {"deeds": ONE_RUN}),
        (_RUN + r"/stop", Rest, {"deeds": STOPPED}),
        (_RUN + r"/inputs", Rest, {"deeds": INPUTS}),
        (_RUN + r"/rerun", Rest, {"deeds": RERUN}),
        ("table", Rest, {"deeds": TABLE}),
        ("table/csv", Rest, {"deeds": CSV}),
        ("report", Rest, {"deeds": REPORT}),
        ("storage", Rest, {"deeds": PLACES}),
        ("storage/preview", Rest, {"deeds": PREVIEWED}),
        ("storage/folder", Rest, {"deeds": FOLDER}),
        ("storage/file", StoredFile, {"kind": "stored", "opening": open_stored}),
        ("schema", Describing, {}),
        ("submit", SubmitHandler, {}),
        ("metric", Rest, {"deeds": {"post": ApiRoute(kind="metric", answer=name_metric, has_body=True)}}),
        (".*", NoSuchAddress, {}),
    ]


def _boards(find: Locate) -> list[Route]:
    """Return the routes of TensorBoards; `find` turns a local address into one for the browser."""

    def opened(body: Mapping[str, object]) -> "BoardRow":
        return open_asked(body, find)

    every = {
        "get": ApiRoute(kind="tensorboards", answer=partial(boards, find)),
        "post": ApiRoute(kind="tensorboards", answer=opened, has_body=True),
    }
    one = {"delete": ApiRoute(kind="tensorboards", answer=partial(stop_board, find=find))}
    return [
        ("tensorboards", Rest, {"deeds": every}),
        (r"tensorboards/(?P<board>[^/]+)", Rest, {"deeds": one}),
    ]
