"""The table of this process's list of jobs. Blocking.

Rule: a table is made again only when the list has changed, and every minute while a job costs something; until then its version stays
    the same. A version is of one process.
"""

import os
import time
from collections.abc import Sequence
from threading import Lock

from pai_jupyter.jobs.job_index import JobRow, all_rows
from pai_jupyter.jobs.listing import list_rows
from pai_jupyter.jobs.runtime import job_store, runtime
from pai_jupyter.jobs.table.columns import has_growing_cost
from pai_jupyter.jobs.table.table import JobTable

_lock = Lock()
_last: dict[str, tuple[str, int, Sequence[JobRow], JobTable]] = {}  # by home: version, minute, rows as they came, table
_count = 0
MINUTE = 60.0  # seconds


def current_table(enough: str = "") -> tuple[JobTable, str]:
    """Return the table of all jobs as recorded, and its version; that of version `enough` if it is the last one made.

    Raises:
        PaiJupyterError: the list cannot be read.
    """
    global _count
    home, now = str(job_store().home), time.time()
    with _lock:
        if enough and home in _last and _last[home][0] == enough:
            return _last[home][3], enough
    rows = runtime().run(all_rows())
    minute = int(now / MINUTE) if any(map(has_growing_cost, rows)) else 0
    with _lock:
        version, made, known, table = _last.get(home, ("", 0, (), JobTable(())))
        if (
            not version
            or made != minute
            or len(known) != len(rows)
            or any(one is not other for one, other in zip(known, rows, strict=True))
        ):
            _count += 1
            version, table = f"{os.getpid()}.{_count}", JobTable(rows, now=now)
            _last.clear()
            _last[home] = version, minute, rows, table
        return table, version


def read_table() -> JobTable:
    """Return the table of all jobs, backends having been asked about those that have not ended.

    Raises:
        PaiJupyterError: the list cannot be read.
    """
    return JobTable(list_rows(), now=time.time())
