"""What storage in HDFS does: at the emulator here, and at a real HDFS in tests/hdfs/test_real.py."""

import os
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.errors import AuthError, PaiJupyterError, SpecError, UnavailableError
from pai_jupyter.storage import Storage, TransferCancelled, download, open_storage, upload
from pai_jupyter.storage.disk import is_draft
from pai_jupyter.storage.progress import TransferProgress
from tests.support.hdfs import Hdfs, access, ask, open_hdfs, place, uri
from tests.support.started import until
from tests.support.storages import read_tree, write_tree

NAMES = ["a b", "50%.txt", "50%25.txt", "%41", "x+y", "a#b?c=d&e", "中文", "a;b", "line\nbreak"]
MEGABYTE = 1024 * 1024


@pytest.fixture
def there(hdfs: Hdfs) -> Iterator[str]:
    """The path of a directory for everybody."""
    with place(hdfs, "there") as path:
        yield path


@pytest.fixture
def storage(hdfs: Hdfs, there: str) -> Storage:
    return open_hdfs(hdfs, there)


@pytest.fixture
def small_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of a megabyte are large, and looked after as such."""
    monkeypatch.setattr("pai_jupyter.storage.hdfs.storage.LARGE", MEGABYTE)
    monkeypatch.setattr("pai_jupyter.storage.hdfs.downloading.CHECKPOINT", MEGABYTE)


def statuses(hdfs: Hdfs, path: str) -> dict[str, dict[str, Any]]:  # Any: JSON values
    """What HDFS itself lists in a directory, drafts too."""
    found = ask(hdfs, "GET", path, "LISTSTATUS").json()["FileStatuses"]["FileStatus"]
    return {status["pathSuffix"]: status for status in found}


class Stopped(TransferProgress):
    """Is cancelled when so many bytes have been moved."""

    def __init__(self, most: int, *, is_resumed: bool = True) -> None:
        super().__init__(is_resumed=is_resumed)
        self._most = most
        self.moved = 0

    def add(self, size: int) -> None:
        super().add(size)
        self.moved += size
        if self.moved >= self._most:
            self.stop()
            self.check()


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_kept_for_files_and_for_directories(hdfs: Hdfs, there: str, tmp_path: Path, name: str) -> None:
    storage = open_hdfs(hdfs, f"{there}/{name}")
    storage.put(f"{name}/{name}", b"content")
    storage.get(f"{name}/{name}", tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == b"content"
    assert storage.read(f"{name}/{name}", start=3) == b"tent"
    assert [entry.key for entry in storage.list(recursive=True)] == [f"{name}/{name}"]
    assert list(statuses(hdfs, there)) == [name]
    assert list(statuses(hdfs, f"{there}/{name}")) == [name]


def test_fifty_megabytes_go_up_and_come_back(hdfs: Hdfs, there: str, tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(os.urandom(50 * MEGABYTE))
    told: list[tuple[int, int]] = []
    upload(tmp_path / "large", uri(f"{there}/large"), hdfs=access(hdfs), progress=lambda *amount: told.append(amount))
    assert told[-1] == (50 * MEGABYTE, 50 * MEGABYTE)
    assert list(statuses(hdfs, there)) == ["large"]
    download(uri(f"{there}/large"), tmp_path / "copy", hdfs=access(hdfs))
    assert (tmp_path / "copy").read_bytes() == (tmp_path / "large").read_bytes()


def test_a_directory_comes_back_as_it_was(hdfs: Hdfs, there: str, tmp_path: Path) -> None:
    files = {f"d{number % 5}/文 {number}%.txt": str(number).encode() for number in range(40)} | {"empty/": b""}
    upload(write_tree(tmp_path / "here", files), uri(there), hdfs=access(hdfs))
    download(uri(there), tmp_path / "back", hdfs=access(hdfs))
    assert read_tree(tmp_path / "back") == files


def test_a_data_node_that_is_gone_between_the_steps_is_named(hdfs: Hdfs, storage: Storage, there: str) -> None:
    storage.put("file", b"old")
    with hdfs.without_data_node():
        with pytest.raises(
            UnavailableError, match=r"data node (localhost|127\.0\.0\.1):\d+ cannot be reached.*hdfs_datanodes"
        ):
            storage.put("file", b"new")
        with pytest.raises(UnavailableError, match="data node"):
            storage.read("file")
        assert storage.head("file") is not None
    assert storage.read("file") == b"old"
    storage.put("file", b"new")
    assert storage.read("file") == b"new"
    assert list(statuses(hdfs, there)) == ["file"]


def test_safe_mode_is_told_and_waited_for(
    hdfs: Hdfs, storage: Storage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pai_jupyter.storage.hdfs.storage._FIRST_LOOK", 0.05)
    storage.put("file", b"old")
    notes: list[str] = []

    def note(sentence: str) -> None:
        if not notes:
            hdfs.set_safe_mode(is_on=False)
        notes.append(sentence)

    hdfs.set_safe_mode(is_on=True)
    try:
        assert storage.read("file") == b"old"
        with pytest.raises(UnavailableError, match=r"safe mode.*Try again"):
            storage.put("file", b"new")
        with pytest.raises(UnavailableError, match="safe mode"):
            storage.delete(["file"])
        storage.put("file", b"new", progress=TransferProgress(note=note))
    finally:
        hdfs.set_safe_mode(is_on=False)
    assert notes[0] == "HDFS is in safe mode: waiting"
    assert storage.read("file") == b"new"


def test_an_upload_that_was_cut_off_goes_on_behind_what_is_there(
    hdfs: Hdfs, storage: Storage, there: str, tmp_path: Path
) -> None:
    (tmp_path / "large").write_bytes(os.urandom(8 * MEGABYTE))
    with pytest.raises(TransferCancelled):
        storage.put("large", tmp_path / "large", progress=Stopped(6 * MEGABYTE))
    until(lambda: sum(status["length"] for status in statuses(hdfs, there).values()))  # a data node has closed it
    (draft,) = statuses(hdfs, there).values()
    assert is_draft(draft["pathSuffix"])
    assert list(storage.list()) == []
    storage.put("large", tmp_path / "large")
    (whole,) = statuses(hdfs, there).values()
    assert (whole["pathSuffix"], whole["length"]) == ("large", 8 * MEGABYTE)
    assert whole["fileId"] == draft["fileId"]
    assert storage.read("large") == (tmp_path / "large").read_bytes()


def test_an_upload_of_another_file_begins_again(hdfs: Hdfs, storage: Storage, there: str, tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(bytes(8 * MEGABYTE))
    with pytest.raises(TransferCancelled):
        storage.put("large", tmp_path / "large", progress=Stopped(6 * MEGABYTE))
    (tmp_path / "large").write_bytes(os.urandom(7 * MEGABYTE))
    storage.put("large", tmp_path / "large")
    assert storage.read("large") == (tmp_path / "large").read_bytes()
    assert list(statuses(hdfs, there)) == ["large"]


def test_an_upload_that_nobody_goes_on_with_leaves_nothing(
    hdfs: Hdfs, storage: Storage, there: str, tmp_path: Path
) -> None:
    (tmp_path / "large").write_bytes(bytes(4 * MEGABYTE))
    with pytest.raises(TransferCancelled):
        storage.put("large", tmp_path / "large", progress=Stopped(2 * MEGABYTE, is_resumed=False))
    assert statuses(hdfs, there) == {}


def test_a_file_that_changes_meanwhile_is_not_stored(hdfs: Hdfs, storage: Storage, there: str, tmp_path: Path) -> None:
    path = tmp_path / "large"
    path.write_bytes(bytes(4 * MEGABYTE))

    class Changing(TransferProgress):
        def add(self, size: int) -> None:
            os.utime(path, (1, 1))
            super().add(size)

    with pytest.raises(PaiJupyterError, match="changed while it was uploaded"):
        storage.put("large", path, progress=Changing())
    assert statuses(hdfs, there) == {}


@pytest.mark.usefixtures("small_large")
def test_a_download_that_was_cut_off_goes_on_behind_what_is_here(storage: Storage, tmp_path: Path) -> None:
    content = os.urandom(8 * MEGABYTE)
    storage.put("large", content)
    with pytest.raises(TransferCancelled):
        storage.get("large", tmp_path / "copy", progress=Stopped(6 * MEGABYTE))
    (draft,) = tmp_path.iterdir()
    assert is_draft(draft.name)
    rest = Stopped(9 * MEGABYTE)
    storage.get("large", tmp_path / "copy", progress=rest)
    assert read_tree(tmp_path) == {"copy": content}


@pytest.mark.usefixtures("small_large")
def test_a_draft_here_that_was_changed_is_not_trusted(storage: Storage, tmp_path: Path) -> None:
    content = os.urandom(4 * MEGABYTE)
    storage.put("large", content)
    with pytest.raises(TransferCancelled):
        storage.get("large", tmp_path / "copy", progress=Stopped(3 * MEGABYTE))
    (draft,) = tmp_path.iterdir()
    with draft.open("r+b") as file:
        file.write(b"damaged")
    storage.get("large", tmp_path / "copy")
    assert read_tree(tmp_path) == {"copy": content}


@pytest.mark.usefixtures("small_large")
def test_a_file_that_is_replaced_between_two_tries_comes_as_it_is_now(storage: Storage, tmp_path: Path) -> None:
    storage.put("large", bytes(4 * MEGABYTE))
    with pytest.raises(TransferCancelled):
        storage.get("large", tmp_path / "copy", progress=Stopped(3 * MEGABYTE))
    content = os.urandom(4 * MEGABYTE)
    storage.put("large", content)
    storage.get("large", tmp_path / "copy")
    assert read_tree(tmp_path) == {"copy": content}


def test_two_uploads_to_one_name_end_with_one_whole_file(hdfs: Hdfs, there: str, tmp_path: Path) -> None:
    contents = [bytes([number]) * MEGABYTE for number in range(4)]
    threads = [threading.Thread(target=open_hdfs(hdfs, there).put, args=("same", content)) for content in contents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert open_hdfs(hdfs, there).read("same") in contents
    assert list(statuses(hdfs, there)) == ["same"]


def test_what_a_user_may_not_do_is_told_in_one_line(hdfs: Hdfs, storage: Storage) -> None:
    storage.put("mine/", b"")
    storage.put("mine/file", b"x")
    other = open_hdfs(hdfs, "there/mine", user="bob")
    acts: list[Callable[[], None]] = [
        lambda: other.put("file", b"y"),
        lambda: other.delete(["file"]),
        lambda: other.put("sub/", b""),
    ]
    for act in acts:
        with pytest.raises(
            AuthError, match=r"HDFS does not allow it.*Permission denied: user=bob, access=WRITE"
        ) as told:
            act()
        assert "\tat " not in str(told.value)
        assert "\n" not in str(told.value)
    assert storage.read("mine/file") == b"x"


def test_a_path_below_a_file_is_refused(storage: Storage) -> None:
    storage.put("file", b"x")
    with pytest.raises(PaiJupyterError, match=r"part of the path is a file|there already"):
        storage.put("file/below", b"y")
    with pytest.raises(PaiJupyterError, match=r"there already|both be"):
        storage.put("file/", b"")


def test_a_directory_is_not_replaced_by_a_file(hdfs: Hdfs, storage: Storage, there: str) -> None:
    storage.put("name/below", b"x")
    with pytest.raises(PaiJupyterError, match="both be directories"):
        storage.put("name", b"y")
    assert list(statuses(hdfs, there)) == ["name"]


def test_a_directory_with_something_in_it_is_not_deleted_as_an_empty_one(storage: Storage) -> None:
    storage.put("dir/file", b"x")
    storage.delete(["dir/"])
    assert storage.read("dir/file") == b"x"


def test_a_colon_is_refused_before_anything_is_sent(storage: Storage) -> None:
    with pytest.raises(SpecError, match="colon"):
        storage.put("a:b", b"x")


def test_data_nodes_are_reached_where_the_user_says(hdfs: Hdfs, storage: Storage, there: str) -> None:
    storage.put("file", b"x")
    node = ask(hdfs, "GET", f"{there}/file", "OPEN").headers["location"].split("/")[2]
    host, _, port = node.partition(":")
    for mapped in ({node: "127.0.0.1:1"}, {host: "127.0.0.1:1"}):
        away = open_storage(uri(there), hdfs=replace(access(hdfs), data_nodes=mapped))
        with pytest.raises(UnavailableError, match=r"data node 127\.0\.0\.1:1 cannot be reached"):
            away.read("file")
    reached = open_storage(
        uri(there), hdfs=replace(access(hdfs), data_nodes={host: "127.0.0.1", "other": "127.0.0.1:1"})
    )
    assert reached.read("file") == b"x"
    assert port
