"""Shards of an ElasticBatchJob: a fast, a 15 times slower, a killed and a hung worker against the ideal of the two that work;
and how long 50 workers need for 5,000 shards without work.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from pai_jupyter.shards import pai_shards
from tests.bench.harness import Row, at_most, below, seconds

ROWS, SHARD = 2_000, 20
FAST, SLOW = 0.002, 0.030  # seconds a row
WORKERS, EMPTY = 50, 5_000
RUNS = 5
WORKER = """
import sys, time
import pai_shards
pause = float(sys.argv[4])
for shard in pai_shards.shards(size=int(sys.argv[2]), shard_size=int(sys.argv[3]), to=sys.argv[1]):
    if pause:
        print("took", flush=True)
    for row in range(shard.start, shard.stop) if pause else ():
        time.sleep(pause)
    shard.commit()
"""


def rows() -> Iterator[Row]:
    ratios = [_uneven() for _ in range(RUNS)]
    ours, ideal = sorted(ratios, key=lambda pair: pair[0] / pair[1])[RUNS // 2]
    yield at_most("fast, slow, killed, hung worker / ideal of two", ours, ideal, 1.3)
    yield below(f"{WORKERS} workers, {EMPTY:,} empty shards", seconds(_empty), 30.0, 30.0, unit="s")


def _uneven() -> tuple[float, float]:
    """Return the seconds until all is done, and those that the two workers need which neither die nor hang."""
    with tempfile.TemporaryDirectory(prefix="pai-bench-") as scratch, ExitStack() as stack:
        for how in (signal.SIGKILL, signal.SIGSTOP):
            process = stack.enter_context(_worker(scratch, ROWS, SHARD, FAST))
            _wait_for_first(process)
            process.send_signal(how)
        slow, fast = (stack.enter_context(_worker(scratch, ROWS, SHARD, pause)) for pause in (SLOW, FAST))
        for process in (slow, fast):
            _wait_for_first(process)
        start = time.perf_counter()
        while not (Path(scratch) / "_SUCCESS").exists():
            time.sleep(0.005)
        took = time.perf_counter() - start
    return took, ROWS / (1 / _real(FAST) + 1 / _real(SLOW))


def _real(pause: float, naps: int = 100) -> float:
    """Return the seconds that a pause really takes here and now."""

    def nap() -> None:
        for _ in range(naps):
            time.sleep(pause)

    return seconds(nap) / naps


def _empty() -> None:
    with tempfile.TemporaryDirectory(prefix="pai-bench-") as scratch, ExitStack() as stack:
        for process in [stack.enter_context(_worker(scratch, EMPTY, 1, 0.0)) for _ in range(WORKERS)]:
            assert process.wait() == 0
        assert (Path(scratch) / "_SUCCESS").exists()


@contextmanager
def _worker(to: str, size: int, shard_size: int, pause: float) -> Iterator["subprocess.Popen[str]"]:
    words = [sys.executable, "-c", WORKER, to, str(size), str(shard_size), str(pause)]
    environment = {**os.environ, "PYTHONPATH": str(Path(pai_shards.__file__).parent)}
    output = subprocess.PIPE if pause else subprocess.DEVNULL
    with subprocess.Popen(words, stdout=output, env=environment, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def _wait_for_first(process: "subprocess.Popen[str]") -> None:
    assert process.stdout is not None
    assert process.stdout.readline() == "took\n"
