"""1,000,000 log lines: from a container against the raw attach stream, from a process against `cat` into a file.

The time of ours is from submission to the last line indexed, so it has the start of the job in it; that of `attach` has
the start of its container in it likewise. `cat` gets its lines from the same command through a pipe.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from pai_jupyter.jobs import close_runtime, draft, place_of
from pai_jupyter.spec import JobSpec
from tests.bench.harness import Row, at_least, at_most, interleaved
from tests.bench.homes import bench_home
from tests.support.engine import running_engine
from tests.support.image import make_image

LINES = 1_000_000
# Blocks of lines, so that the transport is measured and not Python's print.
SCRIPT = f"""import sys
block = "".join("a line of a log as a training job prints %04d\\n" % n for n in range(1000))
for n in range({LINES // 1000}):
    sys.stdout.write(block)
"""


def rows() -> Iterator[Row]:
    with bench_home(), running_engine() as engine, tempfile.TemporaryDirectory(prefix="pai-bench-") as scratch:
        os.environ["DOCKER_HOST"] = engine.address
        image = make_image(engine.address, "full")
        (Path(scratch) / "train.py").write_text(SCRIPT)
        spec = JobSpec(name="bench", command="python train.py", source_dir=scratch, image_uri=image)
        _indexed(spec, "process")
        before = _peak()
        ours, peer = interleaved(lambda: _indexed(spec, "docker"), lambda: _attached(image, scratch), runs=3)
        yield at_least("lines/s from a container / raw attach", LINES / ours, LINES / peer, 3, "lines/s")
        ours, peer = interleaved(lambda: _indexed(spec, "process"), lambda: _cat(scratch), runs=3)
        yield at_least("lines/s from a process / cat into a file", LINES / ours, LINES / peer, 0.5, "lines/s")
        yield at_most("memory that this took (peak growth / 50 MB)", (_peak() - before) / 1024, 50, 1, "MB")
        close_runtime()


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _indexed(spec: JobSpec, backend: str) -> float:
    start = time.perf_counter()
    with draft(spec, place_of(spec, backend=backend)) as ready:
        job = ready.submit().wait()
    assert job.folder.log(job.check_replica(None)).count() == LINES
    return time.perf_counter() - start


def _attached(image: str, scratch: str) -> float:
    import docker

    client = docker.from_env()
    container = client.containers.create(
        image,
        ["python", "/ml/train.py"],
        volumes={scratch: {"bind": "/ml", "mode": "ro"}},
        environment={"PYTHONUNBUFFERED": "1"},
    )
    try:
        start = time.perf_counter()
        stream = container.attach(stream=True, logs=False)
        container.start()
        lines = sum(chunk.count(b"\n") for chunk in stream)
        assert lines == LINES
        return time.perf_counter() - start
    finally:
        container.remove(force=True)
        client.close()


def _cat(scratch: str) -> float:
    start = time.perf_counter()
    subprocess.run(["sh", "-c", f"{sys.executable} {scratch}/train.py | cat > {scratch}.out"], check=True)
    return time.perf_counter() - start
