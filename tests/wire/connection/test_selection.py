"""`GET jobs`: which rows fit, in which order, and what else there is to ask for."""

from typing import Any

import pytest

from pai_jupyter.errors import SpecError
from pai_jupyter.events import Status
from pai_jupyter.jobs import JobRow
from pai_jupyter.wire import Selection


def row(job_id: str, name: str, **fields: Any) -> JobRow:
    return JobRow(**{"id": job_id, "name": name, "backend": "process", "place": "process", **fields})


ROWS = [
    row("j1", "Iris", created=1.0, status=Status.SUCCEEDED, notebook="a.ipynb", ended=9.0),
    row("j2", "mnist", created=2.0, status=Status.RUNNING, backend="docker", progress=0.5, started=5.0),
    row("j3", "训练", created=3.0, status=Status.FAILED, notebook="B.ipynb", ended=7.0, started=6.0),
    row("j4", "iris 2", created=4.0, status=Status.RUNNING, notebook="a.ipynb", progress=0.1, started=4.5),
]


def select(**asked: Any) -> Any:  # Any: JSON values
    return Selection.parse(asked).answer(ROWS)


def ids(**asked: Any) -> list[str]:
    return [each["id"] for each in select(**asked)["rows"]]


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({}, ["j4", "j3", "j2", "j1"]),
        ({"text": "IRIS"}, ["j4", "j1"]),
        ({"text": "训"}, ["j3"]),
        ({"text": "b.IPY"}, ["j3"]),
        ({"text": "j2"}, ["j2"]),
        ({"text": "no such"}, []),
        ({"text": "state:running iris"}, ["j4"]),
        ({"text": "失败"}, ["j3"]),
        ({"status": "running"}, ["j4", "j2"]),
        ({"status": "running,failed"}, ["j4", "j3", "j2"]),
        ({"status": ","}, ["j4", "j3", "j2", "j1"]),
        ({"backend": "docker"}, ["j2"]),
        ({"notebook": "a.ipynb"}, ["j4", "j1"]),
        ({"notebook": "a"}, []),
        ({"text": "iris", "status": "running", "backend": "process", "notebook": "a.ipynb"}, ["j4"]),
    ],
)
def test_rows_that_fit_are_listed_newest_first(asked: dict[str, str], found: list[str]) -> None:
    assert ids(**asked) == found
    assert select(**asked)["count"] == len(found)


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({"sort": "created"}, ["j4", "j3", "j2", "j1"]),
        ({"sort": "created", "descending": False}, ["j1", "j2", "j3", "j4"]),
        ({"sort": "name"}, ["j1", "j4", "j2", "j3"]),
        ({"sort": "name", "descending": True}, ["j3", "j2", "j4", "j1"]),
        ({"sort": "status"}, ["j4", "j2", "j3", "j1"]),
        ({"sort": "backend"}, ["j2", "j4", "j3", "j1"]),
        ({"sort": "notebook"}, ["j4", "j1", "j3", "j2"]),
        ({"sort": "notebook", "descending": True}, ["j3", "j4", "j1", "j2"]),
        ({"sort": "ended"}, ["j3", "j1", "j4", "j2"]),
        ({"sort": "ended", "descending": True}, ["j4", "j2", "j1", "j3"]),
        ({"sort": "started"}, ["j4", "j2", "j3", "j1"]),
        ({"sort": "progress", "descending": True}, ["j2", "j4", "j3", "j1"]),
    ],
)
def test_rows_are_sorted_and_those_without_a_value_come_last(asked: dict[str, Any], found: list[str]) -> None:
    assert ids(**asked) == found


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({"limit": 2}, ["j4", "j3"]),
        ({"start": 1, "limit": 2}, ["j3", "j2"]),
        ({"start": 3}, ["j1"]),
        ({"start": 4}, []),
        ({"start": 2**53}, []),
    ],
)
def test_a_page_of_them_is_given_and_how_many_there_are(asked: dict[str, int], found: list[str]) -> None:
    assert ids(**asked) == found
    assert select(**asked)["count"] == 4


def test_states_are_counted_whatever_state_is_asked_for() -> None:
    told = select(status="failed", notebook="a.ipynb")
    assert (told["rows"], told["states"]) == ([], {"succeeded": 1, "running": 1})


def test_what_can_be_asked_for_is_that_of_all_jobs() -> None:
    told = select(text="no such")
    assert (told["backends"], told["notebooks"]) == (["docker", "process"], ["B.ipynb", "a.ipynb"])


@pytest.mark.parametrize(
    "asked",
    [
        {"sort": "id"},
        {"sort": "__class__"},
        {"status": "happy"},
        {"status": "running, failed"},
        {"start": -1},
        {"limit": 0},
        {"limit": 1_001},
        {"limit": True},
        {"start": 2**60},
        {"descending": "yes"},
        {"text": "x" * 1_000},
        {"text": "\udcff"},
        {"backend": 7},
    ],
)
def test_what_cannot_be_meant_is_refused(asked: dict[str, Any]) -> None:
    with pytest.raises(SpecError) as caught:
        Selection.parse(asked)
    assert caught.value.field == next(iter(asked))
