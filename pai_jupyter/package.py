"""source_dir + extra files -> a deterministic tar.gz with a manifest digest."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class PackagedFile:
    """One file of a package: name with /, size in bytes, permission bits, sha256 in hex."""

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

    @property
    def size(self) -> int:
        """Bytes of the files, unpacked."""
        return sum(file.size for file in self.files)
