"""The side panel in a browser, for tests: where its parts are; jobs of programs that are no notebooks; many jobs."""

import math
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from pai_jupyter.events import Metric, Progress, Status, StatusChanged
from pai_jupyter.jobs import Job, attach
from pai_jupyter.spec import JobRef, JobSpec
from pai_jupyter.store import FollowLock, JobRecord, JobStore, JobWriter
from tests.support.patience import DEADLINE

FOLDS = ("Jobs", "Runs", "TensorBoard", "Backends", "Storage", "Components")
# A program as a user writes it, which ends as soon as its job is submitted.
PROGRAM = """
import sys
from pai_jupyter import Estimator
source, name = sys.argv[1:]
estimator = Estimator(entry_point=source, base_job_name=name, backend="process")
print(estimator.fit(wait=False).id)
"""
# Says a number ever again, until its gate is open.
TICKS = """import itertools, os, time
for number in itertools.count():
    print("tick", number, flush=True)
    if os.path.exists({gate!r}):
        break
    time.sleep(0.1)
print("the gate is open", flush=True)
"""
NAMES = (
    "iris-xgb",
    "训练 a",
    '<img src=x onerror=alert(1)> "b"',
    "a-name-that-is-far-longer-than-the-panel-is-wide",
    "r",
)
PLACES = (("process", "process (no image is given)"), ("docker", "docker (an image is given)"), ("pai", "cn-hangzhou"))
NOTEBOOKS = ("iris.ipynb", "work/mnist 训练.ipynb", None)
ENDS = (Status.SUCCEEDED, Status.FAILED, Status.SUCCEEDED, Status.STOPPED)


@dataclass(frozen=True)
class Sidebar:
    """The panel of a page."""

    page: Page

    @property
    def icon(self) -> Locator:
        """Its tab in the side bar."""
        return self.page.locator('.lm-TabBar-tab[data-id="pai-jupyter-panel"]')

    @property
    def root(self) -> Locator:
        return self.page.locator("#pai-jupyter-panel")

    @property
    def jobs(self) -> Locator:
        return self.root.locator(".pj-Panel-jobs")

    @property
    def list(self) -> Locator:
        return self.jobs.get_by_role("listbox")

    @property
    def rows(self) -> Locator:
        return self.list.get_by_role("option")

    @property
    def tabs(self) -> Locator:
        """The jobs in tabs of their own."""
        return self.page.locator(".pj-JobTab")

    def open(self) -> None:
        self.icon.click()
        expect(self.root).to_be_visible()

    def fold(self, name: str) -> Locator:
        """The title of a fold, which opens and closes it."""
        return self.root.locator(".lm-AccordionPanel-title", has_text=re.compile(f"^{name}$", re.IGNORECASE))

    def row(self, name: str) -> Locator:
        """The job whose name begins so."""
        return self.list.get_by_role("option", name=re.compile(f"^{re.escape(name)}"))

    def press(self, action: str) -> None:
        """One of the buttons below the list."""
        self.jobs.get_by_role("button", name=action, exact=True).click()

    def confirm(self, answer: str) -> None:
        """Answer the question that is asked."""
        self.jobs.locator(".pj-JobView-asked").get_by_role("button", name=answer, exact=True).click()

    def choose(self, action: str) -> None:
        """One of the items of the menu below the list."""
        self.jobs.get_by_role("button", name="More actions").click()
        self.jobs.get_by_role("menuitem", name=action, exact=True).click()


def from_a_program(place: Path, name: str, script: str) -> Job:
    """The job that a plain program has submitted, which is over by then."""
    source = place / f"{name}.py"
    source.write_text(script)
    words = [sys.executable, "-c", PROGRAM, str(source), name]
    done = subprocess.run(words, cwd=place, capture_output=True, text=True, timeout=DEADLINE, check=False)
    assert done.returncode == 0, done.stderr
    return attach(done.stdout.split()[-1])


def ticks(gate: Path) -> str:
    """The script of a job that goes on until the gate is open."""
    return TICKS.format(gate=str(gate))


@contextmanager
def many_jobs(count: int = 30, *, running: int = 3) -> Iterator[None]:
    """Jobs of every look in the store of this process; the newest ones run as long as the context."""
    with ExitStack() as followers:
        for age in reversed(range(count)):
            _make_job(age, age < running, followers)
        yield


def _make_job(age: int, is_running: bool, followers: ExitStack) -> None:
    """A job, the older the greater its `age`; with it the process that follows it, while it runs."""
    backend, place = PLACES[age % 3]
    created = time.time() - 60 * (age + 1) ** 2
    spec = JobSpec(name=f"{NAMES[age % 5]}-{age}", command="python train.py")
    record = JobRecord(
        id=f"job-{age:03}", spec=spec, backend=backend, place=place, notebook=NOTEBOOKS[age % 3], created=created
    )
    folder = JobStore().create(record)
    folder.start(JobRef(backend=backend, job_id=record.id), folder.read().state)
    lock, writer = folder.try_lock(), folder.writer("service")
    assert lock is not None
    writer.record(StatusChanged(status=Status.RUNNING, time=created + 2))
    for step in range(0 if age % 4 == 3 else 40):
        loss = math.exp(-step / 15) + math.sin(step * (age + 1)) / 20
        writer.record(Metric(name="loss", value=loss, step=step, time=created + 3 + step))
    writer.record(Progress(done=5 * (age % 8 + 2), total=50, unit="epoch", time=created + 45))
    if is_running:
        writer.commit()
        followers.callback(_end_job, lock, writer, StatusChanged(status=Status.STOPPED, time=created + 50))
    else:
        _end_job(lock, writer, StatusChanged(status=ENDS[age % 4], time=created + 50))


def _end_job(lock: FollowLock, writer: JobWriter, end: StatusChanged) -> None:
    writer.record(end)
    writer.close()
    lock.__exit__(None, None, None)
