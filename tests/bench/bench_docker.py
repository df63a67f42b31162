"""A job in a container, submission to first line and to end, against a bare `docker run` of the same command; and four
containers that reach each other, submission until all run, against the bare Docker SDK.
"""

import os
import secrets
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from pai_jupyter.errors import JobStopped
from pai_jupyter.jobs import Job, close_runtime, draft, place_of
from pai_jupyter.spec import JobSpec
from tests.bench.harness import Row, at_most, interleaved, seconds
from tests.bench.homes import bench_home
from tests.support.engine import Engine, running_engine
from tests.support.image import make_image
from tests.support.patience import DEADLINE

REPLICAS = 4
UP = "touch up-$RANK; sleep 600"
SCRIPT = "import time\nprint('first line', flush=True)\ntime.sleep(0.5)\nprint('done')\n"


def rows() -> Iterator[Row]:
    with bench_home(), running_engine() as engine, tempfile.TemporaryDirectory(prefix="pai-bench-") as scratch:
        os.environ["DOCKER_HOST"] = engine.address
        image = make_image(engine.address, "full")
        (Path(scratch) / "train.py").write_text(SCRIPT)
        spec = JobSpec(name="bench", command="python train.py", source_dir=scratch, image_uri=image)
        bare = [
            "docker",
            "run",
            "--rm",
            "-v",
            f"{scratch}:/ml/usercode:ro",
            "-w",
            "/ml/usercode",
            image,
            "sh",
            "-c",
            "python train.py",
        ]

        _submit(spec).wait()
        subprocess.run(bare, check=True, capture_output=True)
        first = interleaved(lambda: _to_first_line(spec), lambda: _bare_to_first_line(bare), runs=5)
        yield at_most("container job, submit to first line / docker run", *first, 1.15)
        end = interleaved(
            lambda: seconds(lambda: _submit(spec).wait()),
            lambda: seconds(lambda: subprocess.run(bare, check=True, capture_output=True)),
            runs=5,
        )
        yield at_most("container job, submit to end / docker run", *end, 1.15)
        together = interleaved(
            lambda: _until_all_run(scratch, image), lambda: _sdk_until_all_run(engine, image), runs=7
        )
        yield at_most(f"{REPLICAS} containers, submit until all run / Docker SDK", *together, 1.2)
        close_runtime()


def _until_all_run(source: str, image: str) -> float:
    spec = JobSpec(name="bench", command=UP, source_dir=source, image_uri=image, instance_count=REPLICAS)
    start = time.perf_counter()
    job = _submit(spec)
    _wait_for_all(job.folder.path / "ml" / "usercode")
    took = time.perf_counter() - start
    job.stop()
    with suppress(JobStopped):
        job.wait()
    return took


def _sdk_until_all_run(engine: Engine, image: str) -> float:
    """The same with as few calls as possible: a network, the containers, their start."""
    name = f"pai-bench-{secrets.token_hex(4)}"
    with engine.client() as client, tempfile.TemporaryDirectory(prefix="pai-bench-") as scratch:
        start = time.perf_counter()
        client.create_network(name, driver="bridge")
        made = [
            client.create_container(
                image,
                ["sh", "-c", UP],
                name=f"{name}-{rank}",
                environment={"RANK": str(rank)},
                working_dir="/ml/usercode",
                host_config=client.create_host_config(binds=[f"{scratch}:/ml/usercode"], network_mode=name),
            )
            for rank in range(REPLICAS)
        ]
        for container in made:
            client.start(container)
        _wait_for_all(Path(scratch))
        took = time.perf_counter() - start
        for container in made:
            client.remove_container(container, force=True)
        client.remove_network(name)
    return took


def _wait_for_all(folder: Path) -> None:
    deadline = time.monotonic() + DEADLINE
    while len(list(folder.glob("up-*"))) < REPLICAS:
        assert time.monotonic() < deadline
        time.sleep(0.001)


def _submit(spec: JobSpec) -> Job:
    with draft(spec, place_of(spec, backend="docker")) as ready:
        return ready.submit()


def _to_first_line(spec: JobSpec) -> float:
    start = time.perf_counter()
    job = _submit(spec)
    log = job.folder.log(job.check_replica(None))
    while not log.count():
        time.sleep(0.001)  # a poll of this benchmark's own: the file is what a reader would see
    took = time.perf_counter() - start
    job.wait()
    return took


def _bare_to_first_line(command: list[str]) -> float:
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        took = time.perf_counter() - start
        process.stdout.read()
    return took
