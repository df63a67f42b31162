"""Runs by their id: those of this machine and those that services keep (`runs.sources`).

Rule: a client names a run by its whole id; the beginning of one, as users type it, is none here.
"""

from typing import TYPE_CHECKING

from pai_jupyter.errors import NotFoundError, PaiJupyterError, SpecError
from pai_jupyter.runs import RunWatcher, list_runs
from pai_jupyter.runs.listing import keep_driven
from pai_jupyter.runs.run_folder import open_run_folder
from pai_jupyter.runs.sources import StateWatcher, source_of, sources
from pai_jupyter.wire.run_view.rows import RunOrigin, local_row, remote_row

if TYPE_CHECKING:
    from pai_jupyter.wire.schema.run import RunsAnswer


def watcher_of(run_id: str) -> StateWatcher:
    """Return what tells how a run stands.

    Raises:
        NotFoundError: there is no such run.
        PaiJupyterError: it cannot be read.
    """
    source = source_of(run_id)
    return source.watcher(run_id) if source is not None else RunWatcher(local_id(run_id))


def local_id(run_id: str) -> str:
    """Check that this is the whole id of a run of this machine, and return it.

    Raises:
        NotFoundError: it is not.
    """
    try:
        found = open_run_folder(run_id).id
    except SpecError:  # the beginning of several
        found = ""
    if found != run_id:
        raise NotFoundError(f"there is no run {run_id[:100]!r}. Type %pai_runs to see them.")
    return run_id


def origin_of(run_id: str, trouble: str = "") -> RunOrigin:
    """Return where a run is; it is not asked anywhere whether it is there."""
    source = source_of(run_id)
    return RunOrigin(is_here=source is None, url=source.url(run_id) if source else "", trouble=trouble)


def runs_answer(*, is_remote: bool) -> "RunsAnswer":
    """List the runs of this machine; with `is_remote` also those of services, where one that does not answer is a note.

    Raises:
        PaiJupyterError: the directory of runs cannot be read.
    """
    listed = list_runs()
    keep_driven(listed)
    rows = [local_row(row) for row in listed]
    notes: list[str] = []
    for source in sources() if is_remote else ():
        try:
            rows += [remote_row(summary) for summary in source.summaries()]
        except PaiJupyterError as exc:
            notes.append(str(exc))
    return {"runs": sorted(rows, key=lambda row: row["created"], reverse=True), "notes": notes}
