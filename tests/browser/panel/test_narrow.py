"""Rows of jobs in the side panel as JupyterLab opens it, 250 pixels wide: the number of the metric is seen."""

import json
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import Browser, expect

from pai_jupyter.events import Metric, Status, StatusChanged
from pai_jupyter.store import AnnotationChange, JobStore
from tests.support.browser import Server
from tests.support.lists import record
from tests.support.sidebar import Sidebar
from tests.support.sidepanel import panelled, widen
from tests.support.wire import RecordedJob

METRICS = {"measured": "accuracy", "unmeasured": ""}


def ran(name: str, metric: str) -> RecordedJob:
    """A job of a notebook with a long name that has ended."""
    job = RecordedJob(name, name=name)
    record = replace(job.folder.record, notebook="my-notebook-with-a-name.ipynb", created=time.time() - 60)
    (job.folder.path / "job.json").write_text(json.dumps(record.to_json()))
    job.record(StatusChanged(status=Status.RUNNING, time=time.time() - 50))
    for step in range(20):
        if metric:
            job.record(Metric(name=metric, value=1 - 1 / (step + 2), step=step, time=time.time() - 40 + step))
    job.record(StatusChanged(status=Status.SUCCEEDED, time=time.time() - 5))
    return job


@pytest.fixture(scope="module")
def jobs(server: Server) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PAI_JUPYTER_HOME", str(server.home))
        made = [ran(name, metric) for name, metric in METRICS.items()]
    yield
    for job in made:
        job.release()


def test_a_long_tag_makes_nothing_wider_names_go_before_tags_and_all_tabs_of_a_job_are_seen(
    browser: Browser, server: Server
) -> None:
    store, tag = JobStore(server.home), "a-tag-of-fifty-characters-" + 24 * "x"
    record("tagged", store=store, name="the best one", created=time.time()).annotate(AnnotationChange(add=(tag, "b")))
    with panelled(browser, server, "narrow-tags", viewport={"width": 900, "height": 700}) as screen:
        panel = Sidebar(screen.page)
        row = panel.row("the best one")
        expect(row.locator(".pj-Panel-tagCount")).to_have_text("+2")
        assert row.locator(".pj-Panel-name").evaluate("e => e.scrollWidth <= e.clientWidth"), "the name is cut off"
        assert panel.jobs.evaluate("e => e.scrollWidth <= e.clientWidth"), "a long tag makes the panel wider"
        expect(panel.jobs.get_by_label("Sort by")).to_be_in_viewport(ratio=1)
        row.dblclick()
        tabs = panel.tabs.get_by_role("tablist")
        expect(tabs.get_by_role("tab", name="Environment")).to_be_visible()
        screen.page.set_viewport_size({"width": 640, "height": 700})
        seen = tabs.evaluate("list => [...list.children].every(e => e.offsetLeft + e.offsetWidth <= list.clientWidth)")
        assert seen, "tabs are out of sight"
        screen.shoot("narrow-tags")
        assert screen.errors == []


@pytest.mark.usefixtures("jobs")
@pytest.mark.parametrize("size", [(1280, 800), (1920, 1080)], ids=["1280", "1920"])
def test_the_metric_of_a_row_is_seen_at_the_width_that_the_panel_has_at_first(
    browser: Browser, server: Server, size: tuple[int, int]
) -> None:
    with panelled(browser, server, f"narrow-{size[0]}", viewport={"width": size[0], "height": size[1]}) as screen:
        panel = Sidebar(screen.page)
        row = panel.row("measured, Succeeded").filter(has=screen.page.locator(".pj-Panel-metric", has_text="accuracy"))
        metric = row.locator(".pj-Panel-metric")
        expect(metric).to_be_visible()
        expect(metric).to_have_text("accuracy 0.9524")
        assert metric.evaluate("e => e.scrollWidth <= e.clientWidth"), "the metric is cut off"
        word = row.locator(".pj-Panel-word")
        line = row.locator(".pj-Panel-line")
        assert word.evaluate("e => e.offsetWidth") <= line.evaluate("e => e.clientWidth"), "the state is cut off"
        expect(row.locator(".pj-Panel-notebook")).to_be_hidden()
        expect(panel.row("unmeasured, Succeeded").locator(".pj-Panel-notebook")).to_be_visible()
        splash = screen.page.locator("#jupyterlab-splash")
        for theme in ("Dark", "Light"):
            expect(splash).to_have_count(0)
            screen.use_theme(theme)
            expect(splash).to_have_count(0)
            screen.shoot(f"narrow-{size[0]}-{theme.lower()}")
        widen(screen, 520)
        expect(row.locator(".pj-Panel-notebook")).to_be_visible()
        expect(metric).to_be_visible()
        assert screen.errors == []
