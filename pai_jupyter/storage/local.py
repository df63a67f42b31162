"""A directory as a storage, with the same guarantees as a bucket."""

import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import zip_longest
from pathlib import Path

from pai_jupyter.errors import NotFoundError
from pai_jupyter.storage.address import shown
from pai_jupyter.storage.disk import (
    AlreadyThere,
    disk_errors,
    draft,
    leads_out,
    place,
    readable,
    reading,
    scan,
    size_of,
    walk,
)
from pai_jupyter.storage.progress import TransferProgress
from pai_jupyter.storage.protocol import Entry


class LocalStorage:
    """The files below a directory, which need not exist yet."""

    def __init__(self, root: Path) -> None:
        self._root = root.absolute()
        self.uri = f"{self._root}/"

    def __repr__(self) -> str:
        return f"LocalStorage({str(self._root)!r})"

    def put(self, key: str, source: Path | bytes, *, progress: TransferProgress | None = None) -> None:
        path = self._made(key)
        if not key.endswith("/"):
            self._write(path, source, progress)

    def put_if_absent(self, key: str, source: Path | bytes, *, progress: TransferProgress | None = None) -> bool:
        path = self._made(key)
        try:
            self._write(path, source, progress, replaces=False)
        except AlreadyThere:
            return True
        return False

    def get(self, key: str, to: Path, *, listed: Entry | None = None, progress: TransferProgress | None = None) -> None:
        self._write(to, self._existing(key), progress)

    def read(self, key: str, *, start: int = 0, size: int | None = None) -> bytes:
        path = self._existing(key)
        with disk_errors(path), path.open("rb") as file:
            file.seek(start)
            return file.read(-1 if size is None else size)

    def head(self, key: str) -> Entry | None:
        path = readable(self._root, key)
        if path.is_dir() != key.endswith("/"):
            return None
        try:
            with disk_errors(path):
                return self._entry(key, path.stat())
        except NotFoundError:
            return None

    def holds(
        self, key: str, path: Path, *, listed: Entry | None = None, progress: TransferProgress | None = None
    ) -> bool:
        own, silent = readable(self._root, key), TransferProgress()
        if not own.is_file() or size_of(own) != size_of(path):
            return False
        with reading(own, silent) as ours, reading(path, silent) as theirs:
            for one, other in zip_longest(ours, theirs):
                (progress or silent).check()
                if one != other:
                    return False
        return True

    def list(self, prefix: str = "", *, recursive: bool = False, after: str = "") -> Iterator[Entry]:
        return (entry for entry in self._all(prefix, recursive=recursive) if entry.key.encode() > after.encode())

    def _all(self, prefix: str, *, recursive: bool) -> Iterator[Entry]:
        above, slash, begin = prefix.rpartition("/")
        directory = readable(self._root, above) if above else self._root
        if not directory.is_dir():
            return
        if recursive:
            for found in walk(directory):
                if found.key.startswith(begin):
                    yield Entry(key=above + slash + found.key, size=found.size, modified=found.modified or None)
            return
        for entry in scan(directory):
            if entry.name.startswith(begin) and not leads_out(entry, self._root):
                end = "/" if entry.is_dir() else ""
                yield self._entry(above + slash + entry.name + end, entry.stat())

    def delete(self, keys: Iterable[str]) -> None:
        for key in keys:
            path = place(self._root, key)
            with suppress(NotFoundError), disk_errors(path):
                if not key.endswith("/"):
                    path.unlink()
                elif path.is_dir() and not any(path.iterdir()):
                    path.rmdir()

    def delete_tree(self, key: str) -> int:
        path = place(self._root, key)
        if not path.is_dir():
            return 0
        with disk_errors(path):
            files = sum(not found.key.endswith("/") for found in walk(path))
            shutil.rmtree(path)
        return files

    def presign(self, key: str, *, seconds: int) -> str:  # the address of a file does not expire
        return readable(self._root, key).as_uri()

    @staticmethod
    def _entry(key: str, info: os.stat_result) -> Entry:
        return Entry(key=key) if key.endswith("/") else Entry(key=key, size=info.st_size, modified=info.st_mtime)

    def _made(self, key: str) -> Path:
        """Return the path of `key`, creating the directories that it needs."""
        path = place(self._root, key)
        with disk_errors(path):
            (path if key.endswith("/") else path.parent).mkdir(parents=True, exist_ok=True)
        return path

    def _existing(self, key: str) -> Path:
        path = readable(self._root, key)
        if not path.is_file():
            raise NotFoundError(f"there is no file {shown(self.uri + key)}. Check the path.")
        return path

    @staticmethod
    def _write(path: Path, source: Path | bytes, progress: TransferProgress | None, *, replaces: bool = True) -> None:
        with reading(source, progress or TransferProgress()) as body, draft(path, replaces=replaces) as out:
            for block in body:
                out.write(block)
