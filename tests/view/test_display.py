"""When a job is drawn again, and whether anybody is there to see it."""

import asyncio
import logging
import os
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pai_jupyter.config.marker import Marker, leave
from pai_jupyter.errors import SpecError
from pai_jupyter.events import (
    JobState,
    Metric,
    Phase,
    PhaseChanged,
    Status,
    StatusChanged,
)
from pai_jupyter.jobs import list_jobs
from pai_jupyter.magics import doctor
from pai_jupyter.view import JobView, render_html, render_text, view_data
from pai_jupyter.view.display import RedrawSchedule
from pai_jupyter.view.frontend import FrontEnd, Live, detect, is_stable
from pai_jupyter.view.show import JobDisplay, show_live
from pai_jupyter.view.words import Language
from tests.support.drawings import START, running, view
from tests.support.shells import Shell
from tests.support.wire import REPLICA, RecordedJob


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
    pace, state = RedrawSchedule(), running()
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
    with pytest.raises(SpecError, match="'fancy'; it must be one of auto, server, widget, html, plain"):
        detect(None, {"PAI_JUPYTER_RENDER": "fancy"})


@pytest.mark.parametrize(("value", "stable"), [("1", True), ("0", False), ("", False)])
def test_stable_outputs_are_asked_for_by_the_environment(value: str, stable: bool) -> None:
    assert is_stable({"PAI_JUPYTER_STABLE": value}) is stable


def test_a_log_that_cannot_be_read_leaves_a_drawing_with_the_sentence_that_says_why(tmp_path: Path) -> None:
    job = RecordedJob()
    job.print("line 0\n")
    job.status(Status.FAILED)
    (tmp_path / "target").write_text("for the reader alone\n")
    job.folder.log(REPLICA).path.unlink()
    job.folder.log(REPLICA).path.symlink_to(tmp_path / "target")
    data = view_data(job.job)
    job.release()
    assert "is not read" in data.tail[0]
    assert "reader alone" not in render_text(data)


# --- by which way a job is seen live -------------------------------------------------------------------------------

ATTENDED = kernel(allow_stdin=True)


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The front end as it is built; without the file it is not."""
    script = tmp_path / "widget.js"
    script.touch()
    for name in ("_JOB", "_RUN"):
        monkeypatch.setattr(f"pai_jupyter.view.widget.{name}", script)
    return script


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: Path) -> dict[str, str]:
    """This very process is the server above the kernel, and has our extension; returns the kernel's environment."""
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
    leave(Marker(pid=os.getpid(), api=1, version="0.1.0", base_url="/", home=str(home), has_proxy=False))
    return {"JPY_PARENT_PID": str(os.getpid())}


def without_anywidget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pai_jupyter.view.widget.find_spec", lambda name: None)


def test_a_server_that_looks_for_jobs_where_the_kernel_keeps_them_shows_them(
    built: Path, server: dict[str, str]
) -> None:
    assert detect(ATTENDED, server).live == "server"


def test_a_server_that_looks_elsewhere_leaves_it_to_the_widget(
    built: Path, server: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAI_JUPYTER_HOME", str(tmp_path / "another"))
    assert detect(ATTENDED, server).live == "widget"


def test_without_a_server_of_ours_there_is_the_widget(built: Path) -> None:
    assert detect(ATTENDED, {}).live == "widget"


def test_where_there_can_be_no_widget_either_nothing_is_live(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built.unlink()
    assert detect(ATTENDED, {}).live == "none"
    built.touch()
    without_anywidget(monkeypatch)
    assert detect(ATTENDED, {}).live == "none"


@pytest.mark.parametrize(
    ("render", "live"), [("server", "server"), ("widget", "widget"), ("html", "none"), ("plain", "none")]
)
def test_the_environment_decides_otherwise(built: Path, server: dict[str, str], render: str, live: str) -> None:
    assert detect(ATTENDED, {"PAI_JUPYTER_RENDER": render}).live == live
    assert detect(ATTENDED, {**server, "PAI_JUPYTER_RENDER": render}).live == live


def test_a_widget_that_cannot_be_is_refused_in_a_sentence(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without_anywidget(monkeypatch)
    with pytest.raises(SpecError, match=r"anywidget is missing\. Type: %pip install 'pai_jupyter\[widget\]'") as caught:
        detect(ATTENDED, {"PAI_JUPYTER_RENDER": "widget"})
    assert caught.value.field == "PAI_JUPYTER_RENDER"


def test_a_build_without_its_front_end_is_told_from_a_missing_package(built: Path) -> None:
    built.unlink()
    with pytest.raises(SpecError, match="made from sources without its front end"):
        detect(ATTENDED, {"PAI_JUPYTER_RENDER": "widget"})


INSTALL = "%pip install 'pai_jupyter[widget]'"


def test_where_only_the_package_is_missing_one_sentence_says_what_to_type(
    built: Path, server: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert detect(ATTENDED, {}).live_by == ""
    without_anywidget(monkeypatch)
    assert detect(ATTENDED, {}).live_by == INSTALL
    assert detect(ATTENDED, server).live_by == ""  # JupyterLab needs none
    assert detect(ATTENDED, {"PAI_JUPYTER_RENDER": "html"}).live_by == ""  # as it was wished for
    assert detect(kernel(allow_stdin=False), {}).live_by == ""


@pytest.mark.parametrize(("language", "sentence"), [("en", "live view here: <code>"), ("zh", "在此处实时查看：<code>")])
def test_the_static_view_says_what_makes_it_live(language: Language, sentence: str) -> None:
    html = render_html(replace(view(running()), live_by=INSTALL, language=language))
    assert f"{sentence}%pip install &#x27;pai_jupyter[widget]&#x27;</code>" in html
    assert "<code>%pip" not in render_html(view(running()))


@pytest.mark.parametrize(("live", "is_there", "told"), [("server", True, 1), ("server", False, 0), ("widget", True, 0)])
def test_the_doctor_names_an_anywidget_that_jobs_do_not_need(
    monkeypatch: pytest.MonkeyPatch, live: Live, is_there: bool, told: int
) -> None:
    monkeypatch.setattr(doctor, "front_end", lambda: FrontEnd(is_attended=True, live=live))
    monkeypatch.setattr("pai_jupyter.view.widget.find_spec", lambda name: is_there or None)
    found = [check for check in doctor.checkup() if check.what == "anywidget"]
    assert len(found) == told
    assert all("%pip uninstall -y anywidget" in check.remedy for check in found)


def test_the_cell_says_it_as_long_as_the_job_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PAI_JUPYTER_STABLE", raising=False)
    monkeypatch.setattr("pai_jupyter.view.show.front_end", lambda: FrontEnd(is_attended=True, live_by=INSTALL))
    job, drawn = RecordedJob(), []

    class Cell:
        def __init__(self, first: Mapping[str, object]) -> None:
            drawn.append(first)

        def update(self, obj: Mapping[str, object], *, raw: bool) -> None:
            drawn.append(obj)

    job.status(Status.SUCCEEDED)
    job.release()
    show_live(job.job, place=JobDisplay(bundle=Cell))
    assert all("pai_jupyter[widget]" in str(each["text/html"]) for each in drawn)
    assert drawn


def test_a_wish_for_a_widget_is_refused_before_there_is_a_job(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pai_jupyter.view.show.front_end", lambda: FrontEnd(is_attended=True, live="server"))
    without_anywidget(monkeypatch)
    with Shell() as shell:
        result = shell.run("%%pai_train a --widget --run\nprint(1)\n")
    assert "anywidget is missing" in result.text + str(result.error)
    assert list_jobs(refresh=False) == []


@pytest.mark.parametrize("render", ["auto", "server", "widget"])
def test_nobody_sees_anything_live_where_nobody_looks(built: Path, server: dict[str, str], render: str) -> None:
    assert detect(kernel(allow_stdin=False), {**server, "PAI_JUPYTER_RENDER": render}).live == "none"


@pytest.mark.parametrize(
    ("found", "mark", "says"),
    [
        (FrontEnd(is_attended=True, live="server"), "✓", "through the Jupyter server"),
        (FrontEnd(is_attended=True, live="widget"), "✓", "as a widget over the kernel"),
        (FrontEnd(is_attended=True, live="none"), "✗", "none; a cell shows"),
        (FrontEnd(is_attended=True, live="none", live_by=INSTALL), "✗", "none; a cell shows"),
        (FrontEnd(is_attended=False, live="none"), "✓", "none; a cell shows"),  # nobody looks: nothing need be done
    ],
)
def test_the_doctor_says_how_jobs_are_seen_live(
    monkeypatch: pytest.MonkeyPatch, found: FrontEnd, mark: str, says: str
) -> None:
    monkeypatch.setattr(doctor, "front_end", lambda: found)
    (check,) = (check for check in doctor.checkup() if check.what == "live view")
    assert (check.mark, says in check.found) == (mark, True)
    assert bool(check.remedy) is (found.is_attended and found.live != "server")
    assert (f"In VS Code and Colab: {INSTALL}" in check.remedy) is bool(found.live_by)
