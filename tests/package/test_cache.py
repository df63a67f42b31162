"""An unchanged tree is packed without reading it; nothing that has changed is taken for unchanged."""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.errors import PackageError
from pai_jupyter.package import Package, build, cache, unpack

SECRET = "wJalrXUtnFEMI-x"
_opened: list[str] | None = None


def _note(event: str, args: tuple[Any, ...]) -> None:  # Any: what each event brings
    if _opened is not None and event == "open" and isinstance(args[0], str):
        _opened.append(args[0])


sys.addaudithook(_note)


@contextmanager
def opened_below(root: Path) -> Iterator[list[str]]:
    """The names of the files below `root` that are opened meanwhile."""
    global _opened  # an audit hook stays for good, and knows nothing but globals
    found: list[str] = []
    _opened = []
    try:
        yield found
    finally:
        found += [os.path.relpath(path, root) for path in _opened if path.startswith(f"{root}/")]
        _opened = None


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A tree that is worth remembering, and has been at rest for long."""
    root = tmp_path / "source"
    for number in range(300):
        path = root / f"d{number % 7}" / f"f{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"%d\n" % number * 500)
    return root


@pytest.fixture
def rested(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let two seconds count as over: inodes carry a time that cannot be set back."""
    monkeypatch.setattr(cache, "AT_REST", -3_600_000_000_000)


@pytest.fixture
def pack(source: Path, tmp_path: Path) -> Callable[..., Package]:
    def pack(root: Path = source, **options: Any) -> Package:  # Any: options of build
        return build(root, to=tmp_path / "p.tar.gz", cache_dir=tmp_path / "cache", **options)

    return pack


def trees(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "cache").glob("*.tree.gz"))


@pytest.mark.usefixtures("rested")
def test_an_unchanged_tree_is_not_read_again(source: Path, pack: Callable[..., Package]) -> None:
    first = pack()
    content = first.path.read_bytes()
    with opened_below(source) as opened:
        second = pack()
    assert opened == []
    assert second == first
    assert second.path.read_bytes() == content


@pytest.mark.usefixtures("rested")
def test_only_what_changed_is_read_before_all_is_packed_again(source: Path, pack: Callable[..., Package]) -> None:
    pack()
    os.utime(source / "d3/f3.py")
    with opened_below(source) as opened:
        pack()
    assert opened == ["d3/f3.py"]


@pytest.mark.usefixtures("rested")
def test_a_new_cell_beside_an_unchanged_tree_reads_nothing(
    source: Path, pack: Callable[..., Package], tmp_path: Path
) -> None:
    pack(files={"train.py": b"one"})
    with opened_below(source) as opened:
        package = pack(files={"train.py": b"two"})
    assert opened == []
    fresh = build(source, to=tmp_path / "fresh.tar.gz", files={"train.py": b"two"})
    assert package.digest == fresh.digest
    assert package.path.read_bytes() == fresh.path.read_bytes()


@pytest.mark.usefixtures("rested")
@pytest.mark.parametrize(
    "change",
    [
        lambda root: (root / "d3/f3.py").write_bytes(b"4\n" * 500),
        lambda root: (root / "d3/f3.py").write_text("short"),
        lambda root: (root / "d3/f3.py").chmod(0o755),
        lambda root: (root / "d3/f3.py").unlink(),
        lambda root: (root / "d3/f3.py").rename(root / "d3/g3.py"),
        lambda root: (root / "d3/new.py").write_text(""),
        lambda root: (root / "d3/link.py").symlink_to("f3.py"),
        lambda root: (root / ".gitignore").write_text("f3.py\n"),
    ],
    ids=["same size", "other size", "mode", "gone", "renamed", "new", "link", "ignored"],
)
def test_every_change_is_seen(
    source: Path, pack: Callable[..., Package], tmp_path: Path, change: Callable[[Path], object]
) -> None:
    before = pack()
    change(source)
    after = pack()
    fresh = build(source, to=tmp_path / "fresh.tar.gz")
    assert after.digest != before.digest
    assert (after.digest, after.files) == (fresh.digest, fresh.files)
    assert after.path.read_bytes() == fresh.path.read_bytes()


@pytest.mark.usefixtures("rested")
def test_a_change_whose_time_was_set_back_is_seen(source: Path, pack: Callable[..., Package]) -> None:
    before, path = pack(), source / "d3/f3.py"
    info = path.stat()
    path.write_bytes(b"4\n" * 500)
    os.utime(path, ns=(info.st_atime_ns, info.st_mtime_ns))
    assert path.stat().st_size == info.st_size
    assert pack().digest != before.digest


def test_a_file_written_a_moment_ago_is_read_again_but_not_packed_again(
    source: Path, pack: Callable[..., Package], tmp_path: Path
) -> None:
    first = pack()
    (tree,) = trees(tmp_path)
    written = tree.stat().st_ino
    with opened_below(source) as opened:
        assert pack() == first
    assert len(opened) == 300
    assert [tree.stat().st_ino for tree in trees(tmp_path)] == [written]


@pytest.mark.usefixtures("rested")
def test_a_tree_that_comes_back_is_found_again(source: Path, pack: Callable[..., Package], tmp_path: Path) -> None:
    first = pack()
    (source / "d3/f3.py").write_text("other branch")
    pack()
    (source / "d3/f3.py").write_bytes(b"3\n" * 500)
    kept = {tree.name: tree.stat().st_ino for tree in trees(tmp_path)}
    assert pack().digest == first.digest
    assert {tree.name: tree.stat().st_ino for tree in trees(tmp_path)} == kept


@pytest.mark.usefixtures("rested")
def test_a_secret_loaded_since_is_found_in_an_unchanged_tree(source: Path, pack: Callable[..., Package]) -> None:
    (source / "d0/conf.py").write_text(f"token = '{SECRET}'\n")
    pack(secrets={"another-secret"})
    with pytest.raises(PackageError, match=r"'d0/conf\.py' line 1 holds one of the secrets"):
        pack(secrets={"another-secret", SECRET})


@pytest.mark.usefixtures("rested")
def test_warnings_are_remembered(source: Path, pack: Callable[..., Package]) -> None:
    (source / "d0/conf.py").write_text("\nLTAI5tQkLmNoPqRsTuVw\n")
    first = pack().warnings
    assert first[0].startswith("'d0/conf.py' line 2")
    with opened_below(source) as opened:
        assert pack().warnings == first
    assert opened == []


@pytest.mark.usefixtures("rested")
def test_no_secret_and_nothing_for_others_to_read_is_in_the_cache(
    source: Path, pack: Callable[..., Package], tmp_path: Path
) -> None:
    pack(secrets={SECRET})
    assert (tmp_path / "cache").stat().st_mode & 0o777 == 0o700
    for path in (tmp_path / "cache").iterdir():
        assert path.stat().st_mode & 0o777 == 0o600
        assert SECRET.encode() not in path.read_bytes()


def test_two_trees_do_not_share_what_is_known(source: Path, pack: Callable[..., Package], tmp_path: Path) -> None:
    other = tmp_path / "other"
    source.rename(tmp_path / "moved")
    (tmp_path / "moved").rename(other)
    first = pack(other)
    assert pack(tmp_path, include=[other]).digest != first.digest


@pytest.mark.usefixtures("rested")
@pytest.mark.parametrize("rubbish", [b"", b"{", b"[]", b'{"mark": 1}', b'{"mark": [1, ""], "files": 7}', b"\xff\xfe"])
def test_a_damaged_index_is_as_good_as_none(pack: Callable[..., Package], tmp_path: Path, rubbish: bytes) -> None:
    first = pack()
    (index,) = (tmp_path / "cache").glob("*.json")
    index.write_bytes(rubbish)
    assert pack() == first


@pytest.mark.usefixtures("rested")
def test_a_cut_tree_is_packed_again(pack: Callable[..., Package], tmp_path: Path) -> None:
    first = pack()
    (tree,) = trees(tmp_path)
    os.truncate(tree, 100)
    assert pack() == first
    unpack(first.path, tmp_path / "out")
    assert len(list((tmp_path / "out").rglob("*.py"))) == 300


def test_a_cache_that_cannot_be_written_is_no_obstacle(source: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no directory")
    with_it = build(source, to=tmp_path / "a.tar.gz", cache_dir=tmp_path / "file" / "cache")
    assert with_it.digest == build(source, to=tmp_path / "b.tar.gz").digest


def test_a_small_tree_is_not_remembered(tmp_path: Path, pack: Callable[..., Package]) -> None:
    (tmp_path / "small").mkdir()
    (tmp_path / "small/a.py").write_text("1")
    pack(tmp_path / "small")
    assert not (tmp_path / "cache").exists()


def test_the_cache_keeps_a_few_trees_and_clears_leftovers(
    source: Path, pack: Callable[..., Package], tmp_path: Path
) -> None:
    (tmp_path / "cache").mkdir()
    for name, age in (("old.tmp", 7200), ("young.tmp", 60)):
        (tmp_path / "cache" / name).write_text("")
        os.utime(tmp_path / "cache" / name, (time.time() - age,) * 2)
    for number in range(cache.TREES + 3):
        (source / "d0/f0.py").write_text(str(number))
        newest = pack().digest
    left = {path.name for path in (tmp_path / "cache").iterdir()}
    assert len(trees(tmp_path)) == cache.TREES
    assert any(name.startswith(newest) for name in left)
    assert ("old.tmp" in left, "young.tmp" in left) == (False, True)


def test_the_cache_keeps_no_more_than_fits(
    source: Path, pack: Callable[..., Package], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "TREE_BYTES", 1)
    for number in range(3):
        (source / "d0/f0.py").write_text(str(number))
        newest = pack().digest
    assert [tree.name.partition(".")[0] for tree in trees(tmp_path)] == [newest]


def _pack_often(source: Path, folder: Path, name: str) -> set[str]:
    digests = set()
    for number in range(8):
        package = build(source, to=folder / f"{name}-{number}.tar.gz", cache_dir=folder / "cache")
        unpack(package.path, folder / f"{name}-{number}")
        digests.add(package.digest)
    return digests


def test_several_processes_share_one_cache(source: Path, tmp_path: Path) -> None:
    stop = threading.Event()

    def clear() -> None:
        while not stop.wait(0.003):  # the worst neighbour: what is there now is gone the next moment
            for path in (tmp_path / "cache").glob("*.tree.gz"):
                path.unlink(missing_ok=True)

    neighbour = threading.Thread(target=clear)
    neighbour.start()
    try:
        with ProcessPoolExecutor(3, mp_context=get_context("spawn")) as pool:
            digests = list(pool.map(_pack_often, [source] * 3, [tmp_path] * 3, ["a", "b", "c"]))
    finally:
        stop.set()
        neighbour.join()
    assert digests == [{build(source, to=tmp_path / "fresh.tar.gz").digest}] * 3
    assert not list((tmp_path / "cache").glob("*.tmp"))
