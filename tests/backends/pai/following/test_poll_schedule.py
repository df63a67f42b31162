"""How often the service is asked: by one pacer for all jobs, more often only while somebody looks."""

import asyncio
import os
import time
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from pai_jupyter.backends.pai.following import poll_schedule
from pai_jupyter.backends.pai.following.poll_schedule import PollSchedule
from pai_jupyter.backends.pai.services.status_poller import PolledJob
from pai_jupyter.errors import NotFoundError
from pai_jupyter.events import Status
from pai_jupyter.store.attention import FORGOTTEN, is_looked_at, note_look
from tests.fakes.openapi import dropped
from tests.support.pai_jobs import DEADLINE, PaiJobs, jobs, notices, until

__all__ = ["jobs"]  # the fixture


async def test_the_status_of_many_jobs_is_one_list(jobs: PaiJobs) -> None:
    every = [jobs.service.add(f"j{number}") for number in range(60)]
    for job in every:
        job.run()
    reports = await asyncio.gather(*(jobs.backend.status(jobs.ref(job)) for job in every))
    assert {report.status for report in reports} == {Status.RUNNING}
    assert len(jobs.service.requests) <= 3


async def test_followers_of_many_jobs_come_to_ask_together(jobs: PaiJobs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(poll_schedule, "SHORTEST", 0.5)
    every = [jobs.service.add(f"j{number}") for number in range(30)]
    for job in every:
        job.enter("Submitted")
    async with AsyncExitStack() as stack:
        heard = []
        for job in every:
            heard.append(await stack.enter_async_context(jobs.following(jobs.ref(job))))
            await asyncio.sleep(0.01)  # so that no two begin at once
        await asyncio.gather(*(each.until(Status.QUEUED) for each in heard))
        jobs.service.requests.clear()
        before = time.monotonic()
        await until(lambda: jobs.service.count("ListTrainingJobs") >= 4)
        ticks = (time.monotonic() - before) / 0.5
        alone = jobs.service.count("GetTrainingJob")  # those that a busy machine lets come alone; of 30 a tick
        assert alone <= 3 * ticks
        assert len(jobs.service.requests) - alone <= 2 * ticks + 4


async def test_one_job_alone_is_asked_for_alone(jobs: PaiJobs) -> None:
    job = jobs.service.add()
    await jobs.backend.status(jobs.ref(job))
    assert jobs.service.actions == ["GetTrainingJob"]


async def test_old_jobs_are_found_without_reading_all_lists(jobs: PaiJobs) -> None:
    old = [jobs.service.add(f"old{number}") for number in range(2)]
    for number in range(500):
        jobs.service.add(f"new{number}")
    reports = await asyncio.gather(
        *(jobs.backend.status(jobs.ref(job)) for job in [*old, jobs.service.training["train3"]])
    )
    assert {report.status for report in reports} == {Status.QUEUED}
    assert len(jobs.service.requests) <= 6


async def test_one_job_that_is_gone_does_not_take_the_others_with_it(jobs: PaiJobs) -> None:
    first, gone, last = (jobs.service.add(f"j{number}") for number in range(3))
    del jobs.service.training[gone.id]
    answers = await asyncio.gather(
        *(jobs.backend.status(jobs.ref(job)) for job in (first, gone, last)), return_exceptions=True
    )
    assert [isinstance(each, NotFoundError) for each in answers] == [False, True, False]


async def test_a_dead_network_is_tried_once_for_all(jobs: PaiJobs) -> None:
    every = [jobs.service.add(f"j{number}") for number in range(20)]
    async with AsyncExitStack() as stack:
        heard = [await stack.enter_async_context(jobs.following(jobs.ref(job))) for job in every]
        await asyncio.gather(*(each.until(Status.QUEUED) for each in heard))
        jobs.service.plan.extend([dropped] * 12)
        await until(lambda: all(notices(each.events) for each in heard))
        for job in every:
            job.enter("Terminated")
        await asyncio.gather(*(each.end() for each in heard))
    assert {len(notices(each.events)) for each in heard} == {1}


async def test_the_one_who_asks_may_be_cancelled(jobs: PaiJobs) -> None:
    first, second = jobs.service.add("j1"), jobs.service.add("j2")
    jobs.service.arrived.clear()

    async def hold(*_: object) -> None:
        await jobs.service.closing.wait()

    jobs.service.plan.append(hold)
    asking = asyncio.create_task(jobs.backend.status(jobs.ref(first)))
    await jobs.service.arrived.wait()
    waiting = asyncio.create_task(jobs.backend.status(jobs.ref(second)))
    await asyncio.sleep(0)
    asking.cancel()
    assert (await asyncio.wait_for(waiting, DEADLINE)).status is Status.QUEUED


# --- pauses ------------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A job folder at which nobody has looked."""
    return tmp_path


@pytest.fixture
def unwatched(folder: Path, monkeypatch: pytest.MonkeyPatch) -> PollSchedule:
    monkeypatch.setattr(poll_schedule, "FIRST_LOOK", 0.0)
    return PollSchedule(folder)


def test_pauses_grow_to_half_a_minute_while_nobody_looks(unwatched: PollSchedule) -> None:
    pauses = [unwatched.pause() for _ in range(12)]
    assert pauses == sorted(pauses)
    assert [pauses[0], pauses[-1]] == [1.5, 30.0]


def test_whoever_looks_makes_them_short_again(unwatched: PollSchedule, folder: Path) -> None:
    for _ in range(10):
        unwatched.pause()
    note_look(folder)
    assert [unwatched.pause(), unwatched.pause()] == [1.0, 1.0]


def test_whoever_has_just_begun_to_follow_looks(folder: Path) -> None:
    assert [PollSchedule(folder).pause() for _ in range(3)] == [1.0] * 3


def test_that_somebody_may_be_about_to_look_is_no_look(folder: Path) -> None:
    assert PollSchedule(folder).is_watched
    assert not PollSchedule(folder).is_looked_at
    note_look(folder)
    assert PollSchedule(folder).is_looked_at


def test_whoever_follows_without_a_folder_looks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(poll_schedule, "FIRST_LOOK", 0.0)
    assert PollSchedule(tmp_path / "none").pause() == 1.0


async def test_a_look_ends_a_long_rest(unwatched: PollSchedule, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(poll_schedule, "SLICE", 0.02)
    watch = PolledJob(id="train1")
    watch.rest(30.0)
    resting = asyncio.create_task(unwatched.rest(watch))
    await asyncio.sleep(0.1)
    assert not resting.done()
    note_look(folder)
    await asyncio.wait_for(resting, DEADLINE)
    assert watch.due <= time.monotonic()


def test_a_look_is_forgotten(folder: Path) -> None:
    assert not is_looked_at(folder)
    note_look(folder)
    assert is_looked_at(folder)
    long_ago = time.time() - FORGOTTEN - 1
    os.utime(folder / "looked", (long_ago, long_ago))
    assert not is_looked_at(folder)


def test_a_look_at_a_job_that_is_gone_makes_no_folder(tmp_path: Path) -> None:
    note_look(tmp_path / "gone")
    assert not (tmp_path / "gone").exists()
