"""Download a file: into a draft here, which gets its name when it is as long as the file in HDFS.

Rule 1: a small file costs no request but those of its content: the answer says how long it is. One that is listed as large is
    not tried as a small one.
Rule 2: a large file comes in one piece, for a data node gives it no sooner in several. A download that was cut off is continued
    behind the bytes that are here, if they have the checksum that was recorded when they arrived, and the file in HDFS is the
    same: length and time of change.
Rule 3: a file that changes during the download is an error before the draft gets its name.
"""

import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.storage.address import shown
from pai_jupyter.storage.disk import BLOCK, disk_errors, draft, draft_name, reading, size_of
from pai_jupyter.storage.hdfs.connection import WebHdfs, blocks
from pai_jupyter.storage.hdfs.faults import DamagedError, is_transient
from pai_jupyter.storage.progress import TransferProgress
from pai_jupyter.storage.record import TransferRecord
from pai_jupyter.storage.retry import retrying_when

CHECKPOINT = 16 * 1024 * 1024  # bytes between two lines of the record


def receive(answer: httpx.Response, size: int, write: Callable[[bytes], object], add: Callable[[int], None]) -> None:
    """Pass the body of an answer to `write` block by block; it must have `size` bytes.

    Raises:
        DamagedError: it has another length.
    """
    received = 0
    for block in blocks(answer):
        received += len(block)
        if received > size:
            break
        write(block)
        add(len(block))
    if received != size:
        raise DamagedError(f"{received} bytes of {size}")


def download_small(hdfs: WebHdfs, path: str, most: int, to: Path, progress: TransferProgress) -> bool:
    """Write a file of at most `most` bytes to the file `to`, without a retry.

    Returns whether that is done: not of a larger file, nor where the answer does not say how long it is.
    """
    with hdfs.opened(path, size=most + 1) as answer:
        size = int(answer.headers.get("content-length", most + 1))
        if size > most:
            return False
        with progress.attempt() as add, draft(to) as out:
            receive(answer, size, out.write, add)
    return True


class HdfsDownload:
    """One download of the file `path`, of which `status` is known, to the file `to`."""

    def __init__(
        self,
        hdfs: WebHdfs,
        path: str,
        status: dict[str, Any],  # Any: parsed JSON
        to: Path,
        *,
        record: TransferRecord,
        progress: TransferProgress,
    ) -> None:
        self._hdfs = hdfs
        self._path = path
        self._same = _stamp(status)
        self._size = int(status["length"])
        self._to = to
        self._draft = to.parent / draft_name(record.token, "part")
        self._record = record
        self._progress = progress
        self._have = self._crc = 0  # what is in the draft, and its checksum

    def run(self) -> None:
        try:
            self._begin()
            self._progress.add(self._have)
            retrying_when(is_transient, self._fetch, self._progress)
            now = self._hdfs.status(self._path)
            if _stamp(now) != self._same:
                self._record.clear()
                raise PaiJupyterError(f"{shown(self._path)} changed while it was downloaded. Download it again.")
            with disk_errors(self._to):
                self._draft.replace(self._to)
        except BaseException:
            if not self._record.is_kept:
                self._draft.unlink(missing_ok=True)
            raise
        self._record.remove()

    def _begin(self) -> None:
        """Find out what of an earlier download can be used."""
        if self._record.lines[:1] == [self._same] and self._draft.is_file():
            self._have, self._crc = self._proven()
        else:
            self._record.clear()
            self._record.append(self._same)
            with disk_errors(self._to):
                self._draft.write_bytes(b"")

    def _proven(self) -> tuple[int, int]:
        """Return the length of the part of the draft whose checksum is recorded, and that checksum."""
        recorded = {line["end"]: line["crc"] for line in self._record.lines[1:] if line.keys() == {"end", "crc"}}
        crc = at = 0
        proven = (0, 0)
        with reading(self._draft, TransferProgress()) as body:
            for end in sorted(end for end in recorded if end <= size_of(self._draft)):
                while at < end:
                    self._progress.check()
                    block = body.read(min(BLOCK, end - at))
                    crc, at = zlib.crc32(block, crc), at + len(block)
                if crc != recorded[end]:
                    break
                proven = (end, crc)
        return proven

    def _fetch(self) -> None:
        if self._have == self._size:
            return
        left = self._size - self._have
        opened = self._hdfs.opened(self._path, start=self._have, size=left)
        with opened as answer, disk_errors(self._to), self._draft.open("r+b") as out:
            out.seek(self._have)
            out.truncate()

            def write(block: bytes) -> None:
                out.write(block)
                self._crc = zlib.crc32(block, self._crc)
                before, self._have = self._have, self._have + len(block)
                if before // CHECKPOINT != self._have // CHECKPOINT:
                    out.flush()
                    self._record.append({"end": self._have, "crc": self._crc})

            receive(answer, left, write, self._progress.add)


def _stamp(status: dict[str, Any]) -> dict[str, Any]:  # Any: parsed JSON
    return {"size": status["length"], "modified": status["modificationTime"], "file": status.get("fileId", 0)}
