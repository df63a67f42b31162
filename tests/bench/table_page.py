"""The runs table in a real JupyterLab and a real Chromium: opened, sorted, filtered, scrolled. Times are those of the page."""

import statistics
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, ViewportSize

from tests.bench.harness import Row, at_most
from tests.bench.pages import Stretch, Watched
from tests.bench.table_jobs import runs
from tests.support.browser import Screen, Server, chromium, jupyter, load
from tests.support.sidepanel import HAS_PANEL

PAGES = 3
VIEWPORT: ViewportSize = {"width": 1280, "height": 1000}
QUIET: dict[str, dict[str, object]] = {"pai-jupyter/panel": {"showCounts": False, "notifyEnd": False}}
OPEN = """() => {
    bench.asked = performance.now();
    void jupyterapp.commands.execute('pai-jupyter:show-runs-table');
}"""
FIRST = "document.querySelector('.pj-Table-row[data-at=\"0\"]')?.firstElementChild?.textContent"
DRAWN = """(rows => rows.length > 20 && rows.every(row => row.offsetParent && row.textContent.startsWith('run-')))(
    [...document.querySelectorAll('.pj-Table-body > .pj-Table-row')])"""
FRAMES = 200
SCROLL = f"""async step => {{
    const box = document.querySelector('.pj-Table-grid');
    box.scrollTop = 0;
    for (let frame = 0; frame < {FRAMES}; frame += 1) {{
        await new Promise(requestAnimationFrame);
        box.scrollTop += step || box.scrollHeight / {FRAMES};
    }}
    await new Promise(requestAnimationFrame);
}}"""


def rows_of_page(home: Path, place: Path) -> Iterator[Row]:
    """`home` has the jobs of `table_jobs`, and its cache; `place` is for the server."""
    place.mkdir()
    (place / "jobs").symlink_to(home)
    with jupyter(place, settings=QUIET) as server, chromium() as browser:
        opened = []
        for _ in range(PAGES):
            with _page(browser, server) as page:
                opened.append(_open(page))
                if len(opened) == PAGES:
                    yield at_most("in Chromium, a new server: opened (/ 500 ms)", opened[0], 500, 1, "ms")
                    yield at_most("  opened in another page (/ 500 ms)", min(opened[1:]), 500, 1, "ms")
                    yield from _questions(page)
                    yield from _scrolling(page)


@contextmanager
def _page(browser: Browser, server: Server) -> Iterator[Watched]:
    page = browser.new_page(viewport=VIEWPORT)
    try:
        watched = Watched(page)
        load(
            Screen(page=page, server=server, notebook="table"),
            f"{server.url}/lab?reset&token={server.token}",
            HAS_PANEL,
        )
        page.wait_for_load_state("networkidle")  # else JupyterLab's own beginning is what is measured
        yield watched
    finally:
        page.close()


def _open(page: Watched) -> float:
    """Milliseconds from the command to its rows on screen."""
    page.await_seen("drawn", DRAWN)
    page.page.evaluate(OPEN)
    asked: float = page.moment("drawn") - page.page.evaluate("bench.asked")
    return asked


def _questions(page: Watched) -> Iterator[Row]:
    rates = {f"run-{number}": float(values["lr"]) for number, (values, _) in enumerate(runs())}
    order = sorted(rates, key=lambda name: rates[name])
    sorts = [_sort(page, order[0]), _sort(page, order[-1]), _sort(page, order[0]), _sort(page, order[-1])]
    yield at_most("  a heading clicked: sorted rows (/ 100 ms)", min(sorts), 100, 1, "ms")
    box = page.page.get_by_role("searchbox", name="Filter runs")
    box.click()
    found = []
    for number in range(1, 5):
        page.page.keyboard.press("ControlOrMeta+a")
        page.page.keyboard.insert_text(f"lr<0.{number}")
        page.await_seen(
            "found", f"{FIRST} === '{max((n for n in order if rates[n] < number / 10), key=rates.__getitem__)}'"
        )
        page.page.keyboard.press("Enter")
        found.append(page.moment("found") - page.pressed)
    yield at_most("  Enter in the filter: rows (/ 100 ms)", min(found), 100, 1, "ms")
    box.fill("")
    page.page.keyboard.press("Enter")
    page.page.wait_for_function(f"{FIRST} === '{order[-1]}'")


def _sort(page: Watched, first: str) -> float:
    page.await_seen("sorted", f"{FIRST} === '{first}'")
    page.page.get_by_role("columnheader").get_by_text("lr", exact=True).click()
    return page.moment("sorted") - page.pressed


def _scrolling(page: Watched) -> Iterator[Row]:
    for name, step in (("scrolled by four lines a frame", 112), ("scrolled from top to bottom", 0)):
        stretches = [_scrolled(page, step) for _ in range(PAGES)]
        best = min(stretches, key=lambda stretch: stretch.p95)
        yield at_most(f"  {name}: median frame (/ 17 ms)", statistics.median(best.frames), 17, 1, "ms")
        yield at_most("    p95 of frames (/ 34 ms)", best.p95, 34, 1, "ms")


def _scrolled(page: Watched, step: int) -> Stretch:
    page.begin()
    page.page.evaluate(SCROLL, step)
    return page.end()
