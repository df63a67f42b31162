"""`--send` and `--return` with jobs of PAI: values go through the bucket once, and a pickle is read only on request."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pai_jupyter.errors import NotFoundError, PaiJupyterError
from pai_jupyter.events import Notice
from pai_jupyter.jobs import Job
from tests.support import emulators
from tests.support.emulators import Emulator
from tests.support.pai_jobs import hurry, rehearsal, session_at
from tests.support.shells import Shell

__all__ = ["rehearsal"]  # a fixture
PAI = "--backend pai --image python:3.11 --instance-type ecs.c6.large"


@pytest.fixture
def shell(rehearsal: Emulator, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PAI_JUPYTER_SERVICES", rehearsal.address)
    hurry(monkeypatch)
    with session_at(rehearsal.address, home, key=(emulators.KEY, emulators.SECRET), values={}), Shell() as shell:
        yield shell


def run(shell: Shell, line: str, body: str) -> tuple[Job, str]:
    result = shell.run(f"%%pai_train {line} --as job {PAI}\n{body}")
    assert result.error is None, result.text
    job: Job = shell.user_ns["job"]
    return job, result.text


def test_values_go_and_come_back(shell: Shell) -> None:
    shell.run("X = [1, 2, 3]; odd = 'before'")
    job, text = run(shell, "--send X --return total,odd,gone", "print(X)\ntotal = sum(X)\nodd = (1, 2)\n")
    assert next(line.text for line in job.logs()) == "[1, 2, 3]"
    assert shell.user_ns["total"] == 6
    assert shell.user_ns["odd"] == "before"
    assert "odd: came back as a pickle, and reading one runs its code" in text
    notices = [event.text for event in job.folder.events()[0] if isinstance(event, Notice)]
    assert "`gone` was not returned: it is not defined at the end of the cell." in notices
    with pytest.raises(PaiJupyterError, match=r"job\.returned\(pickle=True\); without it, job\.returned\('total'\)"):
        job.returned()
    assert job.returned("total") == {"total": 6}
    assert job.returned(pickle=True) == {"total": 6, "odd": (1, 2)}


def test_the_same_values_are_sent_once(shell: Shell, rehearsal: Emulator) -> None:
    shell.run("X = {'only': 'once'}")
    run(shell, "one --send X", "print(X)\n")
    before = data_in(rehearsal)
    run(shell, "two --send X", "print(X, 2)\n")
    assert data_in(rehearsal) == before
    assert any(name.endswith("/X.json") for name in before)


def data_in(emulator: Emulator) -> list[str]:
    return emulator.keys("pai-jupyter/data/")


def test_a_job_that_failed_returned_nothing(shell: Shell) -> None:
    shell.run(f"%%pai_train --as job {PAI} --return out\nout = 1\nraise SystemExit(1)\n")
    with pytest.raises(NotFoundError, match="returned nothing"):
        shell.user_ns["job"].returned()
