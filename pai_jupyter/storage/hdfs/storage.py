"""`HdfsStorage`: the files below one directory of HDFS."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, TypeVar

from pai_jupyter.errors import NotFoundError, SpecError
from pai_jupyter.storage.address import shown
from pai_jupyter.storage.disk import is_draft, reading, size_of
from pai_jupyter.storage.hdfs.address import HdfsAccess, HdfsUrl, check_path, parse_hdfs_url
from pai_jupyter.storage.hdfs.connection import WebHdfs, blocks
from pai_jupyter.storage.hdfs.downloading import HdfsDownload, download_small, receive
from pai_jupyter.storage.hdfs.faults import HdfsFault, hdfs_errors, is_transient
from pai_jupyter.storage.hdfs.uploading import HdfsUpload
from pai_jupyter.storage.progress import TransferProgress
from pai_jupyter.storage.protocol import LARGE, Entry
from pai_jupyter.storage.record import recorded, records_folder
from pai_jupyter.storage.retry import retrying_when

SAFE_MODE = 300.0  # seconds that a transfer waits until HDFS leaves safe mode
_FIRST_LOOK, _LAST_LOOK = 1.0, 10.0  # seconds between two tries in safe mode: they double
T = TypeVar("T")


class HdfsStorage:
    """What lies below the directory `url`. `records` is the directory for the records of transfers."""

    def __init__(self, url: HdfsUrl, access: HdfsAccess, *, records: Path | None = None) -> None:
        self._root = url.root
        self._prefix = url.path if url.path.endswith("/") or not url.path else url.path + "/"
        self._base = access.base_of(url)
        self._hdfs = WebHdfs(self._base, access)
        self._records = records or records_folder()
        self.uri = self._root + self._prefix

    @classmethod
    def at(cls, uri: str, access: HdfsAccess) -> "HdfsStorage":
        """Open the directory at this address, without a request.

        Raises:
            SpecError: the address or the user is invalid.
        """
        return cls(parse_hdfs_url(uri), access)

    def __repr__(self) -> str:
        return f"HdfsStorage({self.uri!r})"

    def put(self, key: str, source: Path | bytes, *, progress: TransferProgress | None = None) -> None:
        check_path(key)
        with self._errors("uploading", key):
            self._put(key, source, progress or TransferProgress(), replaces=True)

    def put_if_absent(self, key: str, source: Path | bytes, *, progress: TransferProgress | None = None) -> bool:
        check_path(key)
        with self._errors("uploading", key):
            if self._status(key) is not None:
                return True
            try:
                self._put(key, source, progress or TransferProgress(), replaces=False)
            except HdfsFault as fault:
                if fault.name != "FileAlreadyExistsException":
                    raise
                return True
        return False

    def get(self, key: str, to: Path, *, listed: Entry | None = None, progress: TransferProgress | None = None) -> None:
        path, watched = self._prefix + key, progress or TransferProgress()
        with self._errors("downloading", key):
            if (listed is None or listed.size <= LARGE) and self._get_small(path, to, watched):
                return
            status = self._file(key)
            with recorded(self._records, "download", self.uri, key, str(to.absolute())) as record:
                HdfsDownload(self._hdfs, path, status, to, record=record, progress=watched).run()

    def read(self, key: str, *, start: int = 0, size: int | None = None) -> bytes:
        with self._errors("reading", key):
            left = int(self._file(key)["length"]) - start
            wanted = left if size is None else min(size, left)
            return self._retry(lambda: self._read(key, start, wanted)) if wanted > 0 else b""

    def head(self, key: str) -> Entry | None:
        with self._errors("looking at", key):
            status = self._status(key)
        if status is None or (status["type"] == "DIRECTORY") != key.endswith("/"):
            return None
        return _entry(key, status)

    def holds(
        self, key: str, path: Path, *, listed: Entry | None = None, progress: TransferProgress | None = None
    ) -> bool:
        """Compare the content itself: the checksums of HDFS depend on how it cuts the file into blocks."""
        watched, size = progress or TransferProgress(), size_of(path)
        found = listed or self.head(key)
        if found is None or found.is_directory or found.size != size:
            return False
        with self._errors("comparing", key):
            return size == 0 or self._retry(lambda: self._is_equal(key, path, size, watched), watched)

    def list(self, prefix: str = "", *, recursive: bool = False, after: str = "") -> Iterator[Entry]:
        above, slash, begin = prefix.rpartition("/")
        found = self._below(above + slash, begin, recursive=recursive)
        return (entry for entry in found if entry.key.encode() > after.encode())

    def delete(self, keys: Iterable[str]) -> None:
        for key in keys:
            check_path(key)
            with self._errors("deleting", key):
                if self.head(key) is not None:
                    self._delete(key)

    def delete_tree(self, key: str) -> int:
        check_path(key)
        with self._errors("deleting", key):
            if self.head(key) is None:
                return 0
            count = self._retry(lambda: self._hdfs.file_count((self._prefix + key).removesuffix("/")))
            self._ask("DELETE", key, "DELETE", recursive="true")
        return count

    def presign(self, key: str, *, seconds: int) -> str:
        raise SpecError("HDFS has no addresses that are valid for a time. Download the file, and share that.")

    def _put(self, key: str, source: Path | bytes, progress: TransferProgress, *, replaces: bool) -> None:
        if key.endswith("/"):
            self._patiently(lambda: self._ask("PUT", key, "MKDIRS"), progress)
            return
        origin = "" if isinstance(source, bytes) else str(source.absolute())
        with recorded(self._records, "upload", self._base, self._prefix + key, origin) as record:
            upload = HdfsUpload(self._hdfs, self._prefix + key, source, record=record, progress=progress)
            self._patiently(lambda: upload.run(replaces=replaces), progress)

    def _patiently(self, action: Callable[[], T], progress: TransferProgress) -> T:
        """Return the result of `action`; wait while HDFS is in safe mode, if somebody is told so."""
        waited, pause = 0.0, _FIRST_LOOK
        while True:
            try:
                return action()
            except HdfsFault as fault:
                if not fault.is_safe_mode or waited >= SAFE_MODE or not progress.tell("HDFS is in safe mode: waiting"):
                    raise
            progress.pause(pause)
            waited, pause = waited + pause, min(2 * pause, _LAST_LOOK)

    def _get_small(self, path: str, to: Path, progress: TransferProgress) -> bool:
        """Return whether the file is small and now here; what is missing or a directory is not."""
        try:
            return self._retry(lambda: download_small(self._hdfs, path, LARGE, to, progress), progress)
        except HdfsFault as fault:
            if not fault.is_missing:
                raise
            return False

    def _read(self, key: str, start: int, size: int) -> bytes:
        blocks: list[bytes] = []
        with self._hdfs.opened(self._prefix + key, start=start, size=size) as answer:
            receive(answer, size, blocks.append, lambda _: None)
        return b"".join(blocks)

    def _is_equal(self, key: str, path: Path, size: int, progress: TransferProgress) -> bool:
        with reading(path, TransferProgress(), size=size) as ours, self._hdfs.opened(self._prefix + key) as answer:
            left = size
            for block in blocks(answer):
                progress.check()
                left -= len(block)
                if left < 0 or ours.read(len(block)) != block:
                    return False
        return left == 0

    def _status(self, key: str) -> dict[str, Any] | None:  # Any: parsed JSON
        try:
            return self._retry(lambda: self._hdfs.status((self._prefix + key).removesuffix("/")))
        except HdfsFault as fault:
            if not fault.is_missing:
                raise
            return None

    def _file(self, key: str) -> dict[str, Any]:  # Any: parsed JSON
        status = self._status(key)
        if status is None or status["type"] != "FILE":
            raise NotFoundError(f"there is no file {shown(self.uri + key)}. Check the path.")
        return status

    def _below(self, directory: str, begin: str, *, recursive: bool) -> Iterator[Entry]:
        """Yield the entries of a directory whose names begin so, in key order."""
        with self._errors("listing", directory):
            found = self._names(directory)
        for entry in sorted(found, key=lambda entry: entry.key.encode()):
            if not entry.key.startswith(directory + begin):
                continue
            if not (recursive and entry.is_directory):
                yield entry
                continue
            below = self._below(entry.key, "", recursive=True)
            first = next(below, None)
            yield entry if first is None else first
            yield from below

    def _names(self, directory: str) -> Sequence[Entry]:
        try:
            found = self._retry(lambda: self._hdfs.listed((self._prefix + directory).removesuffix("/")))
        except HdfsFault as fault:
            if fault.is_missing:
                return []
            raise
        return [
            _entry(directory + name + ("/" if status["type"] == "DIRECTORY" else ""), status)
            for name, status in found
            if not is_draft(name)
        ]

    def _delete(self, key: str) -> None:
        try:
            self._ask("DELETE", key, "DELETE")
        except HdfsFault as fault:
            if fault.name != "PathIsNotEmptyDirectoryException":
                raise

    def _ask(self, method: str, key: str, op: str, **parameters: str) -> dict[str, Any]:  # Any: parsed JSON
        path = (self._prefix + key).removesuffix("/")
        return self._retry(lambda: self._hdfs.ask(method, path, op, **parameters))

    def _retry(self, action: Callable[[], T], progress: TransferProgress | None = None) -> T:
        return retrying_when(is_transient, action, progress or TransferProgress())

    def _errors(self, action: str, key: str) -> AbstractContextManager[None]:
        return hdfs_errors(f"{action} {shown(self.uri + key)}")


def _entry(key: str, status: dict[str, Any]) -> Entry:  # Any: parsed JSON
    if key.endswith("/"):
        return Entry(key=key, modified=status["modificationTime"] / 1000 or None)
    return Entry(key=key, size=int(status["length"]), modified=status["modificationTime"] / 1000)
