"""The `source` request: the cell as written, the script as sent, what else was sent, and the values.

The package lies in the job's folder as it was sent. It is read here in one pass, in memory, and nothing of it is unpacked.
Rule 1: an archive may be damaged, or made to do damage: every read is bounded, links and devices are only named, and what
    cannot be read is left out with `is_cut`. It is never an error: cell and values are worth showing without it.
Rule 2: what was read is kept by path, time and size, so that looking again is free.
Rule 3: a value whose name is that of a secret is masked. Cell and script are shown as they were recorded and sent: from
    both, the values of secret variables have been taken before.
"""

import gzip
import hashlib
import posixpath
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import IO, cast

from pai_jupyter import contract
from pai_jupyter.events import number_to_json
from pai_jupyter.jobs import Job, entry_point_of
from pai_jupyter.package import PackagedFile
from pai_jupyter.package.manifest import digest
from pai_jupyter.path_guard import shown
from pai_jupyter.spec import Json, Scalar
from pai_jupyter.store import MASKED

MAX_FILES = 2000
MAX_SCRIPT = 1024 * 1024  # bytes
MAX_MEMBERS = 100_000
MAX_BYTES = 1_000_000_000  # of the tar: twice of what is packed unless somebody allows more
_PIECE = 1024 * 1024
_DAMAGE = (tarfile.TarError, EOFError, zlib.error, OSError, ValueError, OverflowError)


@dataclass(kw_only=True)
class Contents:
    """What an archive holds, as far as it could be read."""

    files: list[PackagedFile] = field(default_factory=list)
    size: int = 0  # bytes of all files, unpacked, those behind `MAX_FILES` included
    script: bytes = b""
    digest: str = ""  # where all of it was read
    is_cut: bool = True


def source(job: Job) -> dict[str, Json]:
    """Answer a `source` request. Blocking.

    Raises:
        PaiJupyterError: the job's record cannot be read.
    """
    record, entry_point = job.folder.record, _entry_point(job)
    contents = read_package(job.folder.path / "package.tar.gz", entry_point)
    return {
        "cell": record.cell or "",
        "script": _decoded(contents),
        "entry_point": entry_point,
        "notebook": record.notebook or "",
        "package": {
            "digest": record.digest,
            "size": contents.size,
            "files": [{"name": shown(it.name), "size": it.size, "digest": it.sha256} for it in contents.files],
            "is_cut": contents.is_cut or contents.digest != record.digest,
        },
        "values": [
            {"name": name, "value": MASKED if contract.is_secret(name) else _scalar(value)}
            for name, value in job.hyperparameters.items()
        ],
    }


def script_of(job: Job) -> str:
    """The script as it was sent; nothing where there is none. Blocking.

    Raises:
        PaiJupyterError: the job's record cannot be read.
    """
    return _decoded(read_package(job.folder.path / "package.tar.gz", _entry_point(job)))


def read_package(path: Path, script: str) -> Contents:
    """What the archive at `path` holds, and the bytes of its file `script`; nothing where there is no archive."""
    try:
        status = path.stat()
    except OSError:
        return Contents()
    return _read_once(path, script, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=8)
def _read_once(path: Path, script: str, _modified: int, _size: int) -> Contents:
    contents = Contents()
    with suppress(*_DAMAGE), gzip.open(path) as unpacked, _open(unpacked) as tar:
        for member in _members(tar):
            _take(contents, tar, member, script)
        contents.is_cut = len(contents.files) > MAX_FILES
        contents.digest = "" if contents.is_cut else digest(contents.files)
    contents.files = sorted(contents.files[:MAX_FILES], key=lambda file: file.name)
    return contents


def _open(unpacked: gzip.GzipFile) -> tarfile.TarFile:
    stream = cast(IO[bytes], _Forward(unpacked))  # tarfile wants no more of a file than it has
    return tarfile.open(fileobj=stream, mode="r:")


def _members(tar: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    for _ in range(MAX_MEMBERS):
        member = tar.next()
        if member is None:
            return
        if member.size < 0:
            raise ValueError("a member that leads back")
        tar.members.clear()  # type: ignore[attr-defined]  # typeshed lacks it; it would keep them all
        yield member
    raise ValueError("more members than anybody has packed")


def _take(contents: Contents, tar: tarfile.TarFile, member: tarfile.TarInfo, script: str) -> None:
    """Add `member` to the contents; only what will be shown is read."""
    if member.isdir():
        return
    is_script = bool(script) and _is_plain(member) and posixpath.normpath(member.name) == script
    is_listed = len(contents.files) <= MAX_FILES  # one more than is shown: it tells that there are more
    name, head = "", b""
    if is_listed or is_script:
        name, head = _content(tar, member)
    if is_script:
        contents.script = head
    if is_listed:
        file = PackagedFile(name=member.name, size=_size_of(member), mode=member.mode, sha256=name)
        contents.files.append(file)
    contents.size += _size_of(member)


def _is_plain(member: tarfile.TarInfo) -> bool:
    """Whether its bytes are in the archive as they are: a sparse file may be made of ten bytes and have terabytes."""
    return member.type in (tarfile.REGTYPE, tarfile.AREGTYPE) and not member.issparse()


def _size_of(member: tarfile.TarInfo) -> int:
    return member.size if _is_plain(member) else 0


def _content(tar: tarfile.TarFile, member: tarfile.TarInfo) -> tuple[str, bytes]:
    """The sha256 of a member as the manifest has it, and its first bytes; nothing of what is neither file nor link."""
    if member.issym():
        return hashlib.sha256(member.linkname.encode(errors="surrogateescape")).hexdigest(), b""
    file = tar.extractfile(member) if _is_plain(member) else None
    if file is None:
        return "", b""
    total, head = hashlib.sha256(), b""
    while piece := file.read(_PIECE):
        total.update(piece)
        head = head or piece[:MAX_SCRIPT]
    return total.hexdigest(), head


class _Forward:
    """A stream that only goes forward, gives at most a piece at once, and ends where no package goes on."""

    def __init__(self, stream: gzip.GzipFile) -> None:
        self._stream = stream
        self._at = 0

    def tell(self) -> int:
        return self._at

    def seek(self, target: int) -> None:
        if target < self._at:
            raise ValueError("an archive that leads back")
        while self._at < target and self.read(min(target - self._at, _PIECE)):
            pass

    def read(self, size: int) -> bytes:
        if not 0 <= size <= _PIECE or self._at > MAX_BYTES:
            raise ValueError("an archive with more in it than is ever packed")
        data = self._stream.read(size)
        self._at += len(data)
        return data


def _entry_point(job: Job) -> str:
    return _in_package(job.folder.record.entry_point or entry_point_of(job.spec.command) or "")


def _decoded(contents: Contents) -> str:
    return contents.script.decode("utf-8-sig", "replace")


def _in_package(script: str) -> str:
    """The name in the package of a script as a command names it: `./train.py`, `/ml/usercode/train.py`."""
    return posixpath.normpath(script).removeprefix(contract.PATHS.working_dir) if script else ""


def _scalar(value: Scalar) -> Json:
    """A value as the wire has it: a list or a dict is JSON text, and a number that JSON lacks is a word."""
    if isinstance(value, float):
        return number_to_json(value)
    return contract.text_of(value) if isinstance(value, list | dict) else value
