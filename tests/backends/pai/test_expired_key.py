"""A key that expires while a job is followed: said with the remedy; and a new one, wherever it is given, goes on by itself."""

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from pai_jupyter import callbacks
from pai_jupyter.config import Key, settings
from pai_jupyter.errors import AuthError
from pai_jupyter.events import Status
from pai_jupyter.jobs import Job, close_runtime, draft, follower, place_of
from pai_jupyter.magics.new_key import ask_for_key
from pai_jupyter.spec import JobSpec
from pai_jupyter.store import Trouble
from tests.fakes.openapi import Received
from tests.fakes.studio import Studio
from tests.support.pai_jobs import hurry, session_at
from tests.support.started import DEADLINE, until

SPEC = JobSpec(name="a", command="true", image_uri="img:1", instance_type="ecs.c6.large")
NEW = Key(access_key_id="new-id", access_key_secret="new-secret", origin="a test")


class Expiring(Studio):
    """A service that takes the first key no more once it `has_expired`."""

    has_expired = False

    def _refuse(self, request: Received) -> str:
        self.secrets[NEW.access_key_id] = NEW.access_key_secret
        refusal = super()._refuse(request)
        is_old = NEW.access_key_id not in request.headers.get("authorization", "")
        return "InvalidSecurityToken.Expired" if self.has_expired and is_old else refusal


@pytest.fixture
def service(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Expiring]:
    """The service, on a loop of its own; whoever tries again does so soon."""
    hurry(monkeypatch)
    monkeypatch.setattr(follower, "MAX_PAUSE", 0.3)
    loop, service = asyncio.new_event_loop(), Expiring()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    asyncio.run_coroutine_threadsafe(service.__aenter__(), loop).result(DEADLINE)
    with session_at(service.address, home):
        yield service
        close_runtime()
        callbacks.asker = None
    asyncio.run_coroutine_threadsafe(service.__aexit__(None, None, None), loop).result(DEADLINE)
    loop.call_soon_threadsafe(loop.stop)
    thread.join(DEADLINE)
    loop.close()


def expired(service: Expiring) -> Job:
    """A job that runs, and whose key expires in the middle."""
    with draft(SPEC, place_of(SPEC, backend="pai")) as ready:
        job = ready.submit()
    service.job.run()
    until(lambda: job.status is Status.RUNNING)
    service.has_expired = True
    until(lambda: job.status is Status.UNKNOWN)
    return job


def test_an_expired_key_is_said_with_its_remedy(service: Expiring) -> None:
    job = expired(service)
    trouble = job.folder.trouble()
    assert trouble is not None
    assert trouble.kind == "credential"
    assert "InvalidSecurityToken.Expired" in job.state.reason
    assert "Give a new one (%pai_config wizard" in job.state.reason
    with pytest.raises(AuthError, match="could not be reached for"):
        job.wait(max_unknown=0.1)


def test_following_goes_on_with_a_key_that_is_given_to_the_kernel(service: Expiring) -> None:
    job = expired(service)
    settings().update({}, key=NEW)
    until(lambda: job.status is Status.RUNNING)
    service.job.end()
    assert job.wait(DEADLINE).status is Status.SUCCEEDED


def test_following_goes_on_with_a_key_that_is_put_into_a_file(service: Expiring, home: Path) -> None:
    job = expired(service)
    said = {"access_key_id": NEW.access_key_id, "access_key_secret": NEW.access_key_secret}
    (home / "emulator" / "credentials.json").write_text(json.dumps(said))
    service.job.end()
    assert job.wait(DEADLINE).status is Status.SUCCEEDED


OTHER = """
import sys
from pai_jupyter.config import Key, settings
from pai_jupyter.jobs import attach, follower
from tests.fakes.openapi import KEY, SECRET

follower.MAX_PAUSE = 0.3
settings().use_emulator(sys.argv[1])
settings().update({}, key=Key(access_key_id=KEY, access_key_secret=SECRET, origin="a test"))
job = attach(sys.argv[2])
print("follows", flush=True)
sys.stdin.read()
"""


def test_a_process_with_a_good_key_goes_on_beside_one_whose_key_has_expired(service: Expiring) -> None:
    job = expired(service)
    words = [sys.executable, "-c", OTHER, service.address, job.id]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "follows\n"
        settings().update({}, key=NEW)
        until(lambda: job.status is Status.RUNNING)
        service.job.end()
        assert job.wait(DEADLINE).status is Status.SUCCEEDED
        other.kill()


def test_whoever_waits_is_asked_for_a_new_key_and_goes_on(service: Expiring) -> None:
    job, asked = expired(service), []
    answers = iter([NEW.access_key_id, NEW.access_key_secret, ""])

    def ask(question: str) -> str:
        asked.append(question)
        return next(answers)

    def person(trouble: Trouble) -> bool:
        service.job.end()
        return ask_for_key(trouble, ask=ask, ask_secret=ask, tell=asked.append)

    callbacks.asker = person
    assert job.wait(DEADLINE, max_unknown=DEADLINE).status is Status.SUCCEEDED
    assert "Give a new one" in asked[0]
    assert len(asked) == 5
    assert NEW.access_key_secret not in "".join(asked)


def test_one_who_gives_no_key_is_asked_once_and_waits_no_longer_than_others(service: Expiring) -> None:
    job, asked = expired(service), []

    def person(trouble: Trouble) -> bool:
        asked.append(trouble)
        return ask_for_key(trouble, ask=lambda _: "", ask_secret=lambda _: "", tell=lambda _: None)

    callbacks.asker = person
    with pytest.raises(AuthError, match="could not be reached"):
        job.wait(max_unknown=1.0)
    assert len(asked) == 1


@pytest.mark.parametrize("secret", ["", "a b"])
def test_a_key_that_is_none_is_told_and_not_used(service: Expiring, secret: str) -> None:
    told: list[str] = []
    trouble = Trouble(kind="credential", reason="expired.", since=1.0)
    answers = iter(["id", secret, ""])
    is_new = ask_for_key(trouble, ask=lambda _: next(answers), ask_secret=lambda _: next(answers), tell=told.append)
    assert not is_new
    assert len(told) == 2
    assert settings().key(service.address) is None


def test_a_service_that_gives_no_answer_is_unknown_until_it_does(service: Expiring) -> None:
    with draft(SPEC, place_of(SPEC, backend="pai")) as ready:
        job = ready.submit()
    service.job.run()
    until(lambda: job.status is Status.RUNNING)
    is_down = threading.Event()
    is_down.set()
    carry_out = service.carry_out

    def down(request: Received) -> object:
        if not is_down.is_set():
            return carry_out(request)
        raise ConnectionError  # the connection ends without an answer

    service.carry_out = down  # type: ignore[method-assign, assignment]  # it never returns then
    until(lambda: job.status is Status.UNKNOWN)
    assert "The job itself goes on" in job.state.reason
    is_down.clear()
    until(lambda: job.status is Status.RUNNING)
    service.job.end()
    assert job.wait(DEADLINE).status is Status.SUCCEEDED
