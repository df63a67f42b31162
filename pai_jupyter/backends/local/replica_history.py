"""Read lines that a job's side appends to a file while the job runs, among them those about starts and ends of replicas.

Every reader begins with the first line, so a follower may report again what an earlier one has reported; the fold of the job's
events ignores that (`events/state.py`).
Rule: the job can write such a file. Damage gives nothing, not a traceback.
"""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.events import ReplicaChanged, Status
from pai_jupyter.store.disk import open_record
from pai_jupyter.typed_json import MAX_TIME

HISTORY = "replicas"  # file in the job's run/
MAX_READ = 64 * 1024 * 1024  # bytes per read
_MOST = 1_000_000  # attempts or the exit code of a valid line
_STATUSES = frozenset({Status.RUNNING, Status.SUCCEEDED, Status.FAILED, Status.STOPPED})


class LineReader:
    """Reads the lines of a growing file; `read` continues where it stopped."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._offset = 0

    def read(self) -> list[str]:
        try:
            with open(open_record(self._path), "rb") as file:  # noqa: PTH123  a descriptor
                file.seek(self._offset)
                data = file.read(MAX_READ)
        except (OSError, PaiJupyterError):  # nothing yet, or the file was replaced
            return []
        whole = data.rfind(b"\n") + 1  # an incomplete line is read again later
        self._offset += whole
        return data[:whole].decode(errors="replace").splitlines()


def changes_in(line: str) -> Iterator[ReplicaChanged]:
    """Yield what a line `<replica> <status> <attempt> <exit code or -> <time>` says; nothing for any other line."""
    with suppress(ValueError):  # an invalid line, or one of a newer version
        name, status, attempt, code, when = line.split()
        change = ReplicaChanged(
            replica=name,
            status=Status(status),
            time=float(when),
            exit_code=None if code == "-" else int(code),
            attempt=int(attempt),
        )
        is_known = change.status in _STATUSES and 0 <= change.time <= MAX_TIME
        if is_known and 0 <= change.attempt < _MOST and abs(change.exit_code or 0) < _MOST:
            yield change
