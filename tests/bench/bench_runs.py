"""Runs: what a driver spends on each of 500 steps that take no time, their layout, and 100 processes against a loop over `submit`.

A goal that is no ratio stands behind a "/" in the name of its row. The driver's CPU is that of its process, imports left out.
"""

import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from pai_jupyter.config import settings
from pai_jupyter.jobs import close_runtime, submit
from pai_jupyter.package import build
from pai_jupyter.runs import start_run
from pai_jupyter.runs.layout import lay_out
from pai_jupyter.runs.level import compile_level
from pai_jupyter.runs.plan import Plan, Step
from pai_jupyter.runs.run_folder import create_run_folder
from pai_jupyter.spec import JobSpec
from tests.bench.harness import Row, at_most, below, interleaved, seconds
from tests.bench.homes import bench_home
from tests.support.instant_backend import installed_instant
from tests.support.paths import ROOT
from tests.support.run_jobs import marked
from tests.support.run_plans import plan_of, step

STEPS = 500
PROCESSES = 100
RUNS = 3
LIMIT = 4
CODE = "code.tar.gz"
NODE = (180.0, 48.0)
_DRIVE = """
import sys, time
from pathlib import Path
from pai_jupyter.jobs import runtime
from pai_jupyter.runs.driver import Driver
from pai_jupyter.runs.run_folder import RunFolder
runtime()
before = time.process_time()
with Driver(RunFolder(Path(sys.argv[1]))) as driver:
    driver.run()
print(time.process_time() - before)
"""


def rows() -> Iterator[Row]:
    with bench_home(), tempfile.TemporaryDirectory(prefix="pai-bench-") as scratch, installed_instant(Path(scratch)):
        marks = Path(scratch) / "marks"
        marks.mkdir()
        for name, steps in (("wide", wide), ("deep", deep), ("random", any_graph)):
            plan = plan_of(*steps(marks))
            spent, passed = drive(plan)
            yield below(f"{name}, driver's CPU a step / ms", 1000 * spent / STEPS, 1000 * passed / STEPS, 10.0, "ms")
            yield below(
                f"{name}, layout of {STEPS} steps / s",
                laying_out(plan),
                0.2,
                0.2,
                "s",
            )
        with _limited():
            ours, peer = interleaved(
                lambda: seconds(lambda: as_run(marks)), lambda: seconds(lambda: as_loop(marks)), runs=RUNS
            )
            yield at_most(f"{PROCESSES} process steps / a loop over submit", ours, peer, 1.15)
        close_runtime()


def wide(marks: Path) -> list[Step]:
    body = marked(marks, "wide", package=CODE)
    return [step("start", job=body), *(step(f"s{number}", "start", job=body) for number in range(STEPS - 1))]


def deep(marks: Path) -> list[Step]:
    body = marked(marks, "deep", package=CODE)
    return [step(f"s{number}", *([f"s{number - 1}"] if number else []), job=body) for number in range(STEPS)]


def any_graph(marks: Path) -> list[Step]:
    rng, body = random.Random(7), marked(marks, "random", package=CODE)
    return [
        step(
            f"s{number}",
            *(f"s{it}" for it in sorted(rng.sample(range(number), min(number, rng.choice([0, 1, 1, 2, 3]))))),
            job=body,
        )
        for number in range(STEPS)
    ]


def drive(plan: Plan) -> tuple[float, float]:
    """Drive a run in a process of its own; return the CPU and the time that it took, in seconds."""
    with tempfile.TemporaryDirectory(prefix="pai-bench-") as scratch:
        package = build(None, to=Path(scratch) / CODE, files={"train.py": b"print(1)\n"})
        folder = create_run_folder(
            replace(plan, parallel={"remote": 16}),
            home=None,
            now=time.time(),
            random=random.getrandbits(64),
            packages={CODE: package.path},
        )
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", _DRIVE, str(folder.path)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return float(done.stdout), time.perf_counter() - start


def laying_out(plan: Plan) -> float:
    return min(seconds(lambda: laid_out(plan)) for _ in range(5))


def laid_out(plan: Plan) -> None:
    level = compile_level(plan.graph)
    lay_out(dict.fromkeys(level.steps, NODE), [(it, name) for name, before in level.depends.items() for it in before])


def as_run(marks: Path) -> None:
    body = marked(marks, "process", backend="process")
    start_run(plan_of(*(step(f"s{number}", job=body) for number in range(PROCESSES)))).wait()


def as_loop(marks: Path) -> None:
    def command(number: int) -> str:
        out = marks / f"loop-{number}"
        return f"echo j >> {marks}/loop.started\necho done > {out}.tmp && mv {out}.tmp {out}.out"

    specs = [JobSpec(name="bench", command=command(number)) for number in range(PROCESSES)]
    for job in [submit(spec, backend="process") for spec in specs]:
        job.wait()


@contextmanager
def _limited() -> Iterator[None]:
    """Within this block so many processes run at a time, here and in drivers."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PAI_JUPYTER_PROCESS_MAX_PARALLEL", str(LIMIT))
        settings.cache_clear()
        yield
    settings.cache_clear()
