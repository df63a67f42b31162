"""Upload a file: into a draft beside its place, whose length is checked, and which then gets its name.

Rule 1: under its own name a file is complete, or as it was before. Drafts have hidden names (`disk.is_draft`).
Rule 2: a try that was cut off is continued behind the bytes that HDFS has, if they belong to the same file here; where HDFS
    refuses that, or the length is wrong in the end, the draft is begun again.
Rule 3: a file that changes during the upload is an error before the draft gets its name.
"""

import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.storage.address import shown
from pai_jupyter.storage.disk import disk_errors, draft_name, reading, size_of
from pai_jupyter.storage.hdfs.connection import WebHdfs
from pai_jupyter.storage.hdfs.faults import DamagedError, HdfsFault, NoAnswerError, is_transient
from pai_jupyter.storage.progress import TransferCancelled, TransferProgress
from pai_jupyter.storage.record import TransferRecord
from pai_jupyter.storage.retry import retrying_when

_LATE = (0.1, 0.4, 1.5)  # seconds until a draft is looked for again


class HdfsUpload:
    """One upload of `source` to the file `path` of HDFS."""

    def __init__(
        self,
        hdfs: WebHdfs,
        path: str,
        source: Path | bytes,
        *,
        record: TransferRecord,
        progress: TransferProgress,
    ) -> None:
        above, slash, _ = path.rpartition("/")
        self._hdfs = hdfs
        self._path = path
        self._draft = above + slash + draft_name(record.token, "part")
        self._source = source
        self._size = size_of(source)
        self._record = record
        self._progress = progress
        self._has_waited = False
        self._is_begun = False  # whether the draft, if there is one, holds bytes of this file

    def run(self, *, replaces: bool) -> None:
        """Send the file.

        Raises:
            HdfsFault: among others, something of this name exists, and `replaces` is false.
        """
        before = self._stamp()
        self._is_begun = self._record.is_kept and self._record.lines == [before]
        if not self._is_begun:
            self._record.clear()
            self._record.append(before)
        try:
            retrying_when(is_transient, self._send, self._progress)
            if self._stamp() != before:
                raise PaiJupyterError(
                    f"{shown(str(self._source))} changed while it was uploaded. Upload it again when it is done."
                )
            retrying_when(is_transient, lambda: self._rename(replaces=replaces), self._progress)
        except TransferCancelled:
            if not self._progress.is_resumed:
                self._drop(pauses=_LATE)
            raise
        except (HdfsFault, DamagedError, PaiJupyterError) as exc:
            if not isinstance(exc, HdfsFault) or not (exc.is_safe_mode or is_transient(exc)):
                self._drop()  # the next call cannot go on from it
            raise
        self._record.remove()

    def _stamp(self) -> dict[str, int]:
        if isinstance(self._source, bytes):
            return {"size": len(self._source)}
        with disk_errors(self._source):
            status = self._source.stat()
        return {"size": status.st_size, "modified": status.st_mtime_ns, "inode": status.st_ino}

    def _send(self) -> None:
        start = self._length() if self._is_begun else 0
        if start > self._size:
            start = 0
        self._is_begun = True
        with self._progress.attempt() as add:
            add(start)
            if start < self._size or not start:
                self._send_from(start)
            if (length := self._length()) != self._size:
                self._is_begun = False
                raise DamagedError(f"{length} bytes of {self._size}")

    def _send_from(self, start: int) -> None:
        with reading(self._source, self._progress, start=start, size=self._size - start) as body:
            if not start:
                self._hdfs.send("PUT", self._draft, "CREATE", body, overwrite="true")
                return
            try:
                self._hdfs.send("POST", self._draft, "APPEND", body)
            except HdfsFault as fault:
                if fault.is_safe_mode or (is_transient(fault) and self._waits_for_writer()):
                    raise
                self._is_begun = False
                raise DamagedError("not appended") from fault

    def _waits_for_writer(self) -> bool:
        """Return whether to try again once: HDFS takes a moment to close a file whose writer is gone."""
        self._has_waited, has_waited = True, self._has_waited
        return not has_waited

    def _length(self) -> int:
        """Return how many bytes the draft has; 0 if there is none."""
        try:
            return int(self._hdfs.status(self._draft)["length"])
        except HdfsFault as fault:
            if not fault.is_missing:
                raise
            return 0

    def _rename(self, *, replaces: bool) -> None:
        option = "OVERWRITE" if replaces else "NONE"
        try:
            told = self._hdfs.ask("PUT", self._draft, "RENAME", destination=f"/{self._path}", renameoptions=option)
        except HdfsFault as fault:
            if not fault.is_missing or not self._is_named():
                raise
        else:
            if told.get("boolean") is False:  # a gateway that does not know the option
                raise HdfsFault(403, "FileAlreadyExistsException", "the draft cannot be renamed")

    def _is_named(self) -> bool:
        """Return whether an earlier request, whose answer was lost, has given the draft its name."""
        found = self._hdfs.status(self._path)
        return bool(found["type"] == "FILE" and found["length"] == self._size)

    def _drop(self, pauses: Sequence[float] = ()) -> None:
        """Delete the draft; with `pauses` look for it again: a data node may just be making it of what it has received."""
        with suppress(HdfsFault, NoAnswerError):
            for pause in (*pauses, None) if self._is_begun else (None,):
                if self._hdfs.ask("DELETE", self._draft, "DELETE").get("boolean") or pause is None:
                    break
                time.sleep(pause)
        self._record.remove()
