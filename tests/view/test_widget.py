"""The widget's wire: who is pushed to and who is not, by a clock of the test's own, and the wire over a real runtime."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.jobs import runtime
from pai_jupyter.runs import Run, attach_run, start_run
from pai_jupyter.view.attention import BUDGET, PATIENCE, SLOW, KernelIdleTime, PushAllowance
from pai_jupyter.view.widget import WidgetChannel
from tests.runs.conftest import marks
from tests.support.patience import DEADLINE
from tests.support.programs import lines
from tests.support.run_jobs import marked
from tests.support.run_plans import plan_of, step
from tests.support.started import until
from tests.support.wire import REPLICA, RecordedJob

__all__ = ["marks"]  # a fixture


@dataclass
class Clock:
    now: float = 1_000.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Desk:
    """A kernel and a widget in it, at a time that the test decides."""

    clock: Clock = field(default_factory=Clock)
    is_busy: bool = False

    def __post_init__(self) -> None:
        self.pulse = KernelIdleTime(self.clock, is_busy=self.is_busy)
        self.attention = PushAllowance(self.pulse, self.clock)

    def after(self, seconds: float) -> float:
        """What the attention says of the next push so much later."""
        self.clock.now += seconds
        return self.attention.rest()


# --- attention -----------------------------------------------------------------------------------------------------


def test_a_view_that_speaks_now_and_then_is_pushed_to_for_ever() -> None:
    desk = Desk()
    for _ in range(1_000):
        assert desk.after(20) == 0
        desk.attention.push(200_000)
        desk.attention.hear()


def test_a_view_that_is_silent_while_the_kernel_is_free_gets_nothing_more_until_it_speaks() -> None:
    desk = Desk()
    assert desk.after(PATIENCE - 1) == 0
    assert desk.after(2) == math.inf
    desk.attention.hear()
    assert desk.attention.rest() == 0


@pytest.mark.parametrize("cells", [[3_600.0], [10.0] * 500])
def test_silence_while_cells_run_tells_nothing(cells: list[float]) -> None:
    desk = Desk(is_busy=True)
    for seconds in cells:
        assert desk.after(seconds) == 0
        desk.pulse.end_cell()
        desk.pulse.begin_cell()
    desk.pulse.end_cell()
    assert desk.after(PATIENCE + 1) == math.inf


def test_free_moments_between_cells_add_up() -> None:
    desk = Desk()
    for _ in range(int(PATIENCE)):
        assert desk.attention.rest() == 0
        desk.clock.now += 1
        desk.pulse.begin_cell()
        desk.clock.now += 100
        desk.pulse.end_cell()
    assert desk.attention.rest() == math.inf


def test_a_flood_that_nobody_has_acknowledged_is_pushed_slowly() -> None:
    desk = Desk(is_busy=True)
    desk.attention.push(BUDGET)
    assert desk.attention.rest() == 0
    desk.attention.push(1)
    assert desk.after(1) == SLOW - 1
    assert desk.after(SLOW) == 0
    desk.attention.push(1)
    desk.attention.hear()
    assert desk.attention.rest() == 0


# --- the wire ------------------------------------------------------------------------------------------------------


class Widget:
    """What anywidget gives; keeps what is sent."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []

    def send(self, content: dict[str, Any], buffers: list[bytes]) -> None:
        self.sent.append(content)

    def pushes(self, view: str | None = None, kind: str | None = None) -> list[dict[str, Any]]:
        return [it for it in self.sent if "seq" in it and it.get("view") == view and kind in (None, it["kind"])]

    def answer(self, request: str) -> dict[str, Any] | None:
        return next((it for it in self.sent if it.get("id") == request), None)


@dataclass
class Line:
    """A widget of what has this id, on a line; `say` is its front end."""

    shown: str
    greeting: str = "hello"
    desk: Desk = field(default_factory=Desk)
    widget: Widget = field(default_factory=Widget)

    def __post_init__(self) -> None:
        self.line = WidgetChannel(self.widget, self.shown, self.desk.attention, greeting=self.greeting)

    def say(self, kind: str, view: str = "v", **parameters: Any) -> None:
        asked = {"id": f"{kind}-{view}", "kind": kind, "job": self.shown, "view": view, **parameters}
        runtime().call(self.line.receive(asked))


class Page(Line):
    """The widget of a job."""

    def __init__(self, job: RecordedJob) -> None:
        super().__init__(job.id)
        self.job = job

    def told(self, text: str, view: str | None = None) -> Callable[[], bool]:
        return lambda: any(text in push["tail"]["lines"] for push in self.widget.pushes(view) if "tail" in push)


@pytest.fixture
def page(job: RecordedJob) -> Page:
    page = Page(job)
    runtime().call(page.line.begin())
    return page


def test_it_begins_without_being_asked_and_names_no_view(page: Page) -> None:
    page.job.print(lines(0, 3))
    until(lambda: page.widget.pushes(kind="snapshot"))
    page.job.print(lines(3, 4))
    until(page.told("line 3"))


def test_once_it_is_spoken_to_every_view_is_told_for_itself(page: Page) -> None:
    until(lambda: page.widget.pushes(kind="snapshot"))
    page.say("hello", "v")
    page.say("hello", "w")
    until(lambda: page.widget.pushes("v") and page.widget.pushes("w"))
    until(lambda: [it for it in page.widget.sent if it.get("id") == 0 and it.get("ok") == {}])  # its own bye
    page.job.print("for both\n")
    until(page.told("for both", "v"))
    until(page.told("for both", "w"))


def test_a_request_is_answered(page: Page) -> None:
    page.job.print(lines(0, 5))
    page.say("lines", replica=REPLICA, start=1, stop=3)
    until(lambda: page.widget.answer("lines-v"))
    answer = page.widget.answer("lines-v")
    assert answer is not None
    assert answer["ok"]["lines"] == ["line 1", "line 2"]


def test_nothing_is_pushed_to_a_view_that_is_gone_and_all_when_it_is_back(page: Page) -> None:
    other = Page(page.job)
    for each in (page, other):
        each.say("hello")
    page.job.print("before\n")
    until(page.told("before", "v"))
    page.desk.clock.now += PATIENCE
    for number in range(3):
        page.job.print(f"unseen {number}\n")
        until(other.told(f"unseen {number}", "v"))
    assert not page.told("unseen 0", "v")()
    page.say("bye", "")  # a word, no more: it is there after all
    until(page.told("unseen 2", "v"))
    told = page.widget.pushes("v")
    assert [push["seq"] for push in told] == list(range(len(told))), "nothing is missing that a view would ask for"


def test_a_widget_that_nobody_ever_sees_is_not_pushed_to_for_long(page: Page) -> None:
    until(lambda: page.widget.pushes(kind="snapshot"))
    page.desk.clock.now += PATIENCE
    other = Page(page.job)
    other.say("hello")
    for number in range(3):
        page.job.print(f"unseen {number}\n")
        until(other.told(f"unseen {number}", "v"))
    assert not page.told("unseen 0")()
    page.say("hello")
    until(page.told("unseen 2", "v"))


def test_numbers_and_letters_that_json_lacks_can_be_sent(page: Page) -> None:
    page.job.print(b"\xff\xfe half \xed\xa0\x80\n")
    page.say("hello", "\ud800")
    page.say("lines", replica=REPLICA, start=0, stop=1)
    until(lambda: page.widget.answer("lines-v"))
    assert str(page.widget.sent).encode()


# --- a run ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def run(marks: Path) -> Run:
    """A run whose first step waits for a gate."""
    first, second = marked(marks, "one", wait=str(marks / "gate")), marked(marks, "two")
    return start_run(plan_of(step("one", job=first), step("two", "one", job=second)))


def statuses(line: Line, view: str | None) -> dict[str, str]:
    """How the steps stand, by what was pushed."""
    return {step["path"]: step["status"] for push in line.widget.pushes(view) for step in push["steps"]}


def test_a_run_begins_without_being_asked_and_is_stopped_and_run_again(run: Run, marks: Path) -> None:
    line = Line(run.id, "watch_run")
    runtime().call(line.line.begin())
    until(lambda: statuses(line, None) == {"one": "running", "two": "waiting"})
    line.say("watch_run")
    until(lambda: [it for it in line.widget.sent if it.get("id") == 0 and it.get("ok") == {}])  # its own bye
    line.say("stop_run")
    until(lambda: [it for it in line.widget.pushes("v") if it["run"]["status"] == "stopped"])
    (marks / "gate").touch()
    line.say("run_inputs")
    until(lambda: line.widget.answer("run_inputs-v"))
    assert line.widget.answer("run_inputs-v")["ok"] == {"inputs": [], "steps": ["one", "two"]}  # type: ignore[index]
    line.say("rerun_run", from_step="one")
    until(lambda: line.widget.answer("rerun_run-v"))
    again = line.widget.answer("rerun_run-v")["ok"]  # type: ignore[index]
    assert str(attach_run(again["run"]).wait(DEADLINE).status) == "succeeded"


def test_nothing_of_a_run_is_pushed_to_a_view_that_is_gone(run: Run, marks: Path) -> None:
    line, other = Line(run.id, "watch_run"), Line(run.id, "watch_run")
    for each in (line, other):
        each.say("watch_run")
    until(lambda: all(statuses(each, "v").get("one") == "running" for each in (line, other)))
    line.desk.clock.now += PATIENCE
    (marks / "gate").touch()
    until(lambda: statuses(other, "v") == {"one": "succeeded", "two": "succeeded"})
    assert statuses(line, "v")["two"] == "waiting"
    line.say("bye", "")  # a word, no more: it is there after all
    until(lambda: statuses(line, "v") == {"one": "succeeded", "two": "succeeded"})
