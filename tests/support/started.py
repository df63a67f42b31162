"""Jobs for the tests of their life: programs whose output is known, submitted as any user's are."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.jobs import Draft, Job, Target, close_runtime, draft
from pai_jupyter.spec import JobSpec
from tests.support.patience import DEADLINE as DEADLINE
from tests.support.programs import Program


def prepare(
    program: Program, *, gate: Path | None = None, backend: str = "fake", job_id: str | None = None, **spec: Any
) -> Draft:
    """Pack `program`; with a `gate`, an existing directory, it waits in the middle until `open_gate`. (Any: of a JobSpec)"""
    inputs = {**spec.pop("inputs", {}), **({"gate": str(gate)} if gate else {})}
    wanted = JobSpec(**{"name": "训练 a", "command": "python train.py", "inputs": inputs, **spec})
    return draft(wanted, Target(backend=backend, reason="asked for"), files=program.files, job_id=job_id)


def begin(program: Program, **given: Any) -> Job:
    """Submit `program`; see `prepare`, which says what may be given."""
    with prepare(program, **given) as ready:
        return ready.submit()


def ended_in(home: Path, program: Program) -> Job:
    """A job of this machine that has ended, in another home than that of this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PAI_JUPYTER_HOME", str(home))
        job = begin(program, backend="process").wait()
        close_runtime()
        return job


def open_gate(gate: Path) -> None:
    (gate / "open").touch()


def until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.01)
