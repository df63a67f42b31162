"""What the interface writes works in a kernel where nobody has said `%load_ext`; what `%pai_config` says, the panel knows.

Real JupyterLab, real Chromium. Screenshots are kept.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.browser.panel.test_runcell import call, cells, loaded, write
from tests.support.browser import Screen, Server, jupyter, opened, wait_for
from tests.support.sidebar import Sidebar
from tests.support.sidepanel import unfold

CODE = "lr: float = 0.01  # hp: [0.001..1]\nprint('lr is', lr)"
RUN = re.compile("^(Write|Insert) and run$")
WRITE = re.compile("^(Write the line|Insert)$")


@pytest.fixture
def fresh(browser: Browser, server: Server, request: pytest.FixtureRequest) -> Iterator[Screen]:
    """A notebook of one cell, in whose kernel nobody has said anything."""
    name = re.sub(r"\W+", "-", request.node.name)
    server.write(f"{name}.ipynb", CODE)
    with opened(browser, server, f"{name}.ipynb") as screen:
        yield screen
        assert [error for error in screen.errors if "400 (Bad Request)" not in error] == []  # no cloud is configured


def fill(screen: Screen, name: str) -> Locator:
    """The dialog of the last cell, filled in."""
    dialog = loaded(call(cells(screen).last))
    dialog.get_by_label("Name", exact=True).fill(name)
    dialog.get_by_label("Backend").select_option("process")
    expect(dialog).not_to_contain_text("load_ext")
    return dialog


def accept(dialog: Locator, label: re.Pattern[str]) -> None:
    dialog.get_by_role("button", name=label).click()
    expect(dialog).to_have_count(0)


def expect_done(cell: Locator) -> None:
    expect(cell.locator("section.pj-JobView")).to_contain_text("Succeeded")


def run(screen: Screen, text: str) -> Locator:
    """Run this to its end in a new cell behind the others; gives the cell."""
    cell = cells(screen).last
    cell.locator(".cm-content").click()
    screen.page.keyboard.press("Escape")
    screen.page.keyboard.press("b")
    new = screen.page.locator(".jp-Notebook .jp-Cell.jp-mod-active")
    write(new, text)
    screen.page.keyboard.press("Control+Enter")
    expect(new.locator(".jp-InputPrompt")).to_have_text(re.compile(r"\[\d+\]"))
    return new


def test_a_cell_that_is_written_and_run_as_a_job(fresh: Screen) -> None:
    accept(fill(fresh, "unloaded"), RUN)
    expect_done(cells(fresh).last)
    saved = json.dumps(fresh.save())
    assert "load_ext" not in saved  # it is loaded without a word
    assert "already loaded" not in saved


def test_in_notebook_7_it_is_the_same(browser: Browser, server: Server) -> None:
    server.write("unloaded-seven.ipynb", CODE)
    with opened(browser, server, "unloaded-seven.ipynb", app="notebooks") as screen:
        accept(fill(screen, "unloaded-seven"), RUN)
        expect_done(cells(screen).last)
        assert [error for error in screen.errors if "400 (Bad Request)" not in error] == []


def test_a_line_that_is_only_written_works_when_its_cell_is_run_and_after_a_restart(fresh: Screen) -> None:
    accept(fill(fresh, "later"), WRITE)
    cell = cells(fresh).last
    text = f"%%pai_train later --backend process --run\n{CODE}"
    write(cell, text)
    fresh.page.keyboard.press("Control+Enter")
    expect_done(cell)
    fresh.page.get_by_role("button", name=re.compile("^Restart the kernel$")).click()
    with fresh.page.expect_response(re.compile("/restart")):  # before it, the kernel that goes may be idle
        fresh.page.locator(".jp-Dialog .jp-mod-accept").click()
    expect(fresh.page.locator(".jp-Dialog")).to_have_count(0)
    wait_for(lambda: fresh.server.kernel_of(fresh.notebook))
    write(cell, text.replace("later", "restarted"))
    fresh.page.keyboard.press("Control+Enter")
    expect(cell.locator("section.pj-JobView")).to_contain_text("restarted")
    expect_done(cell)


def test_attaching_to_a_job_and_a_clone_of_it(fresh: Screen, browser: Browser) -> None:
    accept(fill(fresh, "cloned"), RUN)
    expect_done(cells(fresh).last)
    fresh.server.write("bare.ipynb", "1")
    with opened(browser, fresh.server, "bare.ipynb") as bare:
        sidebar = Sidebar(bare.page)
        sidebar.open()
        sidebar.row("cloned").click()
        sidebar.choose("Insert %pai_attach")
        active = bare.page.locator(".jp-Notebook .jp-Cell.jp-mod-active")
        expect_done(active)
        assert bare.errors == []
    fresh.server.write("bare-too.ipynb", "1")
    with opened(browser, fresh.server, "bare-too.ipynb") as bare:
        sidebar = Sidebar(bare.page)
        sidebar.open()
        sidebar.row("cloned").click()
        sidebar.choose("Clone to a new cell")
        active = bare.page.locator(".jp-Notebook .jp-Cell.jp-mod-active")
        expect(active).to_contain_text("%%pai_train cloned")
        active.locator(".cm-content").click()
        bare.page.keyboard.press("Control+Enter")
        expect_done(active)
        assert bare.errors == []


def test_all_cells_with_and_without_load_ext_run_and_nothing_is_said_twice(browser: Browser, server: Server) -> None:
    server.write(
        "both.ipynb", "%load_ext pai_jupyter", f"%%pai_train both --backend process --run\n{CODE}", "%pai_jobs"
    )
    with opened(browser, server, "both.ipynb") as screen:
        screen.run_all()
        expect(screen.view).to_contain_text("Succeeded")
        wait_for(lambda: server.kernel_of("both.ipynb"))
        assert "already loaded" not in json.dumps(screen.save())
        assert screen.errors == []


# --- settings ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def configured(browser: Browser, tmp_path: Path) -> Iterator[Screen]:
    """A notebook and the panel of a server for which nothing is configured; an emulator is stopped behind the test."""
    with jupyter(tmp_path / "server", HOME=str(tmp_path)) as server:
        server.write("settings.ipynb", "1")
        with opened(browser, server, "settings.ipynb", viewport={"width": 1280, "height": 1000}) as screen:
            Sidebar(screen.page).open()
            yield screen
            expect(run(screen, "%pai_config use emulator --stop")).to_contain_text("emulator")
            assert [error for error in screen.errors if "400 (Bad Request)" not in error] == []


def test_the_emulator_of_a_notebook_is_the_panels_too(configured: Screen) -> None:
    page = configured.page
    backends = unfold(configured, "Backends", folded="TensorBoard")
    card = backends.get_by_role("listitem").filter(has_text=re.compile("^pai"))
    expect(card).to_contain_text("✗ not ready")
    expect(run(configured, "%pai_config use emulator")).to_contain_text("cn-emulator")
    expect(card).to_contain_text("✓ ready")  # without anybody's asking
    expect(backends).to_contain_text(re.compile(r"bucket\s*emulator"))
    configured.shoot("settings-backends")

    storage = unfold(configured, "Storage", folded="Backends")
    bucket = storage.get_by_role("option", name=re.compile("^emulator"))
    expect(bucket).to_be_visible()
    put = "from pai_jupyter import get_default_session as session\nsession().open_storage(session().uri('')).put('a/b.txt', b'1')"
    run(configured, put)
    storage.get_by_role("button", name="Go to…", exact=True).click()
    box = storage.get_by_role("textbox", name="Address of a folder")
    box.fill("oss://emulator/a/")
    box.press("Enter")
    expect(storage.get_by_role("option", name=re.compile("^b.txt"))).to_be_visible()
    configured.shoot("settings-storage")
    storage.get_by_role("button", name="Locations", exact=True).click()
    expect(bucket).to_be_visible()
    run(configured, "%pai_config use emulator --stop")
    expect(bucket).to_have_count(0)
    expect(page.locator(".pj-JobView-trouble:visible")).to_have_count(0)


def test_what_is_set_in_a_notebook_is_shown_and_used_in_the_panel(configured: Screen) -> None:
    backends = unfold(configured, "Backends", folded="TensorBoard")
    expect(run(configured, "%pai_config set region=cn-beijing image=python:3.11")).to_contain_text("cn-beijing")
    expect(backends).to_contain_text(re.compile(r"region\s*cn-beijing"))
    expect(backends).to_contain_text(re.compile(r"image\s*python:3.11"))
    expect(backends.get_by_role("listitem").filter(has_text=re.compile("^pai"))).to_contain_text("PAI in cn-beijing")
    expect(run(configured, "%pai_config set image=")).to_contain_text("cn-beijing")
    expect(backends).not_to_contain_text(re.compile(r"image\s*python:3.11"))
