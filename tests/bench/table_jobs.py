"""A home with 10,000 jobs of 20 values and 30 metrics, and the same runs as MLflow keeps them."""

import json
import random
from pathlib import Path
from unittest import mock

from pai_jupyter.events import JobState, Metric, Status, StatusChanged
from pai_jupyter.spec import JobRef, JobSpec
from pai_jupyter.store import JobRecord, JobStore
from tests.support.lists import BEGAN

JOBS, VALUES, METRICS = 10_000, 20, 30
OPTIMIZERS = ("adam", "sgd", "lamb", "adagrad")


def runs() -> list[tuple[dict[str, float | str], dict[str, float]]]:
    """Values and last metrics of each run, the same every time."""
    chance = random.Random(7)
    made = []
    for _ in range(JOBS):
        values: dict[str, float | str] = {"lr": chance.random(), "opt": chance.choice(OPTIMIZERS)}
        values |= {f"value_{at}": chance.randint(1, 100) for at in range(VALUES - 2)}
        made.append((values, {f"metric_{at}": chance.random() for at in range(METRICS)}))
    return made


def make_home(home: Path) -> None:
    """Record them as jobs that have ended."""
    store, started = JobStore(home), StatusChanged(status=Status.RUNNING, time=BEGAN)
    with mock.patch("os.fsync"):  # as in `listed`
        for number, (values, metrics) in enumerate(runs()):
            job_id, spec = f"j{number:05}", JobSpec(name=f"run-{number}", command="true", hyperparameters=values)
            folder = store.create(JobRecord(id=job_id, spec=spec, backend="fake", created=BEGAN + number))
            state = JobState().apply(started)
            for name, value in metrics.items():
                state = state.apply(Metric(name=name, value=value, time=BEGAN, step=1.0, replica=""))
            state = state.apply(StatusChanged(status=Status.SUCCEEDED, time=BEGAN + 60))
            folder.start(JobRef(backend="fake", job_id=job_id), state)


def write_runs(path: Path) -> None:
    """Write them for the peer."""
    path.write_text(json.dumps(runs()))
