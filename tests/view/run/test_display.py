"""When a run is drawn again; how it is shown in a terminal, to a program and to a user."""

import asyncio
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from pai_jupyter import callbacks
from pai_jupyter.errors import NotFoundError, RunFailed, UnavailableError
from pai_jupyter.runs.present import show_while_waiting
from pai_jupyter.runs.state import RunState, RunStatus, StepStatus
from pai_jupyter.view import widget
from pai_jupyter.view.display import PERIOD
from pai_jupyter.view.frontend import FrontEnd, Live
from pai_jupyter.view.run import show
from pai_jupyter.view.run.bundle import RUN_MIME
from pai_jupyter.view.run.display import STEP_PAUSE, RunDisplay
from pai_jupyter.view.show import NotebookPresenter, TerminalPresenter
from tests.support.run_drawings import everything
from tests.support.run_plans import Simulation, of_seed
from tests.support.watched_runs import HeldRuns, HeldWatcher, shown

WIDGET = "application/vnd.jupyter.widget-view+json"
NO_WATCHER = HeldWatcher(HeldRuns(), "")


class RunScreen:
    """A display that keeps what was drawn on it."""

    def __init__(self) -> None:
        self.drawn: list[Mapping[str, object]] = []

    def __call__(self, drawn: Mapping[str, object]) -> "RunScreen":
        self.drawn.append(drawn)
        return self

    def update(self, obj: Mapping[str, object], *, raw: bool) -> None:
        assert raw
        self.drawn.append(obj)

    @property
    def first_lines(self) -> list[str]:
        return [str(each["text/plain"]).splitlines()[0] for each in self.drawn]


class EndedRun:
    """A run that has failed."""

    id = "held-1"

    def __init__(self, state: RunState) -> None:
        self.state = replace(state, id=self.id)

    def wait(self, timeout: float | None = None) -> RunState:
        raise RunFailed(self.id, "step `bad` failed")


def begun() -> RunState:
    return replace(Simulation(of_seed()).run.state(), id="r1")


class Screened:
    """A display over a run and a clock that the test moves."""

    def __init__(self) -> None:
        self.held, self.screen, self.now = HeldRuns(begun()), RunScreen(), 0.0
        self.display = RunDisplay(
            watcher=self.held.watcher("r1"),
            state=self.held.states["r1"],
            display=self.screen,
            clock=lambda: self.now,
        )
        self.display.show()

    def change(self, **fields: Any) -> None:  # Any: fields of a RunState
        self.held.states["r1"] = replace(self.held.states["r1"], **fields)

    def count_after(self, seconds: float) -> int:
        self.now += seconds
        self.display.look()
        return len(self.screen.drawn)


def running_step(run: RunState) -> Any:  # Any: steps
    return (replace(run.steps[0], status=StepStatus.RUNNING), *run.steps[1:])


def test_a_change_of_the_run_is_drawn_at_once_and_those_of_steps_soon() -> None:
    screened = Screened()
    screened.count_after(0)  # the state as the watcher has it
    screened.change(steps=running_step(screened.held.states["r1"]))
    assert screened.count_after(STEP_PAUSE - 0.1) == 1
    assert screened.count_after(0.2) == 2
    screened.change(is_stopping=True)
    assert screened.count_after(0) == 3
    screened.change(status=RunStatus.STOPPED)
    assert screened.count_after(0) == 4
    assert "■ Stopped" in screened.screen.first_lines[-1]


def test_time_alone_is_drawn_seldom() -> None:
    screened = Screened()
    screened.count_after(0)
    assert screened.count_after(PERIOD - 0.1) == 1
    assert screened.count_after(0.2) == 2


def test_a_run_that_cannot_be_read_stays_as_it_was_drawn() -> None:
    screened = Screened()
    screened.held.trouble = UnavailableError("no answer")
    assert screened.count_after(PERIOD + 1) == 1
    screened.held.trouble = NotFoundError("it was deleted")
    with pytest.raises(NotFoundError):
        screened.display.look()


async def test_it_is_kept_fresh_until_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pai_jupyter.view.run.display.LOOK", 0.01)
    screened = Screened()
    screened.change(status=RunStatus.SUCCEEDED)
    async with asyncio.timeout(60):
        await screened.display.keep_fresh()
    assert "✓ Succeeded" in screened.screen.first_lines[-1]


# --- who sees it -------------------------------------------------------------------------------------------------------


@pytest.fixture
def ended(monkeypatch: pytest.MonkeyPatch, home: Path) -> Iterator[EndedRun]:
    for name in ("PAI_JUPYTER_STABLE", "PAI_JUPYTER_RENDER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PAI_JUPYTER_LANG", "en")
    run = EndedRun(everything().state)
    with shown(HeldRuns(run.state)):
        yield run


def test_in_a_terminal_steps_are_told_as_they_go_and_the_whole_at_the_end(
    ended: EndedRun, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(show, "presenter", TerminalPresenter)
    show.show_run(ended, wait=True)
    printed = capsys.readouterr().out
    assert printed.splitlines()[0].startswith("✗ Failed  plan")
    told = list(show._news()(ended.state))
    assert [line.split("  ")[:2] for line in told[:3]] == [
        ["✓ Succeeded", "train"],
        ["⊘ Skipped", "small"],
        ["✓ Succeeded", "big"],
    ]
    assert any("nested/a" in line for line in told)


def test_the_same_step_is_told_once() -> None:
    news, state = show._news(), begun()
    assert list(news(state)) == []
    assert len(list(news(replace(state, steps=running_step(state))))) == 1
    assert list(news(replace(state, steps=running_step(state)))) == []


def test_a_hostile_step_is_told_as_text() -> None:
    state = begun()
    hostile = replace(running_step(state)[0], path="a\x9b31m\u202eb\nc")
    (line,) = show._news()(replace(state, steps=(hostile,)))
    assert not re.search(r"[\x00-\x1f\x80-\x9f\u202e]", line)


def test_a_program_gets_one_display_at_the_end(ended: EndedRun, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = RunScreen()
    monkeypatch.setattr(show, "presenter", NotebookPresenter)
    monkeypatch.setattr(
        show, "_display_of", lambda run: RunDisplay(watcher=NO_WATCHER, state=run.state, display=screen)
    )
    show.show_run(ended, wait=True)
    assert screen.first_lines == ["✗ Failed  plan  6/9 ✓ · 2 ⊘ · 1 ✗  00:30"]


@pytest.mark.parametrize(("is_attended", "count"), [(True, 1), (False, 0)])
def test_a_run_that_a_cell_waits_for_is_shown_to_users_alone(
    ended: EndedRun, monkeypatch: pytest.MonkeyPatch, is_attended: bool, count: int
) -> None:
    live: list[object] = []
    monkeypatch.setattr(show, "presenter", NotebookPresenter)
    monkeypatch.setattr(show, "front_end", lambda: FrontEnd(is_attended=is_attended))
    monkeypatch.setattr(show, "show_run_live", live.append)
    monkeypatch.setattr(callbacks, "run_viewer", show.show_while_waiting)
    assert show_while_waiting(ended) is is_attended  # else who waits tells the outputs
    assert live == [ended] * count


@pytest.mark.parametrize(
    ("live", "types"),
    [
        ("widget", [{"text/html", "text/plain"}, {WIDGET, "text/plain"}]),
        ("server", [{RUN_MIME, "text/html", "text/plain"}]),
        ("none", [{RUN_MIME, "text/html", "text/plain"}]),
    ],
)
def test_a_live_run_is_mounted_once_as_the_front_end_can(
    ended: EndedRun, monkeypatch: pytest.MonkeyPatch, live: Live, types: list[set[str]]
) -> None:
    screen = RunScreen()
    monkeypatch.setattr(show, "front_end", lambda: FrontEnd(is_attended=True, live=live))
    monkeypatch.setattr(show, "ipython_display", screen)
    monkeypatch.setattr(widget, "check_widget", lambda: None)
    monkeypatch.setattr(widget, "_connected", lambda name, *_, **given: {WIDGET: (name, given), "text/plain": ""})
    show.show_run_live(ended)
    assert [set(each) for each in screen.drawn] == types
    if live == "widget":
        name, given = cast("tuple[str, Any]", screen.drawn[1][WIDGET])  # as made above
        assert (name, given["job"], given["greeting"]) == ("RunWidget", "held-1", "watch_run")
        assert (given["first"]["kind"], given["first"]["run"]["name"]) == ("run", "plan")
        assert str(screen.drawn[0]["text/html"]).startswith("<details><summary")


def test_without_a_front_end_a_run_is_waited_for_in_silence(ended: EndedRun, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(callbacks, "run_viewer", None)
    monkeypatch.setattr(show, "show_run_live", None)
    assert not show_while_waiting(ended)


def test_a_cell_that_returns_a_run_shows_it(ended: EndedRun, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = show.draw_run(ended)
    assert show.draw_run(ended.state)["text/plain"] == drawn["text/plain"]
    assert set(drawn) == {RUN_MIME, "text/html", "text/plain"}
    assert drawn[RUN_MIME]["is_here"] is False  # type: ignore[index]  # an object
    monkeypatch.setenv("PAI_JUPYTER_STABLE", "1")
    stable = show.draw_run(ended)
    assert set(stable) == {"text/plain"}
    assert "held-1" not in str(stable)
