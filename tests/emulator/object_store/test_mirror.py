"""Objects as files for a job, and back: nothing leads out, nothing is half of one version, nothing is read twice."""

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pai_jupyter.emulator.object_store.content import ContentDraft
from pai_jupyter.emulator.object_store.store import ObjectStore
from pai_jupyter.emulator.object_store.tree import OutputTree
from pai_jupyter.emulator.oss_protocol.model import Content
from pai_jupyter.path_guard import JobDirectory
from tests.support.patience import DEADLINE
from tests.support.storages import ODD_NAMES, read_tree, write_tree

BUCKET = "bucket"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ObjectStore]:
    store = ObjectStore(tmp_path / "oss")
    store.create_bucket(BUCKET)
    yield store
    store.close()


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """The directory of a job."""
    (tmp_path / "job").mkdir()
    return tmp_path / "job"


def put(store: ObjectStore, objects: dict[str, bytes]) -> None:
    for key, data in objects.items():
        store.put(BUCKET, key, store.draft(data))


def objects(store: ObjectStore) -> dict[str, bytes]:
    return {found.key: read(store, found.key) for found in store.page(BUCKET).objects}


def read(store: ObjectStore, key: str) -> bytes:
    _, reading = store.open(BUCKET, key)
    with reading:
        return b"".join(reading.blocks())


def settle(store: ObjectStore, directory: Path, prefix: str = "out") -> None:
    """Absorb until nothing more is done; files of this very moment are taken twice."""
    deadline = time.monotonic() + DEADLINE
    before = None
    while (now := versions(store)) != before or not is_old(directory):
        assert time.monotonic() < deadline
        before = now
        store.absorb(directory, BUCKET, prefix)


def is_old(directory: Path) -> bool:
    return all(time.time() - path.stat().st_ctime > 0.2 for path in directory.rglob("*"))


def versions(store: ObjectStore) -> dict[str, tuple[str, ...]]:
    """The objects with the names of their bytes, which are new each time that they are stored."""
    return {found.key: tuple(p.name for p in found.content.pieces) for found in store.page(BUCKET).objects}


TREE = {"a.txt": b"alpha", "empty/": b"", "sub/b.bin": bytes(3_000_000), "sub/deep/zero": b"", "训练/x y+%#": b"odd"}


@pytest.mark.parametrize("prefix", ["data", "data/", "a/b/data"])
def test_a_tree_comes_back_as_it_was(store: ObjectStore, here: Path, tmp_path: Path, prefix: str) -> None:
    write_tree(here, TREE)
    assert store.absorb(here, BUCKET, prefix) == []
    assert set(objects(store)) == {prefix.removesuffix("/") + "/" + name for name in TREE}
    assert store.materialise(BUCKET, prefix, tmp_path / "back") == []
    assert read_tree(tmp_path / "back") == TREE


@pytest.mark.parametrize("name", ODD_NAMES)
def test_any_name_survives_the_way_there_and_back(store: ObjectStore, here: Path, tmp_path: Path, name: str) -> None:
    (here / name).write_bytes(b"x")
    store.absorb(here, BUCKET, "")
    store.materialise(BUCKET, "", tmp_path / "back")
    assert read_tree(tmp_path / "back") == {name: b"x"}


def test_more_objects_than_a_page_has(store: ObjectStore, tmp_path: Path) -> None:
    put(store, {f"d/{n:04}": b"" for n in range(1500)})
    store.materialise(BUCKET, "d", tmp_path / "back")
    assert len(read_tree(tmp_path / "back")) == 1500


def test_an_object_by_its_name_comes_alone(store: ObjectStore, here: Path) -> None:
    put(store, {"data/train.csv": b"1,2", "data/train.csv.old": b"", "data/train.csv/x": b""})
    store.materialise(BUCKET, "data/train.csv", here)
    assert read_tree(here) == {"train.csv": b"1,2"}


def test_a_directory_is_not_all_that_begins_like_it(store: ObjectStore, here: Path) -> None:
    put(store, {"data/x": b"1", "data2/y": b"2", "data": b"3"})
    store.materialise(BUCKET, "data/", here)
    assert read_tree(here) == {"x": b"1"}


def test_an_empty_directory_comes_as_one(store: ObjectStore, tmp_path: Path) -> None:
    put(store, {"d/": b"", "d/sub/": b""})
    store.materialise(BUCKET, "d", tmp_path / "back")
    assert read_tree(tmp_path / "back") == {"sub/": b""}


@pytest.mark.parametrize("key", ["../x", "a/../../x", "/etc/x", "a//b", "./x", "nul\0x", "n" * 300])
def test_a_key_that_is_no_path_is_left_out_and_said(store: ObjectStore, here: Path, tmp_path: Path, key: str) -> None:
    put(store, {f"d/{key}": b"evil", "d/good": b"x"})
    (said,) = store.materialise(BUCKET, "d/", here)
    assert repr(f"d/{key}")[1:100] in said
    assert read_tree(here) == {"good": b"x"}
    assert not (tmp_path / "x").exists()


def test_a_file_in_the_place_of_a_directory_is_left_out_and_said(store: ObjectStore, here: Path) -> None:
    put(store, {"d/a": b"file", "d/a/b": b"below"})
    (said,) = store.materialise(BUCKET, "d/", here)
    assert "'d/a/b'" in said
    assert read_tree(here) == {"a": b"file"}


def test_a_link_here_leads_no_object_out(store: ObjectStore, here: Path, tmp_path: Path) -> None:
    put(store, {"d/way/file": b"x", "d/file": b"new"})
    write_tree(tmp_path, {"outside/file": b"old"})
    (here / "way").symlink_to(tmp_path / "outside")
    (here / "file").symlink_to(tmp_path / "outside" / "file")
    (said,) = store.materialise(BUCKET, "d/", here)
    assert "leads out" in said
    assert (tmp_path / "outside" / "file").read_bytes() == b"old"
    assert not (here / "file").is_symlink()


def test_what_did_not_change_is_not_stored_again(store: ObjectStore, here: Path) -> None:
    settle(store, write_tree(here, {"same": b"1", "other": b"2", "dir/": b""}))
    before = versions(store)
    write_tree(here, {"other": b"3", "new": b"4"})
    store.absorb(here, BUCKET, "out")
    after = versions(store)
    assert after["out/same"] == before["out/same"]
    assert {key: data for key, data in objects(store).items() if data} == {
        "out/same": b"1",
        "out/other": b"3",
        "out/new": b"4",
    }


def test_what_was_noted_survives_a_restart(store: ObjectStore, here: Path, tmp_path: Path) -> None:
    settle(store, write_tree(here, {"file": b"1"}))
    before = versions(store)
    store.close()
    again = ObjectStore(tmp_path / "oss")
    again.absorb(here, BUCKET, "out")
    assert versions(again) == before
    again.close()


def test_what_was_brought_is_not_stored_again(store: ObjectStore, here: Path) -> None:
    put(store, {"out/checkpoint": b"1", "out/dir/": b""})
    before = versions(store)
    store.materialise(BUCKET, "out", here)
    store.absorb(here, BUCKET, "out")
    assert versions(store) == before


def test_what_is_here_is_not_brought_again(store: ObjectStore, here: Path) -> None:
    put(store, {"in/same": b"1", "in/other": b"2", "in/spoiled": b"3"})
    store.materialise(BUCKET, "in", here)
    before = {name: (here / name).stat().st_ino for name in ("same", "other")}
    put(store, {"in/other": b"4"})
    (here / "spoiled").write_bytes(b"x")
    store.materialise(BUCKET, "in", here)
    assert read_tree(here) == {"same": b"1", "other": b"4", "spoiled": b"3"}
    assert (here / "same").stat().st_ino == before["same"]
    assert (here / "other").stat().st_ino != before["other"]


def test_objects_that_others_replaced_or_deleted_stay_so_until_their_file_changes(
    store: ObjectStore, here: Path
) -> None:
    settle(store, write_tree(here, {"replaced": b"1", "deleted": b"2"}))
    put(store, {"out/replaced": b"theirs"})
    store.delete(BUCKET, "out/deleted")
    store.absorb(here, BUCKET, "out")
    assert objects(store) == {"out/replaced": b"theirs"}
    write_tree(here, {"deleted": b"new"})
    store.absorb(here, BUCKET, "out")
    assert objects(store) == {"out/replaced": b"theirs", "out/deleted": b"new"}


def test_a_file_that_was_removed_stays_an_object(store: ObjectStore, here: Path) -> None:
    store.absorb(write_tree(here, {"file": b"1"}), BUCKET, "out")
    (here / "file").unlink()
    assert store.absorb(here, BUCKET, "out") == []
    assert objects(store) == {"out/file": b"1"}


def test_a_file_of_this_very_moment_is_looked_at_once_more(here: Path, tmp_path: Path) -> None:
    """It may change within the grain of the disk's clock, and then looks the same."""
    written = write_tree(here, {"file": b"1"}) / "file"
    later = 0.01
    store = ObjectStore(tmp_path / "oss", now=lambda: written.stat().st_ctime + later)
    store.create_bucket(BUCKET)
    seen = []
    for later in (0.01, 0.02, 1.0, 2.0):  # noqa: B007  the store's clock reads it
        store.absorb(here, BUCKET, "out")
        seen.append(versions(store)["out/file"])
    assert len(set(seen)) == 3
    assert seen[2] == seen[3]
    store.close()


def test_no_directory_is_no_error(store: ObjectStore, here: Path) -> None:
    assert store.absorb(here / "none", BUCKET, "out") == []


def linked(here: Path, target: str) -> Path:
    (here / "link").symlink_to(target)
    return here


def test_links_inside_count_as_what_they_point_to(store: ObjectStore, here: Path) -> None:
    write_tree(here, {"step-1/model": b"1"})
    (here / "latest").symlink_to("step-1")
    (here / "best").symlink_to("step-1/model")
    assert store.absorb(here, BUCKET, "out") == []
    assert objects(store) == {"out/step-1/model": b"1", "out/latest/model": b"1", "out/best": b"1"}


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("/etc/hostname", "a link out of the directory"),
        ("../outside", "a link out of the directory"),
        ("/etc", "a link out of the directory"),
        (".", "a directory that contains it"),
        ("link", "symbolic links"),
        ("/dev/zero", "a link out of the directory"),
    ],
)
def test_other_links_are_left_out_and_said(store: ObjectStore, here: Path, target: str, words: str) -> None:
    write_tree(here.parent, {"outside": b"secret"})
    (said,) = store.absorb(linked(write_tree(here, {"good": b"x"}), target), BUCKET, "out")
    assert "'link'" in said
    assert words in said
    assert objects(store) == {"out/good": b"x"}


@pytest.mark.parametrize("replaced", ["channel", "output/channel"])
def test_a_link_in_the_place_of_the_directory_itself_is_left_out_and_said(
    store: ObjectStore, here: Path, tmp_path: Path, replaced: str
) -> None:
    write_tree(tmp_path, {"outside/channel/secret": b"secret"})
    write_tree(here, {"output/channel/good": b"x"})
    path = here / "output" / "channel" if replaced == "channel" else here / "output"
    path.rename(tmp_path / "moved")
    path.symlink_to(tmp_path / "outside" / ("channel" if replaced == "channel" else ""))
    (said,) = store.absorb(JobDirectory(here, ("output", "channel")), BUCKET, "out")
    assert "which is not followed" in said
    assert objects(store) == {}


def test_links_to_links_end_somewhere(store: ObjectStore, here: Path) -> None:
    for n in range(8):
        write_tree(here, {f"d{n}/file": b"x"})
        for m in range(8):
            (here / f"d{n}" / f"to{m}").symlink_to(f"../d{m}")
    said = store.absorb(here, BUCKET, "out")
    assert any("inside of a linked directory" in each for each in said)
    assert objects(store)["out/d0/to7/file"] == b"x"


@pytest.mark.parametrize("swapped", ["sub", "sub/file"])
def test_what_became_a_link_after_it_was_looked_at_is_not_opened(here: Path, swapped: str) -> None:
    tree = OutputTree(write_tree(here, {"sub/file": b"x"}))
    (file,) = tree.files()
    (here / swapped).rename(here.parent / "moved")
    (here / swapped).symlink_to(here.parent / "moved")
    with pytest.raises(OSError, match=r"symbolic links|Not a directory"), tree.opened(file):
        pass


def test_a_pipe_is_left_out_and_not_waited_for(store: ObjectStore, here: Path) -> None:
    os.mkfifo(here / "pipe")
    (said,) = store.absorb(write_tree(here, {"good": b"x"}), BUCKET, "out")
    assert "'pipe'" in said
    assert objects(store) == {"out/good": b"x"}


def test_names_that_can_be_no_keys_are_left_out_and_said(store: ObjectStore, here: Path) -> None:
    deep = "/".join(["n" * 200] * 6)
    write_tree(here, {deep: b"", "good": b"x"})
    try:
        (here / "caf\udce9").write_bytes(b"")
    except OSError:
        pytest.skip("this file system takes UTF-8 only")
    said = store.absorb(here, BUCKET, "out")
    assert len(said) == 2
    assert objects(store) == {"out/good": b"x"}


def test_drafts_of_others_are_no_objects(store: ObjectStore, here: Path) -> None:
    store.absorb(write_tree(here, {".pai-0123456789abcdef.tmp": b"half", "file": b"x"}), BUCKET, "out")
    assert objects(store) == {"out/file": b"x"}


def test_a_file_that_changes_while_it_is_read_waits_for_the_next_time(
    store: ObjectStore, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_tree(here, {"busy": b"1" * 100, "good": b"x"})

    def write(draft: ContentDraft, block: bytes | bytearray) -> None:
        write_tree(here, {"busy": b"2" * 100})
        whole(draft, block)

    whole = ContentDraft.write
    monkeypatch.setattr(ContentDraft, "write", write)
    (said,) = store.absorb(here, BUCKET, "out")
    assert "'busy': it changed" in said
    assert objects(store) == {"out/good": b"x"}
    monkeypatch.undo()
    assert store.absorb(here, BUCKET, "out") == []
    assert objects(store) == {"out/good": b"x", "out/busy": b"2" * 100}


def test_what_was_read_first_is_never_stored_last(
    store: ObjectStore, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, go_on = threading.Event(), threading.Event()

    def content(draft: ContentDraft) -> Content:
        if threading.current_thread() is first:
            read.set()
            go_on.wait(10)
        return done(draft)

    done = ContentDraft.content
    monkeypatch.setattr(ContentDraft, "content", content)
    first = threading.Thread(target=store.absorb, args=(write_tree(here, {"file": b"old"}), BUCKET, "out"))
    second = threading.Thread(target=store.absorb, args=(here, BUCKET, "out"))
    first.start()
    assert read.wait(10)
    write_tree(here, {"file": b"new"})
    second.start()
    second.join(0.3)  # it waits for the first; if it did not, it would be done by now
    go_on.set()
    first.join()
    second.join()
    assert objects(store) == {"out/file": b"new"}
