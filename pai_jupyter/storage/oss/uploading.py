"""Upload a large file in resumable parts: the next upload of the same file to the same key sends only missing parts.

Rule 1: a part counts as sent if OSS still has it unchanged and the file's bytes still have the recorded checksum.
Rule 2: a file that changes during the upload is an error before the parts become an object.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.storage.address import shown
from pai_jupyter.storage.disk import disk_errors, reading
from pai_jupyter.storage.oss.checksum import crc_of_file, md5_of
from pai_jupyter.storage.oss.parts import FilePart, split
from pai_jupyter.storage.oss.proof import check_etag, check_stored
from pai_jupyter.storage.oss.retry import retrying
from pai_jupyter.storage.progress import TransferCancelled, TransferProgress, each
from pai_jupyter.storage.record import TransferRecord

PART_SIZE = 10 * 1024 * 1024  # bytes
THREADS = 4
_LINE = {"part", "etag", "size", "crc"}


class PartsUpload:
    """One upload of `path` to `key`; `headers` are for the object."""

    def __init__(
        self,
        bucket: Any,
        key: str,
        path: Path,
        *,
        headers: Mapping[str, str],
        record: TransferRecord,
        progress: TransferProgress,
    ) -> None:  # Any: oss2 has no types
        self._bucket = bucket
        self._key = key
        self._path = path
        self._headers = headers
        self._record = record
        self._progress = progress
        self._sent: dict[int, Any] = {}  # Any: oss2's PartInfo, by number

    def run(self) -> None:
        before = self._stat()
        parts = split(before.st_size, PART_SIZE)
        upload_id = self._resumed() or self._begun()
        try:
            each(lambda part: self._send(part, upload_id), parts, workers=THREADS, progress=self._progress)
        except TransferCancelled:
            if not self._progress.is_resumed:
                self._drop(upload_id)
            raise
        after = self._stat()
        if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
            raise PaiJupyterError(
                f"{shown(str(self._path))} changed while it was uploaded. Upload it again when it is done."
            )
        retrying(lambda: self._complete(upload_id, [self._sent[part.number] for part in parts]), self._progress)
        self._record.remove()

    def _stat(self) -> os.stat_result:
        with disk_errors(self._path):
            return self._path.stat()

    def _resumed(self) -> str | None:
        """Return the id of the earlier upload if OSS still has it, and record which of its parts are intact."""
        import oss2

        begun, *sent = self._record.lines or [{}]
        upload_id = str(begun.get("upload_id", ""))
        if not upload_id:
            return None
        try:
            listed = retrying(lambda: list(oss2.PartIterator(self._bucket, self._key, upload_id)), self._progress)
        except oss2.exceptions.NoSuchUpload:
            return None
        etags = {part.part_number: part.etag for part in listed}
        for line in sent:
            if line.keys() == _LINE and etags.get(line["part"]) == line["etag"]:
                self._sent[line["part"]] = oss2.models.PartInfo(
                    line["part"], line["etag"], size=line["size"], part_crc=line["crc"]
                )
        return upload_id

    def _begun(self) -> str:
        started = retrying(lambda: self._bucket.init_multipart_upload(self._key, headers=self._headers), self._progress)
        self._record.clear()
        self._record.append({"upload_id": started.upload_id})
        return str(started.upload_id)

    def _send(self, part: FilePart, upload_id: str) -> None:
        if not self._is_sent(part):
            sent = retrying(lambda: self._send_once(part, upload_id), self._progress)
            self._sent[part.number] = sent
            self._record.append({"part": part.number, "etag": sent.etag, "size": part.size, "crc": sent.part_crc})

    def _is_sent(self, part: FilePart) -> bool:
        sent = self._sent.get(part.number)
        if sent is None or sent.size != part.size:
            return False
        is_same = crc_of_file(self._path, self._progress, start=part.start, size=part.size) == sent.part_crc
        if is_same:
            self._progress.add(part.size)
        return bool(is_same)

    def _send_once(self, part: FilePart, upload_id: str) -> Any:  # Any: oss2 has no types
        import oss2.models

        with reading(self._path, self._progress, start=part.start, size=part.size) as body:
            answer = self._bucket.upload_part(self._key, upload_id, part.number, body)
        check_stored(answer, lambda: md5_of(self._path, self._progress, start=part.start, size=part.size))
        return oss2.models.PartInfo(part.number, answer.etag, size=part.size, part_crc=answer.crc)

    def _complete(self, upload_id: str, parts: list[Any]) -> None:  # Any: oss2 has no types
        import oss2

        try:
            answer = self._bucket.complete_multipart_upload(self._key, upload_id, parts, headers=self._headers)
        except oss2.exceptions.NoSuchUpload:
            # An earlier try may have succeeded with a lost answer.
            expected = oss2.utils.calc_obj_crc_from_parts(parts)
            if self._bucket.head_object(self._key).server_crc != expected:
                raise
        except oss2.exceptions.ServerError as exc:
            if exc.code == "FileAlreadyExists":  # another upload of the key was first
                self._drop(upload_id)
            raise
        else:
            check_etag(answer)  # there is no MD5 of the whole, and each part was verified

    def _drop(self, upload_id: str) -> None:
        """Abort the upload: OSS would keep and charge for its parts."""
        self._bucket.abort_multipart_upload(self._key, upload_id)
        self._record.remove()
