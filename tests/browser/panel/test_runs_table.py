"""The runs table in a tab of JupyterLab: filter, order, columns, groups, keyboard, what is kept, and access."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, expect

from pai_jupyter.store import JobStore
from tests.browser.access.test_axe import AXE, faults
from tests.support.browser import Screen, Server, jupyter, load, wait_for
from tests.support.lists import BEGAN, loss, record, running
from tests.support.sidepanel import HAS_PANEL, panelled

JOBS = 300
EVIL = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with jobs of 12 values and 6 metrics."""
    with jupyter(tmp_path_factory.mktemp("server")) as server:
        store = JobStore(server.home)
        for number in range(JOBS):
            values = {
                "lr": number / 1000,
                "opt": EVIL if number % 2 else "adam",
                **{f"v{at}": at * number for at in range(10)},
            }
            metrics = [loss(1 / (number + 1), name=name) for name in ("loss", "acc", *(f"m{at}" for at in range(4)))]
            record(
                f"j{number:04}",
                running(),
                *metrics,
                store=store,
                values=values,
                created=BEGAN + number,
                name=f"run-{number}",
            )
        yield server


@pytest.fixture(scope="module")
def lab(browser: Browser, server: Server) -> Iterator[Screen]:
    with panelled(browser, server, "runstable", viewport={"width": 1280, "height": 800}) as screen:
        screen.page.locator(".pj-Panel").get_by_role("button", name="Runs table", exact=True).click()
        expect(grid(screen).get_by_role("row").nth(1)).to_contain_text("run-299")
        yield screen
        assert screen.errors == []


def grid(screen: Screen) -> Locator:
    return screen.page.locator(".pj-Table-grid")


def names(screen: Screen) -> list[str]:
    """The names of the jobs in sight, from above."""
    found: list[str] = grid(screen).evaluate(
        """grid => [...grid.querySelectorAll('.pj-Table-body > .pj-Table-row')]
            .sort((one, other) => one.dataset.at - other.dataset.at).map(row => row.firstElementChild.textContent)"""
    )
    return found


def see(screen: Screen, *first: str) -> None:
    """Wait until these are the first jobs in sight."""
    wait_for(lambda: names(screen)[: len(first)] == [*first])


def kept(server: Server) -> dict[str, Any]:
    """The state of the table as JupyterLab has saved it. (Any: JSON values)"""
    saved = server.get("lab/api/workspaces")["workspaces"]["values"]
    found: list[dict[str, Any]] = [each["data"].get("pai-jupyter:runs-table") or {} for each in saved]
    return max(found, key=len, default={})


def filter_by(screen: Screen, text: str) -> None:
    screen.page.get_by_role("searchbox", name="Filter runs").fill(text)


def pick(screen: Screen, title: str, item: str) -> None:
    """Choose from the menu of a heading, wherever it is."""
    if is_far := not screen.page.get_by_role("button", name=f"Column {title}", exact=True).count():
        grid(screen).evaluate("grid => { grid.scrollLeft = grid.scrollWidth }")
    screen.page.get_by_role("button", name=f"Column {title}", exact=True).click()
    screen.page.get_by_role("menuitem", name=item, exact=True).click()
    if is_far:
        grid(screen).evaluate("grid => { grid.scrollLeft = 0 }")


def test_jobs_are_filtered_and_sorted_and_only_those_in_sight_are_drawn(lab: Screen) -> None:
    assert grid(lab).get_attribute("aria-rowcount") == str(JOBS + 1)
    assert grid(lab).get_by_role("row").count() < 60
    filter_by(lab, "lr<0.01 loss<0.5")
    see(lab, "run-9", "run-8")
    pick(lab, "lr", "Sort ascending")
    see(lab, "run-2", "run-3")
    filter_by(lab, "lrr<1")
    expect(lab.page.get_by_text("there is no value or metric 'lrr'")).to_be_visible()
    filter_by(lab, "")
    see(lab, "run-0", "run-1")
    grid(lab).evaluate("grid => { grid.scrollTop = grid.scrollHeight }")
    wait_for(lambda: "run-299" in names(lab))
    expect(lab.page.locator(".pj-Table img")).to_have_count(0)
    loss_column = grid(lab).get_by_role("columnheader").filter(has_text="loss")
    expect(loss_column).to_have_count(0)
    grid(lab).evaluate("grid => { grid.scrollLeft = grid.scrollWidth }")
    expect(loss_column).to_be_visible()
    grid(lab).evaluate("grid => { grid.scrollLeft = 0 }")
    pick(lab, "Created at", "Sort descending")


def test_values_and_metrics_of_all_jobs_in_the_table_are_one_picture(lab: Screen) -> None:
    button = lab.page.get_by_role("button", name="Values and metrics", exact=True)
    button.click()
    pane = lab.page.locator(".pj-Table-trials")
    expect(pane).to_contain_text(f"{JOBS} jobs")
    pane.get_by_role("combobox", name="Metric").select_option("loss")
    importance = pane.get_by_role("table", name="Importance")
    expect(importance.get_by_role("row").nth(1)).to_contain_text("−1300")  # of all jobs: the later, the lower the loss
    assert pane.locator("path").count() < 20
    lab.shoot("runstable-trials")
    filter_by(lab, "lr<0.1")
    expect(pane).to_contain_text("100 jobs")
    grid(lab).get_by_role("row").nth(1).click()
    grid(lab).get_by_role("row").nth(4).click(modifiers=["Shift"])
    expect(pane).to_contain_text("4 selected jobs")
    grid(lab).press("Escape")
    filter_by(lab, "")
    button.click()
    expect(pane).to_be_hidden()
    see(lab, "run-299")


def test_groups_open_and_columns_are_chosen(lab: Screen) -> None:
    lab.page.get_by_role("combobox", name="Group by").select_option("value:opt")
    group = grid(lab).get_by_role("row").filter(has_text="adam (150)")
    expect(group).to_contain_text("0.149 ± ")
    group.click()
    expect(group).to_have_attribute("aria-expanded", "true")
    expect(grid(lab).get_by_role("row").filter(has_text="run-298")).to_be_visible()
    lab.shoot("runstable-groups")
    lab.page.get_by_role("combobox", name="Group by").select_option("")
    lab.page.get_by_role("button", name="Columns", exact=True).click()
    chooser = lab.page.get_by_role("dialog", name="Columns")
    chooser.get_by_role("searchbox").fill("max(lo")
    chooser.get_by_role("checkbox", name="max(loss)").check()
    lab.page.keyboard.press("Escape")
    expect(lab.page.get_by_role("button", name="Columns", exact=True)).to_be_focused()
    pick(lab, "lr", "Pin")
    heads = grid(lab).get_by_role("columnheader")
    expect(heads.nth(1)).to_contain_text("lr")
    pick(lab, "lr", "Hide")
    expect(heads.filter(has_text=re.compile("^lr$"))).to_have_count(0)


def test_a_column_is_chosen_by_its_name_headings_fit_and_a_right_click_offers_what_can_be_done(lab: Screen) -> None:
    page = lab.page
    page.get_by_role("button", name="Columns", exact=True).click()
    chooser = page.get_by_role("dialog", name="Columns")
    chooser.get_by_role("searchbox").fill("min(lo")
    for is_shown in (True, False):
        chooser.get_by_text("min(loss)", exact=True).click()
        expect(chooser.get_by_role("checkbox", name="min(loss)")).to_be_checked(checked=is_shown)
    chooser.get_by_role("button", name="Default columns").click()
    page.keyboard.press("Escape")
    heads = grid(lab).locator(".pj-Table-title")
    wait_for(lambda: heads.all_text_contents()[:3] == ["Name", "State", "lr"])
    cut = heads.evaluate_all("all => all.filter(one => one.scrollWidth > one.clientWidth).map(one => one.textContent)")
    assert cut == []
    page.get_by_role("button", name="Columns", exact=True).click()
    chooser.get_by_role("searchbox").fill("max(lo")
    chooser.get_by_role("checkbox", name="max(loss)").check()  # as a test below finds it again
    page.keyboard.press("Escape")
    grid(lab).get_by_role("row").nth(2).click(button="right")
    menu = page.get_by_role("menu", name="Actions for the selected jobs")
    expect(menu.get_by_role("menuitem", name="Rerun as it was")).to_be_visible()
    box, table = menu.bounding_box(), page.locator(".pj-Table").bounding_box()
    assert box is not None
    assert table is not None
    assert box["y"] + box["height"] <= table["y"] + table["height"]
    lab.shoot("runstable-menu")
    page.keyboard.press("Escape")
    expect(menu).to_have_count(0)
    expect(grid(lab)).to_be_focused()
    page.keyboard.press("Escape")


def test_the_keyboard_does_all_and_what_is_selected_is_compared(lab: Screen) -> None:
    page = lab.page
    filter_by(lab, "run-29")
    see(lab, "run-299", "run-298")
    grid(lab).focus()
    for key in ("Control+Home", "Space", "Shift+ArrowDown"):
        page.keyboard.press(key)
    expect(grid(lab).locator("[aria-selected=true]")).to_have_count(2)
    expect(page.locator(".pj-Table").get_by_text("2 selected")).to_be_visible()
    for key in ("Control+Home", "ArrowUp", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    menu = page.get_by_role("menuitem", name="Sort ascending")
    expect(menu).to_be_focused()
    page.keyboard.press("Escape")
    expect(grid(lab)).to_be_focused()
    page.locator(".pj-Table").get_by_role("button", name="Compare", exact=True).click()
    expect(page.locator(".pj-Comparison").get_by_role("table", name="Overview").locator("thead th")).to_have_count(3)
    page.locator(".lm-TabBar-tab.lm-mod-current").filter(has_text="Comparison").locator(
        ".lm-TabBar-tabCloseIcon"
    ).click()
    expect(page.locator(".pj-Comparison")).to_have_count(0)
    lab.errors[:] = [error for error in lab.errors if "404" not in error]  # these jobs have no code to be compared


def test_a_table_comes_back_with_the_layout_and_its_csv_has_what_matches(
    lab: Screen, server: Server, tmp_path: Path
) -> None:
    wait_for(lambda: kept(server).get("text") == "run-29")
    load(lab, f"{server.url}/lab?token={server.token}", HAS_PANEL)
    lab.page.locator(".lm-TabBar-tab").filter(has_text=re.compile("^Runs$")).click()
    see(lab, "run-299", "run-298")
    expect(lab.page.get_by_role("searchbox", name="Filter runs")).to_have_value("run-29")
    with lab.page.expect_download() as download:
        lab.page.get_by_role("button", name="Export CSV").click()
    download.value.save_as(tmp_path / "runs.csv")
    told = (tmp_path / "runs.csv").read_text(encoding="utf-8-sig").splitlines()
    assert len(told) == 12
    assert "max(loss)" in told[0].split(",")


def test_axe_finds_no_fault_in_the_table(lab: Screen) -> None:
    lab.page.add_script_tag(path=AXE)
    assert faults(lab, ".pj-Table") == []


def test_a_dark_table_speaks_chinese(browser: Browser, tmp_path: Path) -> None:
    dark: dict[str, dict[str, object]] = {"apputils-extension/themes": {"theme": "JupyterLab Dark"}}
    with jupyter(tmp_path / "dark", settings=dark, PAI_JUPYTER_LANG="zh") as server:
        record("j1", running(), loss(0.5), store=JobStore(server.home), values={"lr": 0.1}, name="iris")
        with panelled(browser, server, "runstable-dark") as screen:
            screen.page.locator(".pj-Panel").get_by_role("button", name="运行表", exact=True).click()
            expect(grid(screen).get_by_role("row").nth(1)).to_contain_text("iris")
            expect(screen.page.get_by_role("button", name="导出 CSV")).to_be_visible()
            screen.page.add_script_tag(path=AXE)
            assert faults(screen, ".pj-Table") == []
            screen.shoot("runstable-dark")


def test_a_report_of_the_selected_jobs_is_written_beside_the_notebooks_and_opens(lab: Screen, server: Server) -> None:
    page = lab.page
    filter_by(lab, "id:j0299,j0298")
    wait_for(lambda: {*names(lab)} == {"run-299", "run-298"})
    rows = grid(lab).locator(".pj-Table-body > .pj-Table-row")
    rows.filter(has_text="run-299").click()
    rows.filter(has_text="run-298").click(modifiers=["Control"])
    for path in ("report.html", "report.ipynb"):
        page.locator(".pj-Table").get_by_role("button", name="More actions", exact=True).click()
        page.get_by_role("menuitem", name="Report…", exact=True).click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Report as").select_option(path.removeprefix("report"))
        lab.shoot(f"report-{path}")
        dialog.get_by_role("button", name="Write report", exact=True).click()
        expect(page.get_by_role("tab", name=path, exact=True)).to_be_visible()
        expect(page.get_by_text(f"Report written: {path}")).to_be_visible()
        assert "run-299" in (server.root / path).read_text(encoding="utf-8")
        if path.endswith(".html"):
            shown = page.frame_locator(".jp-HTMLViewer iframe")
            expect(shown.get_by_role("heading", name="Report of jobs")).to_be_visible()
        lab.shoot(f"opened-{path}")
        page.get_by_role("tab", name=re.compile("^Runs")).first.click()
