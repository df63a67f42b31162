"""Cache packed trees, so that packing an unchanged one needs only a walk.

`folder` has two kinds of files: `<place>.json` is the index of a tree, with the stat and sha256 of each file when it was last
read; `<digest>.<size>.tree.gz` has the compressed entries of a tree without the extra files, by digest of its content.

Rule 1: a file counts as unchanged if size, times and inode are the same and it was last written two seconds before it was read:
    later writes could share a tick of a coarse clock.
Rule 2: a tree is found by the digest of its content. A touched or recent file is read; if its content is the same, nothing is
    compressed again.
Rule 3: several processes share the cache. Files appear complete, by a rename; a process that misses one does the work itself.
Rule 4: if the cache fails (full disk, no permission, invalid content), packing goes on without it.
"""

import hashlib
import json
import os
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from pai_jupyter.package.files import Source

FORMAT = 1
AT_REST = 2_000_000_000  # nanoseconds
TREES, TREE_BYTES = 8, 1 << 30
INDEXES = 32
TREE_SUFFIX = ".tree.gz"
LEFTOVER = 3600  # seconds: an older temporary file belongs to no living process


class PackageCache:
    """The cache of one tree with the given `roots` (absolute paths). `mark` identifies the secrets searched for."""

    def __init__(self, folder: Path, roots: Iterable[str], *, mark: str, now: Callable[[], int] = time.time_ns) -> None:
        self._folder = folder
        place = hashlib.sha256("\0".join(roots).encode(errors="surrogateescape")).hexdigest()[:32]
        self._index = folder / f"{place}.json"
        self._mark = [FORMAT, mark]
        self._walked = now()
        self._files = self._read_index()

    @property
    def is_empty(self) -> bool:
        """Return whether the cache has nothing for this tree."""
        return self._files is None

    def recall(self, source: Source) -> tuple[str, int] | None:
        """Return the result of `archive.examine` for `source`; None if it has changed."""
        entry = (self._files or {}).get(source.name)
        return (entry[4], entry[5]) if entry and len(entry) == 6 and entry[:4] == _stamp(source) else None

    def open_tree(self, digest: str) -> BinaryIO | None:
        """Open the stored entries of the tree with this digest; the file stays readable after the cache is cleared."""
        for path in self._folder.glob(f"{digest}.*{TREE_SUFFIX}"):
            with suppress(OSError):
                file = path.open("rb")
                os.utime(path)  # `_clear` deletes the least recently used first
                if path.name == self._tree_name(digest, os.fstat(file.fileno()).st_size):
                    return file
                file.close()  # truncated by a crash of the machine
        return None

    def keep_tree(self, digest: str, archive: Path, size: int) -> None:
        """Store the first `size` bytes of `archive` as the entries of this tree."""
        with suppress(OSError, EOFError), archive.open("rb") as source:
            self._replace(self._tree_name(digest, size), lambda out: copy(source, out, size))
            self._clear()

    def keep_index(self, read: Iterable[tuple[Source, str, int]]) -> None:
        """Store sha256 and suspect line of each file that was not written recently."""
        rested = self._walked - AT_REST
        entries = {
            source.name: [*_stamp(source), sha256, line]
            for source, sha256, line in read
            if max(source.signature.modified, source.signature.changed) < rested
        }
        if entries == self._files:
            return
        text = json.dumps({"mark": self._mark, "files": entries}, separators=(",", ":"))
        with suppress(OSError):
            self._replace(self._index.name, lambda out: out.write(text.encode()))

    @staticmethod
    def _tree_name(digest: str, size: int) -> str:
        return f"{digest}.{size}{TREE_SUFFIX}"

    def _read_index(self) -> dict[str, list[Any]] | None:  # Any: parsed JSON
        try:
            index = json.loads(self._index.read_bytes())
            return {name: [*entry] for name, entry in index["files"].items()} if index["mark"] == self._mark else None
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None

    def _replace(self, name: str, write: Callable[[BinaryIO], object]) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self._folder / name
        temporary = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}.tmp")
        try:
            # 0600: names and digests of source files are private.
            with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as out:
                write(out)
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)

    def _clear(self) -> None:
        """Delete all but the newest files, and trees beyond the size limit."""
        room = TREE_BYTES
        for number, (path, size) in enumerate(self._newest(f"*{TREE_SUFFIX}")):
            room -= size
            if number and (number >= TREES or room < 0):
                path.unlink(missing_ok=True)
        for path, _ in self._newest("*.json")[INDEXES:]:
            path.unlink(missing_ok=True)
        for path in self._folder.glob("*.tmp"):
            if time.time() - path.stat().st_mtime > LEFTOVER:
                path.unlink(missing_ok=True)

    def _newest(self, pattern: str) -> list[tuple[Path, int]]:
        found = []
        for path in self._folder.glob(pattern):
            with suppress(FileNotFoundError):  # another process clears as well
                info = path.stat()
                found.append((info.st_mtime_ns, path, info.st_size))
        return [(path, size) for _, path, size in sorted(found, reverse=True)]


def copy(source: BinaryIO, out: BinaryIO, size: int) -> None:
    """Copy the next `size` bytes: in the kernel if it can, which shares the blocks on disks that allow it.

    The copy is no hard link: a job may write into its package.

    Raises:
        EOFError: `source` ends earlier.
    """
    size -= _copy_in_kernel(source, out, size)
    while size > 0:
        chunk = source.read(min(size, 1 << 20))
        if not chunk:
            raise EOFError("the file is shorter than it was")
        out.write(chunk)
        size -= len(chunk)


def _copy_in_kernel(source: BinaryIO, out: BinaryIO, size: int) -> int:
    """Copy up to `size` bytes and return how many; 0 where the system cannot."""
    out.flush()
    start, end, copied = source.tell(), out.tell(), 0
    with suppress(OSError, AttributeError):  # another disk, no real file, another system
        while copied < size and (
            done := os.copy_file_range(source.fileno(), out.fileno(), size - copied, start + copied, end + copied)
        ):
            copied += done
    source.seek(start + copied)
    out.seek(end + copied)
    return copied


def _stamp(source: Source) -> list[int | str]:
    signature = source.signature
    return [signature.size, signature.modified, signature.changed, signature.inode]
