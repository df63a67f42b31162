"""Following jobs through lost connections, cancelled and second followers, a full disk, a restarted engine."""

import asyncio
import errno
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.backends.docker import DockerBackend, following
from pai_jupyter.backends.docker.outcome import save_exit
from pai_jupyter.events import Event, Notice, Status, StatusChanged
from pai_jupyter.spec import JobSpec
from tests.fakes.socket_proxy import SocketProxy
from tests.support.docker_jobs import Jobs, end, log, log_has, only, until
from tests.support.engine import Engine
from tests.support.patience import SOON

pytestmark = pytest.mark.docker

COUNTING = {"train.py": "import time\nfor i in range(60):\n    print('line', i)\n    time.sleep(0.05)\n"}
ALL_LINES = [f"line {i}" for i in range(60)]


async def test_a_lost_connection_loses_and_doubles_nothing(jobs: Jobs, spec: JobSpec, proxy: SocketProxy) -> None:
    ref = await jobs.start(spec, COUNTING)
    following = asyncio.create_task(jobs.events(ref))
    await log_has(ref, "line 5\n")
    proxy.cut()
    await until(lambda: proxy.refused > 2)
    proxy.mend()
    events = await following
    assert log(events).splitlines() == ALL_LINES
    assert end(events).status is Status.SUCCEEDED


async def test_a_lost_connection_is_announced_once(jobs: Jobs, spec: JobSpec, proxy: SocketProxy) -> None:
    ref = await jobs.start(spec, COUNTING)
    following = asyncio.create_task(jobs.events(ref))
    await log_has(ref, "line 5\n")
    proxy.cut()
    await log_has(ref, "line 59\n")  # the job goes on, and ends while nobody can ask for it
    await until(lambda: proxy.refused > 8)
    proxy.mend()
    events = await following
    assert len(only(events, Notice)) == 1
    assert (log(events).splitlines(), end(events).status) == (ALL_LINES, Status.SUCCEEDED)


async def test_while_the_engine_does_not_answer_nobody_knows_how_the_job_stands(
    jobs: Jobs, spec: JobSpec, proxy: SocketProxy
) -> None:
    ref = await jobs.start(replace(spec, command="echo ready; sleep 300"))
    events: list[Event] = []

    async def follow() -> None:
        async for event in jobs.backend.follow(ref, {}):
            events.append(event)  # noqa: PERF401  as they come

    def told() -> list[Status]:
        return [event.status for event in events if isinstance(event, StatusChanged)]

    following = asyncio.create_task(follow())
    await log_has(ref, "ready")
    await until(lambda: told() == [Status.RUNNING])
    proxy.cut()
    await until(lambda: told()[-1] is Status.UNKNOWN)
    proxy.mend()
    await until(lambda: told()[-1] is Status.RUNNING)
    await jobs.backend.stop(ref)
    await following
    assert told()[-1] is Status.STOPPED


async def test_connections_that_are_dropped_again_and_again_cost_nothing(
    jobs: Jobs, spec: JobSpec, proxy: SocketProxy
) -> None:
    ref = await jobs.start(spec, COUNTING)
    following = asyncio.create_task(jobs.events(ref))
    while not following.done():
        proxy.drop()
        await asyncio.sleep(0.1)
    events = await following
    assert (log(events).splitlines(), end(events).status) == (ALL_LINES, Status.SUCCEEDED)


async def test_a_full_disk_keeps_the_container_until_its_end_is_recorded(
    jobs: Jobs, spec: JobSpec, engine: Engine, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = await jobs.start(spec)
    await log_has(ref, "trained")
    left: list[int] = []

    def little_room(*arguments: Any) -> None:  # Any: as those of the real one
        left.append(len(engine.containers_of(home)))
        if len(left) < 4:
            raise OSError(errno.ENOSPC, "No space left on device")
        save_exit(*arguments)

    monkeypatch.setattr(following, "save_exit", little_room)
    events = await jobs.events(ref)
    assert left == [1, 1, 1, 1]
    assert end(events).status is Status.SUCCEEDED
    (notice,) = only(events, Notice)
    assert "is full" in str(notice)


async def test_two_followers_see_the_same_end(jobs: Jobs, spec: JobSpec, engine: Engine, home: Path) -> None:
    ref = await jobs.start(replace(spec, instance_count=2), COUNTING)
    other = DockerBackend()
    followers = [jobs.events(ref), Jobs(other, jobs._pack).events(ref)]
    first, second = await asyncio.gather(*followers)
    await other.aclose()
    assert end(first) == end(second)
    assert log(first).splitlines() == log(second).splitlines() == ALL_LINES
    assert engine.containers_of(home) == []


async def test_the_end_is_told_at_once(jobs: Jobs, spec: JobSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(following, "LOOK", 4 * SOON)
    last = end(await jobs.run(replace(spec, command="sleep 1")))
    assert time.time() - last.time < SOON  # it was woken, and did not wait for its next look


async def test_a_follower_that_is_cancelled_leaves_the_job_alone(jobs: Jobs, spec: JobSpec) -> None:
    ref = await jobs.start(spec, COUNTING)
    following = asyncio.create_task(jobs.events(ref))
    await log_has(ref, "line 5\n")
    following.cancel()
    with pytest.raises(asyncio.CancelledError):
        await following
    assert (await jobs.backend.status(ref)).status is Status.RUNNING
    assert log(await jobs.events(ref)).splitlines() == ALL_LINES


async def test_a_restarted_engine_still_has_the_job(jobs: Jobs, spec: JobSpec, engine: Engine) -> None:
    if not engine.is_ours:
        pytest.skip("this engine was not started by the tests")
    ref = await jobs.start(replace(spec, command="echo ready; sleep 300"))
    following = asyncio.create_task(jobs.events(ref))
    await log_has(ref, "ready")
    await asyncio.to_thread(engine.stop)
    engine.start()
    events = await following
    assert end(events).status is Status.FAILED
    assert "the engine went down" in end(events).reason
    assert len(only(events, Notice)) <= 1
