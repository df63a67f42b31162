"""Packages that somebody else has made, or that are damaged: nothing leaves its directory on the way out."""

import gzip
import os
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pai_jupyter.errors import PackageError
from pai_jupyter.package import build, member_tree, unpack, unpacking
from pai_jupyter.package.member_tree import TooLargeError
from tests.support.archives import ATTACKS, Facts, crafted, facts, header, member, raw

DIR, LINK, HARD = tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE
CHAIN = [member(f"l{number}", LINK, f"l{number + 1}") for number in range(member_tree.MAX_LINKS)]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Where archives are unpacked to `out`, beside a victim."""
    place = tmp_path / "place"
    (place / "victim").mkdir(parents=True)
    (place / "victim/file").write_text("good")
    return place


def refused(archive: Path, place: Path, words: str) -> None:
    before = facts(place)
    with pytest.raises(PackageError, match=words) as caught:
        unpack(archive, place / "out")
    assert "\n" not in str(caught.value)
    assert without_times_of_root(facts(place)) == without_times_of_root(before)


def without_times_of_root(found: Facts) -> Facts:
    return {path: value for path, value in found.items() if path != "."}


@pytest.mark.parametrize(
    "members",
    [
        [member("../evil")],
        [member("a/../../evil")],
        [member("/tmp/evil")],
        [member("//tmp/evil")],
        [member("link", LINK, "/etc/passwd")],
        [member("link", LINK, "../evil")],
        [member("link", LINK, "")],
        [member("link", HARD, "../evil")],
        [member("link", HARD, "/etc/passwd")],
        [member("dir", LINK, ".."), member("dir/evil")],
        [member("dir", LINK, "."), member("dir/evil")],
        [member("dir/evil"), member("dir", LINK, ".")],
        [member("file"), member("file/evil")],
        [member("a", HARD, "later"), member("later")],
        [member("link", LINK, "file"), member("file"), member("hard", HARD, "link")],
        [member("x"), member("x", LINK, "y")],
        [member("x", LINK, "y"), member("x", HARD, "x")],
        [member("a", LINK, "."), member("b", LINK, "a/a/a/..")],
        [member("a/b", DIR), member("a/up", LINK, "../a/.."), member("out", LINK, "a/up/..")],
        [member("round", LINK, "round")],
        [*CHAIN, member(f"l{len(CHAIN)}", LINK, "end")],
        [member("Link", LINK, "."), member("out", LINK, "link/a/../..")],
        [member("d/" * 200 + "x")],
        [member("x" * 5000)],
        [member("null", tarfile.CHRTYPE)],
        [member("disk", tarfile.BLKTYPE)],
        [member("pipe", tarfile.FIFOTYPE)],
        [member("other", b"Z")],
        [member("", size=4)],
    ],
    ids=lambda members: f"{members[-1].name[:20]} {members[-1].type.decode()} {members[-1].linkname[:20]}",
)
def test_a_hostile_archive_is_refused(place: Path, tmp_path: Path, members: list[tarfile.TarInfo]) -> None:
    refused(crafted(tmp_path / "evil.tar.gz", members), place, "was not unpacked")
    assert not Path("/tmp/evil").exists()


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("style", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_what_tarfile_lets_out_stays_inside(place: Path, tmp_path: Path, attack: str, style: int) -> None:
    members = ATTACKS[attack](place / "victim/file")
    refused(crafted(tmp_path / "evil.tar.gz", members, style=style), place, "was not unpacked")


def test_a_sparse_file_is_refused(place: Path, tmp_path: Path) -> None:
    sparse = member("huge")
    sparse.pax_headers = {"GNU.sparse.major": "1", "GNU.sparse.realsize": str(1 << 50)}
    refused(crafted(tmp_path / "evil.tar.gz", [sparse], style=tarfile.PAX_FORMAT), place, "'huge' is a sparse file")
    refused(
        crafted(tmp_path / "evil.tar.gz", [member("huge", tarfile.GNUTYPE_SPARSE)]), place, "'huge' is a sparse file"
    )


def pax(size: int, data: bytes = b"") -> bytes:
    return header(member("pax", tarfile.XHDTYPE, size=size)) + data + bytes(-len(data) % 512)


@pytest.mark.parametrize(
    ("blocks", "words"),
    [
        ([pax(1 << 33)], "a header is longer than any name"),
        ([header(member("name", tarfile.GNUTYPE_LONGNAME, size=1 << 40))], "a header is longer than any name"),
        ([pax(512, b"9" * 512)], "a pax header is invalid"),
        ([pax(9, b"9 path=x\n"), b"rubbish" * 100], "a number is invalid"),
        ([pax(18, b"18 size=123456789\n"), header(member("cut")), b"rest"], "it is cut"),
        ([pax(11, b"11 size=-5\n"), header(member("back"))], "a number is invalid"),
        ([pax(12, b"12 path=a\0b\n"), header(member("nul"))], "no name of a file"),
        ([header(member("x"))[:300]], "it is cut"),
    ],
)
def test_headers_that_lie_are_errors(place: Path, tmp_path: Path, blocks: list[bytes], words: str) -> None:
    refused(raw(tmp_path / "evil.tar.gz", blocks), place, words)


def test_any_number_of_headers_of_nothing_is_nothing(place: Path, tmp_path: Path) -> None:
    unpack(raw(tmp_path / "odd.tar.gz", [pax(9, b"9 path=x\n")] * 3000), place / "out")
    assert list((place / "out").iterdir()) == []


def test_more_bytes_than_allowed_are_unpacked_only_when_asked_for(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unpacking, "MAX_BYTES", 1 << 20)
    archive = crafted(tmp_path / "large.tar.gz", [member("a", size=800_000), member("b", HARD, "a")])
    with pytest.raises(TooLargeError, match="was not unpacked: unpacked it has more than"):
        unpack(archive, place / "out")
    assert sorted(place.iterdir()) == [place / "victim"]
    unpack(archive, place / "out", allow_large=True)
    assert (place / "out/b").stat().st_size == 800_000


@pytest.mark.parametrize(
    "members",
    [
        [member(f"{number}") for number in range(11)],
        [member("/".join("abcdefghijk"), DIR)],
        [member(f"{number}", LINK, "x") for number in range(11)],
        [member(f"{number}" + "n" * 400, LINK, "x" * 400) for number in range(9)],
    ],
    ids=["files", "directories", "links", "names"],
)
def test_more_files_than_allowed_are_unpacked_only_when_asked_for(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, members: list[tarfile.TarInfo]
) -> None:
    monkeypatch.setattr(unpacking, "MAX_FILES", 10)
    archive = crafted(tmp_path / "many.tar.gz", members)
    with pytest.raises(TooLargeError, match=r"was not unpacked: it(s names are longer| holds more than 10 files)"):
        unpack(archive, place / "out")
    assert sorted(place.iterdir()) == [place / "victim"]


def test_an_archive_that_is_made_to_fill_the_disk_is_refused(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unpacking, "RATIO_FROM", 10_000_000)
    archive = raw(tmp_path / "bomb.tar.gz", [header(member("zeros", size=30 << 20)), *[bytes(1 << 20)] * 30])
    assert archive.stat().st_size * unpacking.MAX_RATIO < 30 << 20
    with pytest.raises(TooLargeError, match="one byte of it becomes more than 200"):
        unpack(archive, place / "out")
    assert sorted(place.iterdir()) == [place / "victim"]


def test_an_archive_with_no_end_is_refused(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "RATIO_FROM", 10_000_000)
    archive = raw(tmp_path / "bomb.tar.gz", [header(member("x")), *[bytes(1 << 20)] * 30])
    with pytest.raises(TooLargeError, match="one byte of it becomes more than 200"):
        unpack(archive, place / "out")


def test_no_set_uid_bit_comes_out(tmp_path: Path) -> None:
    program = member("program")
    program.mode = 0o6777
    unpack(crafted(tmp_path / "a.tar.gz", [program]), tmp_path / "out")
    assert (tmp_path / "out/program").stat().st_mode & 0o7777 == 0o755


@pytest.mark.parametrize("style", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_what_other_tools_pack_comes_out(tmp_path: Path, style: int) -> None:
    names = ["a", "./dir/b", "x/" * 60 + "c", "n" * 90, "训练/é"]
    if style != tarfile.USTAR_FORMAT:
        names += ["d" * 200, "y/" * 120 + "e", "m" * 150 + "/" + "m" * 150]
    members = [
        *(member(name, size=4 * number) for number, name in enumerate(names)),
        member("empty/", DIR),
        member("link", LINK, "dir/../dir/b"),
        member("dir/up", LINK, "../a"),
        member("dangling", LINK, "none/../nothing"),
        member("hard", HARD, "./dir/b"),
        member("a", size=8),  # added later: it counts
    ]
    unpack(crafted(tmp_path / "a.tar.gz", members, style=style), tmp_path / "out")
    out = tmp_path / "out"
    assert (out / "a").read_bytes() == b"evilevil"
    assert {name: (out / name).read_bytes() for name in names[1:]} == {
        name: b"evil" * number for number, name in enumerate(names) if number
    }
    assert (out / "empty").is_dir()
    assert [(out / name).readlink() for name in ("link", "dir/up", "dangling")] == [
        Path("dir/../dir/b"),
        Path("../a"),
        Path("none/../nothing"),
    ]
    assert (out / "hard").samefile(out / "dir/b")


def test_a_root_that_is_called_a_slash_is_the_root(tmp_path: Path) -> None:
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "a.py").write_text("x = 1")
    with tarfile.open(tmp_path / "code.tar.gz", "w:gz") as tar:
        tar.add(tmp_path / "code", arcname="")  # as the official SDK packs code until 0.4.7
    unpack(tmp_path / "code.tar.gz", tmp_path / "out")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["a.py"]
    with pytest.raises(PackageError, match="no name for"):
        unpack(crafted(tmp_path / "file.tar.gz", [member("/")]), tmp_path / "other")


def test_links_as_deep_as_the_system_follows_them_come_out(tmp_path: Path) -> None:
    chain = [member("l0", size=4)] + [
        member(f"l{number}", LINK, f"l{number - 1}") for number in range(1, member_tree.MAX_LINKS + 1)
    ]
    unpack(crafted(tmp_path / "a.tar.gz", chain), tmp_path / "out")
    assert (tmp_path / f"out/l{member_tree.MAX_LINKS}").read_bytes() == b"evil"


def test_a_directory_that_is_there_keeps_its_mode(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir(mode=0o700)
    unpack(crafted(tmp_path / "a.tar.gz", [member("x")]), tmp_path / "out")
    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o700


def test_a_directory_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/mine").touch()
    with pytest.raises(PackageError, match=r"cannot be unpacked into .*: Directory not empty"):
        unpack(crafted(tmp_path / "a.tar.gz", [member("x")]), tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == [tmp_path / "out/mine"]


@pytest.mark.parametrize(
    "damage", [lambda data: data[:-9], lambda data: data[:40], lambda data: b"", lambda data: b"no" + data]
)
def test_a_damaged_archive_is_said_to_be_one_and_nothing_of_it_stays(
    source: Path, to: Path, tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    build(source, to=to)
    to.write_bytes(damage(to.read_bytes()))
    with pytest.raises(PackageError, match=r"package\.tar\.gz' is damaged"):
        unpack(to, tmp_path / "out")
    assert sorted(tmp_path.iterdir()) == sorted([source, to.parent])


def test_a_header_that_a_bit_was_lost_of_is_damage(source: Path, to: Path, tmp_path: Path) -> None:
    build(source, to=to)
    data = bytearray(gzip.decompress(to.read_bytes()))
    data[3] ^= 1
    to.write_bytes(gzip.compress(data))
    with pytest.raises(PackageError, match=r"is damaged: a header is invalid"):
        unpack(to, tmp_path / "out")


def test_an_archive_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(PackageError, match=r"cannot be unpacked into .*: No such file or directory"):
        unpack(tmp_path / "no.tar.gz", tmp_path / "out")


NAMES = st.lists(st.sampled_from(["a", "b", "A", "..", ".", "", "victim", "file"]), min_size=1, max_size=4).map(
    "/".join
)
TARGETS = st.one_of(NAMES, NAMES.map(lambda name: f"/{name}"))
MEMBERS = st.lists(
    st.builds(
        member,
        st.one_of(NAMES, NAMES, TARGETS),
        st.sampled_from([tarfile.REGTYPE, DIR, LINK, LINK, HARD, tarfile.FIFOTYPE]),
        TARGETS,
        st.just(4),
    ),
    max_size=8,
)


@settings(deadline=None, max_examples=400)
@given(members=MEMBERS, style=st.sampled_from([tarfile.GNU_FORMAT, tarfile.PAX_FORMAT]))
def test_nothing_outside_is_made_or_changed(
    tmp_path_factory: pytest.TempPathFactory, members: list[tarfile.TarInfo], style: int
) -> None:
    place = tmp_path_factory.mktemp("place")
    (place / "victim").mkdir(mode=0o750)
    (place / "victim/file").write_text("good")
    for each in members:
        each.size = each.size if each.isreg() else 0
        each.mode, each.mtime = 0o7777, 1
    archive = crafted(tmp_path_factory.getbasetemp() / "any.tar.gz", members, style=style)
    before = facts(place)
    try:
        unpack(archive, place / "out")
    except PackageError:
        assert not (place / "out").exists()
    else:
        inside = os.path.realpath(place / "out")
        for path in (place / "out").rglob("*"):
            assert Path(os.path.realpath(path)).is_relative_to(inside)
    after = {path: value for path, value in facts(place).items() if not path.startswith("out")}
    assert without_times_of_root(after) == without_times_of_root(before)
