"""The metric that stands for jobs in the panel's list, named by the user over REST."""

import json
from typing import Any

import pytest

from pai_jupyter.events import Metric, Status, StatusChanged
from tests.support.server import Server
from tests.support.wire import RecordedJob


def named(server: Server, name: object) -> int:
    return server.ask("metric", method="POST", body=json.dumps({"name": name}).encode()).status


def metric_of(server: Server, job_id: str) -> Any:  # Any: JSON
    (row,) = [row for row in server.ask("jobs?limit=1000").json()["rows"] if row["id"] == job_id]
    return row["metric"]


@pytest.fixture
def job_of_two(server: Server, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("PAI_JUPYTER_HOME", str(server.home))
    job = RecordedJob("two-metrics")
    job.record(*(Metric(name=name, value=1.5, step=1, time=1.0) for name in ("accuracy", "训练 lr")))
    job.record(StatusChanged(status=Status.SUCCEEDED, time=2.0))
    job.release()
    return job.id


def test_the_user_names_the_metric_of_the_list_and_takes_that_back(server: Server, job_of_two: str) -> None:
    assert metric_of(server, job_of_two) == {"name": "accuracy", "value": 1.5}
    assert named(server, "训练 lr") == 200
    assert metric_of(server, job_of_two) == {"name": "训练 lr", "value": 1.5}
    assert named(server, "") == 200
    assert metric_of(server, job_of_two) == {"name": "accuracy", "value": 1.5}


@pytest.mark.parametrize("name", [3, None, "a\nb", " ", "x" * 201, "LTAI5tQkLmNoPqRsTuVw"])
def test_what_is_no_name_of_a_metric_is_refused(server: Server, name: object) -> None:
    assert named(server, name) == 400
