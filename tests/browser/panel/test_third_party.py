"""A backend of a third party in a real JupyterLab: a cell runs there, and view, list and backends call it by its title."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.support.browser import Screen, jupyter, opened
from tests.support.farm import installed_farm
from tests.support.sidebar import Sidebar
from tests.support.sidepanel import unfold

CELLS = (
    "%load_ext pai_jupyter",
    "%%pai_train iris --instance-type farm.small --run\nimport os, pathlib\nprint('from the farm')\n"
    "pathlib.Path(os.environ['PAI_OUTPUT_MODEL'], 'weights.txt').write_text('weights')",
)


@pytest.fixture
def screen(browser: Browser, tmp_path: Path) -> Iterator[Screen]:
    with installed_farm(tmp_path), jupyter(tmp_path / "server") as server:
        server.write("farm.ipynb", *CELLS)
        with opened(browser, server, "farm.ipynb", viewport={"width": 1280, "height": 800}) as screen:
            Sidebar(screen.page).open()
            yield screen
            assert screen.errors == []


def test_a_cell_runs_there_and_everything_calls_it_by_its_title(screen: Screen) -> None:
    screen.run_all()
    expect(screen.view.locator(".pj-JobView-first")).to_contain_text("Succeeded")
    expect(screen.view.locator(".pj-JobView-first")).to_contain_text("Render farm · farm.small ×1")
    row = Sidebar(screen.page).row("iris")
    expect(row).to_contain_text("Render farm")
    screen.view.get_by_role("tab", name="Files").click()
    screen.view.get_by_role("button", name=re.compile("^model")).first.click()
    expect(screen.view.get_by_text("weights.txt")).to_be_visible()
    screen.shoot("third-party-view")

    card = unfold(screen, "Backends", folded="Jobs").get_by_role("listitem").filter(has_text=re.compile("^farm"))
    expect(card).to_contain_text("? not checked")
    card.get_by_role("button", name="Check").click()
    expect(card).to_contain_text("✓ ready")
    expect(card).to_contain_text("4 machines")
    screen.shoot("third-party-backends")
    screen.use_theme("Dark")
    screen.shoot("third-party-dark")
