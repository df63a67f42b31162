"""A job as a person sees it: real JupyterLab, real Notebook 7, real Chromium. Screenshots stay in tests/.work/screenshots.

The live view reaches its job in one of two ways, and both have to survive the same accidents: `server` (our Jupyter server
extension and the MIME renderer) and `widget` (anywidget over the comm, PAI_JUPYTER_RENDER=widget).
"""

import json
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Locator, expect

from pai_jupyter.jobs import Job, attach, list_jobs
from pai_jupyter.tensorboard import list_boards
from tests.support.browser import Server, expect_tag, jupyter, opened, show, wait_for

LOAD = "%load_ext pai_jupyter"
# Goes on until the gate is open; says its number first, so that a line in the middle can be looked for.
HELD = """%%pai_train {name} {options}
import os, pathlib, time
lr: float = 0.1     # hp: [0.01..1]  learning rate
for epoch in range(1, 21):
    print(f"epoch {{epoch}}/40 loss={{1 / epoch:.4f}}", flush=True)
    for line in range(100):
        print("line", epoch, line)
while not os.path.exists({gate!r}):
    time.sleep(0.02)
print("the gate is open, lr is", lr)
pathlib.Path(os.environ["PAI_OUTPUT_MODEL"], "weights.json").write_text('{{"lr": ' + str(lr) + "}}")
"""
# Says that the kernel does nothing else from now on; the text of the cell does not say so.
BLOCKED = "this kernel is blocked"
BLOCK = "import os, time\nprint('this', 'kernel is blocked', flush=True)\nwhile not os.path.exists({gate!r}): time.sleep(0.05)"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with jupyter(tmp_path_factory.mktemp("server")) as server:
        yield server


@pytest.fixture(scope="module")
def widget_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with jupyter(tmp_path_factory.mktemp("widgets"), PAI_JUPYTER_RENDER="widget") as server:
        yield server


@pytest.fixture
def gate(tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What the held job waits for; `attach` in the test finds the jobs of the server."""
    monkeypatch.setenv("PAI_JUPYTER_HOME", str(server.home))
    return tmp_path / "gate"


def held(gate: Path, name: str = "demo", options: str = "--run") -> str:
    return HELD.format(gate=str(gate), name=name, options=options)


def tab(view: Locator, name: str) -> None:
    view.get_by_role("tab", name=name, exact=True).click()


def state(view: Locator) -> Locator:
    return view.locator(".pj-JobView-state")


def lines(view: Locator) -> Locator:
    return view.locator(".pj-JobView-log .pj-JobView-row")


def started(name: str) -> Job:
    """The job of this name, once it is there."""
    wait_for(lambda: any(job.name == name for job in list_jobs(refresh=False)))
    return attach(name)


@pytest.mark.parametrize("app", ["lab/tree", "notebooks"])
def test_form_submit_watch_search_tabs_stop(browser: Browser, server: Server, gate: Path, app: str) -> None:
    name = f"whole-{app[:3]}"
    notebook = f"{name}.ipynb"
    server.write(notebook, LOAD, held(gate, name, options=""))
    with opened(browser, server, notebook, app=app) as screen:
        screen.run_all()
        expect(screen.page.get_by_role("button", name="Submit")).to_be_enabled()  # all of the form is there
        field = screen.page.get_by_label("lr", exact=False).last
        field.fill("0.25")
        field.press("Tab")
        screen.shoot(f"{name}-form")
        screen.page.get_by_role("button", name="Submit").click()

        expect(state(screen.view)).to_contain_text("Running")
        expect(screen.page.get_by_role("button", name="Submit")).to_have_count(0)  # the form has closed
        expect(lines(screen.view).filter(has_text="line 20 99")).to_be_visible()
        screen.shoot(f"{name}-logs")

        search = screen.view.get_by_role("searchbox")
        search.fill("line 7 50")
        search.press("Enter")
        expect(lines(screen.view).filter(has_text=re.compile(r"line 7 50$"))).to_be_visible()
        expect(screen.view).to_contain_text("1 of 1")

        for each in ("Metrics", "Resources", "TensorBoard", "Files", "Source", "Environment"):
            tab(screen.view, each)
            expect(screen.view.get_by_role("tabpanel", name=each)).to_be_visible()
        expect(screen.view).to_contain_text("PAI_HPS_LR")
        tab(screen.view, "Source")
        expect(screen.view.get_by_role("tabpanel", name="Source")).to_contain_text("0.25")
        screen.shoot(f"{name}-source")

        screen.view.get_by_role("button", name="Stop", exact=True).first.click()
        screen.view.get_by_role("button", name="Stop", exact=True).last.click()
        expect(state(screen.view)).to_contain_text("Stopped")
        assert screen.errors == []
    assert attach(name).status == "stopped"


def test_stacks_lead_to_lines_of_the_cell_and_a_recording_can_be_stopped(
    browser: Browser, server: Server, gate: Path
) -> None:
    server.write("stacks.ipynb", LOAD, held(gate, "stacks"))
    with opened(browser, server, "stacks.ipynb") as screen:
        screen.run_all()
        expect(lines(screen.view).filter(has_text="line 20 99")).to_be_visible()
        tab(screen.view, "Resources")
        screen.view.get_by_role("button", name="Stacks").click()
        expect(screen.view.get_by_role("button", name=re.compile("cell line [89]"))).to_be_visible()
        screen.shoot("stacks")
        screen.view.get_by_role("button", name="Record 10 s").click()
        expect(screen.view.get_by_role("progressbar", name="Recording")).to_be_visible()
        screen.view.get_by_role("button", name="Stop recording").click()
        expect(screen.view.get_by_text("The recording was ended")).to_be_visible()
        gate.touch()
        expect(state(screen.view)).to_contain_text("Succeeded")
        expect(screen.view.get_by_role("button", name="Stacks")).to_be_hidden()
        assert screen.errors == []


def test_a_page_that_is_loaded_again_is_complete(browser: Browser, server: Server, gate: Path) -> None:
    server.write("reload.ipynb", LOAD, held(gate, "reload"))
    with opened(browser, server, "reload.ipynb") as screen:
        screen.run_all()
        expect(state(screen.view)).to_contain_text("Running")
        screen.save()
        show(screen)
        expect(state(screen.view)).to_contain_text("Running")
        gate.touch()
        expect(state(screen.view)).to_contain_text("Succeeded")
        expect(lines(screen.view).filter(has_text="the gate is open")).to_be_visible()
        screen.shoot("reload-end")


def test_a_second_tab_on_the_same_notebook_shows_the_same(browser: Browser, server: Server, gate: Path) -> None:
    server.write("twice.ipynb", LOAD, held(gate, "twice"))
    with opened(browser, server, "twice.ipynb") as screen:
        screen.run_all()
        expect(state(screen.view)).to_contain_text("Running")
        screen.save()
        with opened(browser, server, "twice.ipynb") as second:
            expect(lines(second.view).filter(has_text="line 20 99")).to_be_visible()
            gate.touch()
            expect(state(second.view)).to_contain_text("Succeeded")
        expect(state(screen.view)).to_contain_text("Succeeded")


def test_a_restarted_kernel_changes_nothing(browser: Browser, server: Server, gate: Path) -> None:
    server.write("restart.ipynb", LOAD, held(gate, "restart"))
    with opened(browser, server, "restart.ipynb") as screen:
        screen.run_all()
        expect(state(screen.view)).to_contain_text("Running")
        server.restart_kernel("restart.ipynb")
        gate.touch()
        expect(state(screen.view)).to_contain_text("Succeeded")
        expect(lines(screen.view).filter(has_text="the gate is open")).to_be_visible()


def test_a_killed_kernel_leaves_the_view_alive_to_the_end(browser: Browser, server: Server, gate: Path) -> None:
    server.write("killed.ipynb", LOAD + "\nimport os; print('pid', os.getpid())", held(gate, "killed"))
    with opened(browser, server, "killed.ipynb") as screen:
        screen.run_all()
        expect(state(screen.view)).to_contain_text("Running")
        printed = screen.page.locator(".jp-OutputArea-output", has_text="pid ").first.inner_text()
        os.kill(int(printed.split()[1]), signal.SIGKILL)
        gate.touch()
        expect(state(screen.view)).to_contain_text("Succeeded")
        expect(lines(screen.view).filter(has_text="the gate is open")).to_be_visible()
        screen.shoot("killed-end")


def test_a_blocked_kernel_is_no_obstacle_through_the_server(
    browser: Browser, server: Server, gate: Path, tmp_path: Path
) -> None:
    block = tmp_path / "block"
    server.write("blocked.ipynb", LOAD, held(gate, "blocked"), BLOCK.format(gate=str(block)))
    with opened(browser, server, "blocked.ipynb") as screen:
        screen.run_all()
        expect(state(screen.view)).to_contain_text("Running")
        expect(screen.page.locator(".jp-OutputArea-output", has_text=BLOCKED)).to_be_visible()
        tab(screen.view, "Environment")
        expect(screen.view).to_contain_text("PAI_HPS_LR")
        screen.view.get_by_role("button", name="Stop", exact=True).first.click()
        screen.view.get_by_role("button", name="Stop", exact=True).last.click()
        expect(state(screen.view)).to_contain_text("Stopped")
        assert server.kernel_of("blocked.ipynb") is None
        block.touch()


def test_a_blocked_kernel_makes_the_widget_say_that_it_waits(
    browser: Browser, widget_server: Server, tmp_path: Path
) -> None:
    gate, block = tmp_path / "gate", tmp_path / "block"
    widget_server.write("busy.ipynb", LOAD, held(gate, "busy"), BLOCK.format(gate=str(block)))
    with opened(browser, widget_server, "busy.ipynb") as screen:
        screen.run_all()
        expect(screen.page.locator(".jp-OutputArea-output", has_text=BLOCKED)).to_be_visible()
        expect(lines(screen.view).filter(has_text="line 20 99")).to_be_visible()  # the tail goes on
        tab(screen.view, "Environment")
        expect(screen.view).to_contain_text("Kernel busy")
        screen.shoot("busy-widget")
        gate.touch()
        expect(state(screen.view)).to_contain_text("Succeeded")
        block.touch()
        expect(screen.view).to_contain_text("PAI_HPS_LR")  # what was asked for comes now
        assert screen.errors == []


def test_form_submit_and_stop_work_through_the_widget(browser: Browser, widget_server: Server, tmp_path: Path) -> None:
    widget_server.write("comm.ipynb", LOAD, held(tmp_path / "gate", "comm", options=""))
    with opened(browser, widget_server, "comm.ipynb") as screen:
        screen.run_all()
        screen.page.get_by_role("button", name="Submit").click()
        expect(lines(screen.view).filter(has_text="line 20 99")).to_be_visible()
        search = screen.view.get_by_role("searchbox")
        search.fill("line 7 50")
        search.press("Enter")
        expect(lines(screen.view).filter(has_text=re.compile(r"line 7 50$"))).to_be_visible()
        screen.shoot("comm-widget")
        screen.view.get_by_role("button", name="Stop", exact=True).first.click()
        screen.view.get_by_role("button", name="Stop", exact=True).last.click()
        expect(state(screen.view)).to_contain_text("Stopped")
        assert screen.errors == []


def test_two_jobs_run_side_by_side(browser: Browser, server: Server, gate: Path) -> None:
    server.write("two.ipynb", LOAD, held(gate, "first"), held(gate, "second", "--run -p lr=0.5"))
    with opened(browser, server, "two.ipynb") as screen:
        screen.run_all()
        expect(screen.view).to_have_count(2)
        gate.touch()
        for view, lr in ((screen.view.first, "0.1"), (screen.view.last, "0.5")):
            view.scroll_into_view_if_needed()  # nothing is drawn that nobody sees
            expect(lines(view).filter(has_text=f"the gate is open, lr is {lr}")).to_be_visible()


def test_a_dark_theme_is_followed(browser: Browser, tmp_path: Path) -> None:
    theme: dict[str, dict[str, object]] = {"apputils-extension/themes": {"theme": "JupyterLab Dark"}}
    with jupyter(tmp_path / "dark", settings=theme) as server:
        server.write("dark.ipynb", LOAD, held(tmp_path / "gate", "dark"))
        with opened(browser, server, "dark.ipynb") as screen:
            screen.run_all()
            expect(lines(screen.view).filter(has_text="line 20 99")).to_be_visible()
            screen.shoot("dark-logs")
            tab(screen.view, "Metrics")
            expect(screen.view.locator("canvas")).to_be_visible()
            screen.shoot("dark-metrics")
            background = screen.view.evaluate("view => getComputedStyle(view).backgroundColor")
            assert sum(map(int, re.findall(r"\d+", background)[:3])) < 200
            (tmp_path / "gate").touch()


def test_a_failure_shows_its_cause_and_leads_to_the_line(browser: Browser, server: Server, gate: Path) -> None:
    server.write("fails.ipynb", LOAD, "%%pai_train fails --run\nimport time\n\nraise ValueError('no <b>data</b>')\n")
    with opened(browser, server, "fails.ipynb") as screen:
        screen.run_all()
        expect(state(screen.view)).to_contain_text("Failed")
        expect(screen.view).to_contain_text("ValueError: no <b>data</b>")
        screen.view.get_by_role("button", name=re.compile("line 4")).first.click()
        expect(screen.page.locator("#jp-main-statusbar")).to_contain_text("Ln 4")
        screen.shoot("fails")
        screen.view.get_by_role("button", name="Retry").click()
        wait_for(lambda: len([job for job in list_jobs(refresh=False) if job.name == "fails"]) == 2)


def test_a_server_that_was_restarted_is_found_again(browser: Browser, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    with jupyter(tmp_path / "one") as first:
        first.write("again.ipynb", LOAD, held(gate, "again"))
        with opened(browser, first, "again.ipynb") as screen:
            screen.run_all()
            expect(state(screen.view)).to_contain_text("Running")
            first.restart()
            gate.touch()
            expect(state(screen.view)).to_contain_text("Succeeded")
            expect(lines(screen.view).filter(has_text="the gate is open")).to_be_visible()


BOARD = """%%pai_train board --run
import os
from tensorboardX import SummaryWriter
with SummaryWriter(os.environ["PAI_OUTPUT_TENSORBOARD"]) as writer:
    for step in range(100):
        writer.add_scalar("train/loss", 1 / (step + 1), step)
"""


def test_event_files_become_charts_and_a_tensorboard_in_the_tab(browser: Browser, server: Server, gate: Path) -> None:
    pytest.importorskip("tensorboard")
    server.write("board.ipynb", LOAD, BOARD, "%pai_tensorboard board")
    with opened(browser, server, "board.ipynb") as screen:
        screen.run_all()
        expect(state(screen.view)).to_contain_text("Succeeded")
        tab(screen.view, "Metrics")
        expect(screen.view.get_by_role("img", name="train/loss")).to_be_visible()
        screen.shoot("board-metrics")

        link = screen.page.locator(".jp-OutputArea-output a", has_text="TensorBoard")
        expect(link).to_have_attribute("href", re.compile(r"^/pai-jupyter/boards/b[0-9a-f]{8}/$"))  # no secret
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("PAI_JUPYTER_HOME", str(server.home))
            (running,) = list_boards()
            assert urlsplit(running.app_uri).path.strip("/") not in json.dumps(screen.save())
        tab(screen.view, "TensorBoard")
        expect_tag(screen.view.frame_locator("iframe"), "train/loss")
        screen.shoot("board-tab")
        screen.view.get_by_role("button", name="Stop TensorBoard").click()
        expect(screen.view.get_by_role("button", name="Start TensorBoard")).to_be_visible()
    assert list_boards() == []
