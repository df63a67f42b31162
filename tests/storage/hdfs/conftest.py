"""The HDFS of these tests: the emulated one."""

import pytest

from tests.support.hdfs import EmulatedHdfs, Hdfs, emulated_hdfs

__all__ = ["emulated_hdfs"]


@pytest.fixture(scope="module")
def hdfs(emulated_hdfs: EmulatedHdfs) -> Hdfs:
    return emulated_hdfs


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever tries again does so at once."""
    monkeypatch.setattr("pai_jupyter.storage.retry.FIRST_PAUSE", 0.001)
