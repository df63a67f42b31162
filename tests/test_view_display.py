"""When a job is drawn again, and whether anybody is there to see it."""

import asyncio
import logging
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from pai_jupyter.errors import SpecError
from pai_jupyter.events import (
    JobState,
    Metric,
    Phase,
    PhaseChanged,
    Status,
    StatusChanged,
)
from pai_jupyter.view import JobView
from pai_jupyter.view.display import Pace
from pai_jupyter.view.frontend import detect, is_stable
from tests.drawings import START, running, view


class Screen:
    """A display that keeps what was drawn on it."""

    def __init__(self) -> None:
        self.drawn: list[str] = []
        self.handles = 0

    def __call__(self, drawn: Mapping[str, object]) -> "Screen":
        self.handles += 1
        self.drawn.append(str(drawn["text/plain"]))
        return self

    def update(self, obj: Mapping[str, object], *, raw: bool) -> None:
        assert raw
        self.drawn.append(str(obj["text/plain"]))


class Followed:
    """A followed job: its state, and its end."""

    def __init__(self) -> None:
        self.state = running()
        self.ended: Future[JobState] = Future()

    def end(self, view: JobView) -> None:
        self.state = self.state.apply(StatusChanged(status=Status.SUCCEEDED, time=START + 100))
        view.state_changed(self.state)
        self.ended.set_result(self.state)


async def until(condition: Any, *, seconds: float = 10) -> None:  # Any: a callable without arguments
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110  what is waited for knows of no event
            await asyncio.sleep(0.005)


def test_a_change_is_drawn_at_once_and_time_every_ten_seconds() -> None:
    pace, state = Pace(), running()
    assert pace.rest(100.0) == 0.0
    assert pace.is_change(state)
    pace.note(state, 100.0)
    assert not pace.is_change(state)
    assert not pace.is_change(replace(state, exit_code=1))
    assert [pace.rest(now) for now in (100.0, 104.0, 110.0, 150.0)] == [10.0, 6.0, 0.0, 0.0]
    assert pace.is_change(state.apply(PhaseChanged(phase=Phase.SAVING, time=START + 60)))
    assert pace.is_change(state.apply(StatusChanged(status=Status.FAILED, time=START + 60)))


async def test_a_display_follows_its_job_to_the_end() -> None:
    screen, job = Screen(), Followed()
    shown = JobView(lambda: view(job.state), display=screen, period=1000)
    shown.show()
    fresh = asyncio.ensure_future(shown.keep_fresh(job))
    job.state = job.state.apply(PhaseChanged(phase=Phase.SAVING, time=START + 90))
    shown.state_changed(job.state)
    await until(lambda: "saving" in screen.drawn[-1])
    job.end(shown)
    await asyncio.wait_for(fresh, 10)
    assert "Succeeded" in screen.drawn[-1]
    assert screen.handles == 1
    assert len(screen.drawn) <= 4


async def test_news_without_a_change_of_state_waits_for_its_time() -> None:
    screen, job = Screen(), Followed()
    shown = JobView(lambda: view(job.state), display=screen, period=1000)
    shown.show()
    fresh = asyncio.ensure_future(shown.keep_fresh(job))
    for step in range(100):
        job.state = job.state.apply(Metric(name="loss", value=step, time=START))
        shown.state_changed(job.state)
        await asyncio.sleep(0)
    assert len(screen.drawn) == 1
    job.end(shown)
    await asyncio.wait_for(fresh, 10)
    assert "99" in screen.drawn[-1]


async def test_time_is_drawn_though_nothing_happens() -> None:
    screen, job = Screen(), Followed()
    shown = JobView(lambda: view(job.state), display=screen, period=0.01)
    shown.show()
    fresh = asyncio.ensure_future(shown.keep_fresh(job))
    await until(lambda: len(screen.drawn) > 3)
    job.end(shown)
    await asyncio.wait_for(fresh, 10)


async def test_a_job_that_ended_before_is_drawn_once_more() -> None:
    screen, job = Screen(), Followed()
    shown = JobView(lambda: view(job.state), display=screen, period=1000)
    shown.show()
    job.end(shown)
    await asyncio.wait_for(shown.keep_fresh(job), 10)
    assert "Succeeded" in screen.drawn[-1]


async def test_a_display_that_fails_leaves_the_job_alone(caplog: pytest.LogCaptureFixture) -> None:
    job, screen = Followed(), Screen()
    reads = [view(job.state)]
    shown = JobView(reads.pop, display=screen, period=0.001)
    shown.show()
    with caplog.at_level(logging.ERROR):
        await asyncio.wait_for(shown.keep_fresh(job), 10)
    assert "no longer updated" in caplog.text
    assert not job.ended.done()


def test_a_final_display_is_never_updated() -> None:
    screen = Screen()
    shown = JobView(lambda: view(), display=screen)
    shown.show_final()
    shown.update()
    assert len(screen.drawn) == 1


def kernel(*, comm: bool = True, kind: str = "execute_request", **content: object) -> SimpleNamespace:
    """A shell whose kernel handles one message."""
    request = {"header": {"msg_type": kind}, "content": content}
    return SimpleNamespace(
        kernel=SimpleNamespace(comm_manager=object() if comm else None, get_parent=lambda: request),
    )


@pytest.mark.parametrize(
    ("shell", "environ", "attended"),
    [
        (kernel(allow_stdin=True), {}, True),
        (kernel(allow_stdin=False), {}, False),  # nbclient, nbval
        (kernel(), {}, False),
        (kernel(kind="comm_msg", data={}), {}, True),  # the form's own button
        (kernel(allow_stdin=True), {"CI": "true"}, False),
        (kernel(allow_stdin=True), {"CI": "1"}, False),
        (kernel(allow_stdin=True), {"CI": "false"}, True),
        (kernel(allow_stdin=True), {"CI": "0"}, True),
        (kernel(allow_stdin=True), {"CI": ""}, True),
        (kernel(allow_stdin=True, comm=False), {}, False),
        (SimpleNamespace(), {}, False),  # IPython in a terminal
        (None, {}, False),  # plain Python
    ],
)
def test_somebody_is_there_when_the_cell_may_ask(shell: object, environ: dict[str, str], attended: bool) -> None:
    assert detect(shell, environ).is_attended is attended


def test_a_kernel_between_requests_has_nobody() -> None:
    shell = SimpleNamespace(kernel=SimpleNamespace(comm_manager=object(), get_parent=dict))
    assert not detect(shell, {}).is_attended


@pytest.mark.parametrize(("render", "shows_form"), [("auto", True), ("html", True), ("widget", True), ("plain", False)])
def test_plain_rendering_means_no_form(render: str, shows_form: bool) -> None:
    found = detect(kernel(allow_stdin=True), {"PAI_JUPYTER_RENDER": render})
    assert (found.render, found.shows_form) == (render, shows_form)


def test_an_unknown_rendering_is_named_with_the_known_ones() -> None:
    with pytest.raises(SpecError, match="'fancy'; it is one of auto, server, widget, html, plain"):
        detect(None, {"PAI_JUPYTER_RENDER": "fancy"})


@pytest.mark.parametrize(("value", "stable"), [("1", True), ("0", False), ("", False)])
def test_stable_outputs_are_asked_for_by_the_environment(value: str, stable: bool) -> None:
    assert is_stable({"PAI_JUPYTER_STABLE": value}) is stable
