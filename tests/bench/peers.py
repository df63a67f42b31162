"""The incumbent `alipai`, as a process that does what it is told: one line of JSON in, one out. Its import is not measured."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.alipai import PYTHON, SETUP, environment
from tests.support.emulators import KEY, SECRET, Emulator

# What it prints goes where nobody reads it, as fast as it can.
_LOOP = """
from pai.estimator import Estimator
from pai.job import TrainingJob
answers, sys.stdout = sys.stdout, open(os.devnull, "w")
def wait(job):
    TrainingJob.get(job).wait()
def submit(image):
    Estimator(image_uri=image, command="true", source_dir=source, instance_type="ecs.c6.large").fit(wait=False)
for line in sys.stdin:
    name, argument = json.loads(line)
    begun, busy = time.perf_counter(), time.process_time()
    globals()[name](argument)
    print(json.dumps({"took": time.perf_counter() - begun, "cpu": time.process_time() - busy, "at": time.time()}),
          file=answers, flush=True)
"""


class Peer:
    """`alipai` at an emulator. `took` and `cpu` of an answer are seconds, `at` is the time at which it was done."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def ask(self, name: str, argument: str) -> dict[str, float]:
        """Do it: `wait` for a job and print its log, or `submit` one with an image."""
        self.begin(name, argument)
        return self.answer()

    def begin(self, name: str, argument: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps([name, argument]) + "\n")
        self._process.stdin.flush()

    def answer(self) -> dict[str, float]:
        assert self._process.stdout is not None
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())  # Any: JSON values
        return answer


@contextmanager
def alipai(running: Emulator, home: Path, source: Path) -> Iterator[Peer]:
    """`alipai` with the session at the emulator; `source` is the code that it submits."""
    words = [str(PYTHON), "-W", "ignore", "-c", SETUP + _LOOP, running.address, KEY, SECRET, "", str(source)]
    process = subprocess.Popen(
        words,
        env=environment(home),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        yield Peer(process)
    finally:
        process.kill()
        process.communicate()
