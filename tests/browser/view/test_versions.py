"""The oldest and the newest JupyterLab and Notebook that are supported: installed, quiet, and used from form to panel.

The oldest ones are in an environment that the Makefile makes (`.venv/oldest`), the newest in this one.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, expect

from tests.support.browser import Screen, Server, jupyter, opened, show, watched
from tests.support.needs import lacking
from tests.support.paths import ROOT
from tests.support.sidebar import Sidebar
from tests.support.sidepanel import unfold

FRONT = ROOT / "labextension"
PYTHONS = {"oldest": ROOT / ".venv" / "oldest" / "bin" / "python", "newest": Path(sys.executable)}
LOAD = "%load_ext pai_jupyter"
CELL = """%%pai_train {name} --backend process
lr: float = 0.1  # hp: [0.01..1]
for epoch in range(3):
    print(f"epoch {{epoch}} loss={{lr / (epoch + 1):.3f}}")
"""

RUN = """%%pai_pipeline {name} --run --backend process
from pai_jupyter import CustomJobComponent, Pipeline, PipelineParameter
train = CustomJobComponent(command="printf 0.93 > ${{PAI_OUTPUT_OUTPUT_PARAMETERS}}accuracy",
    outputs=[PipelineParameter("accuracy", typ=float)])
publish = CustomJobComponent(command="echo published")
first = train.as_step("train")
good = publish.as_condition_step("publish", first.outputs["accuracy"] > 0.9)
poor = publish.as_condition_step("again", first.outputs["accuracy"] <= 0.9)
Pipeline(steps=[good, poor])"""


@pytest.fixture(scope="module", params=PYTHONS)
def python(request: pytest.FixtureRequest) -> Path:
    python = PYTHONS[request.param]
    if not python.is_file():
        lacking("oldest-lab", f"there is no {python.parent.parent.name}, which `make test` makes")
    return python


@pytest.fixture(scope="module")
def server(python: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with jupyter(tmp_path_factory.mktemp("versions"), python=python) as server:
        yield server


def test_jupyter_calls_the_extension_enabled_and_compatible(python: Path) -> None:
    done = subprocess.run(
        [python, "-m", "jupyterlab.labextensions", "list"], capture_output=True, text=True, check=True
    )
    told = done.stdout + done.stderr
    assert re.search(r"pai-jupyter v[\d.]+ \S*enabled\S* \S*OK", told), told
    assert "not compatible" not in told


@pytest.mark.parametrize("app", ["lab/tree", "notebooks"])
def test_form_submit_live_view_and_panel_work_without_a_warning(
    browser: Browser, server: Server, python: Path, app: str
) -> None:
    name = f"{'newest' if python == PYTHONS['newest'] else 'oldest'}-{app[:3]}"
    server.write(f"{name}.ipynb", LOAD, CELL.format(name=name))
    with watched(browser, server, f"{name}.ipynb") as screen:
        warnings = warnings_of_ours(screen)
        show(screen, app)
        screen.run_all()
        expect(screen.page.get_by_role("button", name="Submit")).to_be_enabled()  # all of the form is there
        field = screen.page.get_by_label("lr", exact=False).last
        field.fill("0.5")
        field.press("Tab")
        screen.page.get_by_role("button", name="Submit").click()
        expect(screen.view.locator(".pj-JobView-state")).to_contain_text("Succeeded")
        expect(screen.view).to_contain_text("loss=0.500")
        screen.page.keyboard.press("Control+Alt+j")
        panel = Sidebar(screen.page)
        expect(panel.row(f"{name}, Succeeded")).to_be_visible()
        panel.row(name).dblclick()
        expect(panel.tabs.locator(".pj-JobView-state")).to_contain_text("Succeeded")
        screen.shoot(f"versions-{name}")
        assert warnings == []
        assert screen.errors == []


@pytest.mark.parametrize("app", ["lab/tree", "notebooks"])
def test_a_pipeline_runs_live_from_its_cell_to_the_panel(
    browser: Browser, server: Server, python: Path, app: str
) -> None:
    name = f"{'newest' if python == PYTHONS['newest'] else 'oldest'}-run-{app[:3]}"
    server.write(f"{name}.ipynb", LOAD, RUN.format(name=name))
    with watched(browser, server, f"{name}.ipynb") as screen:
        warnings = warnings_of_ours(screen)
        show(screen, app)
        screen.run_all()
        run = screen.page.locator(".jp-OutputArea-output .pj-Run")
        expect(run.locator(".pj-JobView-state")).to_contain_text("Succeeded")
        expect(run.locator('.pj-Run-node[data-path="publish"]')).to_contain_text("0.93 > 0.9")
        expect(run.locator('.pj-Run-node[data-path="again"]')).to_have_attribute("data-status", "skipped")
        screen.page.keyboard.press("Control+Alt+j")
        unfold(screen, "Runs", folded="Jobs").get_by_role("button", name=name, exact=True).click()
        tab = screen.page.locator("[id^='pai-jupyter-run-']")
        tab.locator('.pj-Run-node[data-path="publish"]').click()
        expect(screen.page.locator(f".pj-JobView-name[title='{name}.publish']")).to_be_visible()
        screen.shoot(f"versions-{name}")
        assert warnings == []
        assert screen.errors == []


def test_a_cell_is_not_run_as_a_job_while_a_value_is_wrong(browser: Browser, server: Server) -> None:
    server.write("wrong.ipynb", LOAD, "lr: float = 0.1  # hp: [0.01..1]")
    with opened(browser, server, "wrong.ipynb") as screen:
        cell = screen.page.locator(".jp-Notebook .jp-CodeCell").last
        cell.click(button="right")
        screen.page.locator(".lm-Menu-item:visible", has_text="Run Cell as Training Job").click()
        dialog = screen.page.locator(".pj-CellDialog")
        dialog.get_by_label("lr", exact=True).fill("5")
        expect(dialog.locator(".jp-mod-accept").first).to_be_disabled()
        screen.page.keyboard.press("Enter")
        expect(dialog).to_be_visible()
        dialog.get_by_label("lr", exact=True).fill("0.5")
        expect(dialog.locator(".jp-mod-accept").first).to_be_enabled()


def warnings_of_ours(screen: Screen) -> list[str]:
    """The warnings that our scripts have caused, while they come."""
    found: list[str] = []

    def note(message: ConsoleMessage) -> None:
        about = f"{message.text} ({message.location.get('url', '')})"
        if message.type == "warning" and re.search("pai[-_ ]jupyter", about):
            found.append(about)

    screen.page.on("console", note)
    return found


def test_no_version_is_asked_for_that_the_oldest_does_not_have() -> None:
    package = json.loads((FRONT / "package.json").read_text())
    asked = {name: wanted for name, wanted in package["dependencies"].items() if name.startswith("@")}
    # Of this one the host's is used at run time, and nothing of it is built in: src/notebook.d.ts.
    shared = {**asked, "@jupyterlab/notebook": asked["@jupyterlab/application"]}
    assert package["jupyterlab"]["sharedPackages"] == {name: {"requiredVersion": shared[name]} for name in shared}
    lock = json.loads((FRONT / "package-lock.json").read_text())["packages"]
    built = {name: lock[f"node_modules/{name}"]["version"] for name in asked if name.startswith("@jupyterlab/")}
    oldest = {name: asked[name].removeprefix("^").removesuffix("0") for name in built}
    newer = {name: version for name, version in built.items() if not version.startswith(oldest[name])}
    assert newer == {}  # so TypeScript refuses what the oldest does not have


def test_the_built_scripts_take_what_the_host_shares_from_the_oldest_on() -> None:
    entries = list((ROOT / "pai_jupyter" / "labextension" / "static").glob("remoteEntry.*.js"))
    if not entries:
        lacking("node", "the front end is not built")
    package = json.loads((FRONT / "package.json").read_text())
    shared = re.findall(
        r'"(@(?:jupyterlab|lumino)/[\w-]+)",import:null,requiredVersion:"([^"]+)"[^}]*?singleton:(!?\d|true)',
        entries[0].read_text(),
    )
    assert shared
    for name, wanted, is_single in shared:
        assert (wanted, is_single) == (package["jupyterlab"]["sharedPackages"][name]["requiredVersion"], "!0")
