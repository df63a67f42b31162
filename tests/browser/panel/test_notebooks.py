"""The notebooks that come with the package, by Run All in a fresh kernel of JupyterLab, as somebody runs them who is new."""

import json
import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.support.browser import Screen, Server, jupyter, opened, wait_for
from tests.support.paths import ROOT

NOTEBOOKS = ROOT / "notebooks"
PATIENCE = 240.0  # seconds; they load scikit-learn and XGBoost, in kernels and in jobs


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """JupyterLab over a copy of notebooks/, without saved outputs; no container engine answers."""
    place = tmp_path_factory.mktemp("notebooks")
    with jupyter(place / "server", DOCKER_HOST=f"unix://{place}/none.sock") as server:
        shutil.copytree(NOTEBOOKS, server.root, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".*"))
        for path in server.root.glob("*.ipynb"):
            path.write_text(json.dumps(emptied(json.loads(path.read_text()))))
        yield server


def emptied(notebook: dict[str, Any]) -> dict[str, Any]:  # Any: parsed JSON
    for cell in code_cells(notebook):
        cell |= {"outputs": [], "execution_count": None}
    return notebook


def code_cells(notebook: dict[str, Any]) -> list[dict[str, Any]]:  # Any: parsed JSON
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def run_all(screen: Screen) -> dict[str, Any]:  # Any: parsed JSON
    """Run all cells, and wait until none is left or one has failed; the notebook as it is saved then."""
    seen: list[dict[str, Any]] = [{}]

    def is_over() -> bool:
        is_idle = screen.server.kernel_of(screen.notebook) is not None  # asked first: what it said before is saved
        seen[0] = screen.save()
        done = [cell["execution_count"] is not None for cell in code_cells(seen[0])]
        return bool(errors(seen[0])) or (all(done) and is_idle)

    screen.run_all()
    wait_for(is_over, seconds=PATIENCE)
    return seen[0]


def errors(notebook: dict[str, Any]) -> list[str]:  # Any: parsed JSON
    return [
        f"{cell['id']}: {output['ename']}: {output['evalue']}"
        for cell in code_cells(notebook)
        for output in cell["outputs"]
        if output["output_type"] == "error"
    ]


def texts(notebook: dict[str, Any]) -> str:  # Any: parsed JSON
    return json.dumps([cell["outputs"] for cell in code_cells(notebook)], ensure_ascii=False)


@pytest.mark.timeout(2 * PATIENCE)
@pytest.mark.parametrize("name", ["quickstart.zh", "pai", "custom_job", "from_notebook_to_job"])
def test_a_notebook_runs_from_top_to_bottom(browser: Browser, lab: Server, name: str) -> None:
    with opened(browser, lab, f"{name}.ipynb") as screen:
        saved = run_all(screen)
        screen.shoot(f"run-all-{name}")
        assert errors(saved) == []
        assert "accuracy" in texts(saved)
        assert screen.errors == []


@pytest.mark.timeout(2 * PATIENCE)
def test_the_quickstart_runs_past_its_form_which_starts_a_job_when_it_is_submitted(
    browser: Browser, lab: Server
) -> None:
    with opened(browser, lab, "quickstart.ipynb") as screen:
        saved = run_all(screen)
        assert errors(saved) == []
        assert "test accuracy 0.9" in texts(saved)
        submit = screen.page.get_by_role("button", name="Submit", exact=True)
        submit.scroll_into_view_if_needed()
        screen.shoot("run-all-quickstart")
        submit.click()
        form = screen.page.locator(".jp-CodeCell", has_text="iris-form")
        expect(form.locator("section.pj-JobView")).to_contain_text("Succeeded", timeout=PATIENCE * 1000)
        assert screen.errors == []
