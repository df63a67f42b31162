"""Pack source_dir and extra files into a deterministic tar.gz with a digest of its content.

    ignore     which files are left out: built-in names, `.paiignore`, else `.gitignore`
    kept_out   which line leaves a file out that a script misses
    quick      its lines as regexes without exponential time
    files      the walk: names and `stat`s; links, invalid names, special files
    secrets    secrets in files, found while packing reads them
    archive    the tar, in gzip members that threads compress in parallel
    members    the members of an untrusted tar
    member_tree  the paths of its members and the targets of its links, in memory
    unpacking  unpack completely or not at all, and never outside the directory
    packed     an archive that is packed already, as a package
    manifest   `Package`, `PackagedFile`, and the digest over name, mode and sha256
    cache      avoids reading an unchanged tree again
    packing    `build`: all steps together

Empty directories are not packed, as in git.
"""

from pathlib import Path

from pai_jupyter.package.manifest import Package, PackagedFile
from pai_jupyter.package.packing import build

__all__ = ["Package", "PackagedFile", "build", "digest_of", "take_packed", "unpack"]


def unpack(archive: Path, to: Path, *, allow_large: bool = False) -> None:
    """Unpack `archive` into the directory `to`; see `unpacking.unpack`."""
    from pai_jupyter.package import unpacking  # imported late: most processes never unpack

    unpacking.unpack(archive, to, allow_large=allow_large)


def digest_of(directory: Path) -> str:
    """Return the digest of an unpacked directory; see `unpacking.digest_of`."""
    from pai_jupyter.package import unpacking

    return unpacking.digest_of(directory)


def take_packed(archive: Path, *, to: Path, allow_large: bool = False) -> Package:
    """Take a packed `archive`, which never changes, as the package `to`; see `packed.take_packed`."""
    from pai_jupyter.package import packed

    return packed.take_packed(archive, to=to, allow_large=allow_large)
