"""Packages that somebody else has made, or that are damaged: nothing leaves its directory on the way out."""

import io
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from pai_jupyter.errors import PackageError
from pai_jupyter.package import build, unpack


def crafted(path: Path, *members: tarfile.TarInfo) -> Path:
    with tarfile.open(path, "w:gz") as tar:
        for member in members:
            tar.addfile(member, io.BytesIO(bytes(member.size)))
    return path


def member(name: str, kind: bytes = tarfile.REGTYPE, linkname: str = "", size: int = 0) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.size = kind, linkname, size
    return info


@pytest.mark.parametrize(
    "members",
    [
        [member("../evil")],
        [member("a/../../evil")],
        [member("/tmp/evil")],
        [member("link", tarfile.SYMTYPE, "/etc/passwd")],
        [member("link", tarfile.SYMTYPE, "../evil")],
        [member("link", tarfile.LNKTYPE, "../evil")],
        [member("dir", tarfile.SYMTYPE, ".."), member("dir/evil")],
        [member("null", tarfile.CHRTYPE)],
        [member("disk", tarfile.BLKTYPE)],
        [member("pipe", tarfile.FIFOTYPE)],
    ],
    ids=lambda members: f"{members[-1].name} {members[0].type.decode()} {members[0].linkname}",
)
def test_a_hostile_archive_is_refused(tmp_path: Path, members: list[tarfile.TarInfo]) -> None:
    archive = crafted(tmp_path / "evil.tar.gz", *members)
    before = set(tmp_path.iterdir())
    with pytest.raises(PackageError, match="was not unpacked"):
        unpack(archive, tmp_path / "in/out")
    assert set(tmp_path.iterdir()) - before <= {tmp_path / "in"}
    assert list((tmp_path / "in").rglob("*")) in ([], [tmp_path / "in/out"])
    assert not Path("/tmp/evil").exists()


def test_no_set_uid_bit_comes_out(tmp_path: Path) -> None:
    program = member("program")
    program.mode = 0o6777
    unpack(crafted(tmp_path / "a.tar.gz", program), tmp_path / "out")
    assert (tmp_path / "out/program").stat().st_mode & 0o7022 == 0


@pytest.mark.parametrize(
    "damage", [lambda data: data[:-9], lambda data: data[:40], lambda data: b"", lambda data: b"no" + data]
)
def test_a_damaged_archive_is_said_to_be_one(
    source: Path, to: Path, tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    build(source, to=to)
    to.write_bytes(damage(to.read_bytes()))
    with pytest.raises(PackageError, match=r"package\.tar\.gz' is damaged"):
        unpack(to, tmp_path / "out")


def test_an_archive_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(PackageError, match=r"cannot be unpacked into .*: No such file or directory"):
        unpack(tmp_path / "no.tar.gz", tmp_path / "out")
