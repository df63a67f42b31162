"""Where jobs can run, what is set, what there is to run them with: asked for once, and never a key in an answer."""

import json
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.config import settings
from pai_jupyter.errors import UnavailableError
from pai_jupyter.server.backends import backends
from pai_jupyter.spec import Json
from pai_jupyter.wire.protocol.ttl_cache import CachedAnswer
from tests.support.cloud_sessions import session_at
from tests.support.emulators import KEY, SECRET, Emulator
from tests.support.server import Server
from tests.support.sessions import Surroundings, surroundings


def row(told: Mapping[str, Any], name: str) -> dict[str, Json]:  # Any: JSON values
    return next(each for each in told["backends"] if each["name"] == name)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Surroundings]:
    """A user for whom nothing is configured."""
    with surroundings(tmp_path, monkeypatch) as place:
        yield place


def test_every_backend_is_listed_and_of_an_emulator_whether_it_is_there(server: Server, cloud: Emulator) -> None:
    cloud.fault("expired-token", action="GetWorkspace", times=None)  # it is not asked for more
    try:
        told = server.ask("backends").json()
    finally:
        cloud.clear_faults()
    assert [each["name"] for each in told["backends"]] == ["docker", "openpai", "pai", "process"]
    assert row(told, "process")["is_ready"] is True
    assert (row(told, "pai")["is_ready"], row(told, "pai")["note"]) == (True, f"the emulator at {cloud.address}")
    assert [each["name"] for each in told["backends"] if each["is_emulator"]] == ["pai"]


def test_pai_is_asked_when_somebody_wants_to_know(server: Server) -> None:
    pai = row(server.ask("backends?check=pai").json(), "pai")
    assert pai["is_ready"] is True
    assert "'emulator' in cn-emulator" in str(pai["note"])


def test_what_keeps_pai_from_working_is_said_with_the_remedy(server: Server, cloud: Emulator) -> None:
    cloud.fault("expired-token", action="GetWorkspace", times=None)
    try:
        pai = row(server.ask("backends?check=pai").json(), "pai")
    finally:
        cloud.clear_faults()
    assert pai["is_ready"] is False
    assert str(pai["note"]).startswith("workspace: ")
    assert str(pai["note"]).endswith("%pai_config set workspace=ID")


def test_settings_come_with_where_they_are_said(server: Server) -> None:
    told = server.ask("backends").json()
    assert {"name": "bucket", "value": "emulator", "origin": "emulator"} in told["settings"]
    assert told["profile"] == ""


def test_a_backend_that_is_not_there_is_refused_by_name(server: Server) -> None:
    reply = server.ask("backends?check=slurm")
    assert (reply.status, reply.json()["type"]) == (400, "SpecError")
    assert "docker, openpai, pai, process" in reply.json()["message"]


@pytest.mark.parametrize("path", ["backends", "backends?check=pai", "images", "instances", "tensorboards", "storage"])
def test_no_key_is_in_an_answer(server: Server, path: str) -> None:
    reply = server.ask(path)
    assert reply.status == 200
    assert SECRET.encode() not in reply.body
    assert KEY.encode() not in reply.body


def test_where_nothing_is_set_pai_says_what_to_type(place: Surroundings) -> None:
    told = backends()
    assert row(told, "pai")["is_ready"] is False
    assert "%pai_config wizard" in str(row(told, "pai")["note"])
    of_the_tests = ("process.max_parallel", "docker.max_parallel")
    assert isinstance(told["settings"], list)
    assert [each for each in told["settings"] if isinstance(each, dict) and each["name"] not in of_the_tests] == []
    assert told["profile"] == ""


def test_an_emulator_that_has_gone_is_said_with_what_to_type(place: Surroundings) -> None:
    settings().use_emulator("http://127.0.0.1:1")
    pai = row(backends(), "pai")
    assert (pai["is_ready"], pai["is_emulator"]) == (False, True)
    assert str(pai["note"]).endswith("does not answer. Start it again: %pai_config use emulator")


def test_pai_is_not_asked_by_itself(place: Surroundings) -> None:
    settings().set("region", "cn-shanghai")
    pai = row(backends(), "pai")
    assert (pai["is_ready"], pai["note"]) == (None, "PAI in cn-shanghai")
    assert not place.reached


def test_a_profile_is_named_and_its_key_is_not_shown(place: Surroundings) -> None:
    profile = {"region": "cn-shanghai", "access_key_id": "an-id-0123456789", "access_key_secret": "hunter2-hunter2"}
    lines = [f'{name} = "{value}"' for name, value in profile.items()]
    place.write(place.user, "\n".join(['profile = "work"', "[profiles.work]", *lines]))
    told = backends()
    assert told["profile"] == "work"
    assert row(told, "pai")["note"] == "PAI in cn-shanghai"
    assert "hunter2" not in json.dumps(told)
    assert "0123456789" not in json.dumps(told)


def test_a_file_that_cannot_be_read_is_said_and_hides_no_backend(place: Surroundings) -> None:
    place.write(place.user, "[profiles")
    told = backends()
    assert row(told, "process")["is_ready"] is True
    assert "config.toml" in str(row(told, "pai")["note"])
    assert not place.reached


# What there is to run jobs with


def test_images_have_the_short_name_that_a_line_takes(server: Server, cloud: Emulator) -> None:
    from pai_jupyter.cloud.images import resolve_image

    images = server.ask("images?framework=PyTorch&gpu=true").json()["images"]
    assert images
    for image in images:
        assert image["framework"] == "PyTorch"
        assert image["cuda"]
        assert resolve_image(image["short_name"], session=session_at(cloud)) == image["uri"]


@pytest.mark.parametrize(("query", "has_gpu"), [("?gpu=true", {True}), ("?gpu=false", {False}), ("", {True, False})])
def test_machines_are_listed_with_or_without_gpus(server: Server, query: str, has_gpu: set[bool]) -> None:
    found = server.ask(f"instances{query}").json()["instances"]
    assert {bool(each["gpu"]) for each in found} == has_gpu
    assert all(each["cpu"] > 0 and each["memory"] > 0 for each in found)


def test_what_was_listed_is_good_for_a_minute(server: Server, cloud: Emulator) -> None:
    before = server.ask("instances").json()
    cloud.fault("expired-token", action="ListEcsSpecs", times=None)
    try:
        assert server.ask("instances").json() == before
    finally:
        cloud.clear_faults()


class Clock:
    now = 100.0


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("pai_jupyter.wire.protocol.ttl_cache.time.monotonic", lambda: clock.now)
    return clock


def test_an_answer_is_kept_for_its_time_and_for_what_it_was_asked_about(clock: Clock) -> None:
    kept: CachedAnswer[object] = CachedAnswer(60.0)
    first = kept.get("a", object)
    clock.now += 59
    assert kept.get("a", object) is first
    assert kept.get("b", object) is not first
    second = kept.get("b", object)
    clock.now += 60
    assert kept.get("b", object) is not second


def test_what_was_changed_is_asked_for_again(clock: Clock) -> None:
    kept: CachedAnswer[object] = CachedAnswer(60.0)
    first = kept.get("a", object)
    kept.forget()
    assert kept.get("a", object) is not first


def test_what_was_changed_while_it_was_being_asked_for_is_asked_for_again(clock: Clock) -> None:
    kept: CachedAnswer[object] = CachedAnswer(60.0)

    def ask() -> object:
        kept.forget()
        return object()

    first = kept.get("a", ask)
    assert kept.get("a", object) is not first


def test_a_refusal_is_not_kept(clock: Clock) -> None:
    kept: CachedAnswer[str] = CachedAnswer(60.0)

    def refuse() -> str:
        raise UnavailableError("not now")

    with pytest.raises(UnavailableError):
        kept.get("a", refuse)
    assert kept.get("a", lambda: "answer") == "answer"


def test_pages_that_ask_at_the_same_time_cost_one_request() -> None:
    kept: CachedAnswer[object] = CachedAnswer(60.0)
    asked: list[object] = []
    gate = threading.Event()

    def ask() -> object:
        asked.append(object())
        gate.wait(30)
        return asked[-1]

    found: list[object] = []
    pages = [threading.Thread(target=lambda: found.append(kept.get("a", ask))) for _ in range(5)]
    for page in pages:
        page.start()
    gate.set()
    for page in pages:
        page.join(30)
    assert found == asked * 5
