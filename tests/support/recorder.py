"""Record the job folders of `tests/data/recorded/NAME`, with the code that is checked out.

    python -m tests.support.recorder NAME local young container cloud

What a later version must still open is written by an earlier one. To record with that, clone the repository into a directory
of its own, check the version out, copy this file into its `tests`, and run it there, with those of its parts that the version
knows: `local` is as old as jobs are, `container` and `cloud` need an engine and the emulator.

Rule 1: all of it happens below `/tmp/pai-recorded`, so that no path of this machine is in any record.
Rule 2: what no reader opens is left out: the tree that a process job ran in, and the words of its processes.
"""

import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tensorboardX import SummaryWriter

from pai_jupyter import Estimator
from pai_jupyter.jobs import Target, draft, list_jobs
from pai_jupyter.spec import JobSpec, Role
from tests.support.engine import running_engine
from tests.support.image import make_image
from tests.support.paths import ROOT
from tests.support.shells import Shell

BASE = Path("/tmp/pai-recorded")
DATA = ROOT / "tests" / "data" / "recorded"
FOREIGN = ("ALIBABA_CLOUD_", "PAI_", "OSS_")
LEFT_OUT = ("ml", "job", "follow.lock", "submit.lock", "supervisor.err")
BOOT = re.compile(rb"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(?= pid:)")

CELL = """\
%%pai_train {line}
lr: float = 0.1  # hp: [0.001..1] log
epochs = 2  # hp: [1..10]
import os, pathlib
print("training", flush=True)
for epoch in range(1, epochs + 1):
    print(f"epoch {{epoch}}/{{epochs}} loss={{lr / epoch:.4f}}", flush=True)
pathlib.Path(os.environ["PAI_OUTPUT_MODEL"], "model.txt").write_text("weights")
{more}
"""
SLEEPS = "import time\nprint('asleep', flush=True)\ntime.sleep(600)"
FIT = """\
import argparse, os, pathlib
parser = argparse.ArgumentParser()
parser.add_argument("--depth", type=int, default=3, help="of a tree")
given = parser.parse_args()
print(f"[0] train-auc:{0.5 + given.depth / 20}")
pathlib.Path(os.environ["PAI_OUTPUT_MODEL"], "model.txt").write_text("trees")
board = pathlib.Path(os.environ["PAI_OUTPUT_TENSORBOARD"])
board.joinpath("events.out.tfevents.1700000000.a").write_bytes(pathlib.Path("events").read_bytes())
"""
ROLE = 'import os\nprint("role", os.environ.get("RANK"), "of", os.environ.get("WORLD_SIZE"))\n'


class Recorder:
    """The working directory, the home and the shell that jobs are recorded in."""

    def __init__(self, shell: Shell) -> None:
        self.shell = shell

    def run(self, line: str, *, more: str = "", fails: bool = False) -> None:
        """Run a cell as a job."""
        result = self.shell.run(CELL.format(line=line, more=more))
        assert (result.error is not None) == fails, result.text
        print(result.text.splitlines()[0])  # noqa: T201

    def local(self) -> None:
        """What a machine records without an engine and without a cloud."""
        self.run("iris --run --wait -p lr=0.3")
        self.run("broken --run --wait", more="raise ValueError('no such column: petal')", fails=True)
        self.stopped()
        self.estimator()

    def stopped(self) -> None:
        self.shell.run(CELL.format(line="asleep --run --no-wait", more=SLEEPS))
        (job,) = [job for job in list_jobs() if job.name == "asleep"]
        until(lambda: any("asleep" in each.text for each in job.logs()))
        job.stop()
        until(lambda: job.status.is_terminal)

    def estimator(self) -> None:
        source = Path("source")
        source.mkdir()
        source.joinpath("train.py").write_text(FIT)
        source.joinpath("events").write_bytes(events())
        Path("data").mkdir()
        Path("data", "a.csv").write_text("1,2\n")
        fitted = Estimator(
            command="python train.py $PAI_USER_ARGS",
            source_dir=source,
            hyperparameters={"depth": 5},
            metric_definitions=[{"Name": "auc", "Regex": r"train-auc:([0-9.]+)"}],
            environments={"STAGE": "test", "MY_TOKEN": "hunter2-hunter2"},
            base_job_name="trees",
            max_run_time=3600,
        )
        fitted.fit(inputs={"train": "data"}, wait=True)

    def young(self) -> None:
        """What came later: names of our own making, reruns, roles."""
        self.run("--run --wait --backend process --metric 'half:loss=([0-9.]+)'")
        (first,) = [job for job in list_jobs() if job.name == "iris"]
        assert self.shell.run(f"%pai_rerun {first.id} -p lr=0.5").error is None
        self.roles("process")

    def roles(self, backend: str, **more: Any) -> None:  # Any: fields of a spec
        roles = (Role(name="chief"), Role(name="worker", instance_count=2, command="python train.py; echo done"))
        spec = JobSpec(name=f"roles-{backend}", command="python train.py", job_type="TFJob", roles=roles, **more)
        with draft(spec, Target(backend=backend, reason="asked for"), files={"train.py": ROLE.encode()}) as ready:
            ready.submit().wait()

    def container(self) -> None:
        with running_engine() as engine:
            image = make_image(engine.address)
            self.run(f"in-docker --run --wait --image {image}")
            with suppress(AttributeError):  # a younger one: there, remove the container by hand
                engine.remove_containers_of(BASE / "home")

    def cloud(self) -> None:
        from tests.support.emulators import KEY, SECRET, emulator  # not in the first versions
        from tests.support.pai_jobs import session_at

        key = KEY, SECRET
        with emulator(BASE / "emulator") as service, session_at(service.address, BASE / "home", key=key, values={}):
            service.put("data/a.csv", "1,2\n")
            cloud = "--backend pai --image img:1 --instance-type ecs.c6.large"
            self.run(f"in-the-cloud --run --wait {cloud} -i train=oss://emulator/data/")
            self.run(f"cloud-broken --run --wait {cloud}", more="raise SystemExit(3)", fails=True)
            self.roles("pai", image_uri="img:1", instance_type="ecs.c6.large")


def events() -> bytes:
    """An event file with a few values."""
    with SummaryWriter(str(BASE / "events")) as writer:
        for step in range(3):
            writer.add_scalar("auc", 0.5 + step / 10, step, walltime=1_700_000_000 + step)
    (path,) = (BASE / "events").glob("*tfevents*")
    return path.read_bytes()


def until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)


@contextmanager
def clean_place() -> Iterator[None]:
    shutil.rmtree(BASE, ignore_errors=True)
    (BASE / "work").mkdir(parents=True)
    (BASE / "home").mkdir()
    for name in list(os.environ):
        if name.startswith(FOREIGN) or name == "CI":
            del os.environ[name]
    os.environ |= {
        "PAI_JUPYTER_HOME": str(BASE / "home"),
        "JPY_SESSION_NAME": str(BASE / "work" / "iris.ipynb"),
    }
    os.chdir(BASE / "work")
    try:
        yield
    finally:
        os.chdir("/")
        shutil.rmtree(BASE, ignore_errors=True)


def keep(name: str) -> None:
    """Copy the folders without what no reader opens, and without this boot of this machine."""
    to = DATA / name
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(BASE / "home" / "jobs", to, symlinks=True, ignore=shutil.ignore_patterns(*LEFT_OUT))
    for path in to.rglob("*"):
        if path.is_file() and not path.is_symlink():
            path.chmod(0o644)
            content = path.read_bytes()
            if path.suffix in (".json", ".jsonl"):
                content = BOOT.sub(b"00000000-0000-0000-0000-000000000000", content)
            path.write_bytes(content)


def main() -> None:
    name, *parts = sys.argv[1:]
    with clean_place():
        with Shell() as shell:
            recorder = Recorder(shell)
            for part in parts:
                getattr(recorder, part)()
        keep(name)


if __name__ == "__main__":
    main()
