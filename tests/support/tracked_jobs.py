"""Jobs whose folders are written as a follower writes them, and their deliveries to an MLflow server behind a faulty proxy."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pai_jupyter.config import Settings
from pai_jupyter.delivery.deliverer import Deliverer
from pai_jupyter.delivery.outbox import Outbox, create_outbox, open_jobs
from pai_jupyter.delivery.tracking.recipient import TrackingRecipient
from pai_jupyter.delivery.tracking.wanted import NAME
from pai_jupyter.events import JobState, Metric, Status, StatusChanged
from pai_jupyter.spec import JobRef, JobSpec, Json
from pai_jupyter.store import JobFolder, JobRecord, JobStore
from tests.delivery.conftest import BEGAN, Clock, happen
from tests.support.mlflow_server import FaultyProxy


@dataclass
class TrackedDesk:
    """Jobs with outboxes in a home; `experiment` is that of one test."""

    home: Path
    proxy: FaultyProxy
    experiment: str
    clock: Clock = field(default_factory=Clock)
    environ: dict[str, str] = field(default_factory=dict)

    def job(
        self, job_id: str = "j1", *, spec: Mapping[str, Any] | None = None, address: str = "", **record: Any
    ) -> JobFolder:
        given = {"name": f"name of {job_id}", "command": "true", **(spec or {})}
        made = JobRecord(id=self.id(job_id), spec=JobSpec(**given), backend="process", created=BEGAN, **record)
        folder = JobStore(self.home).create(made)
        wanted: dict[str, Json] = {
            "address": address or self.proxy.address,
            "experiment": self.experiment,
            "needs": [],
        }
        create_outbox(self.home, NAME, made.id, wanted, BEGAN)
        folder.start(JobRef(backend="process", job_id=made.id), JobState())
        happen(folder, StatusChanged(status=Status.RUNNING, time=BEGAN))
        return folder

    def id(self, job_id: str) -> str:
        return f"{self.experiment}-{job_id}"

    def deliverer(self) -> Deliverer:
        """Another process: it knows nothing of what the one before it knew."""
        settings = Settings(environ=self.environ, home=self.home, cwd=self.home, user_file=self.home / "config.toml")
        recipient = TrackingRecipient(settings, self.environ)
        return Deliverer(self.home, recipient, follow=lambda it: None, now=self.clock, clock=self.clock)

    def pass_time(self, deliverer: Deliverer, seconds: float, *, most: int = 500) -> float | None:
        """Step through `seconds` as the process does; return what the last step said."""
        end, pause = self.clock.now + seconds, deliverer.step()
        for _ in range(most):
            if pause is None or self.clock.now >= end:
                return pause
            self.clock.now += max(pause, 0.05)
            pause = deliverer.step()
        return pause

    def deliver(self, seconds: float = 3600) -> None:
        """Deliver everything."""
        assert self.pass_time(self.deliverer(), seconds) is None
        assert self.left == []

    @property
    def left(self) -> list[str]:
        return open_jobs(self.home, NAME)

    def outbox(self, job_id: str = "j1") -> Outbox:
        return Outbox(self.home, NAME, self.id(job_id))

    def notices(self, job_id: str = "j1") -> list[str]:
        state = JobStore(self.home).open(self.id(job_id)).read().state
        return [it.text for it in state.notices if not it.alert]

    # --- what is at the server, asked by MLflow's client without the proxy

    @property
    def client(self) -> Any:  # Any: MLflow is untyped
        from mlflow.tracking import MlflowClient

        return MlflowClient(tracking_uri=self.proxy.target)

    def runs(self, job_id: str = "j1") -> list[Any]:  # Any: as above
        """The runs of a job that the user of MLflow sees."""
        return self.runs_of(self.id(job_id))

    def runs_of(self, full_id: str) -> list[Any]:  # Any: as above
        experiment = self.client.get_experiment_by_name(self.experiment)
        if experiment is None:
            return []
        found = self.client.search_runs(
            [experiment.experiment_id], filter_string=f"tags.`pai_jupyter.job_id` = '{full_id}'"
        )
        return list(found)

    def run(self, job_id: str = "j1") -> Any:  # Any: as above
        (found,) = self.runs(job_id)
        return found

    def history(self, key: str, job_id: str = "j1") -> list[tuple[int, float]]:
        """Steps and values of a metric, in order of time."""
        found = self.client.get_metric_history(self.run(job_id).info.run_id, key)
        return [(it.step, it.value) for it in sorted(found, key=lambda it: (it.timestamp, it.step))]

    def files(self, directory: str | None = None, job_id: str = "j1") -> list[str]:
        run_id = self.run(job_id).info.run_id
        found: list[str] = []
        for it in self.client.list_artifacts(run_id, directory):
            found += self.files(it.path, job_id) if it.is_dir else [it.path]
        return sorted(found)


def points(count: int, name: str = "loss", *, first: int = 0) -> list[Metric]:
    return [
        Metric(name=name, value=1 / (step + 1), time=BEGAN + step / 100, step=float(step), replica="worker-0")
        for step in range(first, first + count)
    ]


def end(status: Status = Status.SUCCEEDED, reason: str = "", *, exit_code: int | None = None) -> StatusChanged:
    return StatusChanged(status=status, time=BEGAN + 60, reason=reason, exit_code=exit_code)


def curve(count: int) -> Sequence[tuple[int, float]]:
    return [(step, 1 / (step + 1)) for step in range(count)]
