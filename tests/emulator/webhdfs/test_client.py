"""PyPI's `hdfs`, with which tasks of OpenPAI read and write HDFS, at the emulated one."""

import os
from collections.abc import Iterator
from pathlib import Path

import hdfs
import pytest

from tests.support.hdfs import EmulatedHdfs, emulated, emulated_hdfs
from tests.support.storages import read_tree, write_tree

__all__ = ["emulated_hdfs"]
FILES = {"a b.txt": b"1", "中文/x+y": b"2", "sub/deep/large": os.urandom(3_000_000), "empty": b""}


@pytest.fixture
def client(emulated_hdfs: EmulatedHdfs) -> Iterator[hdfs.InsecureClient]:
    base = emulated_hdfs.base.removesuffix("/webhdfs/v1")
    root = hdfs.InsecureClient(base, user="root", timeout=30)
    root.makedirs("/demo")
    root.set_permission("/demo", 777)
    yield hdfs.InsecureClient(base, user="alice", root="/demo", timeout=30)
    root.delete("/demo", recursive=True)


@pytest.mark.parametrize("threads", [1, 8])
def test_a_directory_goes_up_and_comes_back(client: hdfs.InsecureClient, tmp_path: Path, threads: int) -> None:
    write_tree(tmp_path / "here", FILES)
    client.makedirs("data")
    client.upload("data", str(tmp_path / "here"), n_threads=threads, overwrite=True)
    client.download("data", str(tmp_path / "back"), n_threads=threads)
    (there,) = (tmp_path / "back").iterdir() if not (tmp_path / "back" / "empty").exists() else [tmp_path / "back"]
    assert read_tree(there) == FILES


def test_files_are_written_read_listed_and_removed(client: hdfs.InsecureClient) -> None:
    client.write("notes.txt", b"first", overwrite=True)
    client.write("notes.txt", b" second", append=True)
    with client.read("notes.txt", offset=6) as reader:
        assert reader.read() == b"second"
    assert client.list("/demo") == ["notes.txt"]
    assert client.status("notes.txt")["owner"] == "alice"
    assert client.content("/demo")["length"] == 12
    client.rename("notes.txt", "moved.txt")
    assert client.status("notes.txt", strict=False) is None
    assert client.delete("moved.txt")
    assert not client.delete("moved.txt")


def test_what_is_refused_is_an_error_of_the_client(client: hdfs.InsecureClient) -> None:
    client.write("notes.txt", b"first")
    with pytest.raises(hdfs.HdfsError, match="already exists"):
        client.write("notes.txt", b"again")
    with pytest.raises(hdfs.HdfsError, match="Permission denied: user=alice, access=WRITE"):
        client.makedirs("/mine")
    with pytest.raises(hdfs.HdfsError, match="does not exist"):
        client.status("none")


@pytest.mark.parametrize("name", ["a b", "x+y", "a#b", "中文", "a b/中文+#"])
def test_a_name_is_kept(client: hdfs.InsecureClient, name: str) -> None:
    client.write(f"{name}/{name}", name.encode())
    with client.read(f"{name}/{name}") as reader:
        assert reader.read() == name.encode()
    assert [found for _, _, files in client.walk("/demo") for found in files] == [name.rpartition("/")[2]]
    assert client.list(f"/demo/{name}") == [name.partition("/")[0]]


@pytest.mark.parametrize("name", ["50%.txt", "50%25.txt", "%"])
def test_a_percent_sign_is_kept_where_a_path_is_decoded_once(tmp_path: Path, name: str) -> None:
    with emulated(tmp_path, is_decoding_twice=False) as there:
        client = hdfs.InsecureClient(there.base.removesuffix("/webhdfs/v1"), user="root", timeout=30)
        client.write(f"/{name}", b"x")
        assert client.list("/") == [name]
        with client.read(f"/{name}") as reader:
            assert reader.read() == b"x"


def test_a_percent_sign_fails_as_with_hadoop(client: hdfs.InsecureClient) -> None:
    with pytest.raises(hdfs.HdfsError, match="invalid escape sequence"):
        client.write("50%.txt", b"x")
    client.write("50%25.txt", b"x")
    assert client.list("/demo") == ["50%.txt"]


def test_an_emulator_on_the_same_directory_goes_on(tmp_path: Path) -> None:
    for content in (b"first", b"second"):
        with emulated(tmp_path) as there:
            client = hdfs.InsecureClient(there.base.removesuffix("/webhdfs/v1"), user="root", timeout=30)
            if content == b"second":
                with client.read("/kept") as reader:
                    assert reader.read() == b"first"
            client.write("/kept", content, overwrite=True)
