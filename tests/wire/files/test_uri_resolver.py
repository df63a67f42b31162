"""HDFS in the explorer: it is among the places, and all that can be done in a bucket can be done there."""

from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest

from pai_jupyter.config import settings
from pai_jupyter.errors import NotFoundError, SpecError
from pai_jupyter.wire.files import explorer
from pai_jupyter.wire.files.file_roots import root_of
from tests.support.hdfs import EmulatedHdfs, emulated_hdfs, open_hdfs, place
from tests.support.storages import ODD_NAMES
from tests.support.wire import RecordedJob

__all__ = ["emulated_hdfs"]
HOME = "hdfs://127.0.0.1/demo/"


@pytest.fixture(autouse=True)
def hdfs(emulated_hdfs: EmulatedHdfs) -> Iterator[EmulatedHdfs]:
    settings().set("hdfs_url", emulated_hdfs.base)
    settings().set("hdfs_user", "alice")
    with place(emulated_hdfs, "demo"):
        yield emulated_hdfs
    settings.cache_clear()


def names(uri: str) -> list[str]:
    return [entry["name"] for entry in explorer.listing(uri)["entries"]]


def test_it_is_among_the_places() -> None:
    found = {entry["name"]: entry["uri"] for entry in explorer.listing()["entries"]}
    assert found["127.0.0.1"] == "hdfs://127.0.0.1/"
    assert names("hdfs://127.0.0.1/") == ["demo"]


@pytest.mark.parametrize("name", [name for name in ODD_NAMES if ":" not in name])
def test_an_address_leads_back_to_what_it_was_given_for(hdfs: EmulatedHdfs, name: str) -> None:
    open_hdfs(hdfs, "demo").put(f"{name}/{name}", name.encode())
    (directory,) = explorer.listing(HOME)["entries"]
    (file,) = explorer.listing(directory["uri"])["entries"]
    opened, size = explorer.open_at(file["uri"])
    with opened:
        assert opened.read() == name.encode()
    assert (size, explorer.listing(directory["uri"])["parent"]) == (len(name.encode()), HOME)


def test_files_go_up_are_shown_and_go(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("a,b\n1,2\n")
    explorer.check_target(f"{HOME}50%.csv")
    assert explorer.make_folder_at(f"{HOME}sub")["is_directory"]
    assert explorer.put_at(f"{HOME}50%.csv", tmp_path / "file", Event())["size"] == 8
    explorer.put_at(f"{HOME}sub/deep/file", tmp_path / "file", Event())
    assert names(HOME) == ["sub", "50%.csv"]
    about, _ = explorer.preview_at(f"{HOME}50%.csv")
    assert "a,b" in str(about)
    assert explorer.remove_at(f"{HOME}sub/") == 1
    assert explorer.remove_at(f"{HOME}50%.csv") == 1
    assert names(HOME) == []


def test_a_long_listing_comes_in_pages(hdfs: EmulatedHdfs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explorer, "MOST_ENTRIES", 2)
    for number in range(5):
        open_hdfs(hdfs, "demo").put(f"f{number}", b"")
    first = explorer.listing(HOME)
    second = explorer.listing(HOME, first["after"] or "")
    third = explorer.listing(HOME, second["after"] or "")
    found = [[entry["name"] for entry in page["entries"]] for page in (first, second, third)]
    assert found == [["f0", "f1"], ["f2", "f3"], ["f4"]]
    assert third["after"] is None


@pytest.mark.parametrize("uri", ["hdfs://127.0.0.1/demo/none/", "hdfs://127.0.0.1/none/"])
def test_what_is_not_there_is_told(uri: str) -> None:
    with pytest.raises(NotFoundError, match=r"there is no directory 'none'|there is no directory 'demo/none'"):
        explorer.listing(uri)


@pytest.mark.parametrize("uri", ["hdfs://", "hdfs:///path", "hdfs://a b/", "hdfs://127.0.0.1"])
def test_the_whole_of_it_is_never_deleted(uri: str) -> None:
    with pytest.raises(SpecError):
        explorer.remove_at(uri)


def test_an_output_of_a_job_that_is_there_is_read_there(hdfs: EmulatedHdfs) -> None:
    open_hdfs(hdfs, "demo").put("out/model/weights", b"123")
    job = RecordedJob("in-hdfs", output_path=f"{HOME}out")
    try:
        assert [item.name for item in root_of(job.job, "model").page("", 10).items] == ["weights"]
    finally:
        job.release()
