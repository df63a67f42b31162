"""The file list of a package and the digest of its content.

The digest is a sha256 over the sorted (name, mode, sha256) of the files: copying, checking out again or packing later does not
change it. Two packages with the same digest are the same code, even if the bytes of their archives differ.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True, slots=True)
class PackagedFile:
    """One file of a package: name with /, size in bytes, permission bits, sha256 in hex.

    A symbolic link has the mode `LINK_MODE`, size 0, and the sha256 of its target path.
    """

    name: str
    size: int
    mode: int
    sha256: str


@dataclass(frozen=True, kw_only=True)
class Package:
    """A packed source directory. `digest` identifies the content: the same files always give the same digest."""

    path: Path
    digest: str
    files: tuple[PackagedFile, ...]
    warnings: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """Total size of the unpacked files, in bytes."""
        return sum(file.size for file in self.files)


FILE_MODE, PROGRAM_MODE, LINK_MODE = 0o644, 0o755, 0o777


def digest(files: Iterable[PackagedFile]) -> str:
    """Return the digest of `files`, independent of their order."""
    total = hashlib.sha256()
    for file in sorted(files, key=lambda file: file.name):
        # Names have no NUL, so different lists of files give different texts.
        total.update(f"{file.name}\0{file.mode:o}\0{file.sha256}\n".encode())
    return total.hexdigest()
