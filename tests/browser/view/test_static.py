"""What is left of a job without us: a notebook as HTML, in a Lab that knows nothing of jobs, and on a server without ours.

The static result is always the same: state, values, last metrics, a chart, the last lines. No kernel, no script.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.browser.panel.test_notebooks import NOTEBOOKS, PATIENCE
from tests.support.browser import SCREENSHOTS, Screen, Server, jupyter, opened, wait_for

LOAD = "%env PAI_JUPYTER_RENDER=server\n%load_ext pai_jupyter\nimport os\nprint('pid', os.getpid())"
CELL = """%%pai_train {name} --run
import os, time
lr: float = 0.1
for epoch in range(1, 21):
    print(f"epoch {{epoch}}/20 loss={{1 / epoch:.3f}}", flush=True)
while not os.path.exists({gate!r}):
    time.sleep(0.02)
"""
GONE = "Error displaying widget"  # as a saved widget opens


@pytest.fixture(scope="module")
def gates(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A directory where `open` is there, and `shut` is not before the end."""
    gates = tmp_path_factory.mktemp("gates")
    (gates / "open").touch()
    yield gates
    (gates / "shut").touch()


@pytest.fixture(scope="module")
def saved(browser: Browser, gates: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A notebook as JupyterLab with our extensions has saved it, after its kernel was killed while its second job ran."""
    with jupyter(tmp_path_factory.mktemp("whole")) as server:
        cells = [CELL.format(name=name, gate=str(gates / gate)) for name, gate in (("done", "open"), ("alive", "shut"))]
        server.write("saved.ipynb", LOAD, *cells)
        with opened(browser, server, "saved.ipynb") as screen:
            screen.run_all()
            expect(screen.view.first).to_contain_text("Succeeded")
            expect(screen.view.last).to_contain_text("epoch 20/20")
            wait_for(lambda: states(screen.save()) == ["succeeded", "running"])
            printed = screen.page.locator(".jp-OutputArea-output", has_text="pid ").inner_text()
            os.kill(int(printed.split()[-1]), signal.SIGKILL)
            screen.save()
        return (server.root / "saved.ipynb").read_text()


def states(notebook: dict[str, object]) -> list[str]:
    """The states of the jobs that are saved in it."""
    return [
        value["state"]
        for cell in json.loads(json.dumps(notebook))["cells"]
        for output in cell["outputs"]
        for kind, value in output.get("data", {}).items()
        if "pai-jupyter" in kind
    ]


def without(place: Path, *, labextension: bool = False) -> str:
    """Settings for JUPYTER_CONFIG_PATH that take our server extension away, and the labextension as well."""
    parts: dict[str, object] = {
        "jupyter_server_config.d/zz.json": {"ServerApp": {"jpserver_extensions": {"pai_jupyter.server": False}}}
    }
    if labextension:
        parts["labconfig/page_config.json"] = {"disabledExtensions": {"pai-jupyter": True}}
    for name, content in parts.items():
        (place / name).parent.mkdir(parents=True)
        (place / name).write_text(json.dumps(content))
    return str(place)


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory, saved: str) -> Iterator[Server]:
    """A Jupyter without anything of ours, which has the saved notebook."""
    config = without(tmp_path_factory.mktemp("config"), labextension=True)
    with jupyter(tmp_path_factory.mktemp("bare"), JUPYTER_CONFIG_PATH=config) as server:
        (server.root / "saved.ipynb").write_text(saved)
        yield server


@pytest.fixture(scope="module")
def half(tmp_path_factory: pytest.TempPathFactory, saved: str) -> Iterator[Server]:
    """A Jupyter with our labextension, but without our server extension."""
    config = without(tmp_path_factory.mktemp("config"))
    with jupyter(tmp_path_factory.mktemp("half"), JUPYTER_CONFIG_PATH=config) as server:
        (server.root / "saved.ipynb").write_text(saved)
        yield server


def outputs(screen: Screen) -> Locator:
    """The outputs of the cells that are jobs."""
    return screen.page.locator(".jp-OutputArea-output", has=screen.page.locator(".pj-JobView"))


def expect_static(output: Locator, *texts: str) -> None:
    """The static result of a job, and no live view."""
    for text in texts:
        expect(output).to_contain_text(text)
    expect(output.locator("section.pj-JobView")).to_have_count(0)


def picture_width(output: Locator) -> int:
    width: int = output.locator("img").evaluate("image => image.decode().then(() => image.naturalWidth)")
    return width


# --- no kernel, no script ----------------------------------------------------------------------------------------


@pytest.mark.timeout(2 * PATIENCE)
def test_nbconvert_of_the_quickstart_shows_its_jobs_without_kernel_or_script(
    browser: Browser, tmp_path: Path, home: Path
) -> None:
    executed = tmp_path / "quickstart.ipynb"
    environ = {**os.environ, "IPYTHONDIR": str(tmp_path / "ipython"), "DOCKER_HOST": f"unix://{tmp_path}/none.sock"}
    run = [str(NOTEBOOKS / "run.py"), str(NOTEBOOKS / "quickstart.ipynb"), str(executed)]
    convert = ["-m", "jupyter", "nbconvert", "--to", "html", str(executed)]
    for command in (run, convert):
        subprocess.run([sys.executable, *command], env=environ, check=True, capture_output=True, timeout=PATIENCE)
    page = browser.new_context(java_script_enabled=False, viewport={"width": 1000, "height": 1400}).new_page()
    page.goto(executed.with_suffix(".html").as_uri(), wait_until="domcontentloaded")
    jobs = page.locator("div.pj-JobView")
    expect(jobs).to_have_count(3)  # the last is of the form's section, which runs at once where nobody can press Submit
    for values, job in (("n_estimators=40", jobs.first), ("n_estimators=3", jobs.nth(1))):
        for text in ("Succeeded", "iris", values, "accuracy", "validation_0-mlogloss"):
            expect(job).to_contain_text(text)
        assert picture_width(job) > 100
    jobs.first.scroll_into_view_if_needed()
    page.screenshot(path=SCREENSHOTS / "static-nbconvert.png")
    page.context.close()


def test_a_lab_without_us_shows_what_was_saved(browser: Browser, bare: Server) -> None:
    with opened(browser, bare, "saved.ipynb") as screen:
        expect(outputs(screen)).to_have_count(2)
        expect_static(outputs(screen).first, "Succeeded", "done", "lr=0.1", "loss", "epoch 20/20", "as of 20")
        assert picture_width(outputs(screen).first) > 100
        expect_static(outputs(screen).last, "Running", "alive", "lr=0.1", "as of 20")
        expect(screen.page.get_by_text(GONE)).to_have_count(0)
        outputs(screen).last.scroll_into_view_if_needed()
        screen.shoot("static-bare")
        assert screen.errors == []


# --- no server extension -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("app", ["lab/tree", "notebooks"])
def test_a_missing_server_extension_is_named_once_and_the_result_is_shown(
    browser: Browser, half: Server, app: str
) -> None:
    with opened(browser, half, "saved.ipynb", app=app) as screen:
        expect(outputs(screen)).to_have_count(2)
        expect_static(outputs(screen).first, "Succeeded", "done", "lr=0.1", "loss", "epoch 20/20")
        expect_static(outputs(screen).last, "Running", "alive", "lr=0.1")
        assert picture_width(outputs(screen).first) > 100
        told = screen.page.locator(".Toastify__toast")
        expect(told).to_have_count(1)
        expect(told).to_contain_text("pai_jupyter is not installed")
        expect(told).to_contain_text('Type "pip install pai_jupyter"')
        screen.shoot(f"static-half-{app[:3]}")
        assert harm(screen) == []


def test_jobs_run_on_a_server_without_our_extension(browser: Browser, half: Server, gates: Path) -> None:
    gate = str(gates / "open")
    cells = [CELL.format(name="static", gate=gate), "%env PAI_JUPYTER_RENDER=auto", CELL.format(name="live", gate=gate)]
    half.write("runs.ipynb", LOAD, *cells, "print('the end')")
    with opened(browser, half, "runs.ipynb") as screen:
        screen.run_all()
        expect_static(outputs(screen).first, "Succeeded", "static", "lr=0.1", "loss", "epoch 20/20")
        expect(screen.view).to_have_count(1)  # "auto" knows that only a widget can be live here
        expect(screen.view).to_contain_text("Succeeded")
        screen.view.get_by_role("tab", name="Environment").click()
        expect(screen.view).to_contain_text("PAI_HPS_LR")
        expect(screen.page.get_by_text("the end", exact=True)).to_be_visible()
        expect(screen.page.locator(".Toastify__toast")).to_have_count(1)
        screen.shoot("static-half-runs")
        assert harm(screen) == []


def harm(screen: Screen) -> list[str]:
    """The errors of the page, less what the browser itself says of the one question to a server that is not there."""
    return [error for error in screen.errors if "404 (Not Found)" not in error]
