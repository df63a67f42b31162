"""What the user says about a job, by the job's own methods."""

from collections.abc import Callable
from functools import partial

import pytest

from pai_jupyter.config import settings
from pai_jupyter.errors import NotFoundError, SpecError
from pai_jupyter.events import Status
from pai_jupyter.jobs import Job, attach, list_jobs, remove
from pai_jupyter.store import JobStore
from tests.fakes.troubled import TroubledBackend
from tests.support.lists import record, running


@pytest.fixture(autouse=True)
def backend(backend: TroubledBackend) -> TroubledBackend:
    """The backend `fake` of this process."""
    return backend


@pytest.mark.parametrize("status", [Status.RUNNING, Status.FAILED])
def test_a_job_keeps_what_the_user_says_about_it(status: Status) -> None:
    job = Job(record("j1", running(), status=status, name="iris-1"))
    job.tag("best", "paper")
    job.untag("paper", "never-given")
    job.star()
    job.rename("baseline")
    job.note = "overfits"
    found = Job(JobStore().open("j1"))
    assert (found.name, found.tags, found.is_starred, found.note) == ("baseline", ("best",), True, "overfits")
    assert found.spec.name == "iris-1"
    job.star(False)
    job.rename("")
    assert (found.name, found.is_starred) == ("iris-1", False)


def test_a_renamed_job_is_found_by_both_names() -> None:
    Job(record("j1", name="iris-1")).rename("base line")
    record("j2", name="other")
    assert attach("base line").id == attach("iris-1").id == "j1"
    assert [job.name for job in list_jobs(refresh=False)] == ["other", "base line"]


@pytest.mark.parametrize("field", ["tags", "name", "note"])
def test_a_known_secret_is_refused(field: str, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "S3cr3tS3cr3tS3cr3t"
    monkeypatch.setattr(type(settings()), "loaded_secrets", lambda self: frozenset([secret]))
    job = Job(record("j1"))
    text = f"x{secret}y"
    changes: dict[str, Callable[[str], object]] = {
        "tags": job.tag,
        "name": job.rename,
        "note": partial(setattr, job, "note"),
    }
    with pytest.raises(SpecError, match=f"`{field}` holds one of the secrets") as refused:
        changes[field](text)
    assert secret not in str(refused.value)
    assert not (job.folder.path / "annotations.json").exists()


def test_a_secret_that_was_not_known_then_can_be_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    job = Job(record("j1"))
    job.tag("S3cr3tS3cr3tS3cr3t")
    monkeypatch.setattr(type(settings()), "loaded_secrets", lambda self: frozenset(["S3cr3tS3cr3tS3cr3t"]))
    job.untag("S3cr3tS3cr3tS3cr3t")
    assert job.tags == ()


def test_a_job_that_was_removed_takes_nothing_more() -> None:
    job = Job(record("j1"))
    remove("j1")
    with pytest.raises(NotFoundError, match="is gone"):
        job.tag("best")


def test_a_job_with_damaged_annotations_has_its_recorded_name() -> None:
    job = Job(record("j1", name="iris-1"))
    job.rename("baseline")
    (job.folder.path / "annotations.json").write_text("{")
    assert (job.name, job.tags) == ("iris-1", ())
