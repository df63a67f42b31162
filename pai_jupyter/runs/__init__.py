"""Several jobs as one: what a run of steps is, how it stands, what is to be done next, and the process that does it.

Pure, but for the journal's file:

    plan          what is to run: steps, what they depend on, conditions, loops, nested pipelines; plan_json: in run.json
    references    the references in templates; parameter_types: the types of values, and their ranges
    condition     conditions, parsed and never evaluated as code; arguments: the values of a step's inputs
    journal       the entries of `journal.jsonl`, each synced before the act that it announces; journal_file: the file
    level         the steps of one graph in order, and what is wrong with a graph
    state         how a run stands
    fold          that state, computed from plan, journal and the records of jobs; progress, nodes, job_standing: its parts;
                  drawing: the steps as values
    acts          what can be done; next_acts: what is to be done next
    layout        where the nodes of a graph are drawn; picture: the nodes and edges of each level of a run; labels: short texts

Files and processes:

    run_folder    the folder of a run; damage: what is said of damaged files; rows: runs in a list; try_facts: its jobs;
                  reading: a run's state, read again and again
    run           `Run`, and how runs are started and found; listing: all runs, deleting one; watching: for live views;
                  rerunning: what a rerun runs
    driving       start the driver's process (drive_main), and see whether there is one; kernel_settings: what it must know;
                  lost_entries: whether the journal still has all
    driver        drives one run: run_log (journal and fold), acting (does the acts), work (those that may block), outcomes (what
                  comes of them), places (how many at a time), postponed (what is done again later)
    present       show a run while it is waited for; sources: runs that services keep, for lists and views
    needed        which run still needs a job; costs: what its jobs have cost
    reuse         results of earlier runs that are taken over; inputs: what input files were

Rule 1: `fold` and `next_acts` are pure. Whoever kills the process that drives a run loses nothing: the next folds the same state.
Rule 2: what a step's job is, only its builder knows (`JobBuilder`): this package names no workflow and no sweep.

`pai_jupyter.runs()` is another thing that has this name: all jobs as a DataFrame (jobs/table). So the module can be called, which
asks that function; whoever imports the package, or names of it, sees nothing of this.
"""

import sys
from collections.abc import Callable
from importlib import import_module
from inspect import Signature, signature
from types import ModuleType
from typing import TYPE_CHECKING, Any

from pai_jupyter.errors import SpecError

if TYPE_CHECKING:
    from pai_jupyter.runs.listing import delete_run, list_runs
    from pai_jupyter.runs.rows import RunRow
    from pai_jupyter.runs.run import Run, attach_run, start_run
    from pai_jupyter.runs.watching import RunWatcher

__all__ = ["Run", "RunRow", "RunWatcher", "attach_run", "delete_run", "list_runs", "start_run"]

_LATE = {  # on demand: the pure part costs little
    "Run": "run",
    "RunRow": "rows",
    "RunWatcher": "watching",
    "attach_run": "run",
    "delete_run": "listing",
    "list_runs": "listing",
    "start_run": "run",
}


def __getattr__(name: str) -> object:
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LATE[name]}"), name)


def _jobs_table() -> Callable[..., Any]:  # Any: as `jobs.table.runs` has them
    from pai_jupyter.jobs.table import runs

    return runs


class _CallableModule(ModuleType):
    # This package as a module that can be called. Who asks for help on it gets that of the function: what `?` shows of an object
    # is its docstring and signature, and those of its `__call__`. For the same reason the class has no docstring.

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]  # read only
        return _jobs_table().__doc__

    @property
    def __signature__(self) -> Signature:
        return signature(_jobs_table())

    @property
    def __call__(self) -> Callable[..., Any]:  # Any: as above
        asked, known = _jobs_table(), self.__signature__

        def call(*args: Any, **kwargs: Any) -> Any:  # Any: as above
            for name in kwargs:
                if name not in known.parameters:
                    titles = ", ".join(known.parameters)
                    raise SpecError(f"`runs` has no argument {name!r}; there are: {titles}", field=name)
            try:
                known.bind(*args, **kwargs)
            except TypeError as exc:
                raise SpecError(f"`runs` is called so: runs{known}", field="runs") from exc
            return asked(*args, **kwargs)

        call.__signature__ = known  # type: ignore[attr-defined]  # which `inspect` reads
        return call


sys.modules[__name__].__class__ = _CallableModule
