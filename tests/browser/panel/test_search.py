"""The filter box of the panel and %pai_jobs: one search, one order, in a real JupyterLab."""

import re

import pytest
from playwright.sync_api import Browser, expect

from pai_jupyter.events import Status
from pai_jupyter.store import JobStore
from tests.support.browser import Server, opened
from tests.support.lists import BEGAN, loss, record
from tests.support.sidebar import Sidebar

SORTS = {"created": "Newest first", "ended": "Last finished first", "status": "By state", "name": "By name"}


@pytest.fixture(scope="module", autouse=True)
def _jobs(server: Server) -> None:
    """Jobs that have ended, in the server's home."""
    store = JobStore(server.home)
    for number in range(12):
        status = Status.FAILED if number % 3 == 0 else Status.SUCCEEDED
        values = {"lr": number / 10, "opt": "adam"}
        name, place = f"iris-{number}", f"{'docker' if number % 2 else 'process'} (asked for)"
        record(
            f"j{number:02}", loss(0.5), status=status, store=store, name=name, values=values, place=place,
            created=BEGAN + 60 * (number % 5), notebook="work/iris.ipynb" if number < 6 else None,
        )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "count"),
    [("", 12), ("state:failed", 4), ("iris lr=.30", 1), ("backend:docker notebook:iris", 3), ("失败", 4)],
)
def test_the_box_and_the_magic_list_the_same_jobs_in_the_same_order(
    browser: Browser, server: Server, text: str, count: int
) -> None:
    name = f"search-{count}-{len(text)}.ipynb"  # a kernel of its own
    server.write(name, "%load_ext pai_jupyter", *(f"%pai_jobs {text} --sort {sort}" for sort in SORTS))
    with opened(browser, server, name) as screen:
        panel = Sidebar(screen.page)
        panel.open()
        screen.run_all()
        box = panel.jobs.get_by_label("Filter jobs")
        box.fill(text)
        tables = screen.page.locator(".jp-OutputArea-output table")
        expect(tables).to_have_count(len(SORTS))
        for number, label in enumerate(SORTS.values()):
            panel.jobs.get_by_label("Sort by").select_option(label=label)
            ids = tables.nth(number).locator("tbody tr td:last-child").all_inner_texts()
            assert len(ids) == count
            names = [re.sub(r"^j0?", "iris-", each) for each in ids]
            expect(panel.rows.locator(".pj-Panel-name")).to_have_text(names)
        screen.shoot(f"panel-search-{count}")
        assert screen.errors == []


def test_a_search_holds_when_the_page_watches_anew_and_says_when_nothing_fits(browser: Browser, server: Server) -> None:
    with opened(browser, server, "empty.ipynb") as screen:
        panel = Sidebar(screen.page)
        panel.open()
        box = panel.jobs.get_by_label("Filter jobs")
        expect(box).to_have_attribute("title", re.compile("state:failed lr=0.3"))
        box.fill("lr=0.7")
        expect(panel.rows).to_have_count(1)
        panel.icon.click()
        expect(panel.root).to_be_hidden()
        panel.icon.click()
        expect(panel.rows).to_have_count(1)
        box.fill("lr=0.7 state:failed")
        expect(panel.jobs.get_by_text("No matching jobs")).to_be_visible()
        panel.jobs.get_by_role("button", name="Clear filters").click()
        expect(panel.rows.first).to_be_visible()
        expect(box).to_have_value("")
