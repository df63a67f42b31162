"""100 MB and more beside the code: said before packing, with the largest, and copied from the cache where nothing changed."""

import os
from pathlib import Path

import pytest

from pai_jupyter.package import build, packing
from pai_jupyter.package.cache import copy
from tests.support.storages import write_tree


def test_much_data_is_said_before_it_is_packed_and_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "LARGE", 3_000_000)
    root = write_tree(
        tmp_path / "code", {"a.py": b"1", "data/b.bin": bytes(2_000_000), "data/c d.bin": bytes(1_500_000)}
    )
    archive = tmp_path / "p.tar.gz"
    said: list[tuple[str, bool]] = []
    package = build(root, to=archive, progress_callback=lambda text: said.append((text, archive.exists())))
    [(sentence, was_packed), end] = said
    assert not was_packed
    assert end == ("", True)
    assert sentence.startswith(
        "the package holds 4 MB beside the code. The largest: 'data/b.bin' 2 MB, 'data/c d.bin' 2 MB, 'a.py' 0 kB. "
    )
    assert package.warnings == (sentence,)


def test_less_is_packed_in_silence(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "code", {"a.py": b"1"})
    said: list[str] = []
    assert build(root, to=tmp_path / "p.tar.gz", progress_callback=said.append).warnings == ()
    assert said == []
    assert packing.LARGE == 100_000_000


@pytest.mark.parametrize("in_kernel", [True, False])
def test_what_is_stored_is_copied_between_what_is_there_already(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_kernel: bool
) -> None:
    def refuse(*_: object) -> int:
        raise OSError(18, "another disk")

    if not in_kernel:
        monkeypatch.setattr(os, "copy_file_range", refuse)
    data = os.urandom(3_000_000)
    (tmp_path / "stored").write_bytes(data + b"rest")
    with (tmp_path / "stored").open("rb") as source, (tmp_path / "out").open("w+b") as out:
        out.write(b"head")
        copy(source, out, len(data))
        out.write(b"tail")
        assert out.tell() == len(data) + 8
        with pytest.raises(EOFError):
            copy(source, out, 5)
    assert (tmp_path / "out").read_bytes()[: len(data) + 8] == b"head" + data + b"tail"


def test_a_package_of_an_unchanged_tree_has_the_same_bytes_and_is_a_file_of_its_own(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "code", {"a.bin": os.urandom(2_000_000)})
    os.utime(root / "a.bin", (1, 1))
    first = build(root, to=tmp_path / "1.tar.gz", files={"train.py": b"1"}, cache_dir=tmp_path / "cache")
    second = build(root, to=tmp_path / "2.tar.gz", files={"train.py": b"1"}, cache_dir=tmp_path / "cache")
    assert first.path.read_bytes() == second.path.read_bytes()
    assert {path.stat().st_nlink for path in (first.path, *(tmp_path / "cache").iterdir())} == {1}
