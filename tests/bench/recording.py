"""Many jobs that run and are recorded by one process, as kernels record theirs: `python -m tests.bench.recording COUNT`.

Each prints a metric a second. They are the jobs of the home that this process has.
"""

import os
import sys
import time
from contextlib import ExitStack

from pai_jupyter.events import Metric, Status, StatusChanged
from pai_jupyter.store import JobWriter
from tests.bench.listed import PREFIX
from tests.support.lists import record

EVERY = 1.0  # seconds


def main(count: int) -> None:
    os.fsync = lambda fd: None  # else the disk would be what is measured
    step = 0
    with ExitStack() as held:
        writers = [_begin(number, held) for number in range(count)]
        print("running", flush=True)  # noqa: T201  whoever has started this waits for it
        while True:
            step += 1
            for writer in writers:
                writer.record(Metric(name="loss", value=1 / step, time=time.time(), step=step))
                writer.commit()
                time.sleep(EVERY / count)


def _begin(number: int, held: ExitStack) -> JobWriter:
    """A job that runs and is followed by this process."""
    folder = record(f"{PREFIX}{number:03}", status=Status.SUBMITTING, created=time.time(), name=f"running {number}")
    lock = folder.try_lock()
    assert lock is not None
    held.enter_context(lock)
    writer = folder.writer("service")
    writer.record(StatusChanged(status=Status.RUNNING, time=time.time()))
    return writer


if __name__ == "__main__":
    main(int(sys.argv[1]))
