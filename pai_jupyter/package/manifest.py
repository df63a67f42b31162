"""What a package holds, and the digest that names its content.

The digest is a sha256 over the sorted (name, mode, sha256) of the files: it depends on nothing that a copy, a checkout or
another day would change. Two packages with the same digest are the same code, whatever their archives' bytes.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True, slots=True)
class PackagedFile:
    """One file of a package: name with /, size in bytes, permission bits, sha256 in hex.

    A symbolic link has the mode `LINK_MODE`, no size, and the sha256 of the place it points to.
    """

    name: str
    size: int
    mode: int
    sha256: str


@dataclass(frozen=True, kw_only=True)
class Package:
    """A packed source directory. `digest` names the content: the same files give the same digest, whenever packed."""

    path: Path
    digest: str
    files: tuple[PackagedFile, ...]
    warnings: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """Bytes of the files, unpacked."""
        return sum(file.size for file in self.files)


FILE_MODE, PROGRAM_MODE, LINK_MODE = 0o644, 0o755, 0o777


def digest(files: Iterable[PackagedFile]) -> str:
    """Name the content of `files`, in whatever order they come."""
    total = hashlib.sha256()
    for file in sorted(files, key=lambda file: file.name):
        # No name holds a NUL, so no two lists of files make the same text.
        total.update(f"{file.name}\0{file.mode:o}\0{file.sha256}\n".encode())
    return total.hexdigest()
