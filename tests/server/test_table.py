"""The runs table over REST: windows of it, and what is asked again while nothing changes."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from pai_jupyter.events import Status
from pai_jupyter.jobs.job_index.facts import STATS
from pai_jupyter.store import AnnotationChange
from tests.support.lists import BEGAN, loss, note, record, running
from tests.support.server import Server, running_server

COLUMNS = ["job:name", "value:lr", "last:loss"]


@pytest.fixture
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running_server(tmp_path_factory.mktemp("server")) as server:
        yield server


def ask(server: Server, **body: Any) -> Any:  # Any: JSON values
    reply = server.ask("table", method="POST", body=json.dumps({"columns": COLUMNS, **body}).encode())
    assert reply.status == 200, reply.body
    return reply.json()


def test_a_window_has_the_cells_that_were_asked_for(server: Server) -> None:
    store = server.store
    for number in range(5):
        values = {"lr": number / 10, "opt": "sgd" if number else "adam"}
        told = loss(float("nan") if number == 3 else number)
        record(f"j{number}", running(), told, store=store, name=f"n{number}", values=values, created=BEGAN + number)
    going = record("j5", running(), loss(9.0), store=store, status=Status.RUNNING, name="n5", created=BEGAN + 5)

    answer = ask(server, text="lr>0.1", sort="value:lr", descending=True, start=1, limit=2)
    assert [line["cells"] for line in answer["lines"]] == [["n3", 0.3, "nan"], ["n2", 0.2, 2.0]]
    assert (answer["count"], answer["jobs"], answer["total"], answer["problem"]) == (3, 3, 6, "")
    keys = [column["key"] for column in answer["columns"]]
    assert {"job:status", "value:lr", "value:opt", *(f"{stat}:loss" for stat in STATS)} <= {*keys}

    same = ask(server, version=answer["version"])
    assert same == {"version": answer["version"]}
    known = ask(server, shape=answer["shape"])
    assert "columns" not in known
    note(going, loss(1.0))
    before = ask(server, of_version=answer["version"], limit=1)
    assert before["lines"][0]["cells"] == ["n5", None, 9.0]
    other = ask(server, version=answer["version"], limit=1)
    assert other["lines"][0]["cells"] == ["n5", None, 1.0]
    gone = ask(server, of_version=answer["version"], limit=1)
    assert gone["lines"][0]["cells"] == ["n5", None, 1.0]

    store.open("j1").annotate(AnnotationChange(is_starred=True, add=("best",)))  # what actions need to know of a job
    lines = {line["id"]: line for line in ask(server)["lines"]}
    assert (lines["j1"]["is_starred"], lines["j1"]["tags"]) == (True, ["best"])
    assert not {"is_starred", "tags"} & lines["j2"].keys()

    missing = ask(server, columns=["value:nothing", "job:id"], limit=1)["lines"]  # a layout may have kept it
    assert missing[0]["cells"] == [None, "j5"]
    grouped = ask(server, group="value:opt", opened=['"sgd"'], limit=3)
    first, second = (line for line in grouped["lines"] if "group" in line)
    assert [first["cell"], first["count"], second["cell"], second["count"]] == ["adam", 1, "sgd", 4]
    assert grouped["count"] == 7
    some = ask(server, ids=["j1", "j4", "gone"], sort="value:lr", descending=True)
    assert [line["id"] for line in some["lines"]] == ["j4", "j1"]
    assert (some["count"], some["total"], ask(server, ids=[])["lines"]) == (2, 6, [])
    assert "there is no value or metric 'lrr'" in ask(server, text="lrr<1")["problem"]

    body = json.dumps({"columns": COLUMNS, "text": "lr<0.1"}).encode()
    csv = server.ask("table/csv", method="POST", body=body).json()
    assert csv == {"text": "name,lr,loss\r\nn0,0.0,0.0\r\n", "count": 1}
