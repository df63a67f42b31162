"""The files of annotations: of each job, and which have changed.

    jobs/<id>/annotations.json   the annotations of a job, beside its record, which never changes
    annotations.log              in the home: the id of each job whose annotations were changed, one a line, so that a list learns
                                 of a change without a look at every job; its first line differs in each new log
    annotations.lock             in the home: held briefly for each change

Rule 1: a change reads, merges and replaces under the lock: kernels and a server lose nothing of each other.
Rule 2: the log is written after the file: who reads a job because of its line finds the change.
Rule 3: a list that cannot tell from the log what has changed looks at all jobs.
"""

import json
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pai_jupyter.errors import NotFoundError, PaiJupyterError
from pai_jupyter.store.annotations import AnnotationChange, Annotations
from pai_jupyter.store.disk import AppendFile, mark_of, open_record, read_plain, replace_file, to_bytes, translated

NAME = "annotations.json"
MAX_FILE = 1024 * 1024  # bytes; the longest annotations take about 60 KB
MAX_LOG = 512 * 1024  # bytes; a longer one is begun anew
PATIENCE = 10.0  # seconds
_LOG, _LOCK = "annotations.log", "annotations.lock"
_HEAD = 17  # bytes of the first line of a log


def read_annotations(folder: Path) -> Annotations:
    """Read the annotations of the job in `folder`; empty ones if it never had any.

    Raises:
        PaiJupyterError: the file is damaged, or of a newer version.
    """
    path = folder / NAME
    try:
        with translated(path):
            return Annotations.from_json(json.loads(read_plain(path, MAX_FILE)))
    except NotFoundError:
        return Annotations()
    except (ValueError, RecursionError) as exc:
        raise PaiJupyterError(
            f"'{path}' cannot be read: {str(exc).rstrip('.')}. Without this file the job has its first name, and no star, tags or note."
        ) from exc


def annotate(folder: Path, change: AnnotationChange) -> Annotations:
    """Change the annotations of the job in `folder` and return them.

    Raises:
        NotFoundError: the folder is gone.
        SpecError: there would be too many tags.
        PaiJupyterError: the annotations cannot be read or written, or another process holds the lock for long.
    """
    home, path = folder.parent.parent, folder / NAME
    with translated(folder):
        (folder / "job.json").lstat()  # a removed job gets no new files
    with _locked(home):
        before = read_annotations(folder)
        after = before.changed(change)
        if after != before:
            with translated(path):
                replace_file(path, to_bytes(after.to_json()))
        _note(home / _LOG, folder.name)  # also without a change: the last one may not have come so far
    return after


class AnnotationLog:
    """A reader of annotations.log in `home`, which knows how far it was."""

    def __init__(self, home: Path) -> None:
        self._path = home / _LOG
        self._mark: tuple[int, ...] | None = None  # of the file as last read; () without one; None: unknown
        self._head = b""
        self._end = 0

    def changed(self) -> frozenset[str] | None:
        """Return the ids of jobs that were changed since the last call; None: it may be any, as at the first call."""
        try:
            mark = mark_of(self._path)
            if mark == self._mark:
                return frozenset()
            with open(open_record(self._path), "rb") as file:  # noqa: PTH123  a descriptor
                data = file.read(MAX_LOG + MAX_FILE)
        except FileNotFoundError:
            was_unknown, self._mark = self._mark != (), ()
            return None if was_unknown else frozenset()
        except (OSError, PaiJupyterError):
            self._mark = None
            return None
        return self._news(data, mark)

    def _news(self, data: bytes, mark: tuple[int, ...]) -> frozenset[str] | None:
        """Take in the whole log, which is short."""
        data = data[: data.rfind(b"\n") + 1]  # a line that is being written is read with the next
        before, self._mark = self._mark, mark
        is_same = data[:_HEAD] == self._head and len(data) >= self._end
        start, self._head, self._end = self._end, data[:_HEAD], len(data)
        if before and is_same:
            return frozenset(data[start:].decode(errors="replace").split())
        return frozenset(data[_HEAD:].decode(errors="replace").split()) if before == () else None


def _note(path: Path, job_id: str) -> None:
    with translated(path):
        if not path.exists() or path.stat().st_size > MAX_LOG:
            replace_file(path, f"{secrets.token_hex(_HEAD // 2)}\n".encode())
    log = AppendFile(path)
    try:
        log.append(f"\n{job_id}\n".encode())  # behind a line that a dying process has not completed
    finally:
        log.close()


@contextmanager
def _locked(home: Path) -> Iterator[None]:
    """Hold the lock of all annotations in `home`."""
    from filelock import FileLock, Timeout  # 50 ms: imported only to change something

    path = home / _LOCK
    with translated(path):
        lock = FileLock(path, timeout=PATIENCE, poll_interval=0.01, mode=0o600)
        try:
            lock.acquire()
        except Timeout as exc:
            raise PaiJupyterError(
                f"another process is changing names, tags and notes of jobs, and has not ended for {PATIENCE:g} s. Try again."
            ) from exc
    try:
        yield
    finally:
        lock.release()
