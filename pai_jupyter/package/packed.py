"""Take an archive that is packed already as the package of a job: the code of a component, of a step of a run.

Rule: its content is read once per process and state of the file, since a loop of a run starts many jobs with one archive.
"""

import errno
import os
import shutil
import tempfile
from pathlib import Path
from typing import TypeAlias

from pai_jupyter.errors import LimitExceededError, PackageError
from pai_jupyter.package.manifest import Package, PackagedFile, digest
from pai_jupyter.package.unpacking import list_files, unpack

_Mark: TypeAlias = tuple[str, int, int, int]
_MOST = 64  # archives whose lists are kept
_known: dict[_Mark, tuple[PackagedFile, ...]] = {}


def take_packed(archive: Path, *, to: Path, allow_large: bool = False) -> Package:
    """Take the tar.gz `archive`, which never changes, as the file `to`, and list its files; many jobs share its bytes on the disk.

    `allow_large` lifts the limits of its content.

    Raises:
        PackageError: it is missing, damaged, too large, or has members that no package may have.
        LimitExceededError: the disk is full.
    """
    try:
        status = archive.stat()
        _share(archive, to)
    except OSError as exc:
        if exc.errno in (errno.ENOSPC, errno.EDQUOT):
            raise LimitExceededError(
                f"there is no room for the package in {str(to.parent)!r}. Make room there."
            ) from exc
        raise PackageError(f"the package {str(archive)!r} cannot be read: {exc.strerror or exc}.") from exc
    mark = (os.path.realpath(archive), status.st_ino, status.st_size, status.st_mtime_ns)
    files = _listed(mark, to, allow_large=allow_large)
    return Package(path=to, digest=digest(files), files=files)


def _share(archive: Path, to: Path) -> None:
    try:
        os.link(os.path.realpath(archive), to)
    except OSError:  # another disk, or one without links
        shutil.copyfile(archive, to)


def _listed(mark: _Mark, copy: Path, *, allow_large: bool) -> tuple[PackagedFile, ...]:
    """Return the files of the archive with this `mark`, read from its `copy` unless they are known."""
    if mark not in _known:
        with tempfile.TemporaryDirectory(dir=copy.parent) as folder:
            unpack(copy, Path(folder) / "source", allow_large=allow_large)
            _known[mark] = tuple(list_files(Path(folder) / "source"))
        while len(_known) > _MOST:
            _known.pop(next(iter(_known)))
    return _known[mark]
