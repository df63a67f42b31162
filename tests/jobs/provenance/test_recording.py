"""What every door of a job records before the job starts, and that nothing of it ever fails a job."""

import os
import stat
import subprocess
from pathlib import Path

import pytest

from pai_jupyter import CustomJob, Estimator, JobSpec
from pai_jupyter.config import settings
from pai_jupyter.jobs import Job, Target, draft, rerun, submit
from pai_jupyter.jobs.provenance import git as calls_of_git
from pai_jupyter.store.provenance import FILE, Provenance
from tests.fakes.troubled import TroubledBackend
from tests.support.repositories import Repository, needs_git
from tests.support.runs import left_behind
from tests.support.started import DEADLINE

pytestmark = [needs_git, pytest.mark.usefixtures("plain")]


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A repository with an uncommitted change, which is the working directory."""
    monkeypatch.setattr(calls_of_git, "SECONDS", 60.0)
    made = Repository.make(tmp_path / "code")
    made.write("train.py", "lr = 0.2\nprint('loss=0.5')\n")
    monkeypatch.chdir(made.path)
    return made


def known(job: Job) -> Provenance:
    found = job.provenance
    assert found is not None
    return found


def assert_is_of(job: Job, repository: Repository) -> None:
    git = known(job).git
    assert git is not None
    assert (git.commit, git.changed) == (repository.head, 1)
    assert "+lr = 0.2\n" in known(job).diff


def test_a_job_records_commit_changes_and_python(repository: Repository) -> None:
    job = submit(JobSpec(name="a", command="python train.py", source_dir="."), backend="process").wait(DEADLINE)
    assert_is_of(job, repository)
    python = known(job).python
    assert python is not None
    assert python.version.startswith("3.")
    assert any(line.startswith("ipython==") for line in python.packages)
    modes = {stat.S_IMODE((job.folder.path / name).stat().st_mode) for name in (FILE, "git.diff")}
    assert modes == {0o600}


def test_an_estimator_and_a_custom_job_record_the_repository_of_their_code(repository: Repository) -> None:
    job = Estimator(entry_point="train.py", backend="process").fit(wait=False).wait(DEADLINE)
    assert_is_of(job, repository)
    custom = CustomJob(entry_point="train.py", source_code=str(repository.path))
    custom.local_run()
    assert_is_of(custom.latest_job.wait(DEADLINE), repository)


def test_a_rerun_says_whose_code_it_has(repository: Repository) -> None:
    first = submit(JobSpec(name="a", command="python train.py", source_dir="."), backend="process").wait(DEADLINE)
    commit = repository.head
    repository.commit()
    again = rerun(first).wait(DEADLINE)
    assert known(again).code_of == first.id
    git = known(again).git
    assert git is not None
    assert (git.commit, "+lr = 0.2\n" in known(again).diff) == (commit, True)
    (first.folder.path / FILE).unlink()
    third = rerun(first).wait(DEADLINE)
    assert (known(third).git, known(third).git_note) == (None, f"nothing was recorded with job {first.id}")


def test_the_code_of_a_step_is_that_of_when_its_component_was_made(repository: Repository) -> None:
    from pai_jupyter.workflow.custom_job_source import pack_source

    packed = pack_source(CustomJob(entry_point="train.py", source_code="."))
    from pai_jupyter.jobs.provenance import kept_code

    code = kept_code(Path(packed.source)).known
    assert code is not None
    assert code.git is not None
    assert (code.git.commit, "+lr = 0.2\n" in code.diff) == (repository.head, True)


def test_a_known_secret_is_in_no_file_of_the_job(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_PASSWORD", "open-sesame-17")
    settings.cache_clear()
    repository.write("notes.txt", "a")
    repository.commit()
    repository.write("notes.txt", "the word is open-sesame-17, and hush-hush-18 too\n")
    repository.git("remote", "add", "origin", "https://open-sesame-17@h.invalid/open-sesame-17/b.git")
    (repository.path / ".paiignore").write_text("notes.txt\n")
    spec = JobSpec(name="a", command="true", source_dir=".", environments={"OTHER_PASSWORD": "hush-hush-18"})
    job = submit(spec, backend="process").wait(DEADLINE)
    assert "the word is ***, and *** too" in known(job).diff
    recorded = [job.folder.path / name for name in (FILE, "git.diff", "job.json")]
    assert not any(word in path.read_text() for path in recorded for word in ("open-sesame", "hush-hush"))
    settings.cache_clear()


def test_outside_of_a_repository_no_process_is_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*words: object, **given: object) -> None:
        raise AssertionError("git was asked")

    (tmp_path / "train.py").write_text("")
    monkeypatch.setattr(subprocess, "Popen", refuse)
    with draft(JobSpec(name="a", command="true", source_dir=tmp_path), Target(backend="process", reason="")) as ready:
        assert ready._recording is not None
        assert ready._recording.result().git is None


def test_a_git_that_hangs_costs_seconds_and_no_job(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    program = repository.path.parent / "bin" / "git"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nsleep 300\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    monkeypatch.setattr(calls_of_git, "SECONDS", 0.2)
    monkeypatch.setattr(calls_of_git, "_slow", {})
    job = submit(JobSpec(name="a", command="true", source_dir="."), backend="process").wait(DEADLINE)
    assert (known(job).git, known(job).git_note) == (None, "git took longer than 0.2 s")


def test_a_bug_of_ours_is_no_failure_of_the_job(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr("pai_jupyter.jobs.provenance.recording.read_code", fail)
    monkeypatch.setattr("pai_jupyter.jobs.provenance.recording._log.exception", lambda text: None)
    job = submit(JobSpec(name="a", command="true", source_dir="."), backend="process").wait(DEADLINE)
    assert known(job).git_note == "git could not be asked"


def test_a_record_that_cannot_be_written_is_no_failure_of_the_job(monkeypatch: pytest.MonkeyPatch) -> None:
    from pai_jupyter.errors import LimitExceededError

    def full(*_: object) -> None:
        raise LimitExceededError("the disk is full.")

    monkeypatch.setattr("pai_jupyter.jobs.drafts.write_provenance", full)
    job = submit(JobSpec(name="a", command="true"), backend="process").wait(DEADLINE)
    assert job.provenance is None


def test_a_refused_submission_leaves_nothing_behind(backend: TroubledBackend, repository: Repository) -> None:
    from pai_jupyter.errors import BackendError

    backend.refusal = BackendError("no.")
    with (
        pytest.raises(BackendError),
        draft(JobSpec(name="a", command="true", source_dir="."), Target(backend="fake", reason="")) as ready,
    ):
        ready.submit()
    assert left_behind() == []


def test_images_have_the_digest_in_their_name_where_no_engine_knows_them(backend: TroubledBackend) -> None:
    job = submit(JobSpec(name="a", command="true", image_uri="r.invalid/a@sha256:12"), backend="fake")
    assert [(image.uri, image.digest) for image in known(job).images] in ([], [("r.invalid/a@sha256:12", "sha256:12")])
