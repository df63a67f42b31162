"""Submitting: refused in a sentence before anything starts, or started once, whatever happens in between."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from dataclasses import replace
from http import HTTPStatus
from pathlib import Path

import pytest

from pai_jupyter.backends.docker import (
    DockerBackend,
    containers,
)
from pai_jupyter.backends.docker.deployment import Deployment
from pai_jupyter.errors import BackendError, NotFoundError
from pai_jupyter.events import Status
from pai_jupyter.package import Package
from pai_jupyter.spec import JobRef, JobSpec
from pai_jupyter.store import JobRecord, JobStore
from tests.fakes.registry import Registry
from tests.support.docker_jobs import Jobs, log
from tests.support.engine import Engine

pytestmark = pytest.mark.docker

HAS_GPU = Path("/proc/driver/nvidia").exists()


async def test_the_same_id_twice_is_the_same_job(
    jobs: Jobs, spec: JobSpec, pack: Callable[..., Package], engine: Engine, home: Path
) -> None:
    first = await jobs.backend.submit(spec, pack(), job_id="same")
    assert await jobs.backend.submit(spec, pack(), job_id="same") == first
    assert len(engine.containers_of(home)) == 1
    assert log(await jobs.events(first)) == "trained\n"
    assert await jobs.backend.submit(spec, pack(), job_id="same") == first  # it has ended, and is not run again
    assert engine.containers_of(home) == []


@pytest.mark.parametrize("died", ["after making one", "after making all", "after starting one"])
async def test_a_submission_that_died_half_way_is_repaired(
    jobs: Jobs, spec: JobSpec, pack: Callable[..., Package], engine: Engine, monkeypatch: pytest.MonkeyPatch, died: str
) -> None:
    wanted = replace(spec, instance_count=2, command="sleep 0.5 && python train.py")
    with monkeypatch.context() as patched, engine.client() as client:
        patched.setattr(containers, "remove", lambda *_: None)  # one that died tidies nothing up
        real = containers.start
        patched.setattr(
            containers, "start", lambda c, job, _: real(c, job, job.replicas[: died == "after starting one"])
        )
        ref = await jobs.backend.submit(wanted, pack(), job_id="half")
        if died == "after making one":
            client.remove_container(f"{ref.data['name']}-worker-0")
    events = await jobs.events(await jobs.backend.submit(wanted, pack(), job_id="half"))
    assert (log(events), log(events, "worker-0")) == ("trained\n", "trained\n")


@pytest.mark.parametrize("started", [1, 2])
async def test_a_job_whose_submitter_died_before_it_was_noted_is_found_by_its_record_and_goes_on(
    jobs: Jobs, spec: JobSpec, pack: Callable[..., Package], monkeypatch: pytest.MonkeyPatch, started: int
) -> None:
    await submitted_and_lost(jobs, spec, pack, monkeypatch, started=started)
    report = await jobs.backend.status(LOST)
    assert report.status in (Status.RUNNING, Status.SUCCEEDED)
    events = await jobs.events(LOST)
    assert (log(events), log(events, "worker-0")) == ("trained\n", "trained\n")


async def test_of_a_job_whose_submitter_died_before_its_start_nothing_is_left(
    jobs: Jobs,
    spec: JobSpec,
    pack: Callable[..., Package],
    engine: Engine,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    await submitted_and_lost(jobs, spec, pack, monkeypatch, started=0)
    assert len(engine.containers_of(home)) == 2
    with pytest.raises(NotFoundError, match="was never started"):
        await jobs.backend.status(LOST)
    assert engine.containers_of(home) == []


async def test_a_job_without_a_record_is_none(jobs: Jobs) -> None:
    with pytest.raises(NotFoundError, match="knows no job lost"):
        await jobs.backend.status(LOST)


LOST = JobRef(backend="docker", job_id="lost")  # as whoever follows has it who knows of no submission


async def submitted_and_lost(
    jobs: Jobs, spec: JobSpec, pack: Callable[..., Package], monkeypatch: pytest.MonkeyPatch, *, started: int
) -> None:
    """Submit two replicas as one that dies when it has started so many of them."""
    wanted = replace(spec, instance_count=2, command="sleep 0.5 && python train.py")
    JobStore().create(JobRecord(id=LOST.job_id, spec=wanted, backend="docker", created=1.0))
    with monkeypatch.context() as patched:
        real = containers.start
        patched.setattr(containers, "start", lambda client, job, _: real(client, job, job.replicas[:started]))
        await jobs.backend.submit(wanted, pack(), job_id=LOST.job_id)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"image_uri": "pai-jupyter-test:no-such"}, "pai-jupyter-test:no-such"),
        ({"image_uri": "Not An Image"}, "name is invalid"),
        ({"instance_type": "local_gpu"}, "no GPU"),
        ({"options": {"docker.cpus": 4096}}, "refuses a limit"),
    ],
)
async def test_what_cannot_start_is_said_in_a_sentence_and_leaves_nothing(
    jobs: Jobs, spec: JobSpec, engine: Engine, home: Path, change: dict[str, object], sentence: str
) -> None:
    if change.get("instance_type") == "local_gpu" and HAS_GPU:
        pytest.skip("this machine has a GPU")
    networks = engine.networks()
    with pytest.raises(BackendError, match=sentence):
        await jobs.start(replace(spec, instance_count=2, **change))  # type: ignore[arg-type]  # fields by name
    assert engine.containers_of(home) == []
    assert engine.networks() == networks


async def test_an_image_without_sh_is_refused_in_a_sentence(
    jobs: Jobs, spec: JobSpec, image_of: Callable[[str], str], engine: Engine, home: Path
) -> None:
    with pytest.raises(BackendError, match="no `sh`"):
        await jobs.start(replace(spec, image_uri=image_of("no-sh")))
    assert engine.containers_of(home) == []


@pytest.mark.parametrize(
    ("options", "image", "sentence"),
    [
        ({"docker.memory": "lots"}, None, "docker.memory=4g"),
        ({"docker.cpus": "none"}, None, "docker.cpus=1.5"),
        ({"docker.image_workdir": "yes"}, None, "docker.image_workdir=true"),
        ({"docker.network": "bridge"}, None, "docker.network=host"),
        (
            {"docker.color": "blue"},
            None,
            "docker.cpus, docker.image_workdir, docker.memory, docker.network, docker.shm_size",
        ),
        ({}, "", "needs an image"),
        ({}, "pai-jupyter-test:no-such", "note: image 'pai-jupyter-test:no-such' is not on this machine"),
    ],
)
def test_check_says_what_is_wrong_before_anything_starts(
    docker_backend: DockerBackend, spec: JobSpec, options: dict[str, str], image: str | None, sentence: str
) -> None:
    wanted = replace(spec, options=options, image_uri=spec.image_uri if image is None else image)
    (problem,) = docker_backend.check(wanted)
    assert sentence in problem


def test_check_is_silent_about_what_can_run(docker_backend: DockerBackend, spec: JobSpec) -> None:
    assert docker_backend.check(replace(spec, options={"docker.memory": "4G", "docker.cpus": 1.5})) == []


@pytest.mark.parametrize(
    "ask",
    [
        lambda backend, ref: backend.status(ref),
        lambda backend, ref: backend.stop(ref),
        lambda backend, ref: anext(aiter(backend.follow(ref, {}))),
    ],
    ids=["status", "stop", "follow"],
)
async def test_a_job_that_never_was_is_not_found(
    docker_backend: DockerBackend, spec: JobSpec, ask: Callable[[DockerBackend, JobRef], Awaitable[object]]
) -> None:
    ref = Deployment.plan(spec, "never", os.environ["DOCKER_HOST"]).ref
    with pytest.raises(NotFoundError):
        await ask(docker_backend, ref)


async def test_an_image_that_the_engine_lacks_is_pulled(jobs: Jobs, spec: JobSpec, engine: Engine) -> None:
    with Registry() as registry, engine.client() as client:
        try:
            assert log(await jobs.run(replace(spec, image_uri=registry.image, command="echo pulled"))) == "pulled\n"
        finally:
            client.remove_image(registry.image, force=True)


@pytest.mark.parametrize(
    ("status", "kind", "sentence"),
    [
        (HTTPStatus.UNAUTHORIZED, BackendError, "docker login"),
        (HTTPStatus.FORBIDDEN, BackendError, "docker login"),
        (HTTPStatus.NOT_FOUND, NotFoundError, "Check its name and tag"),
    ],
)
async def test_a_refused_pull_is_said_in_a_sentence(
    jobs: Jobs, spec: JobSpec, status: HTTPStatus, kind: type[BackendError], sentence: str
) -> None:
    with Registry(refuse=status) as registry, pytest.raises(kind, match=sentence) as caught:
        await jobs.start(replace(spec, image_uri=registry.image))
    assert registry.image in str(caught.value)


async def test_a_cancelled_submission_starts_nothing(jobs: Jobs, spec: JobSpec, engine: Engine, home: Path) -> None:
    for seconds in (0.0, 0.05, 0.15):
        submitting = asyncio.create_task(jobs.start(replace(spec, command="sleep 300")))
        await asyncio.sleep(seconds)
        submitting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await submitting
        assert engine.containers_of(home) == []
