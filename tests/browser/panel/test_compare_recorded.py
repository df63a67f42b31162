"""Jobs recorded by earlier versions are compared: what is expected of a job is read out of its own files."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.panel.test_compare import COMPARISON, cells
from tests.support.browser import Screen, Server, jupyter
from tests.support.recorded import RECORDED, Recorded, store
from tests.support.sidepanel import panelled

PARTS = [RECORDED[at : at + 8] for at in range(0, len(RECORDED), 8)]  # as many as a comparison takes


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with jupyter(tmp_path_factory.mktemp("recorded") / "server") as server:
        store(RECORDED, server.home)
        yield server


@pytest.fixture(scope="module")
def screen(browser: Browser, server: Server) -> Iterator[Screen]:
    with panelled(browser, server, "compare-recorded", viewport={"width": 1600, "height": 1200}) as screen:
        yield screen
        assert screen.errors == []


@pytest.mark.parametrize("jobs", PARTS, ids=lambda jobs: str(jobs[0]))
def test_their_values_and_last_metrics_stand_side_by_side(screen: Screen, jobs: list[Recorded]) -> None:
    screen.page.evaluate(
        "ids => void jupyterapp.commands.execute('pai-jupyter:open-comparison', {ids})", [each.id for each in jobs]
    )
    comparison = screen.page.locator(COMPARISON)
    heads = comparison.get_by_role("table", name="Overview").locator("thead th")
    expect(heads).to_have_text([re.compile("^Job$"), *(re.compile(f"^{each.name}") for each in jobs)])
    expect(comparison.get_by_role("table", name="Overview")).not_to_contain_text("oading")
    states = cells(comparison, "Overview", "State")[1:]
    assert [state.split()[-1].lower() for state in states] == [each.state["status"] for each in jobs]
    expect(comparison.locator("[aria-busy]")).to_have_count(0)
    given = [str(each.values.get("lr", "")) for each in jobs]
    assert [cell.strip("–") for cell in cells(comparison, "Hyperparameters", "lr")[1:]] == given
    measured = ["loss" in each.state["metrics"] for each in jobs]
    assert [bool(cell.strip("–")) for cell in cells(comparison, "Final metrics", "loss")[1:]] == measured
    screen.shoot(f"compare-recorded-{jobs[0].id}")
