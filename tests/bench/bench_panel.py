"""The list of jobs in the side panel of a real JupyterLab in a real Chromium: opened, and scrolled from top to bottom.

Nothing is known of jobs before the panel is opened: what counts them meanwhile is switched off. What is scrolled is compared
with as many plain rows, all of them in their page, which have nothing to do but to move. A goal that is no ratio stands
behind a "/" in the name of its row.
"""

import json
import statistics
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from playwright.sync_api import Browser, ViewportSize

from tests.bench.harness import Row, at_most, below
from tests.bench.listed import ENDED, GOING, make_ended, recording
from tests.bench.pages import Stretch, Watched, notebook
from tests.support.browser import Server, chromium, jupyter

RUNS = 4
SLOW = 50.0  # milliseconds
VIEWPORT: ViewportSize = {"width": 1280, "height": 1000}
FRAMES = 150  # from top to bottom
QUIET = {"showCounts": False, "notifyEnd": False}
ICON = "#jp-main-content-panel .lm-TabBar-tab[data-id=pai-jupyter-panel]"
LIST = ".pj-Panel-list"
DRAWN = """(rows => rows.length > 8 && rows.every(row => row.offsetParent && row.textContent))(
    [...document.querySelectorAll('.pj-Panel-row')])"""
PLAIN = f"""() => {{
    const box = document.createElement('div');
    box.className = 'pj-Panel-list';
    box.style = 'height: 800px; width: 300px; overflow: auto';
    for (let number = 0; number < {ENDED}; number += 1) {{
        const row = document.createElement('div');
        row.style = 'height: 44px';
        row.textContent = `job ${{number}}`;
        box.append(row);
    }}
    document.body.append(box);
}}"""
SCROLL = f"""async selector => {{
    const box = document.querySelector(selector);
    box.scrollTop = 0;
    for (let frame = 1; frame <= {FRAMES}; frame += 1) {{
        await new Promise(requestAnimationFrame);
        box.scrollTop = (box.scrollHeight - box.clientHeight) * frame / {FRAMES};
    }}
    await new Promise(requestAnimationFrame);
}}"""


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory(prefix="pai-bench-") as scratch, chromium() as browser:
        place = Path(scratch) / "jupyter"
        make_ended(place / "jobs")
        _write_settings(place / "settings")
        with jupyter(place) as server:
            yield from _opening(browser, server)
            yield from _scrolling(browser, server)


def _write_settings(folder: Path) -> None:
    (folder / "pai-jupyter").mkdir(parents=True)
    (folder / "pai-jupyter" / "panel.jupyterlab-settings").write_text(json.dumps(QUIET))


def _opening(browser: Browser, server: Server) -> Iterator[Row]:
    """In pages that know nothing yet, the first of which comes to a new server."""
    opened = []
    for _ in range(RUNS):
        with notebook(browser, server, "opened.ipynb", "") as (page, _):
            page.page.wait_for_load_state("networkidle")  # else JupyterLab's own beginning is what is measured
            opened.append(_open(page))
            page.page.locator(ICON).click()  # shuts it
            page.page.locator(LIST).wait_for(state="hidden")
            again = _open(page)
    new, known = opened[0], statistics.median(opened[1:])
    yield at_most(f"{ENDED:,} jobs, a new server: panel opened (/ 300 ms)", new, 300, 1, "ms")
    yield at_most("  in other pages (/ 300 ms)", known, 300, 1, "ms")
    yield at_most("  opened again in the same page (/ 300 ms)", again, 300, 1, "ms")


def _open(page: Watched) -> float:
    """Milliseconds from the click on the panel's icon to its rows on screen."""
    page.await_seen("drawn", DRAWN)
    page.page.locator(ICON).click()
    return page.moment("drawn") - page.pressed


def _scrolling(browser: Browser, server: Server) -> Iterator[Row]:
    with browser.new_page(viewport=VIEWPORT) as blank, notebook(browser, server, "scrolled.ipynb", "") as (page, _):
        plain = Watched(blank)
        blank.goto("about:blank")
        blank.evaluate(PLAIN)
        _open(page)
        page.page.wait_for_function(f"document.querySelector('{LIST}').scrollHeight > {ENDED * 40}")
        yield from _beside_plain("scrolled from top to bottom", page, plain)
        with recording(server.home):
            page.page.get_by_text(f"{ENDED + GOING} jobs, {GOING} running").wait_for()
            yield from _beside_plain(f"scrolled while {GOING} run", page, plain)


def _beside_plain(name: str, page: Watched, plain: Watched) -> Iterator[Row]:
    """Both in turn, so that a slow moment of the machine meets both."""
    pairs = [(_scrolled(page), _scrolled(plain)) for _ in range(RUNS)]
    ours, theirs = ([frame for stretch in side for frame in stretch.frames] for side in zip(*pairs, strict=True))
    yield below(f"{name}: frames over {SLOW:g} ms / plain rows", _slow(ours), _slow(theirs), 5, "%")
    yield at_most("  median frame (/ 33 ms)", statistics.median(ours), 33, 1, "ms")
    yield at_most("  longest frame (/ 200 ms)", max(ours), 200, 1, "ms")


def _scrolled(page: Watched) -> Stretch:
    page.page.bring_to_front()
    page.begin()
    page.page.evaluate(SCROLL, LIST)
    return page.end()


def _slow(frames: Sequence[float]) -> float:
    """Per cent of them."""
    return 100 * sum(frame > SLOW for frame in frames) / len(frames)
