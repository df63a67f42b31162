"""Fixtures of the tests of packages: what is packed, and where to."""

from pathlib import Path

import pytest

from tests.support.trees import write


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return write(tmp_path / "source", {"train.py": "print(1)\n", "lib/net.py": "x = 1\n", "run.sh": "#!/bin/sh\n"})


@pytest.fixture
def to(tmp_path: Path) -> Path:
    folder = tmp_path / "job"
    folder.mkdir()
    return folder / "package.tar.gz"
