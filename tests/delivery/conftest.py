"""A job's folder that is written as a follower writes it, a webhook, and a clock that only tests move."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from pai_jupyter.config import Settings
from pai_jupyter.delivery.deliverer import Deliverer
from pai_jupyter.delivery.outbox import Outbox, create_outbox, open_jobs
from pai_jupyter.delivery.webhook import NAME, WebhookRecipient
from pai_jupyter.events import Event, JobState, Notice, Status, StatusChanged
from pai_jupyter.spec import JobRef, JobSpec, Scalar
from pai_jupyter.store import JobFolder, JobRecord, JobStore
from tests.support.webhooks import Webhook, webhook

BEGAN = 1_000_000.0
WANTED = {"on": ["end", "failed", "nan", "stalled"], "after": 0.0, "profile": None, "kind": None}


@dataclass
class Clock:
    now: float = BEGAN

    def __call__(self) -> float:
        return self.now


@dataclass
class Desk:
    """Jobs with outboxes in a home, and the deliveries of their messages."""

    home: Path
    hook: Webhook
    clock: Clock = field(default_factory=Clock)
    environ: dict[str, str] = field(default_factory=dict)
    followed: list[str] = field(default_factory=list)
    kind: str | None = None

    def job(self, job_id: str = "j1", *, values: dict[str, Scalar] | None = None, **wanted: object) -> JobFolder:
        spec = JobSpec(name=f"name of {job_id}", command="true", hyperparameters=values or {})
        record = JobRecord(id=job_id, spec=spec, backend="process", created=BEGAN)
        folder = JobStore(self.home).create(record)
        create_outbox(self.home, NAME, job_id, {**WANTED, "kind": self.kind, **wanted}, BEGAN)  # type: ignore[dict-item]
        folder.start(JobRef(backend="process", job_id=job_id), JobState())
        happen(folder, StatusChanged(status=Status.RUNNING, time=BEGAN))
        return folder

    def deliverer(self) -> Deliverer:
        """Another process: what the one before it has left open is closed by its death."""
        settings = Settings(environ=self.environ, home=self.home, cwd=self.home, user_file=self.home / "config.toml")
        self.environ["PAI_JUPYTER_WEBHOOK"] = self.hook.address
        recipient = WebhookRecipient(settings)
        return Deliverer(
            self.home, recipient, follow=lambda it: self.followed.append(it.id), now=self.clock, clock=self.clock
        )

    def pass_time(self, deliverer: Deliverer, seconds: float, *, most: int = 500) -> float | None:
        """Step through `seconds` as the process does; return what the last step said."""
        end, pause = self.clock.now + seconds, deliverer.step()
        for _ in range(most):
            if pause is None or self.clock.now >= end:
                return pause
            self.clock.now += max(pause, 0.05)
            pause = deliverer.step()
        return pause

    @property
    def left(self) -> list[str]:
        return open_jobs(self.home, NAME)

    def outbox(self, job_id: str = "j1") -> Outbox:
        return Outbox(self.home, NAME, job_id)


def happen(folder: JobFolder, *events: Event) -> None:
    with closing(folder.writer("folder")) as writer:
        for event in events:
            writer.record(event)


def alert(number: int, kind: str = "nan") -> Notice:
    return Notice(text=f"`m{number}` became nan.", time=BEGAN + number, level="warning", alert=kind)


def end(status: Status = Status.SUCCEEDED) -> StatusChanged:
    return StatusChanged(status=status, time=BEGAN + 60, reason="it has ended")


@pytest.fixture
def hook() -> Iterator[Webhook]:
    with webhook() as hook:
        yield hook


@pytest.fixture
def desk(tmp_path: Path, hook: Webhook) -> Desk:
    return Desk(home=tmp_path, hook=hook)
