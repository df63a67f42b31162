"""Submissions without a recorded outcome: state.json has no `JobRef`, and `follow.lock` is free.

    created        the submitter was killed: only job.json exists
    submitting     the service's answer was lost, or the job of a killed submitter could not be looked up yet

The next follower of such a job asks the backend (`find`, else `status`; follower.py, rule 2):

    found            ► queued, running, ...
    proven missing   ► failed (stopped, if requested), with a remedy
    not known yet    ► asked again; `submitting` meanwhile if the backend is `Recoverable`

Rule 1: such a job keeps its folder. Without it a running, billed job could be forgotten.
Rule 2: until the outcome is known the same job is not submitted again: the same cell, rerun or `fit` finds this one
    (duplicates).
Rule 3: a stop request is recorded (`stop-wanted`) and carried out when the job is found.
Rule 4: the empty file `submitting` exists while state.json has status `submitting`; it is created before that status is
    written and deleted after it changes. So finding such jobs costs one or two `stat`s per folder.
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
    "it is not known yet whether the job was started: its submission ended before the answer of its service was recorded. The "
    "service is asked again until it answers; meanwhile nothing is submitted twice. To see the status, type: %pai_attach {job_id}"
)
_STOPS = " The job is stopped as soon as it is found."


@contextmanager
def keeping(folder: JobFolder) -> Iterator[None]:
    """Record an open outcome if the block, a submission with the lock held, raises `UncertainError`."""
    try:
        yield
    except UncertainError:
        note_open(folder)


async def take_back(backend: Backend, ref: JobRef) -> None:
    """Stop a job whose start cannot be recorded.

    Raises:
        UncertainError: it still runs.
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
    """Record that the outcome is open; the caller holds the lock. On a full disk only the folder shows it."""
    reason = _REASON.format(job_id=folder.id) + (_STOPS if is_stop_wanted(folder) else "")
    state = _begun(folder)
    if (state.status, state.reason) == (Status.SUBMITTING, reason):
        return
    with suppress(PaiJupyterError), translated(folder.path):
        (folder.path / MARK).touch(mode=0o600)
        folder.start(None, state.apply(StatusChanged(status=Status.SUBMITTING, time=time.time(), reason=reason)))


def note_failed_look(folder: JobFolder, backend: Backend) -> None:
    """After a failed lookup, set `submitting` if the backend is `Recoverable`; others are just asked again."""
    if isinstance(backend, Recoverable):
        note_open(folder)


def note_found(folder: JobFolder, ref: JobRef) -> None:
    """Record where the job is; the caller holds the lock."""
    folder.start(ref, _begun(folder).apply(StatusChanged(status=Status.QUEUED, time=time.time())))
    (folder.path / MARK).unlink(missing_ok=True)


def note_never_started(folder: JobFolder) -> None:
    """Record that the job was never started; the caller holds the lock."""
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
    """Request that the job is stopped when it is found.

    Raises:
        PaiJupyterError: the request cannot be recorded.
    """
    with translated(folder.path):
        (folder.path / STOP).touch(mode=0o600)


def is_stop_wanted(folder: JobFolder) -> bool:
    return (folder.path / STOP).exists()


async def stop_if_wanted(folder: JobFolder, backend: Backend, ref: JobRef) -> None:
    """Stop the job if that was requested before it was found."""
    if is_stop_wanted(folder):
        with suppress(NotFoundError):
            await backend.stop(ref)
        (folder.path / STOP).unlink(missing_ok=True)


def check_known(folder: JobFolder, action: str) -> None:
    """Reject an action that requires a known outcome; `action` is its participle: "rerun", "deleted".

    Raises:
        BackendError: the outcome is not known yet.
    """
    if is_open(folder):
        raise BackendError(
            f"job {folder.id} cannot be {action} yet: it is not known whether it was started. Try again when that is known; to "
            f"see the status, type: %pai_attach {folder.id}"
        )


def _begun(folder: JobFolder) -> JobState:
    """Return the job's state while it is being submitted, else a new `created` state."""
    with suppress(PaiJupyterError):
        state = folder.read().state
        if state.status is Status.SUBMITTING:
            return state
    return JobState().apply(StatusChanged(status=Status.CREATED, time=folder.record.created))
