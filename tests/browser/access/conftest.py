"""Fixtures of the tests of access: a server whose jobs show something of everything."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pai_jupyter.events import Status
from tests.support.browser import Server, jupyter
from tests.support.job_pages import failed_job, running_job


@pytest.fixture(scope="module")
def gate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("gates") / "gate"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, gate: Path) -> Iterator[Server]:
    """A server whose store has the jobs `goes-on` and `failed`."""
    whole: dict[str, dict[str, object]] = {
        "notebook-extension/tracker": {"windowingMode": "none"}
    }  # no cell is left out
    place = tmp_path_factory.mktemp("server")
    with jupyter(place, settings=whole) as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("PAI_JUPYTER_HOME", str(server.home))
        running, failed = running_job(), failed_job()
        yield server
        gate.touch()
        running.status(Status.STOPPED)
        for job in (running, failed):
            job.release()
