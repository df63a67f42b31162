"""axe-core finds no fault in the form and in the view, in JupyterLab's own light and dark theme, live in each way.

What it finds in ipywidgets' own markup, which no Python reaches, stands in `NOT_OURS`.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.support.browser import Screen, Server, opened
from tests.support.job_pages import CELL, FORM, STATIC, TABS, VIEW, tab
from tests.support.needs import lacking
from tests.support.paths import ROOT

AXE = ROOT / "labextension" / "node_modules" / "axe-core" / "axe.min.js"
# The handle of a slider has no name, and neither a trait nor a style gives it one. The field beside it, which is labelled,
# holds the same value.
NOT_OURS = {("aria-input-field-name", "noUi-handle")}


@contextmanager
def shown(browser: Browser, server: Server, gate: Path, render: str) -> Iterator[Screen]:
    """A notebook with the form, both jobs and a static result, live in one of the ways."""
    load = f"%env PAI_JUPYTER_RENDER={render}\n%load_ext pai_jupyter"
    form = CELL.format(name="form", options="--backend process -p epochs=zero", gate=str(gate))
    still = f"%env PAI_JUPYTER_RENDER=html\n%pai_attach failed\n%env PAI_JUPYTER_RENDER={render}"
    server.write(f"{render}.ipynb", load, form, "%pai_attach goes-on", "%pai_attach failed", still)
    with opened(browser, server, f"{render}.ipynb") as screen:
        screen.run_all()
        expect(screen.view).to_have_count(2)
        expect(screen.page.get_by_role("button", name="Submit")).to_be_visible()
        expect(screen.page.locator(STATIC).last).to_be_visible()
        screen.page.add_script_tag(path=AXE)
        yield screen
        assert screen.errors == []


@pytest.fixture(scope="module")
def show_in(browser: Browser, server: Server, gate: Path) -> Iterator[Callable[[str], Screen]]:
    """Gives the page for a way to be live; one at a time, for a page behind another is not drawn."""
    if not AXE.is_file():
        lacking("node", "axe-core is not installed")
    screens: dict[str, Screen] = {}
    with ExitStack() as stack:

        def show_in(render: str) -> Screen:
            if render not in screens:
                stack.close()
                screens.clear()
                screens[render] = stack.enter_context(shown(browser, server, gate, render))
            return screens[render]

        yield show_in


@pytest.fixture(scope="module", params=["server-Light", "server-Dark", "widget-Light", "widget-Dark"])
def seen(request: pytest.FixtureRequest, show_in: Callable[[str], Screen]) -> Screen:
    """The page for one of the ways, in one of JupyterLab's own themes."""
    render, theme = request.param.split("-")
    screen = show_in(render)
    screen.use_theme(theme)
    return screen


def faults(screen: Screen, selector: str) -> list[str]:
    """What axe-core finds below `selector`."""
    found = screen.page.evaluate(
        """selector => axe.run(selector, {resultTypes: ['violations']}).then(({violations}) =>
            violations.flatMap(({id, nodes}) => nodes.map(({html, failureSummary}) => [id, html, failureSummary])))""",
        selector,
    )
    return [f"{rule}: {html}: {why}" for rule, html, why in found if not is_known(rule, html)]


def is_known(rule: str, html: str) -> bool:
    return any(rule == known and part in html for known, part in NOT_OURS)


def shoot(screen: Screen, what: str) -> None:
    is_light = screen.page.locator("body").get_attribute("data-jp-theme-light")
    screen.shoot(f"access-{Path(screen.notebook).stem}-{'light' if is_light == 'true' else 'dark'}-{what}")


def test_axe_finds_no_fault_in_the_form(seen: Screen) -> None:
    seen.page.locator(FORM).scroll_into_view_if_needed()
    shoot(seen, "form")
    assert faults(seen, FORM) == []


@pytest.mark.parametrize("name", TABS)
def test_axe_finds_no_fault_in_a_tab(seen: Screen, name: str) -> None:
    tab(seen.view.first, name)
    seen.view.first.scroll_into_view_if_needed()
    shoot(seen, name.lower())
    assert faults(seen, VIEW) == []


def test_axe_finds_no_fault_in_uncommitted_changes_and_packages(seen: Screen) -> None:
    panel = tab(seen.view.first, "Overview")
    for folded in reversed(panel.locator("details:not([open]) > summary").all()):
        folded.click()
    expect(panel.locator("ins")).to_have_text("+ lr = 0.2")
    expect(panel.get_by_role("group", name="pip freeze")).to_contain_text("pandas==2.2")
    panel.get_by_text("pip freeze (").scroll_into_view_if_needed()
    shoot(seen, "changes")
    assert faults(seen, VIEW) == []


def test_axe_finds_no_fault_in_the_tables_of_metrics(seen: Screen) -> None:
    panel = tab(seen.view.first, "Metrics")
    panel.get_by_role("button", name="Table").click()
    expect(panel.get_by_role("table").first).to_be_visible()
    shoot(seen, "table")
    assert faults(seen, VIEW) == []
    panel.get_by_role("button", name="Table").click()


def test_axe_finds_no_fault_in_a_preview(seen: Screen) -> None:
    panel = tab(seen.view.first, "Files")
    panel.get_by_role("button", name="model", exact=True).click()
    panel.get_by_role("button", name="weights.json", exact=True).click()
    expect(panel.get_by_role("heading", name="weights.json")).to_be_visible()
    shoot(seen, "preview")
    assert faults(seen, VIEW) == []


def test_axe_finds_no_fault_in_a_search_and_a_whole_line(seen: Screen) -> None:
    panel = tab(seen.view.first, "Logs")
    panel.get_by_role("searchbox").fill("colour")
    panel.get_by_role("searchbox").press("Enter")
    expect(panel.locator("mark").first).to_be_visible()
    shoot(seen, "search")
    assert faults(seen, VIEW) == []
    panel.get_by_role("log").press("End")  # the search may have gone to the first hit, and left it out
    panel.get_by_role("button", name="show whole line").click()
    expect(panel.get_by_role("dialog")).to_contain_text("a long line")
    shoot(seen, "whole")
    assert faults(seen, VIEW) == []
    panel.get_by_role("button", name="Close").click()


def test_axe_finds_no_fault_in_the_question_whether_to_stop(seen: Screen) -> None:
    seen.view.first.get_by_role("button", name="Stop", exact=True).click()
    shoot(seen, "stop")
    assert faults(seen, VIEW) == []
    seen.view.first.get_by_role("button", name="Keep running").click()


def test_axe_finds_no_fault_in_the_open_menu(seen: Screen) -> None:
    seen.view.first.get_by_role("button", name="More actions").click()
    expect(seen.page.get_by_role("menuitem", name="Rerun").first).to_be_visible()  # with "…" where there is a form
    shoot(seen, "menu")
    assert faults(seen, VIEW) == []
    seen.page.keyboard.press("Escape")


def test_axe_finds_no_fault_in_a_failure(seen: Screen) -> None:
    seen.view.last.scroll_into_view_if_needed()
    expect(seen.view.last.get_by_role("region", name="Why it failed")).to_be_visible()
    shoot(seen, "failure")
    assert faults(seen, VIEW) == []


def test_axe_finds_no_fault_in_the_static_result(seen: Screen) -> None:
    seen.page.locator(STATIC).last.scroll_into_view_if_needed()
    shoot(seen, "static")
    assert faults(seen, STATIC) == []
