"""The side panel and its neighbours in a real JupyterLab: what most of these tests begin with."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.browser import Server, jupyter


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A Jupyter server with a notebook that does nothing. The ends of short jobs are told, too."""
    short: dict[str, dict[str, object]] = {"pai-jupyter/panel": {"notifyShort": True}}
    with jupyter(tmp_path_factory.mktemp("server"), settings=short) as server:
        server.write("empty.ipynb", "1")
        yield server


@pytest.fixture
def gate(tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """What a job of the test waits for, at the latest until the test is over."""
    monkeypatch.setenv("PAI_JUPYTER_HOME", str(server.home))
    yield tmp_path / "gate"
    (tmp_path / "gate").touch()
