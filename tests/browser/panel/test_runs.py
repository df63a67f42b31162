"""Runs in JupyterLab: from the panel to the graph, the table and the jobs; stopped, run again and deleted; saved in a notebook.

The runs are real, of local processes that wait for files of the test. Screenshots stay in tests/.work/screenshots.
"""

import os
import re
import signal
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, expect

from pai_jupyter.jobs import close_runtime
from pai_jupyter.runs import Run, start_run
from pai_jupyter.runs.plan import Argument, DeclaredParameter, Graph, JobBody, Loop, Plan
from tests.browser.access.test_axe import AXE, faults
from tests.support.browser import Screen, Server, has_saved_layout, jupyter, opened, wait_for
from tests.support.drivers import drivers_of
from tests.support.needs import lacking
from tests.support.paths import ROOT
from tests.support.run_jobs import marked
from tests.support.run_plans import output, plan_of, step
from tests.support.sidebar import Sidebar
from tests.support.sidepanel import panelled, unfold

RUN_MIME = "application/vnd.pai-jupyter.run.v1+json"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    short: dict[str, dict[str, object]] = {"pai-jupyter/panel": {"notifyShort": True}}
    with jupyter(tmp_path_factory.mktemp("server"), settings=short, PYTHONPATH=str(ROOT)) as server:
        yield server


@pytest.fixture
def work(tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A directory of the test's own, where its jobs leave marks; no driver is left behind."""
    monkeypatch.setenv("PAI_JUPYTER_HOME", str(server.home))
    yield tmp_path
    (tmp_path / "gate").touch()
    for pid in drivers_of(server.home):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    close_runtime()


def pipeline(work: Path, lr: float = 0.1) -> Plan:
    """As the seed's: train, and one of two as its accuracy says, once the gate is open; a loop and a pipeline in the pipeline."""

    def job(name: str, *inputs: str, wait: str = "", out: str = "done") -> JobBody:
        return marked(work, name, *inputs, backend="process", wait=wait, out=out)

    inner = Graph(steps=(step("clean", job=job("clean")), step("split", "clean", job=job("split"))))
    train = job("xgb-train", "lr", wait=str(work / "gate"), out="0.93")
    loop = Loop(items=Argument(value=["0.1", "0.3"]), parallelism=2)
    plan = plan_of(
        step("prepare", job=inner),
        step("train", "prepare", job=train, lr="{{inputs.parameters.lr}}"),
        step("publish", job=job("publish"), condition=f"{output('train')} > 0.9"),
        step("try-again", job=job("again"), condition=f"{output('train')} <= 0.9"),
        step("rates", "train", job=job("rate", "item"), loop=loop, item="{{item}}"),
        accuracy=output("train"),
    )
    inputs = (
        DeclaredParameter(name="lr", type="Double", default=lr),
        DeclaredParameter(name="api_key", default="hidden"),
    )
    return Plan(name="iris-pipeline", graph=replace(plan.graph, parameters=inputs))


def waiting_run(work: Path, lr: float = 0.1) -> Run:
    """A run whose step `train` runs until the gate is open."""
    run = start_run(pipeline(work, lr))
    wait_for(lambda: {step.name: step.status for step in run.state.steps}["train"] == "running")
    return run


def card(screen: Screen, run: Run) -> Locator:
    section = unfold(screen, "Runs", folded="Jobs")
    return section.locator(".pj-Runs-card").filter(has_text=run.id)


def shown(screen: Screen, run: Run) -> Locator:
    """The run's tab, opened from the panel."""
    card(screen, run).get_by_role("button", name=run.name, exact=True).click()
    tab = screen.page.locator(f"[id='pai-jupyter-run-{run.id}']")
    expect(tab.locator(".pj-Run-node").first).to_be_visible()
    return tab


def node(tab: Locator, name: str) -> Locator:
    return tab.locator(f'.pj-Run-node[data-path="{name}"]')


def test_a_run_is_followed_from_the_panel_to_its_jobs(browser: Browser, server: Server, work: Path) -> None:
    run = waiting_run(work)
    with panelled(browser, server, "runs") as screen:
        expect(card(screen, run)).to_contain_text("Running")
        tab = shown(screen, run)
        expect(node(tab, "train")).to_have_accessible_name(re.compile("^train, xgb-train, Running"))
        expect(node(tab, "publish")).to_contain_text("? out > 0.9")
        expect(tab.locator(".pj-Run-notes .pj-Run-values")).to_have_text("Inputslr = 0.1api_key = ***")
        node(tab, "train").focus()
        expect(tab.locator(".pj-Run-details .pj-Run-values")).to_have_text("Inputslr = 0.1")
        screen.shoot("run-running")
        (work / "gate").touch()
        expect(tab.locator(".pj-JobView-header")).to_contain_text("Succeeded")
        expect(node(tab, "publish")).to_contain_text("✓ out = 0.93 > 0.9")
        expect(node(tab, "try-again")).to_have_attribute("data-status", "skipped")
        expect(node(tab, "rates")).to_contain_text("2/2 ✓")
        expect(tab.locator(".pj-Run-notes")).to_contain_text("Outputsaccuracy = 0.93")
        expect(tab.locator(".pj-Run-details .pj-Run-values")).to_have_text("Inputslr = 0.1Outputsout = 0.93")
        expect(card(screen, run)).to_contain_text("Succeeded")
        node(tab, "rates").click()
        expect(tab.locator(".pj-Run-node")).to_have_count(2)
        expect(node(tab, "rates[1]")).to_contain_text("0.3")
        tab.get_by_role("navigation").get_by_role("button", name="iris-pipeline").click()
        node(tab, "train").click()
        job = screen.page.locator(f"[id='pai-jupyter-job-{run.jobs[2].id}']")
        expect(job.locator(".pj-JobView-name")).to_have_text("iris-pipeline.train")
        assert screen.errors == []


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_axe_finds_no_fault_in_a_run(browser: Browser, server: Server, work: Path, theme: str) -> None:
    if not AXE.is_file():
        lacking("node", "axe-core is not installed")
    run = waiting_run(work)
    (work / "gate").touch()
    run.wait(60)
    with panelled(browser, server, f"runs-axe-{theme}") as screen:
        screen.page.add_script_tag(path=AXE)
        screen.use_theme(theme)
        tab = shown(screen, run)
        node(tab, "publish").focus()
        expect(tab.locator(".pj-Run-details")).to_contain_text("Condition: out = 0.93 > 0.9 – met")
        screen.shoot(f"run-{theme.lower()}")
        found = faults(screen, ".pj-Run") + faults(screen, ".pj-Runs")
        tab.get_by_role("button", name="Table").click()
        tab.get_by_role("row", name=re.compile("rates")).click()
        expect(tab.get_by_role("row", name=re.compile("^train"))).to_contain_text("out = 0.93")
        screen.shoot(f"run-table-{theme.lower()}")
        tab.get_by_role("button", name="Run again with…").click()
        expect(tab.get_by_label("Run again from")).to_be_focused()
        card(screen, run).get_by_role("button", name=re.compile("^Run again with")).click()
        expect(card(screen, run).get_by_label("Run again from")).to_be_focused()
        found += faults(screen, ".pj-Runs")
        assert found + faults(screen, ".pj-Run") == []
        assert screen.errors == []


def test_keys_lead_through_graph_and_table(browser: Browser, server: Server, work: Path) -> None:
    run = waiting_run(work)
    with panelled(browser, server, "runs-keys") as screen:
        tab = shown(screen, run)
        keyboard = screen.page.keyboard
        node(tab, "prepare").focus()
        keyboard.press("ArrowDown")
        expect(node(tab, "train")).to_be_focused()
        keyboard.press("ArrowUp")
        keyboard.press("Enter")
        expect(node(tab, "prepare/clean")).to_be_focused()
        tab.get_by_role("button", name="Table").click()
        rows = tab.get_by_role("treegrid").locator("tbody").get_by_role("row")
        expect(rows).to_have_count(5)
        rows.first.focus()
        for key in ("ArrowRight", "ArrowDown"):
            keyboard.press(key)
        expect(rows).to_have_count(7)
        expect(rows.nth(1)).to_be_focused()
        expect(rows.nth(1)).to_have_attribute("aria-level", "2")
        keyboard.press("Enter")
        expect(screen.page.locator(f"[id='pai-jupyter-job-{run.jobs[0].id}']")).to_be_visible()
        assert screen.errors == []


def test_a_run_is_stopped_run_again_and_deleted_and_its_tab_comes_back(
    browser: Browser, server: Server, work: Path
) -> None:
    run = waiting_run(work)
    with panelled(browser, server, "runs-stop") as screen:
        tab = shown(screen, run)
        wait_for(lambda: has_saved_layout(server, run.id))
        screen.page.goto(f"{server.url}/lab?token={server.token}")  # with the layout that was saved
        expect(node(tab, "train")).to_be_visible()
        if not Sidebar(screen.page).root.is_visible():
            Sidebar(screen.page).open()
        tab.get_by_role("button", name="Stop", exact=True).click()
        tab.get_by_role("group", name=re.compile("^Stop iris-pipeline")).get_by_role("button", name="Stop").click()
        expect(tab.locator(".pj-JobView-header")).to_contain_text("Stopped")
        (work / "gate").touch()
        tab.get_by_role("button", name="Run again", exact=True).click()
        tab.locator(".pj-Run-asked").get_by_role("button", name="Open").click()
        again = screen.page.locator(".pj-JobTab .pj-Run:visible")
        expect(again.locator(".pj-JobView-header")).to_contain_text("Succeeded")
        expect(node(again, "prepare")).to_have_attribute("data-status", "succeeded")
        old = unfold(screen, "Runs", folded="Jobs").locator(".pj-Runs-card").filter(has_text="Stopped")
        old.get_by_role("button", name=re.compile("^Delete")).click()
        old.get_by_role("group").get_by_role("button", name="Delete", exact=True).click()
        wait_for(lambda: not run.folder.exists())
        assert screen.errors == []


def test_the_list_of_jobs_folds_those_of_a_run(browser: Browser, server: Server, work: Path) -> None:
    run = waiting_run(work)
    with panelled(browser, server, "runs-fold") as screen:
        panel = Sidebar(screen.page)
        fold = panel.list.locator(".pj-Panel-fold").first
        apart = f"( [^,]*,)? Run, 3 jobs, 1 running,( {run.id},)?"  # there may be others of its name
        expect(fold).to_have_accessible_name(re.compile(f"^iris-pipeline,{apart} folded$"))
        fold.click()
        expect(panel.row("train, Running")).to_be_visible()
        screen.shoot("runs-fold")
        panel.list.press("Enter")  # on the list: JupyterLab's launcher, which comes late, may have taken the focus
        expect(screen.page.locator(f"[id='pai-jupyter-run-{run.id}']")).to_be_visible()
        assert screen.errors == []


def test_runs_of_one_name_are_told_apart_and_each_end_once(browser: Browser, server: Server, work: Path) -> None:
    runs = {lr: waiting_run(work, lr) for lr in (0.3, 0.5)}
    with panelled(browser, server, "runs-apart") as screen:
        panel, toasts = Sidebar(screen.page), screen.page.locator(".Toastify__toast")
        for lr, run in runs.items():
            fold = panel.list.locator(".pj-Panel-fold").filter(has_text=run.id)
            expect(fold).to_have_accessible_name(re.compile(rf"^iris-pipeline, lr={lr}, Run, 3 jobs, .*{run.id}"))
        (work / "gate").touch()
        for lr, run in runs.items():
            told = toasts.filter(has_text=f"Run iris-pipeline · lr={lr}")
            told.hover()  # or it goes after some seconds
            expect(told).to_contain_text("Succeeded")
            expect(toasts.filter(has_not_text="Run iris-pipeline")).to_have_count(0)  # for none of its jobs
            screen.shoot(f"runs-told-{lr}")
            told.get_by_role("button", name="Open").click()
            expect(screen.page.locator(f"[id='pai-jupyter-run-{run.id}']")).to_be_visible()
        section = unfold(screen, "Runs", folded="Jobs")
        for lr, run in runs.items():
            card = section.locator(".pj-Runs-card").filter(has_text=run.id)
            expect(card).to_contain_text(f"lr = {lr}, api_key = ***")
            expect(card.get_by_role("button", name=f"Run again: iris-pipeline · lr={lr} ({run.id})")).to_be_visible()
        screen.shoot("runs-apart")
        assert screen.errors == []


def test_a_saved_run_is_live_and_a_hostile_one_is_text(browser: Browser, server: Server, work: Path) -> None:
    run = waiting_run(work)
    evil = "<img src=data:, onerror=window.__pwned=1>"
    payload = {"schema": 1, "id": run.id, "name": "iris-pipeline", "status": "running", "at": "2026-11-21T06:30:00Z"}
    payload |= {"created": "2026-11-21T06:29:00Z", "ended": "", "counts": {}, "is_here": True, "is_plan": False}
    bundles: list[dict[str, object]] = [
        {RUN_MIME: payload, "text/plain": "saved"},
        {RUN_MIME: {**payload, "id": "../../api"}, "text/plain": "an id of nobody"},
        {RUN_MIME: {**payload, "id": "none", "name": evil}, "text/html": f"<b>static</b>{evil}", "text/plain": "saved"},
        {RUN_MIME: {**payload, "counts": evil}, "text/plain": evil},
    ]
    server.write("saved-run.ipynb", "1", outputs=bundles)
    with opened(browser, server, "saved-run.ipynb") as screen:
        expect(screen.page.locator(".jp-OutputArea-output .pj-Run-node")).to_have_count(5)
        for text in ("an id of nobody", "static", evil):
            expect(screen.page.locator(".jp-OutputArea-output", has_text=text).first).to_be_visible()
        assert screen.page.evaluate("window.__pwned") is None
        screen.shoot("run-in-a-cell")
        assert screen.errors == []


def test_it_speaks_chinese(browser: Browser, tmp_path: Path, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with jupyter(tmp_path / "zh", PAI_JUPYTER_LANG="zh_CN.UTF-8", PYTHONPATH=str(ROOT)) as server:
        monkeypatch.setenv("PAI_JUPYTER_HOME", str(server.home))
        (work / "gate").touch()
        run = start_run(pipeline(work))
        run.wait(60)
        with panelled(browser, server, "runs-zh") as screen:
            section = unfold(screen, "运行", folded="作业")
            section.get_by_role("button", name="iris-pipeline", exact=True).click()
            tab = screen.page.locator(".pj-JobTab .pj-Run")
            node(tab, "try-again").focus()
            expect(tab.locator(".pj-Run-details")).to_contain_text("条件：out = 0.93 <= 0.9 – 不满足")
            screen.shoot("run-zh")
            said = tab.inner_text() + section.inner_text()
            names = "iris|pipeline|prepare|publish|train|xgb|try|again|rates|rate|accuracy|out|done|clean|split|api|key"
            assert set(re.findall(r"[A-Za-z]{3,}", re.sub(rf"({names})|[jr]1\w+", "", said))) == set()
            assert screen.errors == []
        for pid in drivers_of(server.home):
            os.kill(pid, signal.SIGKILL)
