"""The side panel in a real JupyterLab: a server whose cloud is an emulator, and pages on which the panel is open."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Locator, expect

from tests.support.browser import Screen, Server, jupyter, load, watched
from tests.support.emulators import Emulator, emulator
from tests.support.sidebar import Sidebar


@contextmanager
def clouded(place: Path, **environ: Any) -> Iterator[tuple[Server, Emulator]]:
    """A Jupyter server below `place`, and the emulator that its settings name, as after `%pai_config use emulator`. (Any: of `jupyter`)"""
    home = place / "jobs"
    home.mkdir(parents=True)
    with (
        emulator(home / "emulator") as cloud,
        jupyter(place, HOME=str(place), PAI_JUPYTER_SERVICES=cloud.address, **environ) as server,
    ):
        yield server, cloud


HAS_PANEL = """() => document.querySelector('.lm-TabBar-tab[data-id="pai-jupyter-panel"]') !== null"""


@contextmanager
def panelled(browser: Browser, server: Server, name: str, **context: Any) -> Iterator[Screen]:
    """JupyterLab without a notebook, the side panel open; `name` is that of its screenshots. (Any: of a context)"""
    with watched(browser, server, name, **context) as screen:
        reach(screen)
        yield screen


def reach(screen: Screen) -> None:
    """Load JupyterLab, anew if it is there already, and open the panel."""
    server = screen.server
    load(screen, f"{server.url}/lab?reset&token={server.token}", HAS_PANEL)
    await_launcher(screen)
    Sidebar(screen.page).open()


def await_launcher(screen: Screen) -> None:
    """Wait until JupyterLab, where nothing is open, has its launcher: it comes late, and takes the focus then."""
    expect(screen.page.locator(".jp-Launcher")).to_be_focused()


def unfold(screen: Screen, title: str, *, folded: str = "") -> Locator:
    """The section of this title, shown; `folded` is one that makes room for it."""
    side = Sidebar(screen.page)
    for each, is_open in ((folded, "false"), (title, "true")):
        if each and side.fold(each).get_attribute("aria-expanded") != is_open:
            side.fold(each).click()
            expect(side.fold(each)).to_have_attribute("aria-expanded", is_open)
    section = side.root.get_by_role("region", name=f"{title} Section", exact=True)
    expect(section.locator("> :not(p)").first).to_be_visible()
    return section


def widen(screen: Screen, pixels: int) -> None:
    """Drag the border of the side bar until it is this wide."""
    page = screen.page
    box = Sidebar(page).root.bounding_box()
    assert box is not None
    edge = box["x"] + box["width"] + 2
    page.mouse.move(edge, 500)
    page.mouse.down()
    page.mouse.move(box["x"] + pixels + 2, 500, steps=3)
    page.mouse.up()
