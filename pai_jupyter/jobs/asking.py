"""Ask the user who waits for a job for a new access key when the old one has expired.

This package does not know front ends: one that can ask the user registers itself (`callbacks.asker`). It is called on the
waiting thread, once per trouble; the follower uses the new key at its next try.
"""

import threading

from pai_jupyter import callbacks
from pai_jupyter.store import Trouble

_asked: set[float] = set()  # start times of the troubles about which the user was asked


def ask_person(trouble: Trouble | None) -> Trouble | None:
    """Ask for a new key if that is the remedy and the user was not asked yet.

    Returns `trouble`, or None if there is a new key: then the wait's time limit starts again.
    """
    if trouble is None or trouble.kind != "credential" or callbacks.asker is None or trouble.since in _asked:
        return trouble
    if threading.current_thread() is not threading.main_thread():  # input works only on the main thread
        return trouble
    _asked.add(trouble.since)
    return None if callbacks.asker(trouble) else trouble
