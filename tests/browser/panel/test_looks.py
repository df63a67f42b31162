"""How the side panel looks with many jobs and with none, light and dark, wide and narrow; axe-core and the keyboard on it.

Screenshots stay in tests/.work/screenshots.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.browser.access.test_axe import AXE, faults
from tests.browser.access.test_keyboard import unreached
from tests.support.browser import Screen, Server, jupyter, opened, wait_for
from tests.support.needs import lacking
from tests.support.sidebar import FOLDS, Sidebar, from_a_program, many_jobs, ticks

# What sticks out of the panel to the right, or is cut where nothing says so.
OVERFLOW = """root => {
    const edge = root.getBoundingClientRect().right;
    const shown = [...root.querySelectorAll('button, input, select, p, li')].filter(one => one.checkVisibility());
    const isCut = one => one.matches('button') && one.scrollWidth > one.clientWidth + 1;
    return shown.filter(one => isCut(one) || one.getBoundingClientRect().right > edge + 0.5)
        .map(one => one.outerHTML.slice(0, 200));
}"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with thirty jobs, three of which run."""
    with jupyter(tmp_path_factory.mktemp("server")) as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("PAI_JUPYTER_HOME", str(server.home))
        server.write("empty.ipynb", "1")
        with many_jobs():
            yield server


@pytest.fixture(scope="module")
def screen(browser: Browser, server: Server) -> Iterator[Screen]:
    with opened(browser, server, "empty.ipynb") as screen:
        panel = Sidebar(screen.page)
        panel.open()
        expect(panel.jobs).to_contain_text("30 jobs, 3 running")
        yield screen
        assert screen.errors == []


@pytest.fixture
def panel(screen: Screen) -> Iterator[Sidebar]:
    """The panel as it is at first: one fold is open, nothing is chosen."""
    panel = Sidebar(screen.page)
    yield panel
    screen.page.keyboard.press("Escape")
    unfold(panel, "Jobs")
    panel.jobs.get_by_role("searchbox").fill("")
    panel.list.focus()
    screen.page.keyboard.press("Escape")


def unfold(panel: Sidebar, *open_ones: str) -> None:
    """Open these folds and close the others; what they load is there."""
    for name in FOLDS:
        is_open = panel.fold(name).get_attribute("aria-expanded") == "true"
        if is_open != (name in open_ones):
            panel.fold(name).click()
    expect(panel.root.locator("[aria-busy=true]:visible")).to_have_count(0)


def widen(panel: Sidebar, width: int) -> None:
    """Drag the panel's edge until it is this wide."""
    page = panel.page
    box = panel.root.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] + 2, 500)
    page.mouse.down()
    page.mouse.move(box["x"] + width + 2, 500, steps=4)
    page.mouse.up()
    expect(panel.root).to_have_css("width", f"{width}px")


# --- looks -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("theme", ["Light", "Dark"])
@pytest.mark.parametrize("folds", [("Jobs",), FOLDS], ids=["jobs", "all"])
def test_axe_finds_no_fault_in_the_panel(screen: Screen, panel: Sidebar, theme: str, folds: tuple[str, ...]) -> None:
    if not AXE.is_file():
        lacking("node", "axe-core is not installed")
    screen.page.add_script_tag(path=AXE)
    screen.use_theme(theme)
    unfold(panel, *folds)
    panel.rows.first.click()
    panel.rows.nth(1).click(modifiers=["Shift"])
    panel.press("Stop")
    expect(panel.jobs.locator(".pj-JobView-asked")).to_be_visible()
    screen.shoot(f"panel-{'all' if len(folds) > 1 else 'jobs'}-{theme.lower()}")
    try:
        assert faults(screen, ".pj-Panel-host") == []
        panel.confirm("Keep running")
    finally:
        screen.use_theme("Light")


@pytest.mark.parametrize("width", [250, 480])
def test_everything_fits_whatever_the_width(screen: Screen, panel: Sidebar, width: int) -> None:
    widen(panel, width)
    unfold(panel, "Jobs")
    panel.rows.first.click()
    panel.rows.nth(2).click(modifiers=["Shift"])
    panel.press("Stop")
    screen.shoot(f"panel-{width}")
    assert panel.root.evaluate(OVERFLOW) == []
    panel.confirm("Keep running")
    unfold(panel, *FOLDS[1:])
    screen.shoot(f"panel-{width}-folds")
    assert panel.root.evaluate(OVERFLOW) == []
    widen(panel, 250)


def test_an_empty_panel_says_what_to_type(browser: Browser, tmp_path: Path) -> None:
    with jupyter(tmp_path / "empty") as server:
        server.write("empty.ipynb", "1")
        with opened(browser, server, "empty.ipynb") as screen:
            panel = Sidebar(screen.page)
            panel.open()
            expect(panel.jobs).to_contain_text("No jobs yet. Add %load_ext pai_jupyter and %%pai_train to a notebook")
            screen.shoot("panel-empty")
            assert screen.errors == []


# --- keyboard ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fold", FOLDS)
def test_tab_leads_to_every_control_of_a_fold_and_out_of_the_panel(screen: Screen, panel: Sidebar, fold: str) -> None:
    unfold(panel, fold)
    screen.page.mouse.move(0, 0)
    screen.page.evaluate("document.activeElement.blur()")
    host = panel.root.locator(".pj-Panel-host:visible")
    assert unreached(screen.page, host) == []


def test_a_shortcut_brings_the_panel_up_with_the_focus_in_its_list(screen: Screen, panel: Sidebar) -> None:
    panel.icon.click()  # which hides it
    expect(panel.root).to_be_hidden()
    screen.page.locator(".jp-Notebook .jp-Cell").first.click()
    screen.page.keyboard.press("Control+Alt+j")
    expect(panel.list).to_be_focused()


def chosen(panel: Sidebar) -> Locator:
    return panel.list.locator("[aria-selected=true]")


def test_keys_choose_filter_open_and_ask(screen: Screen, panel: Sidebar) -> None:
    keyboard = screen.page.keyboard
    panel.list.focus()
    keyboard.press("Home")
    for key, count in (("ArrowDown", 1), ("Shift+ArrowDown", 2), ("Control+a", 30), ("Escape", 0), ("End", 1)):
        keyboard.press(key)
        expect(panel.jobs).to_contain_text(f"{count} selected" if count else "30 jobs, 3 running")
    expect(panel.row("r-29")).to_be_in_viewport()
    keyboard.press("Delete")
    expect(panel.jobs.get_by_role("button", name="Keep", exact=True)).to_be_focused()
    keyboard.press("Enter")
    expect(panel.list).to_be_focused()
    panel.jobs.get_by_role("searchbox").focus()
    keyboard.type("训练 nothing")
    expect(panel.list).to_be_hidden()
    keyboard.press("Control+a")
    keyboard.type("训练 PAI")
    expect(panel.rows).to_have_count(2)
    panel.list.focus()
    keyboard.press("Home")
    keyboard.press("Enter")
    expect(panel.tabs).to_contain_text("训练 a-11")
    screen.page.locator(".lm-TabBar-tab.lm-mod-current .lm-TabBar-tabCloseIcon:visible").last.click()


def test_the_menu_of_a_row_opens_by_keyboard_and_speaks_of_what_is_chosen(screen: Screen, panel: Sidebar) -> None:
    panel.list.focus()
    for key in ("Home", "ArrowDown", "Shift+F10"):
        screen.page.keyboard.press(key)
    menu = screen.page.locator(".lm-Menu[data-type=menu], .lm-Menu").last
    for item in ("Open", "Insert %pai_attach", "TensorBoard", "Stop", "Rerun…", "Rerun as it was"):
        expect(menu.get_by_text(item, exact=True)).to_be_visible()
    screen.shoot("panel-menu")
    screen.page.keyboard.press("Escape")
    expect(panel.list).to_be_focused()


def test_a_job_is_deleted_by_keyboard(browser: Browser, tmp_path: Path) -> None:
    with jupyter(tmp_path / "keys") as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("PAI_JUPYTER_HOME", str(server.home))
        job = from_a_program(tmp_path, "short", "print('done')")
        kept = from_a_program(tmp_path, "kept", ticks(tmp_path / "gate"))
        server.write("empty.ipynb", "1")
        with opened(browser, server, "empty.ipynb") as screen:
            screen.page.keyboard.press("Control+Alt+j")
            panel = Sidebar(screen.page)
            expect(panel.row(f"{job.name}, Succeeded")).to_be_visible()
            expect(panel.list).to_be_focused()
            for key in ("End", "Delete", "Shift+Tab", "Enter"):
                screen.page.keyboard.press(key)
            expect(panel.rows).to_have_count(1)
            expect(panel.row(f"{kept.name}, Running")).to_be_visible()
            expect(panel.list).to_be_focused()
            wait_for(lambda: not (server.home / "jobs" / job.id).exists())
            assert screen.errors == []
        (tmp_path / "gate").touch()
