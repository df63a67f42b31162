"""Fixtures of the tests of a job in the user's hands."""

import pytest

from tests.fakes.troubled import TroubledBackend


@pytest.fixture(autouse=True)
def backend(backend: TroubledBackend) -> TroubledBackend:
    """The backend `fake`, for each test here: most jobs are its own."""
    return backend


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes without a /ml of their own: they start faster."""
    monkeypatch.setenv("PAI_JUPYTER_ML", "plain")
