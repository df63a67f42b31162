"""Files that are created at once, by one of many writers."""

import errno
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pai_jupyter.store.disk import create_file


def made(path: Path, data: bytes) -> bool:
    try:
        create_file(path, data)
    except FileExistsError:
        return False
    return True


def refuse_links(*_: object) -> None:
    raise OSError(errno.EPERM, "no links here")


@pytest.mark.parametrize("has_links", [True, False])
def test_one_of_many_writers_creates_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_links: bool) -> None:
    if not has_links:
        monkeypatch.setattr(os, "link", refuse_links)
    path = tmp_path / "file"
    texts = [bytes([number]) * 10_000 for number in range(8)]
    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(lambda text: made(path, text), texts))
    assert outcomes.count(True) == 1
    assert path.read_bytes() == texts[outcomes.index(True)]
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_cannot_be_written_whole_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "no space left on device")

    monkeypatch.setattr(os, "pwrite", full)
    with pytest.raises(OSError, match="no space left"):
        create_file(tmp_path / "file", b"text")
    assert list(tmp_path.iterdir()) == []
