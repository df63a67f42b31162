"""A stranger's path, step by step: the demo, the quickstart by Run All, a cell of one's own with a slip in it, its mend,
three runs, the table, the comparison, and the best of them as a new cell. No dead end, no error in the console.

The steps are tests in this order, on one server, as `make demo` and `make lab` start things. Screenshots are kept.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, expect

from pai_jupyter.jobs import Job, list_jobs
from tests.browser.panel import test_compare
from tests.browser.panel.test_notebooks import NOTEBOOKS, PATIENCE, errors, run_all
from tests.browser.panel.test_runcell import source, write
from tests.support.browser import Screen, Server, jupyter, opened, wait_for
from tests.support.sidebar import Sidebar

OWN = """%%pai_train demo --run --backend process -p {name}={value}
lr: float = 0.1  # hp: [0.001..1] log
for epoch in range(1, 6):
    loss = abs(lr - 0.3) + 1 / (epoch + 1)
    print(f"epoch {{epoch}} loss={{loss:.4f}} accuracy={{1 - loss:.4f}}")"""
VALUES = (0.9, 0.3, 0.1)  # of the cell, then of two reruns
BEST = 1  # of them; no cell has its value


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """What `make lab` starts, on the notebooks as they come."""
    place = tmp_path_factory.mktemp("stranger")
    engine = f"unix://{place}/none.sock"
    with jupyter(place / "server", program="jupyterlab", DOCKER_HOST=engine, HOME=str(place)) as server:
        shutil.copytree(NOTEBOOKS, server.root, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".*"))
        server.write("own.ipynb", "1 + 1")
        yield server


@pytest.fixture(autouse=True)
def same_home(lab: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """The jobs of the test are those of the server."""
    monkeypatch.setenv("PAI_JUPYTER_HOME", str(lab.home))


@pytest.fixture(scope="module")
def own(browser: Browser, lab: Server) -> Iterator[Screen]:
    """A notebook of the stranger's own, and the side panel."""
    with opened(browser, lab, "own.ipynb", viewport={"width": 1280, "height": 800}) as screen:
        Sidebar(screen.page).open()
        yield screen
        assert screen.errors == []


@pytest.fixture
def cell(own: Screen) -> Locator:
    return own.page.locator(".jp-Notebook .jp-CodeCell").first


def jobs(name: str = "demo") -> list[Job]:
    """Those of this name that succeeded, the oldest first."""
    return [job for job in reversed(list_jobs(status="succeeded")) if job.name == name]


def press_run(cell: Locator) -> None:
    cell.locator(".cm-content").click()
    cell.page.keyboard.press("Control+Enter")
    expect(cell.locator(".jp-InputPrompt")).to_have_text(re.compile(r"\[\d+\]"))


def run(cell: Locator, text: str) -> None:
    write(cell, text)
    press_run(cell)


@pytest.mark.timeout(2 * PATIENCE)
def test_the_demo_trains_models(lab: Server, tmp_path: Path) -> None:
    command = [
        sys.executable,
        str(lab.root / "run.py"),
        str(lab.root / "quickstart.ipynb"),
        str(tmp_path / "done.ipynb"),
    ]
    environment = {**os.environ, "IPYTHONDIR": str(tmp_path / "ipython"), "DOCKER_HOST": f"unix://{tmp_path}/none.sock"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "✓ Succeeded  iris" in done.stdout


@pytest.mark.timeout(2 * PATIENCE)
def test_the_quickstart_runs_by_run_all_beside_the_jobs_of_the_demo(browser: Browser, lab: Server) -> None:
    with opened(browser, lab, "quickstart.ipynb", viewport={"width": 1280, "height": 800}) as screen:
        Sidebar(screen.page).open()
        saved = run_all(screen)
        assert errors(saved) == []
        expect(Sidebar(screen.page).row("iris")).to_have_count(5)  # three of them are the demo's
        screen.shoot("stranger-quickstart")
        assert screen.errors == []


def test_a_slip_in_a_value_is_refused_with_the_name_that_was_meant(own: Screen, cell: Locator) -> None:
    run(cell, OWN.format(name="lrr", value=VALUES[0]))
    output = cell.locator(".jp-OutputArea")
    own.shoot("stranger-slip")
    expect(output).to_contain_text("SpecError")
    expect(output).to_contain_text(re.compile(r"lrr.*\blr\b", re.DOTALL))
    assert jobs() == []


def test_mended_it_runs_and_is_run_again_with_two_other_values(own: Screen, cell: Locator) -> None:
    before = len(jobs())
    reruns = [f"%pai_rerun demo -p lr={value}" for value in VALUES[1:]]
    for number, text in enumerate([OWN.format(name="lr", value=VALUES[0]), *reruns], 1):
        run(cell, text)
        wait_for(lambda: len(jobs()) == before + number)  # noqa: B023  it is over before the next
        expect(cell.locator("section.pj-JobView")).to_contain_text("Succeeded")
    own.shoot("stranger-runs")
    assert [dict(job.hyperparameters) for job in jobs()[-3:]] == [{"lr": value} for value in VALUES]


def test_the_table_has_the_three_with_their_values(own: Screen, cell: Locator) -> None:
    run(cell, "%pai_jobs --state succeeded -n 3")
    table = cell.locator(".jp-OutputArea")
    for value in VALUES:
        expect(table).to_contain_text(f"lr={value}")
    own.shoot("stranger-table")


def test_the_three_are_compared(own: Screen) -> None:
    sidebar = Sidebar(own.page)
    expect(sidebar.row("demo")).to_have_count(3)  # the newest may come late, and would move the others
    for number in range(3):
        sidebar.row("demo").nth(number).click(modifiers=["ControlOrMeta"] if number else [])
    sidebar.choose("Compare")
    comparison = own.page.locator(test_compare.COMPARISON)
    expect(comparison.locator("[aria-busy]")).to_have_count(0)
    expect(comparison.get_by_role("table", name="Hyperparameters")).to_be_visible()  # one that is not there is not busy
    wait_for(lambda: sorted(test_compare.cells(comparison, "Hyperparameters", "lr")[1:]) == sorted(map(str, VALUES)))
    expect(comparison).to_contain_text("accuracy")
    own.shoot("stranger-comparison")


def test_the_best_becomes_a_new_cell_with_its_value_and_runs_again(own: Screen) -> None:
    before = len(jobs())
    own.page.get_by_role("tab", name="own.ipynb").click()
    sidebar = Sidebar(own.page)
    sidebar.row("demo").nth(len(VALUES) - 1 - BEST).click()
    sidebar.choose("Clone to a new cell")
    clone = own.page.locator(".jp-Notebook .jp-Cell.jp-mod-active")
    expect(clone).to_contain_text("%%pai_train demo")
    own.shoot("stranger-clone")
    assert f"-p lr={VALUES[BEST]}" in source(clone).splitlines()[0]
    press_run(clone)
    expect(clone.locator("section.pj-JobView")).to_contain_text("Succeeded")
    wait_for(lambda: len(jobs()) == before + 1)
    assert dict(jobs()[-1].hyperparameters) == {"lr": VALUES[BEST]}
