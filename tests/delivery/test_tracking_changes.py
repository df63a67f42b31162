"""In what a run at MLflow differs from its job, as the job's notices say; a server that only keeps what it is told."""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import pytest

from pai_jupyter.delivery.recipient import DueMessage
from pai_jupyter.delivery.tracking.acts import TrackedJob
from pai_jupyter.delivery.tracking.client import MlflowServer
from pai_jupyter.events import JobState, LogChunk, Metric, Status
from pai_jupyter.spec import JobRef, JobSpec, Json
from pai_jupyter.store import AnnotationChange, JobFolder, JobRecord, JobStore
from pai_jupyter.view.chinese import in_chinese
from tests.delivery.conftest import BEGAN, happen
from tests.support.tracked_jobs import end

HOSTILE, LONG = "=HYPERLINK(1)", "x" * 260


@dataclass
class KeepingServer:
    """Keeps the tags of one run."""

    kept: dict[str, str] = field(default_factory=dict)
    has_run: bool = False

    def ensure_run(self, job_id: str, experiment: str, *, name: str, start: int, tags: Mapping[str, str]) -> str:
        if not self.has_run:
            self.has_run = True
            self.kept |= tags
        return "run"

    def find_run(self, job_id: str) -> str:
        return "run"

    def tags(self, run_id: str) -> dict[str, str]:
        return dict(self.kept)

    def set_tags(self, run_id: str, tags: Mapping[str, str]) -> None:
        self.kept |= tags

    def delete_tag(self, run_id: str, name: str) -> None:
        del self.kept[name]

    def takes_artifacts(self, run_id: str) -> bool:
        return True

    def log_values(self, run_id: str, values: Mapping[str, str]) -> None: ...
    def rename(self, run_id: str, name: str) -> None: ...
    def drop_doubles(self, job_id: str, experiment: str) -> None: ...
    def end(self, run_id: str, status: str, end: int) -> None: ...


def folder_of(home: Path, **spec: object) -> JobFolder:
    given = JobSpec(name="a", command="true", **spec)  # type: ignore[arg-type]  # as the caller gives them
    folder = JobStore(home).create(JobRecord(id="j1", spec=given, backend="process", created=BEGAN))
    folder.start(JobRef(backend="process", job_id="j1"), JobState())
    return folder


@dataclass
class Telling:
    """A job whose messages are acted on one by one."""

    folder: JobFolder
    server: KeepingServer = field(default_factory=KeepingServer)

    def tell(self, kind: str, *, is_again: bool = False, **body: Json) -> str:
        job = TrackedJob(folder=self.folder, server=cast(MlflowServer, self.server), wanted={}, secrets=["s3cr3t-word"])
        message = DueMessage(id=f"j1-{kind}", time=BEGAN, body={"kind": kind, **body})
        return job.act(message, is_again=is_again)


def test_a_changed_name_of_a_tag_is_told_once(home: Path) -> None:
    folder = folder_of(home, hyperparameters={LONG: 1})
    folder.annotate(AnnotationChange(add=(HOSTILE, "best")))
    job = Telling(folder)
    assert job.tell("start") == (
        f"Its run at MLflow has the values {LONG[:150]}…; the tags =HYPERLINK(1) → _HYPERLINK_1_."
    )
    assert job.server.kept["_HYPERLINK_1_"] == "true"
    assert job.tell("said") == ""
    folder.annotate(AnnotationChange(add=("50%",)))
    assert job.tell("said") == "Its run at MLflow has the tags 50% → 50_."
    assert job.tell("said") == ""
    assert "50% → 50_" in job.tell("said", is_again=True)  # what was told before may be lost
    assert job.tell("end", status="succeeded", ended=BEGAN) == ""


def test_a_tag_that_is_mlflow_s_own_is_told(home: Path) -> None:
    folder = folder_of(home)
    folder.annotate(AnnotationChange(add=("mlflow.user",)))
    assert Telling(folder).tell("start") == "Its run at MLflow has the tags mlflow.user → pai_jupyter.tags."


def test_changed_names_of_artifacts_are_told(home: Path) -> None:
    folder = folder_of(home)
    model = folder.path / "output" / "model"
    model.mkdir(parents=True)
    (model / "a b#%?.txt").write_text("x")
    happen(folder, Metric(name="a@b", value=1.0, time=BEGAN, step=0.0), end())
    assert Telling(folder).tell("end", status="succeeded", ended=BEGAN, fractions=True) == (
        "Its run at MLflow has the metrics a@b → a_b; the artifacts model/a b#%?.txt → model/a b___.txt; "
        "steps without their fractions, for MLflow takes whole ones."
    )


def test_many_changes_are_told_in_few_words(home: Path) -> None:
    folder = folder_of(home, hyperparameters={f"a{number}{LONG}": 1 for number in range(50)})
    model = folder.path / "output" / "model"
    model.mkdir(parents=True)
    for number in range(50):
        (model / f"{number}#{'x' * 200}").write_text("x")
    happen(folder, end())
    for text in (Telling(folder).tell("start"), Telling(folder).tell("end", status="succeeded", ended=BEGAN)):
        assert text.endswith(", ….")
        assert len(text) < 2000


def test_what_is_told_is_told_in_chinese() -> None:
    text = in_chinese("Its run at MLflow has the values a@b → a_b; the tags =x → _x; the artifacts a# → a_.")
    assert text == "它在 MLflow 的运行记录：值 a@b → a_b；标签 =x → _x；文件 a# → a_。"


def test_a_failure_has_the_sentence_of_the_view(home: Path) -> None:
    folder = folder_of(home)
    log = (
        'Traceback (most recent call last):\n  File "/ml/usercode/train.py", line 4, in <module>\n'
        '    raise ValueError("kaputt")\nValueError: kaputt s3cr3t-word\n'
    )
    with closing(folder.writer("service")) as writer:
        writer.record(LogChunk(replica="worker-0", data=log.encode(), cursor=len(log), time=BEGAN))
        writer.record(end(Status.FAILED, "exit code 1"))
    job = Telling(folder)
    job.tell("end", status="failed", ended=BEGAN)
    assert job.server.kept["pai_jupyter.reason"] == "ValueError: kaputt *** (train.py line 4)"


@pytest.mark.parametrize(("status", "reason"), [(Status.STOPPED, "stopped by you"), (Status.SUCCEEDED, "")])
def test_another_end_has_its_reason(home: Path, status: Status, reason: str) -> None:
    folder = folder_of(home)
    happen(folder, end(status, reason))
    job = Telling(folder)
    job.tell("end", status=str(status), ended=BEGAN)
    assert job.server.kept.get("pai_jupyter.reason", "") == reason
