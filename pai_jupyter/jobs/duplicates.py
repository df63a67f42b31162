"""Find jobs that are identical to a new one and whose submission has no known outcome yet (pending).

Rule: a job is submitted again only after its backend has confirmed that the first one was never started.
"""

import os
import time
from contextlib import suppress
from pathlib import Path

from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.jobs.pending import MARK, is_open
from pai_jupyter.jobs.runtime import job_store, runtime
from pai_jupyter.store import JobFolder

SETTLED_WITHIN = 10.0  # seconds that a second submission waits for the outcome of the first
PAUSE = 0.05


def find_open(fingerprint: str) -> JobFolder | None:
    """Find a job with this fingerprint whose submission is unsettled and that may run; None if none is."""
    store = job_store()
    ids = store.ids()
    folders = str(store.path(ids[0]).parent) if ids else ""
    for job_id in ids:
        path = f"{folders}/{job_id}"  # creating thousands of Path objects would take longer than the check
        if not os.path.exists(f"{path}/state.json") or os.path.exists(f"{path}/{MARK}"):  # noqa: PTH110
            folder = JobFolder(Path(path))
            with suppress(PaiJupyterError):
                if folder.record.fingerprint == fingerprint and not _is_being_submitted(folder) and may_run(folder):
                    return folder
    return None


def may_run(folder: JobFolder) -> bool:
    """Return whether the job runs or may run; first wait up to `SETTLED_WITHIN` s for the outcome."""
    following, deadline = runtime().follow(folder), time.monotonic() + SETTLED_WITHIN
    while time.monotonic() < deadline and following.trouble is None and not following.ended.done():
        snapshot = folder.read()
        if snapshot.ref is not None or snapshot.state.status.is_terminal:
            break
        time.sleep(PAUSE)
    return not folder.read().state.status.is_terminal


def _is_being_submitted(folder: JobFolder) -> bool:
    """Return whether the job's submitter is alive: then it is a separate job submitted at the same time."""
    if is_open(folder):
        return False
    lock = folder.try_lock()
    if lock is None:
        return True
    with lock:
        return False
