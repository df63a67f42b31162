"""What the folders of jobs say of the tries of a run: `TryFacts`, read again only when a folder has changed."""

from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

from pai_jupyter.backends import LosesJobs, get_backend
from pai_jupyter.errors import NotFoundError, PaiJupyterError
from pai_jupyter.events import JobState, Status
from pai_jupyter.jobs.failure import why_it_failed
from pai_jupyter.runs.job_standing import TryFacts
from pai_jupyter.store import JobFolder, JobStore

MAX_CAUSE = 1000  # characters of why a job failed


class TryReader:
    """Reads how jobs stand. One for a home; it remembers the folders that it has opened."""

    def __init__(self, home: Path) -> None:
        self._store = JobStore(home)
        self._folders: dict[str, JobFolder] = {}
        self._marks: dict[str, tuple[int, ...]] = {}

    def folder(self, job_id: str) -> JobFolder | None:
        """Return the folder of a job; None if there is none (yet, or any more)."""
        folder = self._folders.get(job_id)
        if folder is None:
            with suppress(NotFoundError):
                folder = self._folders[job_id] = self._store.open(job_id)
        return folder

    def path(self, job_id: str) -> Path:
        return self._store.path(job_id)

    def unknown_try(self, run_id: str, known: Collection[str]) -> JobFolder | None:
        """Return a job of the run that is not among the `known`, None if there is none. Ids begin with their time."""
        for job_id in self._store.ids():
            if job_id[1:] < run_id[1:9]:
                return None
            if job_id not in known and (folder := self.folder(job_id)) is not None:
                with suppress(PaiJupyterError):  # its record is damaged
                    if folder.record.run == run_id:
                        return folder
        return None

    def changed(self, job_id: str) -> TryFacts | None:
        """Return how a job stands if that may have changed since the last call; one `stat` or two if not."""
        folder = self.folder(job_id)
        if folder is None:
            return None
        mark = folder.mark()
        if not mark or self._marks.get(job_id) == mark:
            return None
        facts = facts_of(folder)
        if facts is not None:
            self._marks[job_id] = mark
        return facts

    def forget(self, job_id: str) -> None:
        self._folders.pop(job_id, None)
        self._marks.pop(job_id, None)


def facts_of(folder: JobFolder) -> TryFacts | None:
    """Read how a job stands; None if its record cannot be read now."""
    try:
        snapshot, state = folder.read(), folder.standing()
    except PaiJupyterError:
        return None
    is_started = snapshot.ref is not None
    return TryFacts(
        status=state.status.value,
        reason=_cause(folder, state) or None,
        started=state.entered.get(Status.RUNNING),
        ended=state.entered.get(state.status) if state.status.is_terminal else None,
        is_started=is_started,
        is_lost=is_started and _is_lost(folder, state),
    )


def _cause(folder: JobFolder, state: JobState) -> str:
    """Return why a job failed, as its own view says it: the script's exception rather than its exit code."""
    if state.status is Status.FAILED:
        with suppress(PaiJupyterError):  # its log cannot be read
            return why_it_failed(folder, state).cause[:MAX_CAUSE]
    return state.reason


def facts_of_running(state: JobState) -> TryFacts:
    """Return how a job stands that has not ended."""
    return TryFacts(status=state.status.value, reason=state.reason or None, started=state.entered.get(Status.RUNNING))


def _is_lost(folder: JobFolder, state: JobState) -> bool:
    if state.status is not Status.FAILED or state.exit_code is not None:
        return False
    with suppress(PaiJupyterError):
        backend = get_backend(folder.record.backend)
        return isinstance(backend, LosesJobs) and backend.is_lost(folder.path)
    return False
