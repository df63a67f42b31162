"""Homes with many jobs, for benchmarks of lists."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

from pai_jupyter.store import JobStore
from tests.support.lists import BEGAN, loss, record, running

ENDED, GOING = 2_000, 100  # jobs
PREFIX = "running-"  # of the ids of those that run


def make_ended(home: Path) -> None:
    """Jobs that have ended, as they lie there, each with a metric of twenty values."""
    store, values = JobStore(home), [loss(1 / step, step=step) for step in range(1, 21)]
    with mock.patch("os.fsync"):  # two files a job: that would take a minute on a slow disk
        for number in range(ENDED):
            notebook, created = f"notebook {number % 7}.ipynb", BEGAN + 60 * number
            record(f"j{number:05}", running(), *values, store=store, created=created, notebook=notebook)


@contextmanager
def recording(home: Path) -> Iterator[None]:
    """Jobs that run, and another process that records them; behind the block they are gone."""
    words = [sys.executable, "-m", "tests.bench.recording", str(GOING)]
    environ = {**os.environ, "PAI_JUPYTER_HOME": str(home)}
    with subprocess.Popen(words, env=environ, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "running\n"
            yield
        finally:
            process.kill()
            process.wait()
            for job_id in (store := JobStore(home)).ids():
                if job_id.startswith(PREFIX):
                    store.remove(job_id)
