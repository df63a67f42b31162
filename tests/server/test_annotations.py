"""Name, star, tags and note of a job, read and changed over REST."""

import itertools
import json
from typing import Any
from urllib.parse import urlencode

import pytest

from pai_jupyter.errors import NotFoundError
from pai_jupyter.events import Status, StatusChanged
from pai_jupyter.jobs.job_index.remote_jobs import RemoteJobs
from pai_jupyter.server.annotations import annotations_of
from tests.support.server import Server
from tests.support.wire import RecordedJob

NUMBERS = itertools.count()


@pytest.fixture
def job(server: Server, monkeypatch: pytest.MonkeyPatch) -> str:
    """A job that has ended."""
    monkeypatch.setenv("PAI_JUPYTER_HOME", str(server.home))
    job = RecordedJob(f"annotated-{next(NUMBERS)}")
    job.record(StatusChanged(status=Status.SUCCEEDED, time=2.0))
    job.release()
    return job.id


def change(server: Server, job_id: str, **fields: object) -> Any:  # Any: an answer
    return server.ask(f"jobs/{job_id}/annotations", method="PATCH", body=json.dumps(fields).encode())


def row_of(server: Server, job_id: str, **query: str) -> Any:  # Any: JSON
    rows = server.ask(f"jobs?{urlencode({'limit': 1000, **query})}").json()["rows"]
    return next((row for row in rows if row["id"] == job_id), None)


def test_fields_are_changed_one_by_one_and_the_list_has_them_at_once(server: Server, job: str) -> None:
    recorded = row_of(server, job)["name"]
    assert change(server, job, name="baseline", add=["best", "论文"]).status == 200
    told = change(server, job, is_starred=True, note="a\nb" + "x" * 1_000, remove=["best"]).json()
    assert {**told, "note": len(told["note"])} == {
        "name": "baseline",
        "recorded_name": recorded,
        "is_starred": True,
        "tags": ["论文"],
        "note": 1_003,
    }
    assert server.ask(f"jobs/{job}/annotations").json() == told
    row = row_of(server, job, text="tag:论文 star:yes")
    assert (row["name"], row["recorded_name"], row["is_starred"], row["tags"]) == ("baseline", recorded, True, ["论文"])
    assert len(row["note"]) == 300
    change(server, job, name="", is_starred=False, note="", remove=["论文"])
    assert not {"recorded_name", "is_starred", "tags", "note"} & {*row_of(server, job)}


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"add": ["a b"]}, "has a blank in it"),
        ({"add": ["x" * 1_000]}, "has 1000 characters. A tag has 1 to 50 characters"),
        ({"add": "best"}, "`add` is 'best'; it must be a list of at most 50 texts"),
        ({"is_starred": 1}, "`is_starred` is 1; it must be true or false"),
        ({"name": "a\nb"}, "line breaks"),
        ({"note": "x" * 10_001}, "10001 characters"),
    ],
)
def test_what_is_no_annotation_is_refused(server: Server, job: str, fields: dict[str, object], why: str) -> None:
    answer = change(server, job, **fields)
    assert answer.status == 400
    assert why in answer.json()["message"]


def test_a_job_that_is_not_there_has_no_annotations(server: Server) -> None:
    assert change(server, "j0nothing", add=["best"]).status == 404
    assert server.ask("jobs/j0nothing/annotations").status == 404


def test_of_a_job_that_only_its_service_knows_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RemoteJobs, "find", lambda self, job_id: ("pai", job_id))
    with pytest.raises(NotFoundError, match="Import it first"):
        annotations_of("j0elsewhere")


def test_damaged_annotations_are_said_to_be(server: Server, job: str) -> None:
    (server.home / "jobs" / job / "annotations.json").write_text("{")
    answer = change(server, job, is_starred=True)
    assert (answer.status, "annotations.json" in answer.json()["message"]) == (409, True)
    assert row_of(server, job) is not None


def test_nobody_without_the_token_changes_anything(server: Server, job: str) -> None:
    answer = server.ask(
        f"jobs/{job}/annotations",
        method="PATCH",
        body=b'{"is_starred": true}',
        headers={"Authorization": "token wrong"},
    )
    assert answer.status == 403
    assert "is_starred" not in row_of(server, job)
