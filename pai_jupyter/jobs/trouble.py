"""The trouble that prevents following a job: its follower detects it and records it in the folder for others.

Rule 1: trouble begins with an error of `follow` (ends with the next event), with a status `unknown` (ends with the next
    status), or with a full disk (ends with the next commit).
Rule 2: the reason names a remedy if there is one.
Rule 3: a user who waits may be asked for a new access key, on the waiting thread, once per trouble. This package does not know
    front ends: one that can ask registers itself (`callbacks.asker`). The follower uses the new key at its next try.
"""

import threading
import time
from pathlib import Path

from pai_jupyter import callbacks
from pai_jupyter.backends import find_info
from pai_jupyter.errors import AuthError, BackendError, LimitExceededError, PaiJupyterError, UnavailableError
from pai_jupyter.events import Event, JobState, Notice, Status, StatusChanged
from pai_jupyter.store import JobFolder, Trouble, clear_trouble, note_trouble, read_trouble

QUIET = 60.0  # seconds without event or error after which a stream counts as working
_NEW_KEY = (  # the remedy comes first: views shorten long reasons
    "its service takes the key no more. Give a new one (%pai_config wizard, or setup_default_session as before), and the job, "
    "which goes on, is followed again by itself."
)
_AGAIN = "It is tried again and again; the job itself goes on."
_asked: set[float] = set()  # the troubles that somebody was asked about, by when they began


def trouble_of(exc: PaiJupyterError, folder: JobFolder) -> Trouble:
    """Classify an error of following as trouble of the disk, the credential or the service."""
    now = time.time()
    if isinstance(exc, LimitExceededError):
        return Trouble(kind="disk", reason=str(exc), since=now)
    if is_about_key(exc, folder):
        return Trouble(kind="credential", reason=f"{_NEW_KEY} {exc}", since=now)
    return Trouble(kind="service", reason=str(exc), since=now)


def is_about_key(exc: PaiJupyterError, folder: JobFolder) -> bool:
    """Return whether a new access key would help: there is none, or the service rejects this one."""
    if not isinstance(exc, AuthError) or not exc.is_about_key:
        return False
    try:
        info = find_info(folder.record.backend)
    except PaiJupyterError:  # the record cannot be read
        return False
    return info is not None and info.takes_cloud_keys


def ask_person(trouble: Trouble | None) -> Trouble | None:
    """Ask for a new key, where one is the remedy and nobody was asked for it yet.

    Returns `trouble`, or None if there is a new key: then the wait's time limit starts again.
    """
    if trouble is None or trouble.kind != "credential" or callbacks.asker is None or trouble.since in _asked:
        return trouble
    if threading.current_thread() is not threading.main_thread():  # nobody can be asked on any other
        return trouble
    _asked.add(trouble.since)
    return None if callbacks.asker(trouble) else trouble


class TroubleNote:
    """The trouble of one job in one follower process."""

    def __init__(self, folder: Path) -> None:
        self.now: Trouble | None = read_trouble(folder)
        self._folder = folder
        self._is_ours = False  # recorded by this process
        self._ends_with_status = False
        self._led_at = 0.0

    def shown_on(self, state: JobState) -> JobState:
        return state if self.now is None else self.now.shown_on(state)

    def look(self) -> None:
        """Read the trouble recorded by the leader."""
        self.now, self._is_ours = read_trouble(self._folder), False

    def lead(self) -> None:
        """Make this process report trouble from now on; recorded trouble holds until the first event."""
        self._led_at, self._ends_with_status = time.monotonic(), False
        if self.now is None:
            clear_trouble(self._folder)
        self._is_ours = True

    def note(self, trouble: Trouble) -> None:
        """Record or refresh trouble."""
        if self.now is not None and self.now.kind == trouble.kind:
            trouble = Trouble(kind=trouble.kind, reason=trouble.reason, since=self.now.since)
        self.now, self._is_ours = trouble, True
        note_trouble(self._folder, trouble)

    def hear(self, event: Event | None) -> None:
        """Process an event of the stream; None = there was none for a while."""
        match event:
            case StatusChanged(status=Status.UNKNOWN):
                self._ends_with_status = True
                self.note(Trouble(kind="service", reason=event.reason or _AGAIN, since=event.time))
            case _ if self.now is None or self.now.kind == "disk" or isinstance(event, Notice):
                return
            case None:
                if not self._ends_with_status and time.monotonic() - self._led_at > QUIET:
                    self.clear()
            case _:
                if isinstance(event, StatusChanged) or not self._ends_with_status:
                    self.clear()

    def has_room(self) -> None:
        """Clear trouble about the disk after a successful commit."""
        if self.now is not None and self.now.kind == "disk":
            self.clear()

    def clear(self) -> None:
        """Clear the trouble, here and in the job's folder."""
        self.now = None
        clear_trouble(self._folder)

    def leave(self) -> None:
        """Withdraw this process's trouble when it stops following."""
        if self._is_ours and self.now is not None:
            self.clear()


class WaitLimit:
    """The time limit of a wait for an unreachable job, in seconds since the waiter learned of the trouble."""

    def __init__(self, job_id: str, seconds: float) -> None:
        self._job_id = job_id
        self._seconds = seconds
        self._since: float | None = None

    def check(self, trouble: Trouble | None) -> None:
        """Raise if the limit is reached.

        Raises:
            BackendError: the job was unreachable for too long.
        """
        now = time.monotonic()
        if trouble is None:
            self._since = None
            return
        self._since = now if self._since is None else self._since
        if now - self._since >= self._seconds:
            raise given_up(self._job_id, trouble, _length(self._seconds))


def _length(seconds: float) -> str:
    return f"{seconds / 60:g} min" if seconds >= 60 and seconds % 60 == 0 else f"{seconds:g} s"


def given_up(job_id: str, trouble: Trouble, waited: str) -> BackendError:
    """Build the error that ends the wait for an unreachable job; `waited` is the time waited, as text."""
    what = "recorded" if trouble.kind == "disk" else "reached"
    kind = {"disk": LimitExceededError, "credential": AuthError}.get(trouble.kind, UnavailableError)
    return kind(
        f"the wait for job {job_id} has ended, because the job could not be {what} for {waited}: {trouble.reason} "
        f"The job was not stopped. To wait for it again: %pai_attach {job_id}. To stop it: %pai_stop {job_id}"
    )
