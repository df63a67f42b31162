"""Runs of steps over REST. Changes of one run are pushed over the socket (`watch_run`).

GET    runs?remote=                      those of this machine, with `remote` also those of the workspace
GET    runs/<id>                         head, steps and pictures, as in the first push
POST   runs/<id>/stop                    nothing more starts, and its jobs are stopped
GET    runs/<id>/inputs                  what can be changed when it is run again
POST   runs/<id>/rerun {from_step?, parameters?}   a new run, which takes over what is unchanged, or `problems`
DELETE runs/<id>                         delete its folder once it has ended; its jobs stay

Rule: what is done with a run is done as over the socket: `wire.run_view.actions`.
"""

from typing import TYPE_CHECKING

from pai_jupyter.runs import delete_run
from pai_jupyter.runs.state import RunState
from pai_jupyter.server.rest import ApiRoute
from pai_jupyter.wire.run_view.actions import inputs, only_here, rerun, stop
from pai_jupyter.wire.run_view.delta import whole
from pai_jupyter.wire.run_view.rows import trouble_of
from pai_jupyter.wire.run_view.runs import origin_of, runs_answer, watcher_of

if TYPE_CHECKING:
    from pai_jupyter.wire.schema.run import RunNews, RunsAnswer
    from pai_jupyter.wire.schema.values import Nothing


def runs(*, remote: bool = False) -> "RunsAnswer":
    """List runs, the newest first."""
    return runs_answer(is_remote=remote)


def run(run: str) -> "RunNews":
    """Return a run as it stands."""
    watcher = watcher_of(run)
    state = watcher.poll() or RunState(id=run, name=run)
    return whole(state, origin_of(run, trouble_of(watcher)))


def delete(run: str) -> "Nothing":
    """Delete a run that has ended."""
    delete_run(only_here(run))
    return {}


RUNS = {"get": ApiRoute(kind="runs", answer=runs)}
ONE_RUN = {"get": ApiRoute(kind="run", answer=run), "delete": ApiRoute(kind="run", answer=delete)}
STOPPED = {"post": ApiRoute(kind="run_stop", answer=stop)}
INPUTS = {"get": ApiRoute(kind="run_inputs", answer=inputs)}
RERUN = {"post": ApiRoute(kind="run_rerun", answer=rerun, has_body=True)}
