"""A job that is followed for a while: as long as somebody wants to know of it, and to its end if one of them asks for that."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from pai_jupyter.events import Status
from pai_jupyter.jobs import Job, close_runtime, runtime
from pai_jupyter.store import JobFolder
from pai_jupyter.wire.job_view.poller import watching
from tests.support.lists import is_free
from tests.support.programs import FORTY
from tests.support.started import DEADLINE, begin, open_gate, until

pytestmark = pytest.mark.usefixtures("backend")  # most jobs are of the backend `fake`


@pytest.fixture
def left_alone(gate: Path) -> Iterator[JobFolder]:
    """A job that runs, waits for its gate, and is followed by nobody."""
    job = begin(FORTY, gate=gate)
    until(lambda: job.status is Status.RUNNING)
    close_runtime()
    yield job.folder
    open_gate(gate)
    close_runtime()


def test_it_is_followed_within_the_block_and_not_behind_it(left_alone: JobFolder) -> None:
    with runtime().following(left_alone):
        until(lambda: not is_free(left_alone))
    until(lambda: is_free(left_alone))


def test_the_last_who_leaves_ends_it(left_alone: JobFolder) -> None:
    with runtime().following(left_alone) as one:
        with runtime().following(left_alone):
            until(lambda: not is_free(left_alone))
        with runtime().following(left_alone) as other:
            assert one is other
    until(lambda: is_free(left_alone))


@pytest.mark.parametrize("is_first", [True, False])
def test_who_wants_it_followed_to_its_end_is_not_disappointed(
    left_alone: JobFolder, gate: Path, *, is_first: bool
) -> None:
    ended = runtime().follow(left_alone).ended if is_first else None
    with runtime().following(left_alone):
        ended = ended or runtime().follow(left_alone).ended
    open_gate(gate)
    assert ended.result(DEADLINE).status is Status.SUCCEEDED


def test_it_may_end_within_the_block(left_alone: JobFolder, gate: Path) -> None:
    with runtime().following(left_alone) as following:
        open_gate(gate)
        assert following.ended.result(DEADLINE).status is Status.SUCCEEDED
    assert left_alone.log("master-0").count() == 40


def test_what_was_left_in_the_middle_is_complete_when_it_is_followed_again(left_alone: JobFolder, gate: Path) -> None:
    with runtime().following(left_alone):
        until(lambda: not is_free(left_alone))
    with runtime().following(left_alone) as following:
        open_gate(gate)
        assert following.ended.result(DEADLINE).status is Status.SUCCEEDED
    assert left_alone.log("master-0").count() == 40


def test_the_thread_may_end_within_the_block(left_alone: JobFolder) -> None:
    with runtime().following(left_alone):
        close_runtime()
    until(lambda: is_free(left_alone))


async def test_a_job_of_a_service_is_followed_as_long_as_somebody_watches_it(left_alone: JobFolder) -> None:
    async with watching(Job(left_alone), asyncio.Event()):
        await asyncio.to_thread(until, lambda: not is_free(left_alone))
    await asyncio.to_thread(until, lambda: is_free(left_alone))
