"""source_dir + extra files -> a deterministic tar.gz with a digest that names its content.

    ignore     which names stay behind: built-in ones, `.paiignore`, else `.gitignore`
    quick      its lines as expressions that no name takes long
    files      the walk: names and `stat`s; links, odd names, odd kinds
    secrets    what must not travel, found in the one reading that packing does anyway
    archive    the tar, in gzip members that threads compress side by side
    members    the members of a tar that somebody else may have made
    tree       where each of them would lie, and each link lead
    unpacking  the way back: whole or not at all, and never outside of its directory
    manifest   `Package`, `PackagedFile`, and the digest over name, mode and sha256
    cache      an unchanged tree is not read again
    packing    `build`: all of it together

Directories are there for their files: an empty one is not packed, as git has it.
"""

from pathlib import Path

from pai_jupyter.package.manifest import Package, PackagedFile
from pai_jupyter.package.packing import build

__all__ = ["Package", "PackagedFile", "build", "digest_of", "unpack"]


def unpack(archive: Path, to: Path, *, allow_large: bool = False) -> None:
    """Unpack `archive` into the directory `to`; see `unpacking.unpack`."""
    from pai_jupyter.package import unpacking  # most processes never unpack

    unpacking.unpack(archive, to, allow_large=allow_large)


def digest_of(directory: Path) -> str:
    """Name what was unpacked into `directory`; see `unpacking.digest_of`."""
    from pai_jupyter.package import unpacking

    return unpacking.digest_of(directory)
