"""A job of PAI as a person sees it, rehearsed at the emulator: the form, the live view with all its tabs, a kernel that dies.

The emulator is the one that `%pai_config use emulator` starts in the notebook. Screenshots: tests/browser.py.
"""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, expect

from pai_jupyter.jobs import Job, attach
from tests.browser import Server, Screen, chromium, jupyter, opened, wait_for
from tests.test_browser import lines, started, state, tab

pytest.importorskip("tensorboardX")

LOAD = "%load_ext pai_jupyter\n%pai_config use emulator\nimport os; print('pid', os.getpid())"
SCRIPT = """
import json, os, pathlib, time
from tensorboardX import SummaryWriter
lr: float = 0.1     # hp: [0.01..1]  learning rate
model = pathlib.Path(os.environ["PAI_OUTPUT_MODEL"])
(model / "部分").mkdir()
(model / "部分" / "config.json").write_text(json.dumps({{"lr": lr, "layers": [64, 64]}}))
(model / "weights.bin").write_bytes(bytes(range(256)) * 100)
with SummaryWriter(os.environ["PAI_OUTPUT_TENSORBOARD"]) as writer:
    for epoch in range(1, 21):
        print(f"epoch {{epoch}}/40 loss={{1 / epoch:.4f}}", flush=True)
        writer.add_scalar("train/loss", 1 / epoch, epoch)
while not os.path.exists({gate!r}):
    time.sleep(0.02)
print("the gate is open, lr is", lr)
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with jupyter(tmp_path_factory.mktemp("server")) as server:
        yield server


@pytest.fixture
def gate(tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PAI_JUPYTER_HOME", str(server.home))
    return tmp_path / "gate"


def test_a(browser: Browser, server: Server, gate: Path) -> None:
    server.write("form.ipynb", LOAD, "%%pai_train whole --form --env WITH_TENSORBOARD=1\n" + SCRIPT.format(gate=str(gate)))
    with opened(browser, server, "form.ipynb") as screen:
        import time
        t = time.time()
        def mark(name):
            nonlocal t
            print(f"{name}: {time.time() - t:.1f}")
            t = time.time()
            screen.shoot(f"pai-{name}")
        screen.run_all()
        screen.page.get_by_label("Where").select_option("pai")
        mark("form")
        screen.page.get_by_role("button", name="Submit").click()
        time.sleep(1)
        mark("form-error")
        screen.page.get_by_label("Instance type").fill("ecs.c6.large")
        screen.page.get_by_label("Instance type").press("Tab")
        screen.page.get_by_label("Image").fill("pytorch:9.9")
        screen.page.get_by_label("Image").press("Tab")
        screen.page.get_by_role("button", name="Dry run").click()
        time.sleep(1)
        mark("form-dry")
        screen.page.get_by_role("button", name="Submit").click()
        time.sleep(1.5)
        mark("form-error2")
        screen.page.get_by_label("Image").fill("pytorch")
        screen.page.get_by_label("Image").press("Tab")
        screen.page.get_by_role("button", name="Submit").click()
        expect(state(screen.view)).to_contain_text("Running")
        mark("running")
        expect(lines(screen.view).filter(has_text="epoch 20/40")).to_be_visible()
        mark("logs")
        for each in ("Metrics", "Files", "Source", "Environment", "TensorBoard", "Resources"):
            tab(screen.view, each)
            expect(screen.view.get_by_role("tabpanel", name=each)).to_be_visible()
            time.sleep(1.5)
            mark(f"tab-{each}")
        tab(screen.view, "Files")
        screen.view.get_by_role("button", name="model", exact=True).click()
        time.sleep(1)
        mark("files-model")
        tab(screen.view, "TensorBoard")
        screen.view.get_by_role("button", name="Start TensorBoard").click()
        time.sleep(0.5)
        mark("board-starting")
        time.sleep(12)
        mark("board")
        tab(screen.view, "Resources")
        time.sleep(12)
        mark("resources")
        screen.view.get_by_role("button", name="Stop", exact=True).first.click()
        screen.view.get_by_role("button", name="Stop", exact=True).last.click()
        expect(state(screen.view)).to_contain_text("Stopped")
        mark("stopped")
        tab(screen.view, "Files")
        time.sleep(1)
        mark("files-model-after")
        print(screen.errors)
