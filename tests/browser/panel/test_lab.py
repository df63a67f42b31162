"""What JupyterLab around the panel does and suffers: layout, notifications, settings, language; a server that goes or lacks.

Screenshots stay in tests/.work/screenshots.
"""

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from pai_jupyter.errors import JobFailed
from pai_jupyter.events import Status
from tests.browser.view.test_job import lines, state
from tests.browser.view.test_static import harm, without
from tests.support.browser import Screen, Server, has_saved_layout, jupyter, load, opened, show, wait_for, watched
from tests.support.patience import DEADLINE
from tests.support.sidebar import Sidebar, from_a_program, ticks
from tests.support.sidepanel import HAS_PANEL
from tests.support.wire import RecordedJob


def test_the_layout_comes_back_after_a_reload(browser: Browser, server: Server, gate: Path, tmp_path: Path) -> None:
    job = from_a_program(tmp_path, "layout", ticks(gate))
    with opened(browser, server, "empty.ipynb") as screen:
        panel = Sidebar(screen.page)
        panel.open()
        panel.fold("Backends").click()
        panel.row(job.name).dblclick()
        expect(state(panel.tabs)).to_contain_text("Running")
        wait_for(lambda: has_saved_layout(server, job.id))
        load(screen, f"{server.url}/lab?token={server.token}", HAS_PANEL)
        expect(state(panel.tabs)).to_contain_text("Running")
        expect(lines(panel.tabs).filter(has_text="tick").first).to_be_visible()
        expect(panel.row(f"{job.name}, Running")).to_be_visible()
        for name, is_open in (("Jobs", "true"), ("TensorBoard", "false"), ("Backends", "true"), ("Storage", "false")):
            expect(panel.fold(name)).to_have_attribute("aria-expanded", is_open)
        expect(screen.page.locator(".lm-TabBar-tab.lm-mod-current", has_text=job.name)).to_be_visible()
        screen.shoot("panel-restored")
        assert screen.errors == []


def test_after_a_restart_of_the_server_nothing_is_lost_and_nothing_doubled(browser: Browser, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    with jupyter(tmp_path / "one") as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("PAI_JUPYTER_HOME", str(server.home))
        server.write("restarted.ipynb", "1")
        job = from_a_program(tmp_path, "through", ticks(gate))
        with opened(browser, server, "restarted.ipynb") as screen:
            told = screen.page.locator(
                ".jp-Dialog", has_text="Server Connection Error"
            )  # JupyterLab's own, a bit later
            screen.page.add_locator_handler(told, lambda told: told.get_by_role("button", name="Close").click())
            panel = Sidebar(screen.page)
            panel.open()
            panel.row(f"{job.name}, Running").dblclick()
            expect(lines(panel.tabs).filter(has_text="tick").first).to_be_visible()
            server.end()
            expect(panel.jobs).to_contain_text("Connection lost. Reconnecting…")
            expect(panel.rows).to_have_count(1)  # what was known stays
            screen.shoot("panel-offline")
            second = from_a_program(tmp_path, "meanwhile", "print('done')")
            second.wait(DEADLINE)
            server.start()
            expect(panel.row(f"{second.name}, Succeeded")).to_be_visible()
            expect(panel.jobs).not_to_contain_text("Connection lost")
            gate.touch()
            expect(panel.row(f"{job.name}, Succeeded")).to_be_visible()
            expect(panel.rows).to_have_count(2)
            expect(lines(panel.tabs).filter(has_text="the gate is open")).to_be_visible()
            assert read_log(panel) == [line.text for line in job.logs()]


def read_log(panel: Sidebar) -> list[str]:
    """The log in the tab as a person reads it, page by page; what is on two pages is read once."""
    log = panel.tabs.get_by_role("log")
    read: list[str] = []
    key = "Home"
    while not read or read[-1] != "the gate is open":
        log.press(key)
        panel.page.evaluate(DRAWN)
        expect(log.locator(".pj-JobView-isAwaited")).to_have_count(0)
        page = lines(panel.tabs).all_inner_texts()
        read += page[page.index(read[-1]) + 1 :] if read and read[-1] in page else page
        key = "PageDown"
    return read


DRAWN = "new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))"


# --- what is told outside of the panel ---------------------------------------------------------------------------


@pytest.fixture
def going(gate: Path) -> Iterator[RecordedJob]:
    """A job that runs, whose end the test writes."""
    job = RecordedJob(f"going-{gate.parent.name}", name="going <b>")
    job.status(Status.RUNNING)
    yield job
    end(job, Status.STOPPED)


def end(job: RecordedJob, status: Status) -> None:
    """Have the job end so, unless it has."""
    if job.lock:
        job.status(status)
        job.release()


def test_the_icon_counts_what_runs_and_what_has_failed_since_somebody_looked(
    browser: Browser, server: Server, going: RecordedJob
) -> None:
    with opened(browser, server, "empty.ipynb") as screen:
        panel, counted = Sidebar(screen.page), screen.page.locator("#jp-main-statusbar .pj-Panel-statusItem")
        expect(panel.icon).to_have_attribute("data-pj-badge", "1")
        expect(panel.icon).to_have_attribute("title", "Training jobs: 1 running")
        expect(counted).to_have_text("1 running")
        end(going, Status.FAILED)
        expect(panel.icon).to_have_attribute("data-pj-badge", "✗1")
        screen.shoot("panel-badge")
        panel.open()
        expect(panel.icon).to_have_attribute("title", "Training jobs")
        expect(counted).to_be_hidden()
        assert screen.errors == []


def test_the_end_of_a_job_is_told_and_leads_to_the_job(browser: Browser, server: Server, going: RecordedJob) -> None:
    with opened(browser, server, "empty.ipynb") as screen:
        panel = Sidebar(screen.page)
        expect(panel.icon).to_have_attribute("data-pj-badge", "1")
        end(going, Status.SUCCEEDED)
        told = screen.page.locator(".Toastify__toast")
        told.hover()  # or it goes after some seconds
        expect(told).to_contain_text("going <b>: Succeeded")
        expect(told).to_be_in_viewport(ratio=1)
        screen.shoot("panel-told")
        told.get_by_role("button", name="Open").click()
        expect(state(panel.tabs)).to_contain_text("Succeeded")
        expect(told).to_have_count(0)
        assert screen.errors == []


def test_a_job_that_takes_no_time_is_told_with_the_cause_of_its_failure(
    browser: Browser, server: Server, gate: Path, tmp_path: Path
) -> None:
    with opened(browser, server, "empty.ipynb") as screen:
        expect(screen.page.locator("#pai-jupyter-panel")).to_be_attached()
        wait_until_counted(screen)
        from_a_program(tmp_path, "quick", "raise ValueError('no data')")
        told = screen.page.locator(".Toastify__toast")
        expect(told).to_contain_text("quick")
        expect(told).to_contain_text("Failed. ValueError: no data")
        screen.shoot("panel-told-failure")
        assert screen.errors == []


def wait_until_counted(screen: Screen) -> None:
    """Wait until the page watches the jobs: one that runs is counted."""
    job = RecordedJob(f"counted-{time.time_ns()}", name="counted")
    job.status(Status.RUNNING)
    expect(Sidebar(screen.page).icon).to_have_attribute("data-pj-badge", re.compile("1$"))
    job.status(Status.STOPPED)
    job.release()
    told = screen.page.locator(".Toastify__toast", has_text="counted")
    told.hover()  # or it goes after some seconds
    told.get_by_role("button", name="Open").wait_for()
    told.locator("button").last.click()
    expect(told).to_have_count(0)


def test_a_page_that_was_hidden_for_minutes_catches_up_when_it_is_seen_again(
    browser: Browser, server: Server, gate: Path, tmp_path: Path
) -> None:
    with watched(browser, server, "empty.ipynb") as screen:
        screen.page.clock.install()
        show(screen)
        wait_until_counted(screen)
        see(screen, False)
        screen.page.clock.fast_forward("05:00")
        with pytest.raises(JobFailed):
            from_a_program(tmp_path, "meanwhile-bad", "raise KeyError('x')").wait(DEADLINE)
        see(screen, True)
        expect(screen.page.locator(".Toastify__toast", has_text="meanwhile-bad")).to_contain_text("Failed. KeyError")
        assert screen.errors == []


def see(screen: Screen, is_seen: bool) -> None:
    """Have the browser's tab hidden, or in front again."""
    hidden = str(not is_seen).lower()
    screen.page.evaluate(
        f"Object.defineProperty(document, 'hidden', {{value: {hidden}, configurable: true}});"
        "document.dispatchEvent(new Event('visibilitychange'))"
    )


def test_the_end_of_a_job_is_not_told_where_the_settings_say_so(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with jupyter(tmp_path / "quiet") as server:
        monkeypatch.setenv("PAI_JUPYTER_HOME", str(server.home))
        server.write("empty.ipynb", "1")
        set_panel(server, {"notifyEnd": False})
        job = RecordedJob(name="quiet")
        job.status(Status.RUNNING)
        with opened(browser, server, "empty.ipynb") as screen:
            panel = Sidebar(screen.page)
            expect(panel.icon).to_have_attribute("data-pj-badge", "1")
            end(job, Status.FAILED)
            expect(panel.icon).to_have_attribute("data-pj-badge", "✗1")
            screen.page.evaluate(DRAWN)
            expect(screen.page.locator(".Toastify__toast")).to_have_count(0)


def set_panel(server: Server, settings: dict[str, bool]) -> None:
    """Write the user's settings of the panel, as the settings editor does."""
    place = server.root.parent / "settings" / "pai-jupyter" / "panel.jupyterlab-settings"
    place.parent.mkdir()
    place.write_text(json.dumps(settings))


# --- other surroundings ------------------------------------------------------------------------------------------


def test_a_missing_server_extension_is_named_once_and_in_the_panel(browser: Browser, tmp_path: Path) -> None:
    with jupyter(tmp_path / "half", JUPYTER_CONFIG_PATH=without(tmp_path / "config")) as server:
        server.write("plain.ipynb", "print(6 * 7)")
        with opened(browser, server, "plain.ipynb") as screen:
            panel = Sidebar(screen.page)
            panel.open()
            for fold in ("TensorBoard", "Backends", "Storage"):
                panel.fold(fold).click()
            missing = panel.root.get_by_text("pai_jupyter is not installed in the environment of this Jupyter server.")
            expect(missing).to_have_count(4)
            expect(missing.first).to_contain_text('Type "pip install pai_jupyter" there and restart the server.')
            expect(screen.page.locator(".Toastify__toast")).to_have_count(1)
            screen.run_all()
            expect(screen.page.locator(".jp-OutputArea-output", has_text="42")).to_be_visible()
            screen.save()
            screen.shoot("panel-missing")
            assert harm(screen) == []


@pytest.mark.parametrize("way", ["PAI_JUPYTER_LANG", "JupyterLab"])
def test_the_panel_speaks_chinese(browser: Browser, tmp_path: Path, way: str) -> None:
    environ = {"PAI_JUPYTER_LANG": "zh_CN.UTF-8"} if way == "PAI_JUPYTER_LANG" else {}
    locale: dict[str, dict[str, object]] = {"translation-extension/plugin": {"locale": "zh_CN"}}
    with (
        jupyter(tmp_path / "zh", settings={} if environ else locale, **environ) as server,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setenv("PAI_JUPYTER_HOME", str(server.home))
        job = from_a_program(tmp_path, "训练", "print('好')")
        server.write("zh.ipynb", "1")
        with opened(browser, server, "zh.ipynb") as screen:
            panel = Sidebar(screen.page)
            panel.open()
            expect(panel.row(f"{job.name}, 成功")).to_be_visible()
            for fold in ("TensorBoard", "后端", "存储"):
                panel.fold(fold).click()
            panel.row(job.name).click()
            expect(panel.jobs).to_contain_text("已选 1 个")
            expect(panel.root.locator("[aria-busy=true]")).to_have_count(0)
            screen.shoot(f"panel-zh-{'lang' if environ else 'locale'}")
            english = re.findall(
                r"\b(?:Jobs|Running|Succeeded|Open|Stop|Refresh|All|Newest)\b", panel.root.inner_text()
            )
            assert (english, screen.errors) == ([], [])
