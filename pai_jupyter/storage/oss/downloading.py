"""Download objects: small ones in one request, large ones in resumable parts. Everything is verified.

Rule 1: a file is a draft until its length and checksum equal OSS's; then it gets its name.
Rule 2: a part on disk is valid if its bytes have the checksum that was recorded on arrival.
Rule 3: bytes are kept as stored. The SDK would decompress objects marked as compressed, and the checksum would fail.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from pai_jupyter.storage.disk import BLOCK, disk_errors, draft, draft_name
from pai_jupyter.storage.oss.checksum import combined, crc64, crc_of_file
from pai_jupyter.storage.oss.faults import damaged
from pai_jupyter.storage.oss.parts import FilePart, split
from pai_jupyter.storage.oss.retry import retrying
from pai_jupyter.storage.progress import TransferProgress, each
from pai_jupyter.storage.record import TransferRecord
from pai_jupyter.storage.retry import TRIES

PART_SIZE = 10 * 1024 * 1024  # bytes
THREADS = 4


def receive(answer: Any, size: int | None, write: Callable[[bytes], object], add: Callable[[int], None]) -> int:
    """Pass the body of an answer to `write` block by block and return its CRC-64; it must have `size` bytes, if given.

    Raises:
        InconsistentError: the size differs; the SDK's own class, so that it is retried.
    """
    crc, received = crc64(), 0
    try:
        for block in answer.resp.response.raw.stream(BLOCK, decode_content=False):
            received += len(block)
            if size is not None and received > size:
                break  # no byte more: the next part follows in the file
            write(block)
            crc.update(block)
            add(len(block))
        if size is not None and received != size:
            raise damaged(answer.request_id)
    except BaseException:
        answer.close()  # a connection with unread data cannot be reused
        raise
    return int(crc.crc)


def download_whole(answer: Any, to: Path, progress: TransferProgress) -> None:  # Any: oss2 has no types
    """Write the body of the answer to the file `to`, without a retry."""
    with progress.attempt() as add, draft(to) as out:
        crc = receive(answer, answer.content_length, out.write, add)
        if answer.server_crc not in (None, crc):
            raise damaged(answer.request_id)


class PartsDownload:
    """One download of the object `key` to the file `to`; `answer` has its size, ETag and checksum."""

    def __init__(  # all describe one download
        self, bucket: Any, key: str, to: Path, *, answer: Any, record: TransferRecord, progress: TransferProgress
    ) -> None:  # Any: oss2 has no types
        self._bucket = bucket
        self._key = key
        self._to = to
        self._draft = to.parent / draft_name(record.token, "part")
        self._answer = answer
        self._record = record
        self._progress = progress
        self._parts = split(answer.content_length, PART_SIZE)
        self._crcs: dict[int, int] = {}
        self._same = {"etag": answer.etag, "size": answer.content_length, "part_size": PART_SIZE}

    def run(self) -> None:
        try:
            self._fetch_until_right()
            with disk_errors(self._to):
                self._draft.replace(self._to)
        except BaseException:
            if not self._record.is_kept:
                self._draft.unlink(missing_ok=True)
            raise
        self._record.remove()

    def _fetch_until_right(self) -> None:
        """Fetch the missing parts; on a checksum mismatch fetch all again, since OSS has no checksum per part."""
        self._begin()
        for _ in range(TRIES):
            each(self._fetch, self._parts, workers=THREADS, progress=self._progress)
            whole = combined((self._crcs[part.number], part.size) for part in self._parts)
            if self._answer.server_crc in (None, whole):
                return
            self._progress.take_back(self._answer.content_length)
            self._begin_anew()
        self._record.remove()
        self._draft.unlink()
        raise damaged(self._answer.request_id)

    def _begin(self) -> None:
        """Resume an earlier download of the same object with the same part size."""
        if self._record.lines[:1] == [self._same] and self._draft.is_file():
            self._crcs = {
                line["part"]: line["crc"] for line in self._record.lines[1:] if line.keys() == {"part", "crc"}
            }
        else:
            self._begin_anew()

    def _begin_anew(self) -> None:
        self._crcs = {}
        self._record.clear()
        self._record.append(self._same)
        with disk_errors(self._to):
            self._draft.write_bytes(b"")

    def _fetch(self, part: FilePart) -> None:
        if not self._is_here(part):
            self._crcs[part.number] = retrying(lambda: self._fetch_once(part), self._progress)
            self._record.append({"part": part.number, "crc": self._crcs[part.number]})

    def _is_here(self, part: FilePart) -> bool:
        if part.number not in self._crcs or self._draft.stat().st_size < part.end:
            return False
        crc = crc_of_file(self._draft, self._progress, start=part.start, size=part.size)
        is_same = crc == self._crcs[part.number]
        if is_same:
            self._progress.add(part.size)
        return is_same

    def _fetch_once(self, part: FilePart) -> int:
        answer = self._bucket.get_object(
            self._key, byte_range=(part.start, part.end - 1), headers={"If-Match": self._answer.etag}
        )
        with self._progress.attempt() as add, disk_errors(self._to), self._draft.open("r+b") as out:
            out.seek(part.start)
            return receive(answer, part.size, out.write, add)
