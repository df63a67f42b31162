"""A job of the process backend, submission to end, against running its script with a bare `python train.py`."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from pai_jupyter.jobs import close_runtime, draft, place_of
from pai_jupyter.spec import JobSpec
from tests.bench.harness import Row, interleaved, seconds, within
from tests.bench.homes import bench_home

SCRIPT = "import json, time\nprint(json.dumps({'loss': 0.5}))\n"


def rows() -> Iterator[Row]:
    with bench_home(), tempfile.TemporaryDirectory(prefix="pai-bench-") as scratch:
        (Path(scratch) / "train.py").write_text(SCRIPT)
        spec = JobSpec(name="bench", command="python train.py", source_dir=scratch)

        def ours() -> float:
            return seconds(lambda: _run(spec))

        def peer() -> float:
            return seconds(
                lambda: subprocess.run([sys.executable, "train.py"], cwd=scratch, check=True, capture_output=True)
            )

        _run(spec)  # the first job of a process also finds out what this machine can do
        yield within("process job, submit to end / python train.py", *interleaved(ours, peer, runs=15), extra=0.060)
        close_runtime()


def _run(spec: JobSpec) -> None:
    with draft(spec, place_of(spec, backend="process")) as ready:
        ready.submit().wait()
