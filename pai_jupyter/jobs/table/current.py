"""The table of this process's list of jobs. Blocking.

Rule: a table is made again only when the list has changed; until then its version stays the same. A version is of one process.
"""

import os
from collections.abc import Sequence
from threading import Lock

from pai_jupyter.jobs.job_index import JobRow, all_rows
from pai_jupyter.jobs.listing import list_rows
from pai_jupyter.jobs.runtime import job_store, runtime
from pai_jupyter.jobs.table.table import JobTable

_lock = Lock()
_last: dict[str, tuple[str, Sequence[JobRow], JobTable]] = {}  # by home: version, rows as they came, table
_count = 0


def current_table() -> tuple[JobTable, str]:
    """Return the table of all jobs as recorded, and its version.

    Raises:
        PaiJupyterError: the list cannot be read.
    """
    global _count
    home, rows = str(job_store().home), runtime().run(all_rows())
    with _lock:
        version, known, table = _last.get(home, ("", (), JobTable(())))
        if (
            not version
            or len(known) != len(rows)
            or any(one is not other for one, other in zip(known, rows, strict=True))
        ):
            _count += 1
            version, table = f"{os.getpid()}.{_count}", JobTable(rows)
            _last.clear()
            _last[home] = version, rows, table
        return table, version


def read_table() -> JobTable:
    """Return the table of all jobs, backends having been asked about those that have not ended.

    Raises:
        PaiJupyterError: the list cannot be read.
    """
    return JobTable(list_rows())
