"""What did not change costs its listing: no question for each file, and nothing is taken for the same that is not."""

from dataclasses import replace
from pathlib import Path

import pytest

from pai_jupyter.storage import download, upload
from tests.fakes.oss import REGION, FakeOss
from tests.support.storages import ODD_NAMES, TestKey, oss, read_tree, write_tree

__all__ = ["oss"]

FILES = {**{name: name.encode() for name in ODD_NAMES}, "empty": b"", "sub/deep/x": b"x"}


def send(here: Path, oss: FakeOss) -> None:
    upload(here, oss.uri("d/"), credentials=TestKey(), region=REGION)


def bring(oss: FakeOss, here: Path) -> None:
    download(oss.uri("d/"), here, credentials=TestKey(), region=REGION)


@pytest.fixture
def here(oss: FakeOss, tmp_path: Path) -> Path:
    """A directory that is in the bucket already; nothing has been asked since."""
    write_tree(tmp_path / "here", FILES)
    send(tmp_path / "here", oss)
    oss.requests.clear()
    return tmp_path / "here"


def test_a_directory_that_is_there_is_only_listed(here: Path, oss: FakeOss) -> None:
    send(here, oss)
    assert [(it.method, it.key) for it in oss.requests] == [("GET", "")]


def test_a_directory_that_is_here_is_only_listed(here: Path, oss: FakeOss) -> None:
    bring(oss, here)
    assert [(it.method, it.key) for it in oss.requests] == [("GET", "")]


def test_of_many_files_the_one_that_changed_is_sent(here: Path, oss: FakeOss) -> None:
    write_tree(here, {"sub/deep/x": b"y"})
    send(here, oss)
    assert [it.key for it in oss.asked("PUT")] == ["d/sub/deep/x"]
    assert oss.objects["d/sub/deep/x"].data == b"y"


def test_of_many_objects_the_one_that_changed_is_brought(here: Path, oss: FakeOss) -> None:
    oss.put("d/sub/deep/x", b"y")
    bring(oss, here)
    assert read_tree(here) == {**FILES, "sub/deep/x": b"y"}
    assert [it.key for it in oss.asked("GET") if it.key] == ["d/sub/deep/x"]


@pytest.mark.parametrize("etag", ["0" * 32, "0" * 32 + "-3", "", "415290769594460E2E485922904F345D"])
def test_an_etag_that_is_no_digest_of_the_file_proves_nothing(here: Path, oss: FakeOss, etag: str) -> None:
    """As of an object that came in parts, was appended to, or is kept encrypted; the last one is another file's."""
    oss.objects["d/sub/deep/x"] = replace(oss.objects["d/sub/deep/x"], etag=etag)
    send(here, oss)
    assert [it.key for it in oss.asked("HEAD")] == ["d/sub/deep/x"]  # its CRC says that it is the same
    assert not oss.asked("PUT")


def test_a_single_file_that_is_there_costs_one_question(here: Path, oss: FakeOss) -> None:
    upload(here / "sub/deep/x", oss.uri("d/sub/deep/x"), credentials=TestKey(), region=REGION)
    assert [it.method for it in oss.requests] == ["HEAD"]
