"""Our extension of the Jupyter server: jobs live in every browser tab, whatever the kernels do.

    http      what every handler of ours has: who may ask, errors as JSON, the way to the runtime thread
    answers   REST: one request, one answer, in the wire format of `pai_jupyter.wire.schema`
    listing   the list of all jobs: a page of it, deleting one, taking up one that was recorded elsewhere
    rest      what is asked of a service or of this machine: a plain function for each method of an address
    backends, offers, storage, cells   such functions: where jobs can run; images and machines; the storage explorer; a cell's
              form, and the cell as a job
    downloads whole files and logs, streamed
    boards    a local TensorBoard, passed on to who is logged in
    socket    one WebSocket per browser tab: a `Feed` of `wire` behind flow control
    routes    the addresses of all this

    GET  <base_url>pai-jupyter/api/                          {api, version, language}
    GET  .../jobs?text=&status=&sort=&start=&limit= ...      all jobs, a page of them; pushes of them come over the socket
    GET  .../jobs/<id>                                       the job as it stands: the fields of a snapshot; DELETE
    GET  .../jobs/<id>/lines?replica=&start=&stop=           and search, points, files, source, environment, difference,
                                                             cell: `answers`
    GET  .../jobs/<id>/files/<channel>/<path>                downloads; also log?replica= and package
    POST .../jobs/<id>/stop, .../jobs/<id>/rerun             202
    POST .../jobs/<id>/adopt                                 a job that was recorded elsewhere gets a folder here
    GET  .../backends?check=                                 and images, instances: what there is to run jobs with
    GET, POST .../tensorboards, DELETE .../tensorboards/<id>
    GET, DELETE .../storage?uri=                             and /preview, /file (PUT: an upload), POST /folder
    POST .../schema, .../submit                              a cell: its form, itself as a job
    WS   .../socket

    GET, POST <base_url>pai-jupyter/boards/<id>/...          a local TensorBoard, as it answers itself

tests/openapi.json describes each of those below /api/, and what it answers and refuses.
Rule 1: jobs belong to the runtime thread, sockets to the server's own loop. A handler never touches a job, and nothing of
    a job touches a socket; `http.on_runtime` and `Socket.send` are the two ways across.
Rule 2: a request can be anything. It ends in an answer, or in {type, message, hint} with a status that tells whose fault
    it is; a bare 500 is a bug of ours.
Rule 3: the server is the user's workplace. A fault of this extension is one line in its log, never its end.
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
    """Add our handlers to the server and leave the marker for its kernels."""
    try:
        from pai_jupyter.server.boards import views
        from pai_jupyter.server.routes import routes

        server = _describe(app)
        app.web_app.add_handlers(".*$", [*routes(server), *views(server)])  # type: ignore[no-untyped-call]  # jupyter_server's
        marker.leave(server)
        settings().hear(marker.settings_path(server.pid))  # what is set in a notebook counts for the panel
        atexit.register(lambda: marker.remove(os.getpid()))  # asked then: a forked child has nothing to remove
    except Exception as exc:  # noqa: BLE001  the server has other work to do
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
    """Return the home where jobs are kept; "" if there is none, which each request reports."""
    from pai_jupyter.errors import PaiJupyterError
    from pai_jupyter.store import home

    try:
        return str(home())
    except PaiJupyterError as exc:
        app.log.warning(f"pai_jupyter: {exc}")
        return ""
