"""A run where the Jupyter server lacks our extension: the same graph, table and buttons as a widget over the comm."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, expect

from pai_jupyter.runs import Run, start_run
from pai_jupyter.runs.plan import DeclaredParameter, Graph, Plan
from tests.browser.access.test_axe import AXE, faults
from tests.runs.conftest import marks
from tests.support.browser import Server, jupyter, opened, wait_for
from tests.support.needs import lacking
from tests.support.paths import ROOT
from tests.support.run_jobs import marked
from tests.support.run_plans import step

__all__ = ["marks"]  # a fixture
LOAD = "%load_ext pai_jupyter"
SHOWN = ".jp-OutputArea-output .pj-Run"
BLOCKED = "this kernel is blocked"
BLOCK = "import os, time\nprint('this', 'kernel is blocked', flush=True)\nwhile not os.path.exists({gate!r}): time.sleep(0.05)"


@pytest.fixture
def server(tmp_path: Path, home: Path) -> Iterator[Server]:
    with jupyter(
        tmp_path / "server", PAI_JUPYTER_RENDER="widget", PAI_JUPYTER_HOME=str(home), PYTHONPATH=str(ROOT)
    ) as server:
        yield server


def begun(marks: Path) -> Run:
    """A run whose step `train` runs until the gate is open."""
    evil = "<img src=data:, onerror=window.__pwned=1>"
    train = marked(marks, "train", "lr", backend="process", wait=str(marks / "gate"))
    publish = marked(marks, "publish", "train", backend="process")
    graph = Graph(
        steps=(step("train", job=train, lr="{{inputs.parameters.lr}}"), step("publish", "train", job=publish)),
        parameters=(DeclaredParameter(name="lr", type="Double", default=0.1, feasible="(0, 1]"),),
    )
    run = start_run(Plan(name=f"iris {evil}", graph=graph))
    wait_for(lambda: {step.name: step.status for step in run.state.steps}["train"] == "running")
    return run


def node(view: Locator, name: str) -> Locator:
    return view.locator(f'.pj-Run-node[data-path="{name}"]')


def test_a_run_is_live_as_a_widget(browser: Browser, server: Server, marks: Path) -> None:
    run = begun(marks)
    server.write("run.ipynb", LOAD, f"%pai_runs {run.id}")
    with opened(browser, server, "run.ipynb") as screen:
        screen.run_all()
        view = screen.page.locator(SHOWN)
        expect(node(view, "train")).to_have_accessible_name(re.compile("Running"))
        expect(view).to_have_count(1)
        (marks / "gate").touch()
        expect(view.locator(".pj-JobView-state")).to_contain_text("Succeeded")
        node(view, "train").click()
        expect(view.locator(".pj-Run-hint")).to_contain_text(f"%pai_attach {run.jobs[0].id}")
        view.get_by_role("button", name="Run again with…").click()
        lr = view.get_by_label("lr", exact=True)
        lr.fill("7")
        form = view.get_by_role("group", name="Run again with other values")
        form.get_by_role("button", name="Run again").click()
        expect(lr).to_have_attribute("aria-invalid", "true")
        expect(form).to_contain_text("(0, 1]")
        screen.shoot("run-widget-form")
        lr.fill("0.5")
        form.get_by_role("button", name="Run again").click()
        view.locator(".pj-Run-asked").get_by_role("button", name="Open").click()
        expect(view.locator(".pj-Run-hint")).to_contain_text("%pai_runs r")
        view.get_by_role("button", name="Table").click()
        expect(view.get_by_role("treegrid").locator("tbody").get_by_role("row")).to_have_count(2)
        screen.shoot("run-widget")
        assert screen.page.evaluate("window.__pwned") is None
        assert "_esm" not in str(screen.save()), "nothing of the widget is in the notebook"
        assert screen.errors == []


def test_a_run_goes_on_while_the_kernel_is_busy_and_its_buttons_wait(
    browser: Browser, server: Server, marks: Path
) -> None:
    run, block = begun(marks), marks / "block"
    server.write("busy.ipynb", LOAD, f"%pai_runs {run.id}", BLOCK.format(gate=str(block)))
    with opened(browser, server, "busy.ipynb") as screen:
        screen.run_all()
        expect(screen.page.locator(".jp-OutputArea-output", has_text=BLOCKED)).to_be_visible()
        view = screen.page.locator(SHOWN)
        expect(node(view, "train")).to_have_accessible_name(re.compile("Running"))
        view.get_by_role("button", name="Stop", exact=True).click()
        view.get_by_role("group", name=re.compile("^Stop iris")).get_by_role("button", name="Stop").click()
        expect(view).to_contain_text("Kernel busy")
        block.touch()
        expect(view.locator(".pj-JobView-state")).to_contain_text("Stopped")
        assert screen.errors == []


def test_axe_finds_no_fault_in_the_widget_of_a_run(browser: Browser, server: Server, marks: Path) -> None:
    if not AXE.is_file():
        lacking("node", "axe-core is not installed")
    run = begun(marks)
    server.write("axe.ipynb", LOAD, f"%pai_runs {run.id}")
    with opened(browser, server, "axe.ipynb") as screen:
        screen.page.add_script_tag(path=AXE)
        screen.run_all()
        view = screen.page.locator(SHOWN)
        node(view, "train").click()
        view.get_by_role("button", name="Run again with…").click()
        expect(view.get_by_label("lr", exact=True)).to_be_visible()
        assert faults(screen, SHOWN) == []
        assert screen.errors == []
