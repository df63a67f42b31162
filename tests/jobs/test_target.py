"""Where a job runs, and the reason that its header shows: the table of `pai_jupyter.jobs.target`, rule by rule."""

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingMixIn, UnixStreamServer
from threading import Thread

import pytest

from pai_jupyter.backends import BackendInfo
from pai_jupyter.backends.process import isolation
from pai_jupyter.config import Settings
from pai_jupyter.errors import SpecError
from pai_jupyter.jobs import choose_place, gives_literal_ml, place_for, place_of, type_of_roles
from pai_jupyter.spec import JobSpec, Role

IMAGE = "python:3.11-slim"
SAID = "set in notebook"
QUOTA = ("pai.resource_id",)


def engine(answers: bool) -> Callable[[BackendInfo], bool]:
    return lambda _: answers


def unasked(_: BackendInfo) -> bool:
    raise AssertionError("the engine is asked only when it matters")


# backend, instance_type, image, quota, configured, engine -> the place as the header has it
TABLE = [
    # what is asked for wins over everything
    ("process", None, IMAGE, False, "docker", None, "process (asked for)"),
    ("docker", "local", None, False, "process", None, "docker (asked for)"),
    ("pai", "ecs.gn6i", None, False, None, None, "pai (asked for)"),
    ("process", "ecs.c6.large", None, True, None, None, "process (asked for)"),
    # an ecs.* type or a quota means PAI
    (None, "ecs.c6.large", IMAGE, False, "docker", None, "pai (ecs.c6.large is a type of PAI)"),
    (None, None, IMAGE, True, "process", None, "pai (a quota is given)"),
    (None, "ecs.c6.large", None, True, None, None, "pai (a quota is given)"),
    # then the configuration
    (None, None, None, False, "docker", None, f"docker ({SAID})"),
    (None, None, IMAGE, False, "process", None, f"process ({SAID})"),
    (None, None, IMAGE, False, "pai", None, f"pai ({SAID})"),
    # local and local_gpu are this machine: they never go to PAI
    (None, "local", None, False, "docker", None, f"docker ({SAID})"),
    (None, "local_gpu", None, False, "process", None, f"process ({SAID})"),
    (None, "local", None, False, "pai", None, "process (no image is given)"),
    (None, "local_gpu", IMAGE, False, "pai", True, "docker (an image is given and an engine answers)"),
    (None, "local", IMAGE, False, "openpai", False, "process (an image is given, but no Docker engine answers)"),
    # then an image and an engine, else a process
    (None, None, IMAGE, False, None, True, "docker (an image is given and an engine answers)"),
    (None, "local", IMAGE, False, None, True, "docker (an image is given and an engine answers)"),
    (None, "local_gpu", IMAGE, False, None, False, "process (an image is given, but no Docker engine answers)"),
    (None, None, None, False, None, None, "process (no image is given)"),
    (None, "local", None, False, None, None, "process (no image is given)"),
]


@pytest.mark.parametrize(("backend", "instance_type", "image", "has_quota", "configured", "answers", "place"), TABLE)
def test_the_nearest_rule_decides_and_says_why(
    backend: str | None,
    instance_type: str | None,
    image: str | None,
    has_quota: bool,
    configured: str | None,
    answers: bool | None,
    place: str,
) -> None:
    chosen = choose_place(
        backend=backend,
        instance_type=instance_type,
        image_uri=image,
        options=QUOTA if has_quota else (),
        configured=(configured, "notebook") if configured else None,
        answers=unasked if answers is None else engine(answers),
    )
    assert str(chosen) == place


@pytest.mark.parametrize("instance_type", ["local", "local_gpu"])
@pytest.mark.parametrize(("backend", "has_quota", "wrong"), [("pai", False, "--backend"), (None, True, "resource_id")])
def test_this_machine_and_pai_together_are_a_contradiction(
    instance_type: str,
    backend: str | None,
    has_quota: bool,
    wrong: str,
) -> None:
    with pytest.raises(SpecError, match=f"{instance_type}.*is this machine, not PAI.*{wrong}") as caught:
        choose_place(
            backend=backend,
            instance_type=instance_type,
            image_uri=None,
            options=QUOTA if has_quota else (),
            answers=unasked,
        )
    assert caught.value.field == "instance_type"


@pytest.mark.parametrize(("listens", "backend"), [(True, "docker"), (False, "process")])
def test_an_image_asks_the_engine_of_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, listens: bool, backend: str
) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/engine.sock")
    with ThreadingUnixServer(f"{tmp_path}/engine.sock", Engine) if listens else nullcontext() as server:
        if server is not None:
            Thread(target=server.serve_forever, daemon=True).start()
        place = choose_place(backend=None, instance_type=None, image_uri=IMAGE)
        if server is not None:
            server.shutdown()
    assert place.backend == backend


class ThreadingUnixServer(ThreadingMixIn, UnixStreamServer):
    """Listens at a socket file."""


class Engine(StreamRequestHandler):
    """As much of an engine as answers a ping."""

    def handle(self) -> None:
        assert self.rfile.readline().startswith(b"GET /_ping ")
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nOK")


def test_the_settings_of_the_notebook_count_and_are_named() -> None:
    settings = Settings(environ={})
    settings.set("backend", "docker", backends=["docker"])
    place = place_for(backend=None, instance_type=None, image_uri=None, options=(), settings=settings)
    assert str(place) == "docker (set in notebook)"


@pytest.mark.parametrize(
    ("options", "backend"), [({"instance_type": "ecs.c6.large"}, "pai"), ({}, "process")], ids=["ecs", "local"]
)
def test_a_finished_spec_is_placed_by_its_own_words(options: dict[str, str], backend: str) -> None:
    assert place_of(JobSpec(name="a", command="true", **options)).backend == backend  # type: ignore[arg-type]  # text only


def test_a_quota_of_a_finished_spec_is_seen() -> None:
    spec = JobSpec(name="a", command="true", instance_type="ecs.gn6i", options={"pai.resource_id": "q1"})
    assert place_of(spec).reason == "a quota is given"


@pytest.mark.parametrize(
    ("types", "wanted"),
    [
        ((None, "ecs.c6.large"), "ecs.c6.large"),
        (("local", "ecs.gn6i"), "ecs.gn6i"),
        ((None, "local_gpu"), None),
        ((), None),
    ],
)
def test_a_type_of_a_role_chooses_where_it_is_not_of_this_machine(
    types: tuple[str | None, ...], wanted: str | None
) -> None:
    assert type_of_roles([Role(name="worker", instance_type=kind) for kind in types]) == wanted


def test_only_a_process_may_lack_a_literal_ml(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(isolation.VARIABLE, "plain")
    assert not gives_literal_ml("process")
    assert gives_literal_ml("docker")
