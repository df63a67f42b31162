"""source_dir + extra files -> a deterministic tar.gz with a digest that names its content.

    ignore     which names stay behind: built-in ones, `.paiignore`, else `.gitignore`
    files      the walk: names and `stat`s; links, odd names, odd kinds
    secrets    what must not travel, found in the one reading that packing does anyway
    archive    the tar, in gzip members that threads compress side by side; and unpacking, by the `data` filter
    manifest   `Package`, `PackagedFile`, and the digest over name, mode and sha256
    cache      an unchanged tree is not read again
    packing    `build`: all of it together

Directories are there for their files: an empty one is not packed, as git has it.
"""

from pathlib import Path

from pai_jupyter.package.manifest import Package, PackagedFile
from pai_jupyter.package.packing import build

__all__ = ["Package", "PackagedFile", "build", "unpack"]


def unpack(archive: Path, to: Path) -> None:
    """Unpack `archive` into the directory `to`; see `archive.unpack`."""
    from pai_jupyter.package import archive as tar  # tarfile comes with it, and most processes never unpack

    tar.unpack(archive, to)
