"""The Jupyter server extension: REST and WebSocket for the panel and live views, independent of kernels.

    http      base of all handlers: authorization, errors as JSON, calls on other threads
    answers   REST about one job, in the wire format of `pai_jupyter.wire.schema`
    annotations name, star, tags and note of a job
    listing   the list of all jobs: a page of it, delete a job, import a job recorded elsewhere
    rest      REST about anything else: a plain function per address and method
    backends, offers, storage, cells, components, runs, table, job_files, reports   such functions: backends; images and instance
              types; the storage explorer; a cell's form, and submitting the cell; custom components; runs of steps; the runs
              table; job files and clusters; reports of jobs
    below     paths of requests
    pages     a job in a browser tab of its own
    downloads whole files and logs, streamed
    boards    reverse proxy to local TensorBoards, for logged-in users
    socket    one WebSocket per browser tab: a `Feed` of `wire` with flow control
    routes    the addresses of all handlers

    GET  <base_url>pai-jupyter/api/                          {api, version, language}
    GET  .../jobs?text=&status=&sort=&start=&limit= ...      a page of all jobs; pushes of changes come over the socket
    GET  .../jobs/<id>                                       the fields of a snapshot; DELETE removes the job's folder
    GET  .../jobs/<id>/lines?replica=&start=&stop=           and search, points, files, overview, changes, source,
                                                             environment, difference, cell: `answers`
    GET  .../jobs/<id>/files/<channel>/<path>                downloads; also log?replica= and package
    POST .../jobs/<id>/stop, .../jobs/<id>/rerun             202
    GET, PATCH .../jobs/<id>/annotations                     name, star, tags, note
    POST .../jobs/<id>/adopt                                 import a job recorded elsewhere: create its folder here
    GET  .../backends?check=                                 and images, instances
    GET, POST .../tensorboards, DELETE .../tensorboards/<id>
    GET, DELETE .../storage?uri=                             and /preview, /file (PUT uploads), POST /folder
    GET, POST .../components, GET, DELETE .../component?name=, POST .../component/problems, /register, /run
    GET  .../jobfile?path=, POST .../jobfile/submit, /simulate, GET, POST, DELETE .../clusters
    GET  .../clusters/check?name=, POST .../clusters/use, /login
    GET  .../runs?remote=, GET, DELETE .../runs/<id>, POST .../runs/<id>/stop, .../runs/<id>/rerun
    POST .../table, .../table/csv                            a window of the runs table; all matching jobs as CSV
    POST .../report {jobs, path, title?, replace?}           a report of jobs as a file below the server's root directory
    POST .../cost {line}                                     what the job of a magic's line costs
    POST .../schema, .../submit                              the form of a cell; submit a cell as a job
    WS   .../socket

    GET, POST <base_url>pai-jupyter/boards/<id>/...          a local TensorBoard, proxied
    GET  <base_url>pai-jupyter/jobs/<id>, .../page/<file>    a job in a browser tab of its own: `pages`

tests/openapi.json describes the answers and errors of every address below /api/.
Rule 1: jobs belong to the runtime thread, sockets to the server's loop. Handlers reach jobs only through `http.on_runtime`,
    and the runtime thread reaches sockets only through `Socket.send`.
Rule 2: every request gets an answer, or {type, message, hint} with a fitting status (4xx: the client or the job, 5xx: us or a
    service). A bare 500 is a bug of ours.
Rule 3: a fault of this extension is logged in one line and never stops the server.
"""

import atexit
import os
from typing import TYPE_CHECKING

from pai_jupyter import __version__
from pai_jupyter.config import marker, settings

if TYPE_CHECKING:
    from jupyter_server.serverapp import ServerApp

__all__ = ["__version__"]


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    return [{"module": __name__}]


def _load_jupyter_server_extension(app: "ServerApp") -> None:
    """Add our handlers to the server, and write the marker file by which its kernels find it."""
    try:
        from pai_jupyter.server.boards import views
        from pai_jupyter.server.pages import pages
        from pai_jupyter.server.routes import routes

        server = _describe(app)
        app.web_app.add_handlers(".*$", [*routes(server), *views(server), *pages(server)])  # type: ignore[no-untyped-call]  # jupyter_server's
        marker.leave(server)
        settings().hear(marker.settings_path(server.pid))  # settings changed in a notebook also apply to the panel
        atexit.register(lambda: marker.remove(os.getpid()))  # getpid at exit: a forked child must not remove the marker
    except Exception as exc:  # noqa: BLE001  the server must start without us
        app.log.warning(f"pai_jupyter cannot show jobs in this server: {exc}")


def _describe(app: "ServerApp") -> marker.Marker:
    from pai_jupyter.wire import API

    proxy = app.extension_manager.extensions.get("jupyter_server_proxy")
    return marker.Marker(
        pid=os.getpid(),
        api=API,
        version=__version__,
        base_url=app.base_url,
        home=_home(app),
        has_proxy=proxy is not None and proxy.enabled,
        has_boards=True,
    )


def _home(app: "ServerApp") -> str:
    """Return the directory in which jobs are kept; "" if it cannot be used, which every request then reports."""
    from pai_jupyter.errors import PaiJupyterError
    from pai_jupyter.store import home

    try:
        return str(home())
    except PaiJupyterError as exc:
        app.log.warning(f"pai_jupyter: {exc}")
        return ""
