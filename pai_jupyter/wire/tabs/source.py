"""The `source` request: the cell as written, the submitted script and package, and the values.

The job's folder has the submitted package. It is read in one pass, in memory, without unpacking it to disk.
Rule 1: an archive may be damaged or malicious: every read is bounded, links and devices are only listed, and unreadable
    parts are left out with `is_cut` set. That is never an error, since cell and values are still worth showing.
Rule 2: what was read is cached by path, time and size.
Rule 3: a value whose name is that of a secret is masked. Cell and script are shown as recorded and submitted: the values of
    secret variables were removed from both before.
"""

import gzip
import hashlib
import posixpath
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from pai_jupyter import contract
from pai_jupyter.contract.masking import without_known
from pai_jupyter.events import number_to_json
from pai_jupyter.jobs import Job, changed_values, entry_point_of, schema_of_cell, schema_of_source
from pai_jupyter.package import PackagedFile
from pai_jupyter.package.manifest import digest
from pai_jupyter.package.members import Member, MemberKind, padding, read_members
from pai_jupyter.path_guard import shown
from pai_jupyter.spec import Scalar
from pai_jupyter.store import MASKED
from pai_jupyter.wire.schema.limits import MOST_FILES

if TYPE_CHECKING:
    from pai_jupyter.wire.schema.tabs import RanWith, SourceAnswer
    from pai_jupyter.wire.schema.values import Scalar as Plain

MAX_SCRIPT = 1024 * 1024  # bytes
MAX_MEMBERS = 100_000
MAX_BYTES = 1_000_000_000  # of the unpacked tar: twice the default limit of a package
_PIECE = 1024 * 1024
_DAMAGE = (EOFError, zlib.error, OSError, ValueError)


@dataclass(kw_only=True)
class ArchiveContents:
    """Contents of an archive, as far as it could be read."""

    files: list[PackagedFile] = field(default_factory=list)
    size: int = 0  # bytes of all files, unpacked, also of files that are not listed
    script: bytes = b""
    digest: str = ""  # "" unless all of it was read
    is_cut: bool = True


def source(job: Job) -> "SourceAnswer":
    """Answer a `source` request. Blocking.

    Raises:
        PaiJupyterError: the job's record cannot be read.
    """
    record, entry_point = job.folder.record, _entry_point(job)
    contents, secrets = read_package(job.folder.path / "package.tar.gz", entry_point), _secrets(job)
    answer: SourceAnswer = {
        "cell": without_known(record.cell or "", secrets),
        "script": without_known(_decoded(contents), secrets),
        "entry_point": entry_point,
        "notebook": record.notebook or "",
        "package": {
            "digest": record.digest,
            "size": contents.size,
            "files": [{"name": shown(it.name), "size": it.size, "digest": it.sha256} for it in contents.files],
            "is_cut": contents.is_cut or contents.digest != record.digest,
        },
        "values": _values(job, _decoded(contents)),
    }
    if record.lines is not None:
        answer["above"] = list(record.lines.numbers())[:MOST_FILES]
    return answer


def _secrets(job: Job) -> list[str]:
    """Return what the values of a job have of secrets: the script has them where it has its defaults."""
    return contract.secret_values(job.hyperparameters)


def _values(job: Job, script: str) -> "list[RanWith]":
    """Return the values with which the job ran; for a changed one also its line and value in the source."""
    record, ran = job.folder.record, job.hyperparameters
    schema = schema_of_cell(record.cell, job.spec) if record.cell else schema_of_source(script, job.spec)
    changed = changed_values(schema, ran)
    rows: list[RanWith] = []
    for name, value in ran.items():
        row: RanWith = {"name": name, "value": MASKED if contract.is_secret(name, value) else _scalar(value)}
        if (written := changed.get(name)) is not None:
            default = MASKED if contract.is_secret(name, written.default) else _scalar(written.default)
            row["written"] = {"line": written.line, "value": default}
        rows.append(row)
    return rows


def script_of(job: Job) -> str:
    """Return the submitted script, or "" if there is none. Blocking.

    Raises:
        PaiJupyterError: the job's record cannot be read.
    """
    return _decoded(read_package(job.folder.path / "package.tar.gz", _entry_point(job)))


def read_package(path: Path, script: str) -> ArchiveContents:
    """Read the contents of the archive at `path`, and the bytes of its file `script`; empty if there is no archive."""
    try:
        status = path.stat()
    except OSError:
        return ArchiveContents()
    return _read_once(path, script, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=8)
def _read_once(path: Path, script: str, _modified: int, _size: int) -> ArchiveContents:
    contents = ArchiveContents()
    with suppress(*_DAMAGE), gzip.open(path) as unpacked:
        stream = _BoundedArchive(unpacked)
        for member in _members(stream):
            _take(contents, stream, member, script)
        contents.is_cut = len(contents.files) > MOST_FILES
        contents.digest = "" if contents.is_cut else digest(contents.files)
    contents.files = sorted(contents.files[:MOST_FILES], key=lambda file: file.name)
    return contents


def _members(stream: "_BoundedArchive") -> Iterator[Member]:
    for number, member in enumerate(read_members(stream.read)):
        if number == MAX_MEMBERS:
            raise ValueError(f"the archive has more than {MAX_MEMBERS} members")
        yield member


def _take(contents: ArchiveContents, stream: "_BoundedArchive", member: Member, script: str) -> None:
    """Add `member` to the contents, and read past its data."""
    if member.kind is MemberKind.DIRECTORY:
        return
    is_script = bool(script) and member.kind is MemberKind.FILE and posixpath.normpath(member.name) == script
    is_listed = len(contents.files) <= MOST_FILES  # one more than is shown, to know that there are more
    sha256, head = _content(stream, member)
    if is_script:
        contents.script = head
    size = member.size if member.kind is MemberKind.FILE else 0
    if is_listed:
        contents.files.append(PackagedFile(name=member.name, size=size, mode=member.mode, sha256=sha256))
    contents.size += size


def _content(stream: "_BoundedArchive", member: Member) -> tuple[str, bytes]:
    """Return a member's sha256, as in the manifest, and its first bytes; both empty if it is not a file or link."""
    if member.kind is MemberKind.LINK:
        return hashlib.sha256(member.target.encode(errors="surrogateescape")).hexdigest(), b""
    if member.kind is not MemberKind.FILE:
        return "", b""
    total, head, left = hashlib.sha256(), b"", member.size
    while left > 0:
        piece = stream.read(min(left, _PIECE))
        if not piece:
            raise EOFError("the archive is cut")
        total.update(piece)
        head = head or piece[:MAX_SCRIPT]
        left -= len(piece)
    stream.read(padding(member.size))
    return total.hexdigest(), head


class _BoundedArchive:
    """Reads an unpacked archive up to `MAX_BYTES`."""

    def __init__(self, stream: gzip.GzipFile) -> None:
        self._stream = stream
        self._at = 0

    def read(self, size: int) -> bytes:
        """Read the next `size` bytes; fewer only at the end.

        Raises:
            ValueError: the archive is larger than `MAX_BYTES`.
        """
        data = self._stream.read(size)
        self._at += len(data)
        if self._at > MAX_BYTES:
            raise ValueError(f"the archive has more than {MAX_BYTES} bytes")
        return data


def _entry_point(job: Job) -> str:
    return _in_package(job.folder.record.entry_point or entry_point_of(job.spec.command) or "")


def _decoded(contents: ArchiveContents) -> str:
    return contents.script.decode("utf-8-sig", "replace")


def _in_package(script: str) -> str:
    """Convert a script's path in a command (`./train.py`, `/ml/usercode/...`) to its path in the package."""
    return posixpath.normpath(script).removeprefix(contract.PATHS.working_dir) if script else ""


def _scalar(value: Scalar) -> "Plain":
    """Convert a value for the wire: lists and dicts to JSON text, nan and infinity to their names."""
    if isinstance(value, float):
        return number_to_json(value)
    return contract.text_of(value) if isinstance(value, list | dict) else value
