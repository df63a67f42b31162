"""Fixtures of the tests of a job in the user's hands."""

import pytest


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes without a /ml of their own: they start faster."""
    monkeypatch.setenv("PAI_JUPYTER_ML", "plain")
