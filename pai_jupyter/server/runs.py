"""Runs of steps over REST. Changes of one run are pushed over the socket (`watch_run`).

    GET    runs?remote=                      those of this machine, with `remote` also those of the workspace
    GET    runs/<id>                         head, steps and pictures, as in the first push
    POST   runs/<id>/stop                    nothing more starts, and its jobs are stopped
    POST   runs/<id>/rerun {from_step?, parameters?}   a new run, which takes over what is unchanged
    DELETE runs/<id>                         delete its folder once it has ended; its jobs stay

Rule: what only runs of this machine can do is refused for others with a sentence.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from pai_jupyter.errors import PaiJupyterError, SpecError
from pai_jupyter.runs import attach_run, delete_run
from pai_jupyter.runs.sources import source_of
from pai_jupyter.runs.state import RunState
from pai_jupyter.server.rest import ApiRoute
from pai_jupyter.wire.protocol.requests import RequestFields
from pai_jupyter.wire.run_view.delta import whole
from pai_jupyter.wire.run_view.rows import trouble_of
from pai_jupyter.wire.run_view.runs import local_id, origin_of, runs_answer, watcher_of
from pai_jupyter.wire.schema.asked import RunRerunAsked

if TYPE_CHECKING:
    from pai_jupyter.wire.schema.run import RunNamed, RunNews, RunsAnswer
    from pai_jupyter.wire.schema.values import Nothing

_OURS = ("environment", "from_step", "self")  # arguments of `Run.rerun`, which no value may replace


def runs(*, remote: bool = False) -> "RunsAnswer":
    """List runs, the newest first."""
    return runs_answer(is_remote=remote)


def run(run: str) -> "RunNews":
    """Return a run as it stands."""
    watcher = watcher_of(run)
    state = watcher.poll() or RunState(id=run, name=run)
    return whole(state, origin_of(run, trouble_of(watcher)))


def stop(run: str) -> "Nothing":
    """Ask for a run to be stopped."""
    source = source_of(run)
    if source is not None:
        source.stop(run)
    else:
        attach_run(local_id(run)).stop()
    return {}


def rerun(run: str, body: Mapping[str, object]) -> "RunNamed":
    """Start a run again, from a step on or where something has changed."""
    fields = RequestFields(body, RunRerunAsked)
    values = body.get("parameters") or {}
    if not isinstance(values, Mapping) or any(name in _OURS for name in values):
        raise SpecError("`parameters` must be an object of values by name.", field="parameters")
    from_step = fields.text("from_step", default="") or None
    given = cast("Mapping[str, Any]", values)  # Any: JSON values; none is named like another argument
    again = attach_run(_only_here(run)).rerun(from_step=from_step, **given)
    return {"run": again.id, "name": again.name}


def delete(run: str) -> "Nothing":
    """Delete a run that has ended."""
    delete_run(_only_here(run))
    return {}


def _only_here(run_id: str) -> str:
    if source_of(run_id) is not None:
        raise PaiJupyterError(f"run {run_id} is not on this machine: it can be shown and stopped here, nothing else.")
    return local_id(run_id)


RUNS = {"get": ApiRoute(kind="runs", answer=runs)}
ONE_RUN = {"get": ApiRoute(kind="run", answer=run), "delete": ApiRoute(kind="run", answer=delete)}
STOPPED = {"post": ApiRoute(kind="run_stop", answer=stop)}
RERUN = {"post": ApiRoute(kind="run_rerun", answer=rerun, has_body=True)}
