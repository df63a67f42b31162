"""Fixtures of the jobs of real frameworks: what their scripts give in one process, without a job."""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from pai_jupyter.jobs import PlainLines, close_runtime, use_presenter
from tests.support import frameworks


@pytest.fixture(autouse=True)
def _lines() -> Iterator[None]:
    """Jobs print plain lines; nothing of them stays."""
    use_presenter(PlainLines())
    yield
    close_runtime()


@pytest.fixture(scope="session")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], list[float]]:
    """Gives the result of a script that runs in one process, without a job."""

    @cache
    def alone(script: str) -> list[float]:
        return frameworks.train_alone(script, tmp_path_factory.mktemp("alone"))

    return alone


@pytest.fixture
def code(tmp_path: Path) -> Callable[[str], Path]:
    """Gives a source directory with a script of tests/data as train.py."""
    return lambda script: frameworks.source(script, tmp_path / "source")
