"""The jobs of an emulator: one whose submission fails was there for a moment, and is not any more."""

from pathlib import Path

import pytest

from pai_jupyter.emulator.execution.runner import Runner
from pai_jupyter.spec import JobSpec
from pai_jupyter.store import JobRecord, JobStore


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> JobStore:
    monkeypatch.setenv("PAI_JUPYTER_HOME", str(tmp_path / "home"))
    store = JobStore()
    store.create(JobRecord(id="j1", spec=JobSpec(name="a", command="true"), backend="process", created=1.0))
    return store


def test_a_job_that_was_taken_back_is_not_there(store: JobStore) -> None:
    runner = Runner(backend="process", images={})
    job = runner.job("j1")
    assert job is not None
    assert runner.job("j1") is job  # it keeps what it has read
    store.remove("j1")
    assert runner.job("j1") is None


def test_a_job_that_is_being_taken_back_is_not_there(store: JobStore) -> None:
    (store.path("j1") / "job.json").write_text("")  # as the end of its removal may leave it
    assert Runner(backend="process", images={}).job("j1") is None
