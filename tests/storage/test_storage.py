"""What a directory, a bucket and HDFS promise alike: one suite for all."""

import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pai_jupyter.errors import NotFoundError, PaiJupyterError, SpecError
from pai_jupyter.storage import Storage, download, open_storage, upload
from pai_jupyter.storage.disk import draft
from pai_jupyter.storage.hdfs import HdfsAccess
from pai_jupyter.storage.progress import TransferProgress
from tests.fakes.oss import REGION, FakeOss
from tests.support.hdfs import EmulatedHdfs, Hdfs, access, emulated_hdfs, place, uri
from tests.support.storages import LEADING_OUT, ODD_NAMES, TestKey, open_oss, oss, read_tree, write_tree

__all__ = ["emulated_hdfs", "oss"]
TREE = {"a.txt": b"alpha", "empty/": b"", "sub/b.bin": bytes(300_000), "sub/deep/zero": b"", "训练/x y+%#": b"odd"}


@pytest.fixture(params=["local", "oss", "hdfs"])
def root(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a place where there is nothing yet; how HDFS is asked is `asked()` meanwhile."""
    match request.param:
        case "local":
            yield str(tmp_path / "there")
        case "oss":
            service: FakeOss = request.getfixturevalue("oss")
            yield service.uri("there")
        case _:
            hdfs: Hdfs = request.getfixturevalue("hdfs")
            with place(hdfs, "place") as path, asked_as(access(hdfs)):
                yield uri(f"{path}/there")


_ASKED: list[HdfsAccess] = []


@contextmanager
def asked_as(access: HdfsAccess) -> Iterator[None]:
    _ASKED.append(access)
    yield
    _ASKED.clear()


def asked() -> HdfsAccess | None:
    return _ASKED[0] if _ASKED else None


@pytest.fixture(scope="module")
def hdfs(emulated_hdfs: EmulatedHdfs) -> Hdfs:
    return emulated_hdfs


@pytest.fixture
def storage(root: str) -> Storage:
    return open_storage(root, credentials=TestKey(), region=REGION, hdfs=asked())


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "here").mkdir()
    return tmp_path / "here"


def send(path: Path, uri: str) -> str:
    return upload(path, uri, credentials=TestKey(), region=REGION, hdfs=asked())


def fetch(uri: str, path: Path | str) -> Path:
    return download(uri, path, credentials=TestKey(), region=REGION, hdfs=asked())


@pytest.mark.parametrize("name", ODD_NAMES)
def test_any_name_survives_the_way_there_and_back(storage: Storage, here: Path, name: str) -> None:
    storage.put(f"d/{name}", name.encode())
    storage.get(f"d/{name}", here / "copy")
    assert (here / "copy").read_bytes() == name.encode()
    assert [entry.key for entry in storage.list("d/")] == [f"d/{name}"]
    assert storage.head(f"d/{name}") is not None
    storage.delete([f"d/{name}"])
    assert storage.head(f"d/{name}") is None


@pytest.mark.parametrize("key", LEADING_OUT)
def test_a_key_that_is_no_path_below_a_directory_is_refused(storage: Storage, key: str) -> None:
    with pytest.raises(SpecError, match="refused"):
        storage.put(key, b"x")
    assert list(storage.list(recursive=True)) == []


@pytest.mark.parametrize("size", [0, 1, 5_000_000])
def test_a_file_comes_back_as_it_was(storage: Storage, here: Path, size: int) -> None:
    (here / "file").write_bytes(b"\x00\xff" * (size // 2) + b"x" * (size % 2))
    storage.put("file", here / "file")
    storage.get("file", here / "copy")
    assert (here / "copy").read_bytes() == (here / "file").read_bytes()
    assert storage.holds("file", here / "copy")


def test_putting_replaces_what_was_there(storage: Storage) -> None:
    storage.put("key", b"old and long")
    storage.put("key", b"new")
    assert storage.read("key") == b"new"


def test_put_if_absent_tells_whether_there_was_something_and_leaves_it(storage: Storage) -> None:
    assert storage.put_if_absent("src/digest.tar.gz", b"first") is False
    assert storage.put_if_absent("src/digest.tar.gz", b"second") is True
    assert storage.read("src/digest.tar.gz") == b"first"


@pytest.mark.parametrize(
    ("start", "size", "expected"),
    [
        (0, None, b"0123456789"),
        (3, None, b"3456789"),
        (3, 4, b"3456"),
        (8, 100, b"89"),
        (10, None, b""),
        (99, 5, b""),
        (0, 0, b""),
    ],
)
def test_reading_a_range(storage: Storage, start: int, size: int | None, expected: bytes) -> None:
    storage.put("digits", b"0123456789")
    assert storage.read("digits", start=start, size=size) == expected


def test_reading_an_empty_object(storage: Storage) -> None:
    storage.put("empty", b"")
    assert storage.read("empty") == b""


@pytest.mark.parametrize("asked", ["missing", "dir", "dir/missing"])
def test_what_is_not_there_is_told_so(storage: Storage, here: Path, asked: str) -> None:
    storage.put("dir/file", b"")
    assert storage.head(asked) is None
    assert not storage.holds(asked, write_tree(here, {"x": b""}) / "x")
    with pytest.raises(NotFoundError, match=asked):
        storage.get(asked, here / "copy")
    with pytest.raises(NotFoundError, match=asked):
        storage.read(asked)
    assert not (here / "copy").exists()


def test_another_file_of_the_same_size_is_not_the_same(storage: Storage, here: Path) -> None:
    storage.put("key", b"aaaa")
    write_tree(here, {"same": b"aaaa", "other": b"aaab", "longer": b"aaaaa"})
    assert [storage.holds("key", here / name) for name in ("same", "other", "longer")] == [True, False, False]


@pytest.mark.parametrize(
    ("prefix", "expected"),
    [
        ("", ["a.txt", "sub/", "subway"]),
        ("su", ["sub/", "subway"]),
        ("sub/", ["sub/b", "sub/deep/", "sub/empty/"]),
        ("sub/d", ["sub/deep/"]),
        ("sub/deep/", ["sub/deep/c"]),
        ("sub/empty/", []),
        ("none/", []),
    ],
)
def test_a_listing_shows_directories_as_one_entry(storage: Storage, prefix: str, expected: list[str]) -> None:
    for key in ("sub/deep/c", "sub/b", "subway", "a.txt", "sub/empty/"):
        storage.put(key, b"")
    assert [entry.key for entry in storage.list(prefix)] == expected


def test_a_recursive_listing_shows_files_and_empty_directories(storage: Storage) -> None:
    for key in ("sub/deep/c", "sub/b", "a.txt", "sub/empty/"):
        storage.put(key, key.encode() if not key.endswith("/") else b"")
    listed = {entry.key: entry.size for entry in storage.list("sub/", recursive=True)}
    assert listed == {"sub/b": 5, "sub/deep/c": 10, "sub/empty/": 0}


def test_an_entry_knows_its_name_size_and_time(storage: Storage) -> None:
    storage.put("sub/训练", b"12345")
    (entry,) = storage.list("sub/")
    assert (entry.name, entry.size, entry.is_directory) == ("训练", 5, False)
    assert entry.modified == pytest.approx(open_time(storage), abs=1)


def open_time(storage: Storage) -> float:
    told = storage.head("sub/训练")
    assert told is not None
    assert told.modified is not None
    return told.modified


def test_deleting_takes_what_is_there_and_minds_nothing_else(storage: Storage) -> None:
    for key in ("a", "b\nc", "keep", "empty/"):
        storage.put(key, b"")
    storage.delete(["a", "b\nc", "never/was", "empty/"])
    assert [entry.key for entry in storage.list(recursive=True)] == ["keep"]


def test_a_directory_goes_with_all_that_is_in_it(storage: Storage) -> None:
    for key in ("sub/deep/c", "sub/b", "subway", "sub/empty/"):
        storage.put(key, b"")
    assert storage.delete_tree("sub/") == 2
    assert [entry.key for entry in storage.list(recursive=True)] == ["subway"]
    assert storage.delete_tree("sub/") == 0


@pytest.mark.parametrize("root", ["local", "oss"], indirect=True)
def test_anybody_can_read_from_a_signed_address(storage: Storage) -> None:
    storage.put("训练/a b+%#", b"shared")
    with urllib.request.urlopen(storage.presign("训练/a b+%#", seconds=60)) as answer:
        assert answer.read() == b"shared"


def test_a_directory_comes_back_as_it_was(root: str, here: Path, tmp_path: Path) -> None:
    write_tree(here, TREE)
    uri = send(here, root)
    assert fetch(uri, tmp_path / "back") == tmp_path / "back"
    assert read_tree(tmp_path / "back") == TREE


def test_many_files_go_at_once(root: str, here: Path, tmp_path: Path) -> None:
    files = {f"d{n % 7}/f{n}": str(n).encode() for n in range(200)}
    fetch(send(write_tree(here, files), root), tmp_path / "back")
    assert read_tree(tmp_path / "back") == files


@pytest.mark.parametrize(("target", "key"), [("x/new.csv", "x/new.csv"), ("x/", "x/train.csv")])
def test_a_file_goes_to_the_address_or_into_it(root: str, storage: Storage, here: Path, target: str, key: str) -> None:
    write_tree(here, {"train.csv": b"1,2"})
    uri = send(here / "train.csv", f"{root}/{target}")
    assert uri.endswith(f"/there/{key}")
    assert storage.read(key) == b"1,2"


@pytest.mark.parametrize(
    ("target", "name"), [("new.csv", "new.csv"), ("made/up/", "made/up/train.csv"), ("", "train.csv")]
)
def test_an_object_comes_to_the_path_or_into_it(
    root: str, storage: Storage, here: Path, target: str, name: str
) -> None:
    storage.put("train.csv", b"1,2")
    assert fetch(f"{root}/train.csv", f"{here}/{target}" if target else here) == here / name
    assert read_tree(here) == {name: b"1,2"}


def test_an_empty_directory_comes_as_one(root: str, storage: Storage, here: Path) -> None:
    storage.put("sub/", b"")
    fetch(f"{root}/sub", here / "made")
    assert read_tree(here) == {"made/": b""}


def test_nothing_at_the_address_is_told_and_nothing_is_made(root: str, here: Path) -> None:
    with pytest.raises(NotFoundError, match="there is nothing at"):
        fetch(f"{root}/none", here / "made")
    with pytest.raises(NotFoundError, match="no file or directory"):
        send(here / "none", root)
    assert read_tree(here) == {}


def test_unchanged_files_are_left_alone_on_the_way_back(root: str, here: Path, tmp_path: Path) -> None:
    back = tmp_path / "back"
    fetch(send(write_tree(here, {"same": b"1", "other": b"2", "longer": b"3"}), root), back)
    before = (back / "same").stat().st_ino
    (back / "other").write_bytes(b"x")
    (back / "longer").write_bytes(b"33")
    fetch(root, back)
    assert read_tree(back) == {"same": b"1", "other": b"2", "longer": b"3"}
    assert (back / "same").stat().st_ino == before


def test_a_file_that_a_failed_write_would_replace_stays(storage: Storage, here: Path) -> None:
    write_tree(here, {"file": b"old"})
    with pytest.raises(NotFoundError):
        storage.get("missing", here / "file")
    assert read_tree(here) == {"file": b"old"}


def linked(here: Path, name: str, target: str) -> Path:
    (here / name).symlink_to(target)
    return here


def test_a_link_inside_goes_as_what_it_points_to(root: str, storage: Storage, here: Path) -> None:
    write_tree(here, {"data/a": b"1"})
    send(linked(linked(here, "file", "data/a"), "dir", "data"), root)
    assert {entry.key for entry in storage.list(recursive=True)} == {"data/a", "dir/a", "file"}
    assert storage.read("dir/a") == b"1"


@pytest.mark.parametrize("target", ["/etc/hostname", "../outside", "/etc", "gone"])
def test_a_link_that_leads_out_is_refused_by_name(root: str, storage: Storage, here: Path, target: str) -> None:
    write_tree(here.parent, {"outside": b"secret"})
    write_tree(here, {"a": b""})
    with pytest.raises(PaiJupyterError, match="wayout"):
        send(linked(here, "wayout", target), root)
    assert list(storage.list(recursive=True)) == []


def test_a_link_in_a_circle_is_refused(root: str, here: Path) -> None:
    with pytest.raises(PaiJupyterError, match="link to a directory that it is in"):
        send(linked(write_tree(here, {"sub/a": b""}), "sub/up", ".."), root)


def test_a_link_here_cannot_lead_a_download_out(root: str, storage: Storage, here: Path, tmp_path: Path) -> None:
    storage.put("way/file", b"x")
    (tmp_path / "out").mkdir()
    with pytest.raises(PaiJupyterError, match="leads out"):
        fetch(root, linked(here, "way", str(tmp_path / "out")))
    assert read_tree(tmp_path / "out") == {}


def test_a_link_in_the_place_of_a_file_is_replaced_not_followed(
    root: str, storage: Storage, here: Path, tmp_path: Path
) -> None:
    storage.put("file", b"new")
    write_tree(tmp_path, {"outside": b"old"})
    fetch(root, linked(here, "file", str(tmp_path / "outside")))
    assert not (here / "file").is_symlink()
    assert (tmp_path / "outside").read_bytes() == b"old"


def test_a_pipe_is_refused_and_not_waited_for(root: str, here: Path) -> None:
    import os

    os.mkfifo(here / "pipe")
    with pytest.raises(PaiJupyterError, match="pipe"):
        send(here, root)
    with pytest.raises(NotFoundError):
        send(here / "pipe", root)


def test_a_name_that_is_not_utf8_is_refused(root: str, here: Path) -> None:
    try:
        (here / "caf\udce9").write_bytes(b"")
    except OSError:
        pytest.skip("this file system takes UTF-8 only")
    with pytest.raises(PaiJupyterError, match=r"caf\\xe9.*not UTF-8"):
        send(here, root)


def test_a_file_and_a_directory_of_one_name_are_told(root: str, storage: Storage, here: Path) -> None:
    storage.put("name/below", b"")
    write_tree(here, {"name": b"a file"})
    with pytest.raises(PaiJupyterError, match="name"):
        fetch(root, here)


def test_progress_counts_all_bytes_and_never_goes_back(root: str, here: Path, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    write_tree(here, TREE)
    for transfer in (upload_with(here, root), download_with(root, tmp_path / "back")):
        told.clear()
        transfer(lambda done, total: told.append((done, total)))
        assert [done for done, _ in told] == sorted({done for done, _ in told})
        assert told[-1] == (sum(map(len, TREE.values())),) * 2


def upload_with(here: Path, root: str) -> Callable[[Callable[[int, int], None]], object]:
    return lambda report: upload(here, root, credentials=TestKey(), region=REGION, progress=report, hdfs=asked())


def download_with(root: str, to: Path) -> Callable[[Callable[[int, int], None]], object]:
    return lambda report: download(root, to, credentials=TestKey(), region=REGION, progress=report, hdfs=asked())


def test_progress_of_what_is_there_already_is_complete_too(root: str, here: Path) -> None:
    send(write_tree(here, TREE), root)
    told: list[int] = []
    upload_with(here, root)(lambda done, total: told.append(total - done))
    assert told[-1] == 0


def test_a_stopped_transfer_leaves_no_draft(storage: Storage, here: Path) -> None:
    storage.put("file", bytes(1_000_000))
    progress = TransferProgress()
    progress.stop()
    with pytest.raises(PaiJupyterError, match="cancelled"):
        storage.get("file", here / "copy", progress=progress)
    assert read_tree(here) == {}


def test_drafts_of_others_are_not_shown(oss: FakeOss, tmp_path: Path) -> None:
    write_tree(tmp_path / "dir", {".pai-0123456789abcdef.tmp": b"", ".pai-0123456789abcdef.part": b"", "file": b""})
    assert [entry.key for entry in open_storage(str(tmp_path / "dir")).list()] == ["file"]
    send(tmp_path / "dir", oss.uri("d"))
    assert list(oss.objects) == ["d/file"]


def test_the_draft_of_somebody_who_was_killed_goes_with_the_next_download(oss: FakeOss, tmp_path: Path) -> None:
    names = {f"{place}.pai-0123456789abcdef.{kind}": b"" for place in ("", "below/") for kind in ("tmp", "part")}
    write_tree(tmp_path / "to", {**names, ".pai-no.tmp": b""})
    open_oss(oss).put("d/below/file", b"whole")
    fetch(oss.uri("d/"), tmp_path / "to")
    parts = {name: b"" for name in names if name.endswith(".part")}  # a large download goes on with its own
    assert read_tree(tmp_path / "to") == {**parts, ".pai-no.tmp": b"", "below/file": b"whole"}


def test_a_draft_that_is_being_written_is_left_alone(oss: FakeOss, tmp_path: Path) -> None:
    open_oss(oss).put("d/file", b"whole")
    with draft(tmp_path / "slow") as out:
        fetch(oss.uri("d/"), tmp_path)
        out.write(b"slow")
    assert read_tree(tmp_path) == {"file": b"whole", "slow": b"slow"}


def test_local_listings_show_no_way_out(tmp_path: Path) -> None:
    write_tree(tmp_path / "dir", {"file": b""})
    linked(linked(tmp_path / "dir", "out", "/etc"), "gone", "none")
    local = open_storage(str(tmp_path / "dir"))
    assert [entry.key for entry in local.list()] == ["file"]
    with pytest.raises(PaiJupyterError, match="outside"):
        local.read("out")


def test_both_kinds_are_found_by_their_address(oss: FakeOss, tmp_path: Path) -> None:
    assert open_storage(str(tmp_path)).uri == f"{tmp_path}/"
    assert open_oss(oss, "a/b").uri == oss.uri("a/b/")
    with pytest.raises(SpecError, match=r"a local path, oss://, hdfs://"):
        open_storage("s3://bucket/key")
