"""The files of one replica, and writing its log.

`log_home` (`backends.LogHome`) says who else writes them:

    service   nobody: the log is copied from the service, and this writes log and index; cursors are the service's
    folder    the job writes its log, and this the index; a cursor is a byte offset in the log
    indexed   the job's supervisor writes both; a cursor is a byte offset in the log

Rule 1: repeated bytes are dropped, skipped bytes are an error: a gap in a log cannot be filled later.
Rule 2: a log that another process writes is never truncated.
"""

import os
import re
from pathlib import Path

from pai_jupyter.errors import NotFoundError, PaiJupyterError, ProtocolError
from pai_jupyter.events import LogChunk
from pai_jupyter.store.disk import AppendFile, open_plain, translated
from pai_jupyter.store.index import RECORD_SIZE, Indexer, IndexRecord, RecordTable

_NAME = re.compile(r"[^\x00-\x1f/\\.][^\x00-\x1f/\\]{0,99}")
_NUMBERED = re.compile(r"(.*)-([0-9]{1,9})")


def log_path(folder: Path, replica: str) -> Path:
    """Return the path of this replica's log; its index is beside it.

    Raises:
        NotFoundError: no replica can have this name.
    """
    if not _NAME.fullmatch(replica):
        known = ", ".join(replicas(folder)) or "none yet"
        raise NotFoundError(f"job {folder.name} has no replica {replica!r}; it has {known}.")
    return folder / "logs" / f"{replica}.log"


def replicas(folder: Path) -> list[str]:
    """List the replicas that have a log, by role and number."""
    try:
        with translated(folder):
            names = [path.name for path in (folder / "logs").iterdir()]
    except NotFoundError:
        return []
    return sorted((name[:-4] for name in names if name.endswith(".log")), key=_role_and_number)


def _role_and_number(replica: str) -> tuple[str, int]:
    match = _NUMBERED.fullmatch(replica)
    return (match[1], int(match[2])) if match else (replica, -1)


class ReplicaWriter:
    """Writes the log of one replica. `cursor` is the position after all taken chunks, `length` the bytes so far."""

    def __init__(self, path: Path, *, cursor: int, length: int, log_home: str) -> None:
        """Continue after `cursor` with `length` bytes of log; truncate the files to that."""
        self._name = path.stem
        self._log = AppendFile(path) if log_home == "service" else None
        size = self._log.length if self._log else _size(path)
        if self._log is None:
            cursor = length = min(cursor, size)
        elif size < length:  # the copy was truncated or deleted: fetch all of it again
            cursor = length = 0
        if self._log:
            self._log.cut(length)
        self.cursor = cursor
        self._index: AppendFile | None = None
        self._indexer = Indexer()
        self._records: list[IndexRecord] = []  # bytes not yet in the file
        try:
            if log_home != "indexed":
                self._index = AppendFile(path.with_suffix(".idx"))
                self._resume_index(self._index, path, length)
        except PaiJupyterError:  # retried while the disk is full: leave no descriptor open
            self.close()
            raise

    @property
    def length(self) -> int:
        return self._log.length if self._log else self.cursor

    def take(self, chunk: LogChunk) -> bytes:
        """Copy and index the new bytes of `chunk` and return them. If this raises, nothing was taken."""
        data = self._news(chunk)
        if self._log:
            self._log.append(data)
        if self._index:
            self._records += self._indexer.feed(data, chunk.time)
        self.cursor = max(self.cursor, chunk.cursor)
        return data

    def flush(self) -> None:
        """Write everything taken to the files; sync the copied log to disk.

        The index is not synced: after a power failure it is rebuilt from the log.
        """
        if self._index and self._records:
            self._index.append(b"".join(record.pack() for record in self._records))
            self._records.clear()
        if self._log:
            self._log.sync()

    def close(self) -> None:
        for file in (self._log, self._index):
            if file:
                file.close()

    def _news(self, chunk: LogChunk) -> bytes:
        if self._log:
            return chunk.data if chunk.cursor > self.cursor else b""
        start = chunk.cursor - len(chunk.data)
        if start > self.cursor:
            raise ProtocolError(
                f"the log of {self._name} goes on at byte {start}, but only {self.cursor} bytes of it have been read. "
                "Type %pai_attach with the job's id to read on."
            )
        return chunk.data[self.cursor - start :]

    def _resume_index(self, index: AppendFile, path: Path, length: int) -> None:
        records = RecordTable(index.read, index_size=index.length, log_size=length)
        index.cut(len(records) * RECORD_SIZE)
        self._indexer = Indexer.behind(records.last)
        if length:
            with translated(path), open(open_plain(path), "rb", buffering=0) as log:  # noqa: PTH123  a descriptor
                self._records = self._indexer.catch_up(
                    lambda size, offset: os.pread(log.fileno(), size, offset), length
                )


def _size(path: Path) -> int:
    try:
        with translated(path):
            return path.stat().st_size
    except NotFoundError:
        return 0
