"""What these tests look at: a form, a job that goes on, one that has failed, and where each stands in the page."""

import json
import time

from playwright.sync_api import Locator, expect

from pai_jupyter.events import Link, Metric, Notice, Phase, PhaseChanged, Progress, Status, StatusChanged, Usage
from pai_jupyter.store.provenance import GitState, ImageState, Provenance, PythonState, write_provenance
from tests.support.wire import RecordedJob

FORM = ".jp-OutputArea-output:has(.widget-button)"
VIEW = "section.pj-JobView"
STATIC = "div.pj-JobView[style]"
TABS = ("Overview", "Logs", "Metrics", "Resources", "TensorBoard", "Files", "Source", "Environment")
PROVENANCE = Provenance(
    git=GitState(
        root="/home/me/code", commit="1a2b3c4d" * 5, branch="main", remote="git@h:a.git", changed=1, untracked=2
    ),
    diff="diff --git a/train.py b/train.py\n--- a/train.py\n+++ b/train.py\n@@ -1 +1 @@\n-lr = 0.1\n+lr = 0.2\n",
    python=PythonState(version="3.11.9", executable="/usr/bin/python3", packages=("numpy==2.1", "pandas==2.2")),
    images=(ImageState(uri="python:3.11", digest="sha256:0123456789ab", python="3.11.9"),),
)
CELL = """%%pai_train {name} {options}
import os, time
lr: float = 0.1         # hp: [0.01..1] log  learning rate
momentum: float = 0.9   # hp: [0..1]  how much of the last step stays
epochs: int = 3         # hp: [1..100]  passes
optimizer = "adam"      # hp: {{"adam","sgd"}}
amp: bool = True
layers: list = [1, 2]
note: str = ""
for step in range(200):
    print(f"step {{step}} loss={{1 / (step + 1):.4f}}")
while not os.path.exists({gate!r}):
    time.sleep(0.02)
"""


def running_job() -> RecordedJob:
    """A job with something of everything that is shown."""
    now = time.time()
    job = RecordedJob("goes-on", name="digits", hyperparameters={"lr": 0.1}, instance_count=2, max_run_time=7200)
    for status, ago in ((Status.QUEUED, 95), (Status.RUNNING, 90)):
        job.record(StatusChanged(status=status, time=now - ago))
    job.record(
        *(PhaseChanged(phase=phase, time=now - ago) for phase, ago in ((Phase.PREPARING, 90), (Phase.RUNNING, 60))),
        *(Progress(done=done, total=10, time=now - 60 + 10 * done, unit="epoch") for done in (1, 4)),
        *(Metric(name=name, value=1 / step, step=step, time=now) for name in ("acc", "loss") for step in range(1, 20)),
        *(Usage(replica="master-0", time=now - ago, cpu=0.5, memory=1 << 28) for ago in range(20)),
        *(Notice(text=f"a notice: {level}", time=now, level=level) for level in ("info", "warning", "error")),
        Link(name="console", url="https://console.invalid/job"),
    )
    colours = [*range(30, 38), *range(90, 98)]
    job.print(
        "".join(f"\x1b[{code}mcolour\x1b[0m \x1b[{code + 10}mback\x1b[0m \x1b[2mdim\x1b[0m\n" for code in colours)
    )
    job.print('  File "/ml/usercode/train.py", line 3, in <module>\n' + "a long line " * 200 + "\n")
    job.print("the other replica\n", replica="worker-0")
    model = job.folder.path / "output" / "model"
    model.mkdir(parents=True)
    (model / "weights.json").write_text('{"layers": [1, 2]}')
    write_provenance(job.folder.path, PROVENANCE)
    (job.folder.path / "run").mkdir()
    (job.folder.path / "run" / "outputs.json").write_text(json.dumps({"model": str(model)}))
    return job


def failed_job() -> RecordedJob:
    job = RecordedJob("failed", name="fails")
    job.status(Status.RUNNING)
    job.print('Traceback (most recent call last):\n  File "/ml/usercode/train.py", line 3, in <module>\n')
    job.print("ModuleNotFoundError: No module named 'xgboost'\n")
    job.status(Status.FAILED, exit_code=1)
    return job


def tab(view: Locator, name: str) -> Locator:
    """Its panel, shown and loaded."""
    view.get_by_role("tab", name=name, exact=True).click()
    panel = view.get_by_role("tabpanel", name=name, exact=True)
    expect(panel.locator("[aria-busy]")).to_have_count(0)
    shown = ("button", "canvas", "table", ".pj-JobView-row")
    expect(panel.locator(", ".join(f"{each}:visible" for each in shown)).first).to_be_visible()
    return panel
