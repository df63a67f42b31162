"""Read the members of a tar in order, without touching the disk or following links.

Python's `tarfile` had flaws that an archive can exploit (CVE-2024-6232, CVE-2025-4517, CVE-2025-8194), and not every installed
Python has the fixes. This reader supports ustar, and the extensions of GNU tar and pax for long names and large files.

Rule 1: each read is bounded, whatever a header says; the stream is never read backwards.
Rule 2: an unknown header is an error: skipping it would read its data as headers.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

BLOCK = 512
MAX_EXTENSION = 1 << 20  # bytes of a long name, or of a pax header

Read: TypeAlias = Callable[[int], bytes]
"""Returns the requested number of bytes; fewer only at the end."""


class DamagedTarError(ValueError):
    """The data are not a tar, or are truncated."""


class MemberKind(StrEnum):
    """The kind of a member."""

    FILE = "file"
    DIRECTORY = "directory"
    LINK = "symbolic link"
    HARD_LINK = "hard link"
    OTHER = "something else"


@dataclass(frozen=True, kw_only=True, slots=True)
class Member:
    """One member as its headers describe it, unchecked. `size` is that of its data, in bytes.

    `what` describes a member that is not a file, directory or link; the end of its data is unknown.
    """

    name: str
    kind: MemberKind
    size: int = 0
    mode: int = 0o644
    target: str = ""
    what: str = ""


_KINDS = {
    b"0": MemberKind.FILE,
    b"\0": MemberKind.FILE,
    b"7": MemberKind.FILE,
    b"1": MemberKind.HARD_LINK,
    b"2": MemberKind.LINK,
    b"5": MemberKind.DIRECTORY,
}
_OTHERS = {b"3": "a device", b"4": "a device", b"6": "a pipe", b"S": "a sparse file"}
_PAX, _PAX_OF_ALL, _LONG_NAME, _LONG_TARGET, _LABEL = (b"x", b"X"), b"g", b"L", b"K", b"V"


@dataclass(slots=True)
class _Extension:
    """The fields of extension headers before a member."""

    name: bytes | None = None
    target: bytes | None = None
    pax: dict[bytes, bytes] = field(default_factory=dict)


def read_members(read: Read) -> Iterator[Member]:
    """Yield the members of a tar from `read`. The caller reads each member's data, padded to blocks, before the next.

    Raises:
        DamagedTarError: the data are truncated or not a tar.
    """
    for_all: dict[bytes, bytes] = {}
    extension, is_first = _Extension(), True
    while header := _header(read, is_first=is_first):
        is_first, kind = False, header[156:157]
        if kind in _PAX:
            extension.pax |= _pax(_extension(header, read))
        elif kind == _PAX_OF_ALL:
            for_all |= _pax(_extension(header, read))
            _check_length(for_all)
        elif kind == _LONG_NAME:
            extension.name = _text(_extension(header, read))
        elif kind == _LONG_TARGET:
            extension.target = _text(_extension(header, read))
        elif kind != _LABEL:
            yield _member(header, extension, for_all)
            extension = _Extension()


def padding(size: int) -> int:
    """Return the number of bytes between data of `size` bytes and the next header."""
    return -size % BLOCK


def _header(read: Read, *, is_first: bool) -> bytes:
    """Read the next header; b"" at the end of the tar."""
    header = read(BLOCK)
    if not header.strip(b"\0") and len(header) in (0, BLOCK) and not (is_first and not header):
        return b""
    if len(header) < BLOCK:
        raise DamagedTarError("it is cut" if header else "it is empty")
    total = sum(header) - sum(header[148:156]) + 8 * ord(" ")
    if _number(header[148:156]) != total:
        raise DamagedTarError("a header is invalid")
    return header


def _member(header: bytes, extension: _Extension, for_all: dict[bytes, bytes]) -> Member:
    pax = {**for_all, **extension.pax}
    name = _decoded(pax.get(b"path") or extension.name or _name(header))
    code = header[156:157]
    kind, what = _KINDS.get(code, MemberKind.OTHER), _OTHERS.get(code, "of an unknown kind")
    if any(key.startswith(b"GNU.sparse.") for key in pax):
        kind, what = MemberKind.OTHER, "a sparse file"
    if code == b"\0" and name.endswith("/"):
        kind = MemberKind.DIRECTORY  # old tar without kinds: a trailing slash marks a directory
    size = _decimal(pax[b"size"]) if b"size" in pax else _number(header[124:136])
    if size < 0:
        raise DamagedTarError("a size is negative")
    return Member(
        name=name,
        kind=kind,
        size=size if kind is MemberKind.FILE else 0,
        mode=_number(header[100:108]) & 0o7777,
        what=what if kind is MemberKind.OTHER else "",
        target=_decoded(pax.get(b"linkpath") or extension.target or _text(header[157:257])),
    )


def _name(header: bytes) -> bytes:
    name = _text(header[:100])
    prefix = _text(header[345:500]) if header[257:263] == b"ustar\0" else b""
    return prefix + b"/" + name if prefix else name


def _extension(header: bytes, read: Read) -> bytes:
    size = _number(header[124:136])
    if not 0 <= size <= MAX_EXTENSION:
        raise DamagedTarError("a header is longer than any name")
    data = read(size + padding(size))
    if len(data) < size + padding(size):
        raise DamagedTarError("it is cut")
    return data[:size]


def _pax(data: bytes) -> dict[bytes, bytes]:
    """Parse the records of a pax header: LENGTH KEY=VALUE and a newline each; the length counts all of it."""
    records, at = {}, 0
    while at < len(data) and data[at]:
        blank = data.find(b" ", at, at + 20)
        length = _decimal(data[at:blank]) if blank > 0 else 0
        record = data[blank + 1 : at + length]
        key, equals, value = record.partition(b"=")
        if length <= blank + 1 - at or at + length > len(data) or not equals or not value.endswith(b"\n"):
            raise DamagedTarError("a pax header is invalid")
        records[key] = value[:-1]
        at += length
    return records


def _check_length(records: dict[bytes, bytes]) -> None:
    if sum(len(key) + len(value) for key, value in records.items()) > MAX_EXTENSION:
        raise DamagedTarError("a header is longer than any name")


def _number(data: bytes) -> int:
    """Parse an octal number, or the binary form that GNU tar uses for large ones."""
    if data[0] in (0x80, 0xFF):
        return int.from_bytes(data[1:], "big") - (256 ** (len(data) - 1) if data[0] == 0xFF else 0)
    digits = _text(data).strip()
    if not digits:
        return 0
    if digits.strip(b"01234567"):
        raise DamagedTarError("a number is invalid")
    return int(digits, 8)


def _decimal(digits: bytes) -> int:
    if not digits.isdigit() or len(digits) > 20:
        raise DamagedTarError("a number is invalid")
    return int(digits)


def _text(data: bytes) -> bytes:
    return data.partition(b"\0")[0]


def _decoded(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")
