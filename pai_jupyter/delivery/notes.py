"""Tell a job's notices what could not be delivered. The sentences are those of the recipient.

Rule: only who holds follow.lock writes the folder. While another process follows the job the note waits; it is written at the
    end of the job at the latest.
"""

from contextlib import closing

from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.events import Notice
from pai_jupyter.store import JobFolder

NOTE_AFTER = 60.0  # seconds for which tries have failed; what arrives sooner needs no note


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
