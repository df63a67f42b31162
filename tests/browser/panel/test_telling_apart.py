"""Runs of one name told apart in a real JupyterLab: rows, filter, the question before a deletion, a comparison's legends; a
clone with the values of its run, and the Source tab that begins with them. Screenshots are kept.
"""

import json
import re
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import Browser, expect

from pai_jupyter.events import Metric, Status, StatusChanged
from pai_jupyter.package import build
from tests.browser.panel.test_compare import COMPARISON, is_drawn
from tests.support.browser import Screen, Server, opened, wait_for
from tests.support.sidebar import Sidebar
from tests.support.wire import RecordedJob

CELL = "%%pai_train sweep --backend process\nlr: float = 0.1  # hp: [1e-5..1] log\nbatch: int = 64\nseed: int = 1\nprint(lr, batch)\n"
RUNS = ((0.1, 64), (0.3, 64), (0.3, 128))


def ran(number: int, lr: float, batch: int) -> RecordedJob:
    """A job of the cell with these values, whose last metric to come up is the learning rate."""
    job = RecordedJob(f"sweep-{number}", name="sweep", hyperparameters={"lr": lr, "batch": batch, "seed": 1})
    script = CELL.replace("%%", "# %%")
    build(None, to=job.folder.path / "package.tar.gz", files={"train.py": script.encode()})
    record = replace(job.folder.record, cell=CELL, entry_point="train.py", created=time.time() - 60 * number)
    (job.folder.path / "job.json").write_text(json.dumps(record.to_json()))
    job.record(StatusChanged(status=Status.RUNNING, time=time.time() - 50))
    for step in range(30):
        for name, value in (("loss", 1 / (step + lr)), ("accuracy", 1 - 1 / (step + 2 + lr)), ("lr", lr)):
            job.record(Metric(name=name, value=value, step=step, time=time.time() - 40 + step))
    job.record(StatusChanged(status=Status.SUCCEEDED if number else Status.FAILED, time=time.time() - 5))
    return job


@pytest.fixture(scope="module")
def runs(server: Server) -> Iterator[list[RecordedJob]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PAI_JUPYTER_HOME", str(server.home))
        jobs = [ran(number, *values) for number, values in enumerate(RUNS)]
    yield jobs
    for job in jobs:
        job.release()


@pytest.fixture
def screen(browser: Browser, server: Server, runs: list[RecordedJob]) -> Iterator[Screen]:
    with opened(browser, server, "empty.ipynb") as screen:
        Sidebar(screen.page).open()
        expect(Sidebar(screen.page).rows).to_have_count(len(runs))
        yield screen
        assert screen.errors == []


def test_rows_of_one_name_say_what_differs_and_the_metric_that_is_known_best(screen: Screen) -> None:
    panel = Sidebar(screen.page)
    for text in ("sweep, lr=0.1 batch=64, Failed", "sweep, lr=0.3 batch=64, ", "sweep, lr=0.3 batch=128, "):
        expect(panel.row(text)).to_have_count(1)
    expect(panel.rows.first.locator(".pj-Panel-metric")).to_contain_text("accuracy 0.96")
    expect(panel.rows.first.locator(".pj-Panel-spark path")).to_have_attribute("d", re.compile("L"))
    screen.shoot("apart-rows")


def test_the_filter_finds_values_and_states(screen: Screen) -> None:
    panel = Sidebar(screen.page)
    for text, count in (
        ("lr=0.3", 2),
        ("lr=0.3 batch=128", 1),
        ("failed", 1),
        ("lr=0.10", 1),
        ("lr=0.", 3),
        ("lr=7", 0),
    ):
        panel.jobs.get_by_role("searchbox").fill(text)
        expect(panel.rows).to_have_count(count)
    panel.jobs.get_by_role("searchbox").fill("")


def test_a_deletion_says_which_of_them_it_deletes(screen: Screen) -> None:
    panel = Sidebar(screen.page)
    panel.row("sweep, lr=0.3 batch=64").click()
    panel.choose("Delete")
    expect(panel.jobs).to_contain_text("Delete sweep · lr=0.3 batch=64 (sweep-1) with all logs")
    screen.shoot("apart-delete")
    panel.confirm("Keep")


def test_legends_of_a_comparison_say_what_differs(screen: Screen) -> None:
    panel = Sidebar(screen.page)
    panel.rows.first.click()
    panel.rows.last.click(modifiers=["Shift"])
    panel.choose("Compare")
    comparison = screen.page.locator(COMPARISON)
    chart = comparison.locator(".pj-JobView-card", has_text="accuracy")
    chart.scroll_into_view_if_needed()
    wait_for(lambda: is_drawn(chart))
    labels = chart.locator(".pj-JobView-legendLabel")
    expect(labels).to_have_text(["lr=0.1 batch=64", "lr=0.3 batch=64", "lr=0.3 batch=128"])
    screen.shoot("apart-legends")


def test_a_clone_runs_with_the_values_of_the_run(screen: Screen) -> None:
    panel = Sidebar(screen.page)
    panel.row("sweep, lr=0.3 batch=128").click()
    panel.choose("Clone to a new cell")
    cell = screen.page.locator(".jp-CodeCell .cm-content", has_text="%%pai_train sweep")
    expect(cell.locator(".cm-line").first).to_have_text("%%pai_train sweep --backend process -p lr=0.3 -p batch=128")
    screen.shoot("apart-clone")


def test_the_source_tab_begins_with_the_values_and_marks_the_lines_that_say_others(screen: Screen) -> None:
    panel = Sidebar(screen.page)
    panel.row("sweep, lr=0.3 batch=128").dblclick()
    view = panel.tabs
    view.get_by_role("tab", name="Source", exact=True).click()
    expect(view.get_by_role("table", name="Hyperparameters").locator("thead")).to_have_text("NameValueIn the cell")
    marked = view.locator(".pj-JobView-codeLine[data-changed]")
    expect(marked).to_have_count(2)
    expect(marked.first).to_contain_text("ran with lr = 0.3")
    assert view.get_by_role("table", name="Hyperparameters").bounding_box()["y"] < marked.first.bounding_box()["y"]  # type: ignore[index]  # both are shown
    for theme in ("Dark", "Light"):
        screen.use_theme(theme)
        screen.shoot(f"apart-source-{theme.lower()}")
