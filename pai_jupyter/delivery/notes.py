"""Tell a job's notices what could not be delivered, once per message.

Rule: only who holds follow.lock writes the folder. While another process follows the job the note waits; it is written at the
    end of the job at the latest.
"""

from contextlib import closing

from pai_jupyter.delivery.outbox import OutboxEntry
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.events import Notice
from pai_jupyter.store import JobFolder

NOTE_AFTER = 60.0  # seconds for which tries have failed; what arrives sooner needs no note
_SUBJECTS = {
    "failed": "its failure",
    "end": "its end",
    "nan": "a metric that became NaN or infinite",
    "stalled": "missing progress",
}


def note_outcome(entry: OutboxEntry, now: float) -> Notice:
    """Return the notice about a message that did not arrive, or may not have."""
    subject = _SUBJECTS.get(str(entry.message.body.get("alert")), "this job")
    why = entry.why.rstrip(".")
    match entry.state:
        case "later":
            text = f"The alert about {subject} has not arrived yet: {why}. It is sent again for three days. Check with %pai_config test"
        case "unknown":
            text = f"The alert about {subject} may not have arrived: {why}. It is not sent again, so that it does not arrive twice."
        case _:
            text = f"The alert about {subject} was not taken: {why}. It is not sent again. Check with %pai_config test"
    return Notice(text=text, time=now, level="warning")


def note_of(folder: JobFolder, notice: Notice) -> bool:
    """Record a notice; return whether that is done, or can never be."""
    from pai_jupyter.backends import get_backend  # late: most messages arrive

    try:
        lock = folder.try_lock()
        if lock is None:
            return False
        with lock:
            snapshot = folder.read()
            if snapshot.ref is None and not snapshot.state.status.is_terminal:
                return False  # its submission is not over
            log_home = get_backend(folder.record.backend).log_home
            with closing(folder.writer(log_home)) as writer:
                writer.record(notice)
    except PaiJupyterError:
        return True  # the disk is full, the backend is gone: the alert is lost anyway, and the outbox has it
    return True
