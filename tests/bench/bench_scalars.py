"""2,000,000 scalars in event files, read and decimated for drawing, against TensorBoard's own reader of such a file.

tensorboardX writes one run, of which there are `RUNS` copies; the peer, `EventAccumulator` told to keep every scalar, reads
one of them, as all would take it more than a minute. So both are scalars a second. Ours has the decimation and the buffers
for the view in it.
"""

import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboardX import SummaryWriter

from pai_jupyter.jobs import Job
from pai_jupyter.spec import JobSpec
from pai_jupyter.store import JobRecord, JobStore
from pai_jupyter.wire.job_view.points import PointsReader
from tests.bench.harness import Row, at_least, at_most, interleaved, seconds

RUNS, STEPS = 10, 50_000
TAGS = ("train/loss", "train/accuracy", "learning_rate", "grad_norm")
SCALARS = RUNS * STEPS * len(TAGS)


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory(prefix="pai-bench-") as scratch:
        job = _make_job(Path(scratch))
        run = job.folder.path / "output" / "tensorboard" / "run-0"
        ours, peer = interleaved(lambda: seconds(lambda: _ours(job)), lambda: seconds(lambda: _peer(run)), runs=3)
        yield at_least(
            f"{SCALARS:,} scalars to a chart / EventAccumulator", SCALARS / ours, SCALARS / RUNS / peer, 10, "scalars/s"
        )
        yield at_most("  time of that (/ 10 s)", ours, 10, 1)


def _make_job(scratch: Path) -> Job:
    spec = JobSpec(name="bench", command="true")
    folder = JobStore(scratch).create(JobRecord(id="j1", spec=spec, backend="process", created=0.0))
    place = folder.path / "output" / "tensorboard"
    with SummaryWriter(str(place / "run-0"), max_queue=1000) as writer:
        for step in range(STEPS):
            for number, tag in enumerate(TAGS, 1):
                writer.add_scalar(tag, number / (step + 1), step)
    for number in range(1, RUNS):
        shutil.copytree(place / "run-0", place / f"run-{number}")
    (folder.path / "run").mkdir()
    (folder.path / "run" / "outputs.json").write_text(json.dumps({"tensorboard": str(place)}))
    return Job(folder)


def _ours(job: Job) -> None:
    reader = PointsReader(job)
    parts = reader.read("metrics")
    while reader.is_behind:
        parts = reader.read("metrics")
    counts = [part["count"] for part, _ in parts]
    assert counts == [STEPS] * RUNS * len(TAGS)


def _peer(run: Path) -> None:
    accumulator = EventAccumulator(str(run), size_guidance={"scalars": 0}).Reload()
    assert [len(accumulator.Scalars(tag)) for tag in TAGS] == [STEPS] * len(TAGS)
