"""All that is shown of runs, looked at in two sizes, light and dark, in English and in 中文; by keyboard alone; with axe-core."""

import time
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, expect

from pai_jupyter.cost import JobPrice
from pai_jupyter.events import Metric, Notice, Status, StatusChanged, Usage
from pai_jupyter.package import build
from pai_jupyter.report import write_report
from pai_jupyter.store import AnnotationChange
from pai_jupyter.store.provenance import write_provenance
from tests.support.browser import jupyter, opened, wait_for
from tests.support.job_pages import FORM, PROVENANCE
from tests.support.sidebar import Sidebar
from tests.support.walk import AXE, WORD, Walk
from tests.support.wire import RecordedJob

PRICES = '{"currency": "CNY", "per_hour": {"local": 6.2}}'
LOAD = "%load_ext pai_jupyter"
BURNS = """%%pai_train burns-{language} --run --backend process --max-time 2h
import os
lr: float = 0.1  # hp: [0.01..1] log

def square(n):
    return sum(at * at for at in range(n))

step = 0
while not os.path.exists({gate!r}):
    step += 1
    square(20_000)
    if step % 50 == 0:
        print(f"step {{step}} loss={{1 / step:.4f}}", flush=True)
"""
FORM_CELL = """%%pai_train digits --backend process --max-time 2h
lr: float = 0.1       # hp: [0.01..1] log
depth: int = 3        # hp: [1..9]
opt = "adam"          # hp: {"adam","sgd"}
amp: bool = True
"""
NOTE = "overfits"
NAMES = ("iris-xgb", "iris-forest", "a-name-that-is-longer-than-any-column-of-any-table-is-wide", "mnist", "mnist-2")
TYPED = f"""{BURNS} {FORM_CELL} {" ".join(NAMES)} {PROVENANCE} {NOTE} runs-now told walk iris.ipynb ValueError no luck module fake
    train val loss accuracy min max steps best master checkpoints model output_parameters tensorboard
    CPU GPU CNY CSV PNG JSON TensorBoard Docker Python float int str bool True default local"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("walk")


@pytest.fixture(scope="module")
def jobs(place: Path) -> Iterator[list[RecordedJob]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PAI_JUPYTER_HOME", str(place / "jobs"))
        made = [ended(number, name) for number, name in enumerate(NAMES)]
        made.append(running())
        yield made
        made[-1].status(Status.STOPPED)
        made[-1].release()


def price() -> JobPrice:
    return JobPrice(currency="CNY", per_hour=Decimal("6.2"), time_limit=7200)


def ended(number: int, name: str) -> RecordedJob:
    """A job that has ended, with values, curves, tags and a price; the last has failed."""
    began = time.time() - 86_400 - 3600 * number
    record = {"created": began, "notebook": "iris.ipynb", "entry_point": "train.py", "price": price()}
    values = {"lr": 0.4 / 2**number, "depth": 3 + number, "opt": "adam" if number % 2 else "sgd"}
    job = RecordedJob(f"walk-{number}", record=record, name=name, hyperparameters=values)
    build(None, to=job.folder.path / "package.tar.gz", files={"train.py": f"lr = {values['lr']}\nprint(lr)\n".encode()})
    write_provenance(job.folder.path, PROVENANCE)
    job.record(StatusChanged(status=Status.RUNNING, time=began + 5))
    for step in range(1, 40):
        for part, factor in (("train", 1.0), ("val", 1.5 + number / 4)):
            job.record(Metric(name=f"{part}/loss", value=factor / step, step=step, time=began + 5 + step))
        job.record(Metric(name="accuracy", value=1 - (1 + number) / (step + 10), step=step, time=began + 5 + step))
    job.print(
        'Traceback (most recent call last):\n  File "/ml/usercode/train.py", line 2, in <module>\nValueError: no luck\n'
    )
    end = Status.FAILED if number == len(NAMES) - 1 else Status.SUCCEEDED
    job.record(StatusChanged(status=end, time=began + 3000 + number, exit_code=int(end is Status.FAILED)))
    job.release()
    job.folder.annotate(
        AnnotationChange(is_starred=number == 0, add=("best", "论文")[: 2 - number % 2], note=NOTE * (number % 2))
    )
    return job


def running() -> RecordedJob:
    """A job that runs, with all kinds of resources and an alert of each kind."""
    now = time.time()
    job = RecordedJob("walk-runs", name="runs-now", record={"created": now - 600, "price": price()}, max_run_time=7200)
    job.record(StatusChanged(status=Status.RUNNING, time=now - 590))
    limits: dict[str, Any] = {"cores": 4.0, "memory_limit": 1 << 30, "gpu_memory_limit": 16 << 30}  # Any: of an event
    for at in range(60):
        used: dict[str, Any] = {
            "cpu": 1 + at % 3,
            "cpu_time": at * 5.0,
            "memory": (400 + at * 8) << 20,
            "peak_memory": 1 << 29,
        }
        gpu: dict[str, Any] = {"gpu": 0.5 + at % 4 / 10, "gpu_memory": (9 + at % 2) << 30}
        moved: dict[str, Any] = {"read": at << 20, "written": at << 19, "received": at << 18, "sent": at << 17}
        job.record(Usage(replica="master-0", time=now - 580 + 5 * at, **used, **gpu, **moved, **limits))
    return job


@pytest.fixture(scope="module", params=["en", "zh"])
def walk(request: pytest.FixtureRequest, browser: Browser, place: Path, jobs: object) -> Iterator[Walk]:
    """A notebook with a job that runs and a form, in one of the languages; the jobs are those of both."""
    language, own = request.param, place / request.param
    gate, prices = own / "gate", own / "config" / "pai_jupyter" / "prices.json"
    prices.parent.mkdir(parents=True)
    prices.write_text(PRICES)
    environ = {
        "PAI_JUPYTER_HOME": str(place / "jobs"),
        "XDG_CONFIG_HOME": str(own / "config"),
        "PAI_JUPYTER_LANG": language,
    }
    whole: dict[str, dict[str, object]] = {"notebook-extension/tracker": {"windowingMode": "none"}}
    with jupyter(own / "server", settings=whole, PAI_JUPYTER_ML="plain", **environ) as server:
        server.home = place / "jobs"
        settings = own / "server" / "settings" / "pai-jupyter" / "panel.jupyterlab-settings"
        settings.parent.mkdir()
        settings.write_text('{"notifyDesktop": true}')
        server.write("walk.ipynb", LOAD, BURNS.format(language=language, gate=str(gate)), FORM_CELL)
        with opened(browser, server, "walk.ipynb", permissions=["notifications"]) as screen:
            screen.run_all()
            expect(screen.view).to_have_count(1)
            expect(screen.page.locator(FORM)).to_be_visible()
            screen.page.evaluate(AXE.read_text())
            yield Walk(screen=screen, language=language, names=frozenset(WORD.findall(TYPED)))
            gate.touch()


ALERTS = {  # the sentences of `events.alerts`, and what is told of them
    "nan": ("`loss` became nan at step 3.", {"en": "became nan at step 3", "zh": "在第 3 步变为 nan"}),
    "stalled": (
        "No progress for 30 min: no new line in the log, and no use of the CPU.",
        {"en": "No progress for 30 min", "zh": "30 分钟没有进展"},
    ),
}
END = {"en": "told: Failed", "zh": "told：失败"}


def test_what_is_shown_of_runs_can_be_read_and_reached_in_each_size_theme_and_language(walk: Walk) -> None:
    for step in (start_recording, form, cell_dialog, panel, table, comparison, overview, resources, flame, rerun):
        step(walk)
    for step in (own_page, report, alerts):
        step(walk)
    assert walk.found == []
    assert walk.screen.errors == []


def shown_tab(walk: Walk) -> Locator:
    return walk.page.locator(".pj-JobTab:not(.lm-mod-hidden)")


def start_recording(walk: Walk) -> None:
    """Of the job that runs, in a tab of its own: it goes on while all else is looked at."""
    view = walk.screen.view
    walk.button("More actions", view).click()
    view.get_by_role("menuitem", name=walk.say("Open in tab")).click()
    shown_tab(walk).get_by_role("tab", name=walk.say("Resources")).click()
    walk.button("Record 10 s", shown_tab(walk)).click()
    expect(shown_tab(walk).get_by_role("progressbar")).to_be_visible()
    walk.page.locator(".lm-TabBar-tab").filter(has_text="walk.ipynb").click()


def form(walk: Walk) -> None:
    expect(walk.page.locator(FORM)).to_contain_text("¥12.40")
    walk.look("form", FORM, into_view=True)


def cell_dialog(walk: Walk) -> None:
    walk.page.locator(".jp-CodeCell").last.locator(".cm-content").click()
    walk.page.evaluate("() => void jupyterapp.commands.execute('pai-jupyter:run-cell-as-job')")
    dialog = walk.page.locator(".pj-CellDialog")
    expect(dialog).to_contain_text("¥12.40")
    expect(dialog.locator("[aria-busy]")).to_have_count(0)
    walk.look("dialog", ".pj-CellDialog .jp-Dialog-content")
    walk.page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)


def panel(walk: Walk) -> None:
    side = Sidebar(walk.page)
    walk.page.keyboard.press("Control+Alt+j")
    expect(side.row(f"burns-{walk.language}")).to_contain_text("¥")
    walk.look("panel", ".pj-Panel-jobs")
    side.row("iris-xgb").click()
    side.list.press("F2")
    walk.look("tags", ".jp-Dialog .pj-JobView")
    walk.page.keyboard.press("Escape")
    expect(walk.page.get_by_role("dialog")).to_have_count(0)


def table(walk: Walk) -> None:
    page, own = walk.page, walk.page.locator(".pj-Table")
    walk.button("Runs table", page.locator(".pj-Panel")).click()
    grid = page.locator(".pj-Table-grid")
    own.get_by_role("combobox", name=walk.say("Group by")).select_option("value:opt")
    grid.get_by_role("row").filter(has_text="adam (2)").click()
    walk.button("Columns", own).click()
    walk.look("columns", ".pj-Table")
    page.keyboard.press("Escape")
    own.get_by_role("combobox", name=walk.say("Group by")).select_option("")
    own.get_by_role("searchbox", name=walk.say("Filter runs")).fill("depth>0")
    expect(grid.get_by_role("row")).to_have_count(1 + len(NAMES))
    grid.focus()
    for key in ("Control+Home", "Space", *["Shift+ArrowDown"] * 4):
        page.keyboard.press(key)
    walk.look("table", ".pj-Table")
    walk.reach("table", own)


def comparison(walk: Walk) -> None:
    walk.button("Compare", walk.page.locator(".pj-Table")).click()
    own = walk.page.locator(".pj-Comparison > section")
    expect(own.get_by_role("table", name=walk.say("Overview")).locator("thead th")).to_have_count(1 + len(NAMES))
    expect(own.locator("[aria-busy]")).to_have_count(0)
    own.get_by_label(walk.say("Baseline")).select_option(label="iris-forest")
    own.locator("summary").filter(has_text=walk.say("Own charts")).click()
    expect(own.get_by_label(walk.say("Title"))).to_be_visible()
    own.locator(".pj-JobView-parallel").evaluate("it => it.scrollIntoView()")
    walk.look("comparison", ".pj-Comparison > section")
    walk.reach("comparison", own)


def open_job(walk: Walk, name: str, tab: str) -> None:
    """The job in a tab of its own, by keyboard."""
    side = Sidebar(walk.page)
    side.row(name).click()
    side.list.press("Enter")
    expect(shown_tab(walk).locator(".pj-JobView-name")).to_have_text(name)
    shown_tab(walk).get_by_role("tab", name=walk.say(tab), exact=True).click()
    expect(shown_tab(walk).locator("[aria-busy]:visible")).to_have_count(0)


def overview(walk: Walk) -> None:
    open_job(walk, NAMES[-1], "Overview")
    walk.look("overview", ".pj-JobTab:not(.lm-mod-hidden)")
    walk.reach("overview", shown_tab(walk))


def resources(walk: Walk) -> None:
    open_job(walk, "runs-now", "Resources")
    expect(shown_tab(walk).locator("canvas").first).to_be_visible()
    walk.look("resources", ".pj-JobTab:not(.lm-mod-hidden)")
    walk.reach("resources", shown_tab(walk))


def flame(walk: Walk) -> None:
    open_job(walk, f"burns-{walk.language}", "Resources")
    expect(shown_tab(walk).get_by_role("tree", name=walk.say("Flame graph"))).to_be_visible()
    walk.look("flame", ".pj-JobTab:not(.lm-mod-hidden)")
    walk.reach("flame", shown_tab(walk))
    walk.button("Stacks", shown_tab(walk)).click()
    expect(shown_tab(walk).locator(".pj-JobView-stacks pre").first).to_be_visible()
    walk.look("stacks", ".pj-JobTab:not(.lm-mod-hidden)")


def rerun(walk: Walk) -> None:
    walk.button("More actions", shown_tab(walk)).click()
    shown_tab(walk).get_by_role("menuitem", name=walk.say("Rerun…")).click()
    dialog = walk.page.locator(".pj-CellDialog")
    expect(dialog).to_contain_text("¥12.40")
    walk.look("rerun", ".pj-CellDialog .jp-Dialog-content")
    walk.page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)


def own_page(walk: Walk) -> None:
    server = walk.screen.server
    page = walk.page.context.new_page()
    page.goto(f"{server.url}/pai-jupyter/jobs/walk-0?token={server.token}&language={walk.language}")
    page.get_by_role("tab", name=walk.say("Overview")).click()
    page.evaluate(AXE.read_text())
    walk.look("page", "section.pj-JobView", page=page)
    page.close()


def report(walk: Walk) -> None:
    home = walk.screen.server.home
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PAI_JUPYTER_HOME", str(home))
        patch.setenv("PAI_JUPYTER_LANG", walk.language)
        path = write_report(home.with_name(f"{walk.language}.html"), "depth>0", title="depth")
    page = walk.page.context.new_page()
    page.goto(f"file://{path}")
    page.evaluate(AXE.read_text())
    walk.look("report", "body", page=page)
    page.close()


DESKTOP = """() => {
    window.shown = [];
    window.Notification = class extends Notification {
        constructor(title, more) { super(title, more); window.shown.push(more.body); }
    };
    Object.defineProperty(document, 'hidden', {get: () => true, configurable: true});
}"""  # the browser's own notifications are shown, and noted: nothing else tells of them


def alerts(walk: Walk) -> None:
    """What a job's user must hear of comes as a notification, and by the browser while the page is not seen."""
    walk.page.evaluate(DESKTOP)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PAI_JUPYTER_HOME", str(walk.screen.server.home))
        job = RecordedJob(f"alerts-{walk.language}", name="told", record={"created": time.time()})
    job.record(StatusChanged(status=Status.RUNNING, time=time.time()))
    toasts = walk.page.locator(".Toastify__toast")
    for kind, (text, told) in ALERTS.items():
        job.record(Notice(text=text, time=time.time(), level="warning", alert=kind))
        expect(toasts.filter(has_text=told[walk.language])).to_be_visible()
    job.record(StatusChanged(status=Status.FAILED, time=time.time(), exit_code=3))
    job.release()
    expect(toasts.filter(has_text=END[walk.language])).to_be_visible()
    walk.screen.shoot(f"walk-{walk.language}-alerts")
    wait_for(lambda: len(walk.page.evaluate("() => window.shown")) == 1 + len(ALERTS))
