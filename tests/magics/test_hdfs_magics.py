"""%pai_hdfs at the emulated HDFS: lists, copies both ways, makes and removes; Tab; sentences."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pai_jupyter.config import settings
from pai_jupyter.magics.hdfs_magics import HdfsMagics
from tests.support.hdfs import EmulatedHdfs, ask, emulated_hdfs, open_hdfs, place
from tests.support.shells import Shell

__all__ = ["emulated_hdfs"]


@pytest.fixture
def shell(emulated_hdfs: EmulatedHdfs, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Shell]:
    monkeypatch.setattr("pai_jupyter.storage.retry.FIRST_PAUSE", 0.001)
    monkeypatch.setattr(HdfsMagics, "_is_warned", False)
    monkeypatch.chdir(tmp_path)
    settings().set("hdfs_url", emulated_hdfs.base)
    settings().set("hdfs_user", "alice")
    with place(emulated_hdfs, "demo"), Shell() as shell:
        yield shell
    settings.cache_clear()


@pytest.fixture
def hdfs(shell: Shell, emulated_hdfs: EmulatedHdfs) -> EmulatedHdfs:
    return emulated_hdfs


def names(shell: Shell, line: str) -> list[str]:
    return [row.rpartition("  ")[2] for row in shell.run(f"%pai_hdfs ls {line}").text.splitlines()[1:]]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("/demo", ["demo/data/", "demo/model.bin"]),
        ("hdfs://127.0.0.1/demo/", ["demo/data/", "demo/model.bin"]),
        ("hdfs://127.0.0.1:9000/demo/mod", ["demo/model.bin"]),
        ("-r /demo/data", ["demo/data/训练 1.csv"]),
    ],
)
def test_a_listing_is_of_a_directory_or_of_what_begins_so(
    shell: Shell, hdfs: EmulatedHdfs, line: str, found: list[str]
) -> None:
    for key in ("data/训练 1.csv", "model.bin"):
        open_hdfs(hdfs, "demo").put(key, b"x" * 2048)
    assert names(shell, line) == found
    assert "2.0 KiB" in shell.run("%pai_hdfs ls /demo").text


def test_files_and_directories_go_up_and_come_back(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "up" / "a b").mkdir(parents=True)
    (tmp_path / "up" / "a b" / "50%.csv").write_text("1,2")
    (tmp_path / "one.csv").write_text("1")
    told = shell.run("%pai_hdfs put up /demo/there").text
    assert "uploaded 3 B: hdfs://127.0.0.1/demo/there/" in told
    shell.run("%pai_hdfs put one.csv 'up/a b/50%.csv' /demo/")
    assert names(shell, "-r /demo") == ["demo/50%.csv", "demo/one.csv", "demo/there/a b/50%.csv"]
    shell.run("%pai_hdfs get /demo/there down")
    assert (tmp_path / "down" / "a b" / "50%.csv").read_text() == "1,2"
    shell.run("%pai_hdfs get /demo/one.csv /demo/50%.csv here/")
    assert sorted(path.name for path in (tmp_path / "here").iterdir()) == ["50%.csv", "one.csv"]


def test_what_hdfs_is_not_made_for_is_said_once(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("1")
    told = [shell.run("%pai_hdfs put one.csv /demo/").text for _ in range(2)]
    assert ["not made to keep your files" in each for each in told] == [True, False]


def test_directories_are_made_and_removed_when_that_is_confirmed(shell: Shell, hdfs: EmulatedHdfs) -> None:
    shell.run("%pai_hdfs mkdir /demo/new /demo/a/b")
    open_hdfs(hdfs, "demo").put("a/b/file", b"12345")
    assert names(shell, "/demo") == ["demo/a/", "demo/new/"]
    assert "is a directory, with 2 objects in it" in str(shell.run("%pai_hdfs rm /demo/a").error)
    assert "nothing was removed. This would remove 2 objects, 5 B" in str(shell.run("%pai_hdfs rm -r /demo/a").error)
    assert names(shell, "/demo") == ["demo/a/", "demo/new/"]
    assert "removed 2 objects, 5 B: hdfs://127.0.0.1/demo/a" in shell.run("%pai_hdfs rm -r -y /demo/a").text
    assert names(shell, "/demo") == ["demo/new/"]


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("ls demo", "'demo' is not in HDFS. Write /PATH or hdfs://HOST/PATH"),
        ("put one", "`put` must be written %pai_hdfs put LOCAL... /PATH"),
        ("put one two /demo", "several files go into a directory. Write hdfs://127.0.0.1/demo/"),
        ("put none /demo/x", "there is no file or directory 'none'"),
        ("get /demo/none .", "there is nothing at 'hdfs://127.0.0.1/demo/none'"),
        ("rm -y /demo/none", "there is nothing at 'hdfs://127.0.0.1/demo/none'"),
        ("mkdir /mine", "HDFS does not allow it"),
        ("ls hdfs://127.0.0.1:1:2/", "is no address in HDFS"),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence(shell: Shell, line: str, sentence: str) -> None:
    assert sentence in str(shell.run(f"%pai_hdfs {line}").error)


def test_without_an_address_it_is_said_what_to_set(shell: Shell) -> None:
    settings().set("hdfs_url", "")
    assert "%pai_config set hdfs_url=http://HOST:50070" in str(shell.run("%pai_hdfs ls").error)


@pytest.mark.parametrize(
    "setting", ["hdfs_url=ftp://host", "hdfs_user=1alice", "hdfs_datanodes=node", "hdfs_url=http://host:x"]
)
def test_a_setting_that_cannot_be_is_refused(shell: Shell, setting: str) -> None:
    assert "not valid" in str(shell.run(f"%pai_config set {setting}").error)


def test_tab_completes_verbs_and_paths(shell: Shell, hdfs: EmulatedHdfs) -> None:
    open_hdfs(hdfs, "demo").put("data/train.csv", b"x")
    assert {"ls", "put", "get", "mkdir", "rm"} <= {*shell.complete("%pai_hdfs ")}
    assert shell.complete("%pai_hdfs ls /demo/da") == ["/demo/data/"]
    assert ask(hdfs, "GET", "demo/data", "LISTSTATUS").status_code == 200
