"""The side panel as a person sees it: real JupyterLab, real Chromium, jobs of notebooks and of programs.

What JupyterLab around it does and suffers: test_lab.py; how the panel looks, and what it is without a mouse:
test_looks.py. Screenshots stay in tests/.work/screenshots.
"""

import os
import re
import signal
from pathlib import Path

from playwright.sync_api import Browser, expect

from pai_jupyter.jobs import Job, attach
from pai_jupyter.store import JobStore
from tests.browser.view.test_job import BLOCK, BLOCKED, LOAD, held, lines, state
from tests.support.browser import Server, opened, wait_for
from tests.support.lists import record
from tests.support.patience import SOON
from tests.support.sidebar import Sidebar, from_a_program, ticks

PROMISED = 2.0  # seconds, of a machine that has nothing else to do


def test_a_job_of_a_killed_kernel_ends_in_the_panel_and_in_the_cell_of_the_reopened_notebook(
    browser: Browser, server: Server, gate: Path
) -> None:
    server.write("killed.ipynb", f"{LOAD}\nimport os; print('pid', os.getpid())", held(gate, "killed"))
    with opened(browser, server, "killed.ipynb") as screen:
        panel = Sidebar(screen.page)
        panel.open()
        screen.run_all()
        expect(panel.row("killed, Running")).to_be_visible()
        expect(state(screen.view)).to_contain_text("Running")
        screen.save()
        printed = screen.page.locator(".jp-OutputArea-output", has_text="pid ").first.inner_text()
        os.kill(int(printed.split()[1]), signal.SIGKILL)
        gate.touch()
        expect(panel.row("killed, Succeeded")).to_be_visible()
        screen.shoot("panel-killed")
    with opened(browser, server, "killed.ipynb") as screen:
        expect(state(screen.view)).to_contain_text("Succeeded")
        expect(lines(screen.view).filter(has_text="the gate is open")).to_be_visible()


def test_a_job_of_a_plain_program_shows_up_soon(browser: Browser, server: Server, gate: Path, tmp_path: Path) -> None:
    with opened(browser, server, "empty.ipynb") as screen:
        panel = Sidebar(screen.page)
        panel.open()
        expect(panel.jobs.locator("[role=listbox][aria-busy=false]")).to_be_attached()
        with screen.page.expect_event("console", lambda message: message.text.startswith("came")) as came:
            screen.page.evaluate(WAIT_FOR_ROW, "program")
            job = from_a_program(tmp_path, "program", ticks(gate))
        seconds = float(came.value.text.split()[1]) / 1000 - job.folder.record.created
        print(f"the job of a program was listed after {seconds:.2f} s; promised are {PROMISED:.0f} s")  # noqa: T201  a person asks how long
        assert seconds < SOON
        assert screen.errors == []


# Says when a row of this name has come: the time is the page's, for a test is told later.
WAIT_FOR_ROW = """name => {
    const look = () => {
        const row = [...document.querySelectorAll('.pj-Panel-name')].find(one => one.textContent.startsWith(name));
        row ? console.log('came', Date.now()) : setTimeout(look, 20);
    };
    look();
}"""


def test_two_browser_tabs_agree(browser: Browser, server: Server, gate: Path, tmp_path: Path) -> None:
    job = from_a_program(tmp_path, "agreed", ticks(gate))
    with opened(browser, server, "empty.ipynb") as screen, opened(browser, server, "empty.ipynb") as other:
        panels = Sidebar(screen.page), Sidebar(other.page)
        for panel in panels:
            panel.open()
            expect(panel.row(f"{job.name}, Running")).to_be_visible()
        panels[0].row(job.name).click()
        panels[0].press("Stop")
        panels[0].confirm("Stop")
        for panel in panels:
            expect(panel.row(f"{job.name}, Stopped")).to_be_visible()
        wait_for(lambda: seen(panels[0]) == seen(panels[1]))
        assert job.name in str(seen(panels[1]))
        assert panels[1].list.locator("[aria-selected=true]").count() == 0  # what is chosen is each page's own
        assert (screen.errors, other.errors) == ([], [])


def seen(panel: Sidebar) -> list[str]:
    """What is listed, without the times that run."""
    return [re.sub(r", \d+\w ago|, [\d:]+$", "", str(row.get_attribute("aria-label"))) for row in panel.rows.all()]


def test_stop_in_the_panel_works_while_the_kernel_runs_a_cell_that_blocks(
    browser: Browser, server: Server, gate: Path, tmp_path: Path
) -> None:
    block = tmp_path / "block"
    server.write("blocked.ipynb", LOAD, held(gate, "blocked"), BLOCK.format(gate=str(block)))
    with opened(browser, server, "blocked.ipynb") as screen:
        panel = Sidebar(screen.page)
        panel.open()
        screen.run_all()
        expect(state(screen.view)).to_contain_text("Running")
        expect(screen.page.locator(".jp-OutputArea-output", has_text=BLOCKED)).to_be_visible()
        panel.row("blocked").click()
        panel.press("Stop")
        screen.shoot("panel-stop")
        panel.confirm("Stop")
        expect(panel.row("blocked, Stopped")).to_be_visible()
        expect(state(screen.view)).to_contain_text("Stopped")
        assert server.kernel_of("blocked.ipynb") is None
        block.touch()
    assert attach("blocked").status == "stopped"


def test_several_jobs_are_stopped_and_deleted_together_and_one_is_run_again(
    browser: Browser, server: Server, gate: Path, tmp_path: Path
) -> None:
    record("stays", store=JobStore(server.home))  # or none were left, and the panel said so
    jobs = [from_a_program(tmp_path, name, ticks(gate)) for name in ("several-a", "several-b")]
    with opened(browser, server, "empty.ipynb") as screen:
        panel = Sidebar(screen.page)
        panel.open()
        panel.jobs.get_by_role("searchbox").fill("several")
        expect(panel.rows).to_have_count(len(jobs))
        choose(panel, *jobs)
        panel.press("Stop")
        panel.confirm("Stop")
        for job in jobs:
            expect(panel.row(f"{job.name}, Stopped")).to_be_visible()
        panel.row(jobs[0].name).click()
        panel.choose("Rerun as it was")
        expect(state(panel.tabs)).to_contain_text("Running")
        expect(panel.rows).to_have_count(3)
        gate.touch()
        expect(state(panel.tabs)).to_contain_text("Succeeded")
        expect(panel.row(f"{jobs[0].name}-2, Succeeded")).to_be_visible()  # a name that was made is made anew
        choose(panel, *jobs)  # and the new one, whose name begins so
        panel.choose("Delete")
        panel.confirm("Delete")
        expect(panel.jobs).to_contain_text("No matching jobs")
        panel.press("Clear filters")
        expect(panel.jobs.get_by_role("searchbox")).to_have_value("")
        wait_for(lambda: not any((server.home / "jobs" / job.id).exists() for job in jobs))
        assert screen.errors == []


def choose(panel: Sidebar, *jobs: Job) -> None:
    """Choose all rows of these names, and no others."""
    rows = [row for job in jobs for row in panel.row(job.name).all()]
    for row in rows:
        row.click(modifiers=[] if row is rows[0] else ["ControlOrMeta"])
