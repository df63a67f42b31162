"""Runs that are really driven, by processes that end with their test."""

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from pai_jupyter.jobs import close_runtime
from tests.support.drivers import drivers_of
from tests.support.instant_backend import installed_instant


@pytest.fixture
def marks(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The directory of marks; the backend `instant` is there, and no driver is left behind."""
    monkeypatch.setenv("PAI_JUPYTER_ML", "plain")
    (tmp_path / "marks").mkdir()
    with installed_instant(tmp_path):
        yield tmp_path / "marks"
        for pid in drivers_of(home):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        (tmp_path / "marks" / "gate").touch()  # no job waits for ever
        close_runtime()
