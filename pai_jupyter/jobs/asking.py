"""Asking the person who waits for a job, where there is one: for a new key, while the old one is expired.

This package knows nothing of front ends: whoever can ask registers himself (`callbacks.asker`). He is asked on the thread that
waits, once for each trouble, and what he learns counts at the next try of whoever follows the job.
"""

import threading

from pai_jupyter import callbacks
from pai_jupyter.store import Trouble

_asked: set[float] = set()  # the troubles that somebody was asked about, by when they began


def ask_person(trouble: Trouble | None) -> Trouble | None:
    """Ask for a new key, where one is the remedy and nobody was asked for it yet.

    Gives `trouble`, or None where there is a new key: whoever waits has the same patience as before then.
    """
    if trouble is None or trouble.kind != "credential" or callbacks.asker is None or trouble.since in _asked:
        return trouble
    if threading.current_thread() is not threading.main_thread():  # nobody can be asked on any other
        return trouble
    _asked.add(trouble.since)
    return None if callbacks.asker(trouble) else trouble
