"""Where the parts of a job's view are, and that they stay there: real JupyterLab, real Chromium.

Screenshots stay in tests/.work/screenshots.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.browser.view.test_job import LOAD, gate, lines, state, tab
from tests.support.browser import Screen, Server, jupyter, opened, wait_for
from tests.support.sidebar import Sidebar

__all__ = ["gate"]  # a fixture

WIDE, USUAL = {"width": 1920, "height": 1080}, {"width": 1280, "height": 800}
# Counts to a million, in steps that make the text of the progress longer and shorter.
COUNTING = """%%pai_train {name} --run
import logging, os, sys, time
logging.basicConfig(stream=sys.stdout, format="%(levelname)s %(name)s: %(message)s", level=logging.INFO)
log = logging.getLogger("counting")
for done in (1, 2, 9, 10, 99, 100, 999, 1_000, 9_999, 10_000, 99_999, 100_000, 400_000):
    print(f"step {{done}}/1000000 loss={{1 / done}} val_loss={{1.5 / done}} lr=0.001", flush=True)
    time.sleep(0.1)
log.warning("the learning rate is high")
log.error("a batch was lost")
print("step 400000/1000000 accuracy=0.9375", flush=True)
while not os.path.exists({gate!r}):
    time.sleep(0.02)
{end}
"""
# Keeps in `places` where the tabs and the bar have been in the view, frame by frame.
WATCH = """view => {
    const places = new Set();
    const look = () => {
        const { left, top } = view.getBoundingClientRect();
        const parts = ['[role=tablist]', '[role=tab]:last-child', '[role=progressbar]'];
        const boxes = parts.map(part => view.querySelector(part).getBoundingClientRect());
        places.add(JSON.stringify(boxes.map(box => [box.left - left, box.top - top, box.width])));
        requestAnimationFrame(look);
    };
    look();
    view.places = places;
}"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with jupyter(tmp_path_factory.mktemp("layout")) as server:
        yield server


def counting(server: Server, name: str, gate: Path, end: str = "print('done')") -> str:
    """A notebook with a job that counts; it ends when the gate is open."""
    server.write(f"{name}.ipynb", LOAD, COUNTING.format(name=name, gate=str(gate), end=end))
    return f"{name}.ipynb"


def has_counted(view: Locator) -> None:
    expect(view.locator(".pj-JobView-progressText")).to_contain_text("step 400000/1000000")
    expect(lines(view).filter(has_text="accuracy=0.9375")).to_be_visible()


@pytest.mark.parametrize("viewport", [USUAL, WIDE], ids=["usual", "wide"])
def test_bar_and_tabs_keep_their_place_while_a_job_goes_on_and_ends(
    browser: Browser, server: Server, gate: Path, viewport: dict[str, int]
) -> None:
    notebook = counting(server, f"steady-{viewport['width']}", gate)
    with opened(browser, server, notebook, viewport=viewport) as screen:
        screen.run_all()
        expect(screen.view.get_by_role("progressbar")).to_be_visible()
        screen.view.evaluate(WATCH)
        has_counted(screen.view)
        screen.shoot(f"layout-steady-{viewport['width']}")
        gate.touch()
        expect(state(screen.view)).to_contain_text("Succeeded")
        assert screen.view.evaluate("view => [...view.places]") == screen.view.evaluate("view => [[...view.places][0]]")
        assert screen.errors == []


def test_the_bar_of_a_failed_job_is_not_full(browser: Browser, server: Server, gate: Path) -> None:
    gate.touch()
    end = "print('step 1000000/1000000', flush=True)\nraise ValueError('at the very end')"
    with opened(browser, server, counting(server, "failing", gate, end)) as screen:
        screen.run_all()
        expect(state(screen.view)).to_contain_text("Failed")
        bar = screen.view.get_by_role("progressbar")
        expect(bar).to_have_attribute("aria-valuenow", "99")
        full, filled = (part.bounding_box() for part in (bar, bar.locator("span")))
        assert full is not None
        assert filled is not None
        assert filled["width"] < full["width"] - 4
        expect(screen.view.locator(".pj-JobView-progressText")).to_have_text("step 1000000/1000000")
        screen.shoot("layout-failed")


def test_a_cell_has_room_for_two_rows_of_charts_and_leads_to_a_tab(
    browser: Browser, server: Server, gate: Path
) -> None:
    with opened(browser, server, counting(server, "roomy", gate), viewport=USUAL) as screen:
        screen.run_all()
        has_counted(screen.view)
        tab(screen.view, "Metrics")
        expect(screen.view.locator(".pj-JobView-card")).to_have_count(4)
        panel = screen.view.get_by_role("tabpanel", name="Metrics")
        box, card = panel.bounding_box(), screen.view.locator(".pj-JobView-card").first.bounding_box()
        assert box is not None
        assert card is not None
        assert box["height"] > 2 * card["height"]
        tab(screen.view, "TensorBoard")
        board = screen.view.get_by_role("tabpanel", name="TensorBoard")
        wait_for(lambda: (board.bounding_box() or box)["height"] >= 560)
        screen.view.get_by_role("button", name="More actions").click()
        screen.shoot("layout-menu")
        screen.view.get_by_role("menuitem", name="Open in tab").click()
        tabs = Sidebar(screen.page).tabs
        expect(state(tabs)).to_contain_text("Running")
        tabs.get_by_role("button", name="More actions").click()
        expect(tabs.get_by_role("menuitem", name="Rerun…")).to_be_visible()
        expect(tabs.get_by_role("menuitem", name="Open in tab")).to_have_count(0)
        gate.touch()
        expect(state(tabs)).to_contain_text("Succeeded")
        assert screen.errors == []


def test_errors_and_warnings_stand_out_and_times_come_on_demand(browser: Browser, server: Server, gate: Path) -> None:
    with opened(browser, server, counting(server, "levels", gate), viewport=USUAL) as screen:
        screen.run_all()
        has_counted(screen.view)
        screen.view.locator(".pj-JobView-log").scroll_into_view_if_needed()
        looks(screen, "layout-levels")
        for theme in ("Light", "Dark"):
            screen.use_theme(theme)
            texts = ("loss=", "WARNING counting", "ERROR counting")
            assert len({color(lines(screen.view).filter(has_text=text).last) for text in texts}) == 3
        line = lines(screen.view).filter(has_text="ERROR counting")
        assert stamp(line) in ("none", "normal")
        screen.view.get_by_role("button", name="Times").click()
        wait_for(lambda: re.fullmatch(r'"\d\d:\d\d:\d\d"', stamp(line)))
        expect(line).to_have_text("ERROR counting: a batch was lost")
        screen.shoot("layout-times")
        assert screen.errors == []


def color(place: Locator) -> str:
    return str(place.evaluate("place => getComputedStyle(place).color"))


def stamp(line: Locator) -> str:
    """What stands before a line without being part of it."""
    return str(line.evaluate("line => getComputedStyle(line, '::before').content"))


def test_a_single_value_is_a_number_and_one_chart_has_what_shares_a_scale(
    browser: Browser, server: Server, gate: Path
) -> None:
    with opened(browser, server, counting(server, "single", gate), viewport=WIDE) as screen:
        screen.run_all()
        has_counted(screen.view)
        tab(screen.view, "Metrics")
        card = screen.view.locator(".pj-JobView-card", has=screen.page.get_by_role("heading", name="accuracy"))
        expect(card.locator(".pj-JobView-figure")).to_have_text("0.9375")
        expect(card.locator("canvas")).to_have_count(0)
        expect(screen.view.locator(".pj-JobView-card canvas")).to_have_count(3)
        looks(screen, "layout-metrics")
        screen.view.get_by_role("button", name="One chart").click()
        expect(screen.view.locator(".pj-JobView-card h4")).to_have_text(["loss, val_loss", "accuracy", "lr"])
        screen.shoot("layout-one-chart")
        assert screen.errors == []


def looks(screen: Screen, name: str) -> None:
    """Keep what is on screen, in both themes."""
    for theme in ("Dark", "Light"):
        screen.use_theme(theme)
        screen.shoot(f"{name}-{theme.lower()}")
