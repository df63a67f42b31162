"""A job whose submitter died is asked of the engine that it was submitted to, whatever engine is in use by then. Needs none."""

import asyncio
import os
import threading
from collections.abc import Callable

import pytest

from pai_jupyter.backends.docker import DockerBackend, submission
from pai_jupyter.backends.docker.deployment import Deployment
from pai_jupyter.errors import UnavailableError
from pai_jupyter.package import Package
from pai_jupyter.spec import JobRef, JobSpec
from pai_jupyter.store import JobRecord, JobStore

FIRST, OTHER = "unix:///nowhere/first.sock", "unix:///nowhere/other.sock"
SPEC = JobSpec(name="a", command="true", image_uri="img:1")
LOST = JobRef(backend="docker", job_id="lost")


class Died(BaseException):
    """The kernel was killed."""


class DyingClient:
    def inspect_container(self, name: str) -> None:
        raise Died


@pytest.fixture
def died(pack: Callable[..., Package], monkeypatch: pytest.MonkeyPatch) -> None:
    """The job `lost` was being submitted to the engine `FIRST` when its kernel was killed; now `OTHER` is in use."""
    JobStore().create(JobRecord(id="lost", spec=SPEC, backend="docker", created=0.0))
    job = Deployment.plan(SPEC, "lost", FIRST)
    with pytest.raises(Died):
        submission.run(DyingClient(), SPEC, pack(), job, threading.Event())
    monkeypatch.setenv("DOCKER_HOST", OTHER)


def test_a_lost_job_is_where_its_submitter_sent_it(died: None) -> None:
    assert Deployment.from_ref(LOST).engine == FIRST


async def test_while_its_engine_is_away_nobody_knows(died: None) -> None:
    with pytest.raises(UnavailableError, match=f"asking at {FIRST}"):
        await DockerBackend().status(LOST)


async def test_the_same_id_again_goes_to_the_same_engine(died: None, pack: Callable[..., Package]) -> None:
    with pytest.raises(UnavailableError, match=f"asking at {FIRST}"):
        await DockerBackend().submit(SPEC, pack(), job_id="lost")


def test_an_older_job_without_a_note_is_asked_of_the_engine_in_use(died: None) -> None:
    (JobStore().path("lost") / "run" / "engine").unlink()
    assert Deployment.from_ref(LOST).engine == OTHER


def test_a_note_that_cannot_be_read_is_no_proof(died: None) -> None:
    note = JobStore().path("lost") / "run" / "engine"
    note.unlink()
    os.mkfifo(note)
    with pytest.raises(UnavailableError, match="which engine has the job"):
        asyncio.run(DockerBackend().status(LOST))
