"""REST about one job: passes requests to `wire` and sends its answers unchanged.

An answer with binary parts (points, search results, an image) is a frame as on the socket; others are JSON.
"""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, cast
from urllib.parse import parse_qsl

from jupyter_server.auth.decorator import authorized
from tornado import web

from pai_jupyter import __version__
from pai_jupyter.config import settings
from pai_jupyter.delivery.wanted import told_after
from pai_jupyter.errors import SpecError
from pai_jupyter.events import Status
from pai_jupyter.jobs import Job
from pai_jupyter.server.http import Handler, on_runtime
from pai_jupyter.server.reruns import rerun_as_asked, rerun_form
from pai_jupyter.spec import Json
from pai_jupyter.training import cell_as_run
from pai_jupyter.wire import API, Message, answer
from pai_jupyter.wire.connection.answers import HANDLERS
from pai_jupyter.wire.protocol.jobs import Handler as Answering
from pai_jupyter.wire.protocol.jobs import Parameters
from pai_jupyter.wire.schema.limits import types_of
from pai_jupyter.wire.schema.rest import QUERIES

if TYPE_CHECKING:
    from pai_jupyter.wire.schema.panel import SubmitAnswer
    from pai_jupyter.wire.schema.tabs import CellAnswer
    from pai_jupyter.wire.schema.values import GreetingJson

_OTHERS = frozenset(
    {"token", "_xsrf", "no_track_activity", "_"}
)  # Jupyter's parameters, and one that browsers add against caches
_TRUTH = {"true": True, "1": True, "false": False, "0": False}


def _whole(text: str) -> int:
    if not re.fullmatch(r"-?[0-9]{1,18}", text):
        raise ValueError("a whole number")
    return int(text)


def _truth(text: str) -> bool:
    if text not in _TRUTH:
        raise ValueError("true or false")
    return _TRUTH[text]


_READERS: Mapping[type, Callable[[str], Json]] = {str: str, int: _whole, bool: _truth}
PARAMETERS: Mapping[str, Mapping[str, Callable[[str], Json]]] = {
    kind: {name: _READERS[value] for name, value in types_of(declared).items()} for kind, declared in QUERIES.items()
}
"""Kind of request -> its query parameters and their parsers; their limits are checked where they are used."""


def parameters(kind: str, query: str) -> dict[str, Json]:
    """Parse the query of a request of this kind.

    Raises:
        SpecError: a parameter is unknown, repeated, or of the wrong type.
    """
    known, found = PARAMETERS[kind], {}
    for name, text in parse_qsl(query, keep_blank_values=True, errors="surrogateescape"):
        if name in _OTHERS:
            continue
        if name not in known or name in found:
            listed = ", ".join(known) or "none"
            raise SpecError(f"the parameter {name!r} is unknown or repeated; {kind!r} takes {listed}.", field=name)
        try:
            found[name] = known[name](text)
        except ValueError as exc:
            raise SpecError(f"the parameter {name!r} is {text!r}; it must be {exc}.", field=name) from exc
    return found


def started(job: Job, notes: Sequence[str]) -> "SubmitAnswer":
    """Return the answer about a job that was started; why it is not yet submitted, if it is not, is its first note."""
    state = job.state
    told = [state.reason] if state.status is Status.SUBMITTING else []
    return {"job": job.id, "name": job.name, "notes": [*told, *notes]}


def _cell(job: Job, parameters: Parameters) -> Message:
    """Return the cell as written, and changed to run with the values of this job."""
    written = HANDLERS["cell"](job, parameters)
    told: CellAnswer = {"cell": str(written.body["cell"]), "as_run": cell_as_run(job.folder.record)}
    return Message(body=told)


OURS: Mapping[str, Answering] = {"cell": _cell}
"""Handlers that replace those of `wire`, which cannot parse a magic's line."""


class Greeting(Handler):
    """`GET .../api/`: versions of package and wire format, the user's language ("" if not set), and which ends of jobs are told.

    It ignores unknown parameters: pages of other versions must get an answer.
    """

    @web.authenticated
    @authorized
    def get(self) -> None:
        language = os.environ.get("PAI_JUPYTER_LANG", "")
        greeting: GreetingJson = {
            "api": API,
            "version": __version__,
            "language": language,
            "notify_after": told_after(settings()),
        }
        self.finish(dict(greeting))


class JobAnswerHandler(Handler):
    """`GET jobs/<id>` and `GET jobs/<id>/<kind>`."""

    @web.authenticated
    @authorized
    async def get(self, job: str, kind: str = "job") -> None:
        with self.refusing():
            more = {**OURS, "form": rerun_form}
            self.send(await on_runtime(answer(kind, job, parameters(kind, self.request.query), more=more)))


class JobActionHandler(Handler):
    """`POST jobs/<id>/stop` and `/rerun`; answered when the action has begun."""

    @web.authenticated
    @authorized
    async def post(self, job: str, kind: str) -> None:
        with self.refusing():
            parameters(kind, self.request.query)
            asked = cast(Parameters, self.json_body()) if self.request.body and kind == "rerun" else {}
            root = str(self.settings["server_root_dir"])
            # The request is valid here; an error now means that the job's state does not allow it.
            with self.refusing(mistake=HTTPStatus.CONFLICT):
                message = await on_runtime(answer(kind, job, asked, more={"rerun": partial(rerun_as_asked, root)}))
                self.set_status(HTTPStatus.ACCEPTED)
                self.send(message)
