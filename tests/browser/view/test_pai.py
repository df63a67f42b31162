"""A job of PAI as a person sees it, rehearsed at the emulator: the form, all tabs of the live view, a kernel that dies.

The emulator of the server's user runs already, so `%pai_config use emulator` finds it. Screenshots stay in
tests/.work/screenshots.
"""

import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, expect

from pai_jupyter.jobs import attach
from tests.browser.view.test_job import lines, state, tab
from tests.support.browser import Screen, Server, expect_tag, jupyter, opened
from tests.support.emulators import Emulator, emulator, json_of

pytest.importorskip("tensorboard")

LOAD = "%load_ext pai_jupyter\n%pai_config use emulator\nimport os; print('pid', os.getpid())"
ON_PAI = "--run --backend pai --instance-type ecs.c6.large --image pytorch"
# Writes a model and event files, and goes on until the gate is open.
HELD = """%%pai_train {name} {options}
import json, os, pathlib, time
from tensorboardX import SummaryWriter
lr: float = 0.1     # hp: [0.01..1]  learning rate
model = pathlib.Path(os.environ["PAI_OUTPUT_MODEL"], "部分")
model.mkdir()
(model / "config.json").write_text(json.dumps({{"layers": [64, 32]}}))
with SummaryWriter(os.environ["PAI_OUTPUT_TENSORBOARD"]) as writer:
    for epoch in range(1, 21):
        print(f"epoch {{epoch}}/40 loss={{1 / epoch:.4f}}", flush=True)
        writer.add_scalar("train/loss", 1 / epoch, epoch)
while not os.path.exists({gate!r}):
    time.sleep(0.02)
print("the gate is open, lr is", lr)
"""


@pytest.fixture(scope="module")
def rehearsal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulator]:
    """The emulator in the home of the server's jobs; it outlives the server, which has jobs to stop there."""
    home = tmp_path_factory.mktemp("server") / "jobs"
    home.mkdir()
    with emulator(home / "emulator") as running:
        yield running


@pytest.fixture(scope="module")
def server(rehearsal: Emulator) -> Iterator[Server]:
    with jupyter(rehearsal.data.parents[1]) as server:
        yield server


@pytest.fixture
def gate(tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What the held job waits for; `attach` in the test finds the jobs of the server."""
    monkeypatch.setenv("PAI_JUPYTER_HOME", str(server.home))
    return tmp_path / "gate"


def held(gate: Path, name: str, options: str = ON_PAI) -> str:
    return HELD.format(gate=str(gate), name=name, options=options)


def fill(screen: Screen, label: str, text: str) -> None:
    field = screen.page.get_by_label(label)
    field.fill(text)
    field.press("Tab")


def press(view: Locator, name: str) -> None:
    view.get_by_role("button", name=name, exact=True).click()


def drawn(screen: Screen, text: str) -> None:
    """Bring the view onto the screen, for nothing is drawn that nobody sees, and wait for a line of the log."""
    screen.view.scroll_into_view_if_needed()
    expect(lines(screen.view).filter(has_text=text)).to_be_visible()


def status_at_the_service(rehearsal: Emulator, name: str) -> str:
    ref = attach(name).folder.read().ref
    assert ref is not None
    return str(json_of(rehearsal.data / "state" / "trainingjobs" / f"{ref.data['id']}.json")["fields"]["Status"])


def test_the_form_says_what_pai_wants_sends_the_job_there_and_stop_ends_it_there(
    browser: Browser, server: Server, rehearsal: Emulator, gate: Path
) -> None:
    server.write("form.ipynb", LOAD, held(gate, "form", options=""))
    with opened(browser, server, "form.ipynb") as screen:
        said, submit = screen.page.get_by_role("alert"), screen.page.get_by_role("button", name="Submit")
        screen.run_all()
        screen.page.get_by_label("Backend", exact=True).select_option("pai")
        submit.click()
        expect(said).to_contain_text("PAI needs an instance type; 'local' is this machine. Give one")
        expect(said).to_contain_text("backend 'pai' needs an image")
        screen.shoot("pai-form-lacks")
        fill(screen, "Instance type", "ecs.c6.large")
        fill(screen, "Image", "pytorch:9.9")
        submit.click()
        expect(said).to_contain_text("the emulator has no pytorch 9.9 for CPU; there are 2.3.1")
        screen.shoot("pai-form-image")
        fill(screen, "Image", "pytorch")
        submit.click()

        expect(state(screen.view)).to_contain_text("Running")
        expect(screen.view.locator(".pj-JobView-header")).to_contain_text("PAI emulator · ecs.c6.large ×1")
        drawn(screen, "epoch 20/40")
        screen.shoot("pai-logs")
        press(screen.view, "Stop")
        screen.view.get_by_role("button", name="Stop", exact=True).last.click()
        expect(state(screen.view)).to_contain_text("Stopped")
        screen.shoot("pai-stopped")
        assert screen.errors == []
    assert status_at_the_service(rehearsal, "form") == "Terminated"


def test_every_tab_shows_what_pai_has_of_the_job(
    browser: Browser, server: Server, rehearsal: Emulator, gate: Path
) -> None:
    server.write("tabs.ipynb", LOAD, held(gate, "tabs"))
    with opened(browser, server, "tabs.ipynb") as screen:
        screen.run_all()
        view = screen.view
        drawn(screen, "epoch 20/40")
        tab(view, "Metrics")
        expect(view.get_by_role("img", name="loss")).to_be_visible()
        screen.shoot("pai-metrics")
        tab(view, "Source")
        expect(view.get_by_role("tabpanel", name="Source")).to_contain_text("--image pytorch")
        tab(view, "Environment")
        expect(view.get_by_role("tabpanel", name="Environment")).to_contain_text("PAI_HPS_LR")

        tab(view, "Files")
        press(view, "model")
        press(view, "部分/")
        screen.shoot("pai-files")
        press(view, "config.json")
        expect(view.get_by_role("tabpanel", name="Files")).to_contain_text('"layers": [')
        screen.shoot("pai-preview")

        assert screen.errors == []  # TensorBoard's own page has some
        tab(view, "TensorBoard")
        press(view, "Start TensorBoard")
        expect_tag(view.frame_locator("iframe"), "train/loss")
        screen.shoot("pai-board")
        press(view, "Stop TensorBoard")
        expect(view.get_by_role("button", name="Start TensorBoard")).to_be_visible()

        tab(view, "Resources")
        view.get_by_role("region", name="Memory").scroll_into_view_if_needed()  # a chart that nobody sees is not drawn
        expect(view.get_by_role("img", name="Memory")).to_be_visible()
        screen.shoot("pai-resources")
        gate.touch()
        expect(state(view)).to_contain_text("Succeeded")


def test_a_killed_kernel_leaves_the_view_alive_to_the_end(browser: Browser, server: Server, gate: Path) -> None:
    server.write("killed.ipynb", LOAD, held(gate, "killed"))
    with opened(browser, server, "killed.ipynb") as screen:
        screen.run_all()
        expect(state(screen.view)).to_contain_text("Running")
        printed = screen.page.locator(".jp-OutputArea-output", has_text="pid ").first.inner_text()
        found = re.search(r"pid (\d+)", printed)
        assert found is not None
        os.kill(int(found[1]), signal.SIGKILL)
        gate.touch()
        expect(state(screen.view)).to_contain_text("Succeeded")
        drawn(screen, "the gate is open")
        screen.shoot("pai-killed")
