"""Graphs of 500 steps in a real JupyterLab and a real Chromium, while all of them run. There is no peer: goals are times.

Every job takes no time, so steps change as fast as a driver goes: faster than runs of real jobs do.
"""

import random
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from pai_jupyter.jobs import close_runtime
from pai_jupyter.runs import start_run
from pai_jupyter.runs.plan import Plan
from tests.bench.harness import Row, at_most
from tests.bench.pages import Stretch, Watched
from tests.support.browser import Screen, Server, chromium, jupyter, load
from tests.support.instant_backend import installed_instant
from tests.support.run_jobs import marked
from tests.support.run_plans import plan_of, step
from tests.support.sidepanel import HAS_PANEL

STEPS = 500
STATE = "document.querySelector('.pj-Run .pj-JobView-state')?.dataset.status"


def rows() -> Iterator[Row]:
    with (
        tempfile.TemporaryDirectory(prefix="pai-bench-") as scratch,
        pytest.MonkeyPatch.context() as patch,
        installed_instant(Path(scratch)),
        jupyter(Path(scratch) / "jupyter") as server,
        chromium() as browser,
    ):
        patch.setenv("PAI_JUPYTER_HOME", str(server.home))
        for name, before in shapes().items():
            folder = Path(scratch) / name
            folder.mkdir()
            stretch = _watch(browser, server, folder, _plan(folder, before))
            yield at_most(f"{STEPS} steps run, {name}: p95 of frames (/ 50 ms)", stretch.p95, 50, 1, "ms")
        close_runtime()


def shapes() -> dict[str, Callable[[int], set[int]]]:
    """By name: on which steps one depends. All begin with the first, which waits for a file."""
    chance = random.Random(15)
    return {
        "wide": lambda number: {0} if number else set(),
        "deep": lambda number: {number - 1} if number else set(),
        "random": lambda number: {chance.randrange(max(0, number - 40), number) for _ in range(2 if number else 0)},
    }


def _plan(folder: Path, before: Callable[[int], set[int]]) -> Plan:
    first, body = marked(folder, "first", wait=str(folder / "gate")), marked(folder, "step")
    return plan_of(
        *(step(f"s{n}", *(f"s{it}" for it in sorted(before(n))), job=body if n else first) for n in range(STEPS))
    )


def _watch(browser: Browser, server: Server, folder: Path, plan: Plan) -> Stretch:
    """What the page goes through from the moment at which the first step may end to the end of the run."""
    run = start_run(plan)
    page = browser.new_page(viewport={"width": 1280, "height": 1000})
    try:
        watched = Watched(page)
        screen = Screen(page=page, server=server, notebook=folder.name)
        load(screen, f"{server.url}/lab?reset&token={server.token}", HAS_PANEL)
        page.evaluate("run => void jupyterapp.commands.execute('pai-jupyter:show-run', {run})", run.id)
        page.locator(".pj-Run").get_by_role("button", name="Graph").click()
        page.wait_for_function(f"document.querySelectorAll('.pj-Run-node').length === {STEPS}")
        watched.await_seen("end", f"{STATE} === 'succeeded'")
        watched.begin()
        (folder / "gate").touch()
        watched.moment("end")
        return watched.end()
    finally:
        page.close()
        run.stop()
