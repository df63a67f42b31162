"""A key that stands in a cell is warned about, once and without being repeated; a key that came otherwise is not."""

import logging
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from pai_jupyter.cloud.session.literal import running_cell, warn_of_literals
from tests.support.sessions import KEY, SECRET, surroundings
from tests.support.shells import Shell

CELL = f"""
from pai_jupyter.cloud.session import setup_default_session
setup_default_session("{KEY}", %s, "cn-shanghai"){" " * 30}
None
"""


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    with surroundings(tmp_path, monkeypatch), Shell() as shell:
        yield shell


def test_a_literal_key_is_warned_about_with_what_to_do(shell: Shell, caplog: pytest.LogCaptureFixture) -> None:
    result = shell.run(CELL % repr(SECRET), is_remembered=True)
    assert result.error is None
    [said] = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    assert "type once: %pai_config wizard" in said
    assert "access_key_secret=getpass.getpass(" in said
    assert SECRET not in said + result.text
    assert KEY not in said + result.text


@pytest.mark.parametrize("given", ["secret", "os.environ['MY_SECRET']"])
def test_a_key_from_elsewhere_is_not(
    shell: Shell, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    monkeypatch.setenv("MY_SECRET", SECRET)
    shell.user_ns["secret"] = SECRET
    assert shell.run("import os" + CELL % given, is_remembered=True).error is None
    assert caplog.records == []


def test_only_the_cell_that_runs_counts(shell: Shell, caplog: pytest.LogCaptureFixture) -> None:
    shell.run(f"secret = {SECRET!r}", is_remembered=True)
    assert shell.run(CELL % "secret", is_remembered=True).error is None
    assert caplog.records == []


def test_without_a_shell_there_is_no_cell(caplog: pytest.LogCaptureFixture) -> None:
    warn_of_literals([SECRET, "a", ""])
    assert caplog.records == []


def test_a_kernel_knows_its_cell_by_the_request() -> None:
    request = {"content": {"code": "the cell"}}
    assert running_cell(SimpleNamespace(kernel=SimpleNamespace(get_parent=lambda: request))) == "the cell"
    assert running_cell(SimpleNamespace(kernel=SimpleNamespace(get_parent=lambda: None))) == ""
