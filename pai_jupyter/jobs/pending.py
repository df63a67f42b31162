"""Submissions whose outcome is not recorded: state.json has no `JobRef`, and nobody holds `follow.lock` any more.

    created        the submitter was killed: it left only job.json
    submitting     the answer of the service was lost, or a killed submitter's job could not be looked up yet

Whoever follows such a job next asks the backend for it (`find`, else `status`; follower.py, rule 2):

    it finds the job              ► queued, running, ...
    it has proof of none          ► failed (stopped, where that was asked for), with what to type
    it cannot tell now            ► asked again; `submitting` meanwhile if the backend is `Recoverable`, else as it was

Rule 1: such a job keeps its folder. Deleting it could leave a job that runs, and is paid for, with nobody who knows of it.
Rule 2: until its outcome is known nobody submits the same again: the same cell, rerun or `fit` finds this one (duplicates).
Rule 3: a stop is remembered (`stop-wanted`) and made when the job is found.
Rule 4: the empty file `submitting` exists while state.json has status `submitting`; it is created before that status is
    written and deleted after it changes. So looking for such jobs costs a `stat` or two for each folder.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from pai_jupyter.backends import Backend, Recoverable
from pai_jupyter.errors import BackendError, NotFoundError, PaiJupyterError, UncertainError
from pai_jupyter.events import JobState, Status, StatusChanged
from pai_jupyter.spec import JobRef
from pai_jupyter.store import JobFolder
from pai_jupyter.store.disk import translated

MARK, STOP = "submitting", "stop-wanted"
_REASON = (
    "nobody knows yet whether the job was started: its submission ended before the answer of its service was recorded. The "
    "service is asked until it tells, and nothing is submitted twice meanwhile. To see how it stands, type: %pai_attach {job_id}"
)
_STOPS = " The job is stopped as soon as it is found."


@contextmanager
def keeping(folder: JobFolder) -> Iterator[None]:
    """Around a submission, whose lock is held: note that its outcome is open, where an `UncertainError` says so."""
    try:
        yield
    except UncertainError:
        note_open(folder)


async def take_back(backend: Backend, ref: JobRef) -> None:
    """Stop a job whose start cannot be noted.

    Raises:
        UncertainError: it goes on.
    """
    try:
        await backend.stop(ref)
    except NotFoundError:
        return
    except PaiJupyterError as exc:
        raise UncertainError(f"job {ref.job_id} was started, and could not be stopped again: {exc}") from exc


def is_open(folder: JobFolder) -> bool:
    """Return whether the submission's outcome is recorded as unknown; False if the record is unreadable."""
    try:
        snapshot = folder.read()
    except PaiJupyterError:
        return False
    return snapshot.ref is None and snapshot.state.status is Status.SUBMITTING


def note_open(folder: JobFolder) -> None:
    """Note that the outcome is open; only for whoever holds the lock. On a full disk the folder alone has to say so."""
    reason = _REASON.format(job_id=folder.id) + (_STOPS if is_stop_wanted(folder) else "")
    state = _begun(folder)
    if (state.status, state.reason) == (Status.SUBMITTING, reason):
        return
    with suppress(PaiJupyterError), translated(folder.path):
        (folder.path / MARK).touch(mode=0o600)
        folder.start(None, state.apply(StatusChanged(status=Status.SUBMITTING, time=time.time(), reason=reason)))


def note_failed_look(folder: JobFolder, backend: Backend) -> None:
    """After a failed lookup, set `submitting` if the backend is `Recoverable`; do nothing for others, which are asked again."""
    if isinstance(backend, Recoverable):
        note_open(folder)


def note_found(folder: JobFolder, ref: JobRef) -> None:
    """Note where the job is; only for whoever holds the lock."""
    folder.start(ref, _begun(folder).apply(StatusChanged(status=Status.QUEUED, time=time.time())))
    (folder.path / MARK).unlink(missing_ok=True)


def note_never_started(folder: JobFolder) -> None:
    """Note that the job was never started; only for whoever holds the lock."""
    state = _begun(folder)
    reason = "its submission was interrupted before it had started"
    if state.status is Status.SUBMITTING:
        reason = "its submission did not reach the service, so it was never started"
    again = f", or type: %pai_rerun {folder.id}" if (folder.path / "package.tar.gz").is_file() else "."
    status = Status.STOPPED if is_stop_wanted(folder) else Status.FAILED
    end = StatusChanged(status=status, time=time.time(), reason=f"{reason}. Run the cell again{again}")
    folder.start(None, state.apply(end))
    (folder.path / MARK).unlink(missing_ok=True)


def want_stop(folder: JobFolder) -> None:
    """Have the job stopped when it is found.

    Raises:
        PaiJupyterError: this cannot be noted.
    """
    with translated(folder.path):
        (folder.path / STOP).touch(mode=0o600)


def is_stop_wanted(folder: JobFolder) -> bool:
    return (folder.path / STOP).exists()


async def stop_if_wanted(folder: JobFolder, backend: Backend, ref: JobRef) -> None:
    """Stop the job, where somebody has asked for that while nobody knew where it was."""
    if is_stop_wanted(folder):
        with suppress(NotFoundError):
            await backend.stop(ref)
        (folder.path / STOP).unlink(missing_ok=True)


def check_known(folder: JobFolder, doing: str) -> None:
    """Refuse what needs to know whether the job was started; `doing` says what that is: "rerun", "deleted".

    Raises:
        BackendError: nobody knows yet.
    """
    if is_open(folder):
        raise BackendError(
            f"job {folder.id} cannot be {doing} yet: nobody knows whether it was started. Try again when that is known; to "
            f"see how it stands, type: %pai_attach {folder.id}"
        )


def _begun(folder: JobFolder) -> JobState:
    """Return the job's state while it is being submitted, else a new `created` state."""
    with suppress(PaiJupyterError):
        state = folder.read().state
        if state.status is Status.SUBMITTING:
            return state
    return JobState().apply(StatusChanged(status=Status.CREATED, time=folder.record.created))
