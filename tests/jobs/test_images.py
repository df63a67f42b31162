"""Short names of images in a job: resolved where PAI's images can run, and only when the job is sent."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pai_jupyter.cloud import session as sessions
from pai_jupyter.cloud.session import Session
from pai_jupyter.errors import NotFoundError, SpecError
from pai_jupyter.jobs import Target, close_runtime, draft, list_jobs
from pai_jupyter.jobs.images import with_images
from pai_jupyter.spec import JobSpec, Role
from tests.support.cloud_sessions import configure, session_at
from tests.support.emulators import Emulator
from tests.support.pai_jobs import forget, rehearsal
from tests.support.shells import Shell

__all__ = ["rehearsal"]  # a fixture

REGISTRY = "registry.cn-emulator.aliyuncs.com/pai-dlc"
SHORT = JobSpec(name="a", command="true", image_uri="pytorch:latest-gpu", instance_type="ecs.c6.large")
LONG = f"{REGISTRY}/pytorch-training:2.3.1-gpu-py310-cu121-ubuntu22.04"
NOBODY = "http://127.0.0.1:9"  # where an emulator could be, and none is


class CloudSession(Session):
    """A session of the cloud, as far as anybody asks it."""

    is_emulator = False


@pytest.fixture(autouse=True)
def _begin_anew(home: Path) -> Iterator[None]:
    forget()
    yield
    close_runtime()
    forget()


@pytest.fixture
def rehearsing(rehearsal: Emulator, home: Path, monkeypatch: pytest.MonkeyPatch) -> Emulator:
    """The session of this kernel is at the emulator."""
    configure(rehearsal, home, monkeypatch)
    return rehearsal


@pytest.fixture
def in_the_cloud(rehearsal: Emulator, monkeypatch: pytest.MonkeyPatch) -> None:
    """The session of this kernel is one of the cloud, whose images the emulator tells."""
    session = CloudSession(**vars(session_at(rehearsal)))
    monkeypatch.setattr(sessions, "get_default_session", lambda: session)


@pytest.mark.usefixtures("rehearsing")
def test_a_short_name_is_an_address_for_pai() -> None:
    assert with_images(SHORT, "pai") == replace(SHORT, image_uri=LONG)


@pytest.mark.usefixtures("rehearsing")
def test_every_role_has_its_own_image() -> None:
    roles = (
        Role(name="chief", image_uri="tensorflow:2.3"),
        Role(name="ps", image_uri="registry.example.com/ps:1"),
        Role(name="worker"),
    )
    resolved = with_images(replace(SHORT, roles=roles), "pai")
    assert [role.image_uri for role in resolved.roles] == [
        f"{REGISTRY}/tensorflow-training:2.3-cpu-py36-ubuntu18.04",
        "registry.example.com/ps:1",
        None,
    ]
    assert resolved.image_uri == LONG


@pytest.mark.usefixtures("in_the_cloud")
def test_docker_gets_the_address_that_the_cloud_tells() -> None:
    assert with_images(SHORT, "docker") == replace(SHORT, image_uri=LONG)


@pytest.mark.usefixtures("rehearsing")
def test_docker_gets_no_image_of_an_emulator_for_no_registry_has_those() -> None:
    assert with_images(SHORT, "docker") == SHORT


@pytest.mark.parametrize("backend", ["docker", "process", "fake"])
def test_without_a_cloud_a_name_is_the_engine_s_own(backend: str) -> None:
    assert with_images(SHORT, backend) == SHORT


@pytest.mark.parametrize("image", ["python:3.11", "pytorch/pytorch:2.0", "img:1", None])
@pytest.mark.parametrize("backend", ["pai", "docker"])
def test_what_is_no_short_name_is_asked_of_nobody(backend: str, image: str | None) -> None:
    spec = replace(SHORT, image_uri=image)
    assert with_images(spec, backend) == spec


@pytest.mark.usefixtures("rehearsing")
@pytest.mark.parametrize(
    ("image", "sentence"),
    [
        ("pytorch:9.9", "the emulator has no pytorch 9.9 for CPU; there are 2.3.1, 2.0, 1.12, 1.8."),
        ("tensorflow:9-gpu", "the emulator has no tensorflow 9 for GPU; there are "),
    ],
)
def test_what_pai_has_not_is_said_with_what_it_has_and_no_job_is_made(image: str, sentence: str) -> None:
    ready = draft(replace(SHORT, image_uri=image), Target(backend="pai", reason="asked for"))
    with ready, pytest.raises(NotFoundError) as refusal:
        ready.submit()
    assert sentence in str(refusal.value)
    assert list_jobs(refresh=False) == []


def test_pai_without_a_session_says_how_to_get_one() -> None:
    with pytest.raises(SpecError, match="%pai_config"):
        with_images(SHORT, "pai")


def test_a_job_keeps_the_address_that_it_ran_with(rehearsing: Emulator) -> None:
    with draft(replace(SHORT, image_uri="xgboost"), Target(backend="pai", reason="asked for")) as ready:
        job = ready.submit().wait(60)
    assert job.spec.image_uri == f"{REGISTRY}/xgboost-training:2.0.3-cpu-py310-ubuntu22.04"


def test_a_dry_run_shows_the_short_name_and_asks_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAI_JUPYTER_SERVICES", NOBODY)
    line = "%%pai_train a --backend pai --instance-type ecs.c6.large --image pytorch:9.9"
    with Shell() as shell:
        shown = shell.run(f"{line} --dry-run\nprint(1)")
        assert (shown.error, '"Image": "pytorch:9.9"' in shown.text) == (None, True)
        assert "emulator" in str(shell.run(f"{line} --run\nprint(1)").error)
