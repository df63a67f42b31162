"""The search of the list of jobs and its columns: one grammar and one set of orders, for the magic, REST and the panel."""

import re
from dataclasses import fields
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pai_jupyter.cost import JobPrice
from pai_jupyter.events import Status
from pai_jupyter.jobs import JobRow, JobSearch, JobSelection
from pai_jupyter.jobs.job_index.columns import COLUMNS, SEARCHED, SHOWN, SORTED, sorted_rows
from pai_jupyter.jobs.job_index.row import RowAlert
from pai_jupyter.jobs.job_index.search import HELP, joined
from pai_jupyter.wire.connection.listing import row_body
from tests.support.paths import ROOT

SOURCES = ROOT / "labextension" / "src"


def row(job_id: str, **fields: Any) -> JobRow:
    given = {"id": job_id, "name": f"name of {job_id}", "backend": "process", "place": "process (asked for)", **fields}
    return JobRow(**given)


ROWS = [
    row("a1", name="Iris 训练", status=Status.RUNNING, created=9.0, notebook="work/my iris.ipynb"),
    row(
        "b1", name="mnist", status=Status.FAILED, created=8.0, values=("lr=0.35", "opt=adam"), metric=("val_loss", 1.0)
    ),
    row("c1", name="iris-2", created=7.0, values=("lr=0.3", "x_lr=0.35"), backend="pai", place="cn-hangzhou"),
    row("d1", name="a:b", created=6.0, status=Status.STOPPED, backend="pai", place="emulator (asked for)"),
    row(
        "e1",
        name="baseline of 论文",
        recorded_name="wine-9",
        created=5.0,
        is_starred=True,
        tags=("best", "paper-2"),
        note="overfits\nafter epoch 20",
        backend="docker",
        place="docker",
        status=Status.SUCCEEDED,
    ),
]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", "abcde"),
        ("   ", "abcde"),
        ("IRIS", "ac"),
        ("训练", "a"),
        (" hangzhou  iris ", "c"),
        ("val_loss", "b"),
        (".*", ""),
        ("b1", "b"),
        ("name of", ""),
        ("my iris", "a"),
        ('"my iris"', "a"),
        ('"iris my"', ""),
        ('"iris', "ac"),
        # values
        ("lr=0.3", "c"),
        ("lr=.30", "c"),
        ("LR=3.5e-1", "b"),
        ("lr=0.", "bc"),
        ("opt=ad", "b"),
        ("opt=", "b"),
        ("lr=0.3 opt=adam", ""),
        ("adam", "b"),
        # states, in both languages
        ("failed", "b"),
        ("Runn", "a"),
        ("失败", "b"),
        ("state:failed", "b"),
        ("status:failed", "b"),
        ("state:fail", "b"),
        ("state:failed,running", "ab"),
        ("state:active", "ac"),
        ("state:运行", "a"),
        ("state:", "abcde"),
        ("state:happy", ""),
        ("state:running iris", "a"),
        # one column
        ("name:iris", "ac"),
        ("notebook:iris", "a"),
        ('notebook:"my iris.ipynb"', "a"),
        ("backend:pai", "cd"),
        ("backend:emulator", "d"),
        ("backend:本地", "ab"),
        ("backend:local,hangzhou", "abc"),
        ("metric:val", "b"),
        ("id:a", "a"),
        # what the user says about a job
        ("tag:best", "e"),
        ("tag:BEST", "e"),
        ("tag:bes", ""),
        ("tag:paper-2,none", "e"),
        ("tag:best tag:paper-2", "e"),
        ("tag:best tag:none", ""),
        ("tag:", "abcde"),
        ("bes", "e"),
        ("star:yes", "e"),
        ("star:no", "abcd"),
        ("star:是", "e"),
        ("starred", "e"),
        ("yes", ""),
        ('note:"epoch 20"', "e"),
        ("overfits", "e"),
        ("note:iris", ""),
        ("baseline", "e"),
        ("wine", "e"),
        ("name:wine", "e"),
        # a colon that is no column's
        ("a:b", "d"),
        ("colour:red", ""),
    ],
)
def test_a_search_finds(text: str, found: str) -> None:
    assert "".join(each.id[0] for each in JobSearch.parse(text).find(ROWS)) == found


def test_words_of_a_line_keep_their_blanks() -> None:
    assert [each.id for each in JobSearch.of_words(["my iris"]).find(ROWS)] == ["a1"]
    assert [each.id for each in JobSearch.of_words(["my", "mnist"]).find(ROWS)] == []


@given(st.text())
def test_any_text_is_a_search(text: str) -> None:
    assert set(JobSearch.parse(text).find(ROWS)) <= set(ROWS)


def test_the_help_names_every_field_of_the_search_in_the_magic_and_in_the_panel() -> None:
    listed = re.search(r"Fields: ([^;]*);", HELP)
    assert listed is not None
    assert {SEARCHED[field] for field in listed[1].split(", ")} == {column for column in COLUMNS if column.fields}
    tools = (SOURCES / "panel" / "filterbar.ts").read_text()
    assert HELP in re.sub(r"' \+\s+'", "", tools)


@pytest.mark.parametrize(
    ("sort", "found"),
    [
        ("created", ["on", "bad", "old", "new"]),
        ("name", ["new", "bad", "on", "old"]),
        ("status", ["on", "bad", "new", "old"]),
        ("ended", ["on", "old", "bad", "new"]),
        ("started", ["on", "old", "new", "bad"]),
        ("notebook", ["old", "on", "bad", "new"]),
    ],
)
def test_rows_are_sorted_by_a_column(sort: str, found: list[str]) -> None:
    rows = [
        row("old", name="job-10", created=2.0, ended=90.0, status=Status.SUCCEEDED, started=5.0, notebook="a.ipynb"),
        row("on", name="job-2", created=4.0, status=Status.RUNNING, started=6.0, notebook="B.ipynb"),
        row("bad", name="Job-1", created=3.0, ended=50.0, status=Status.FAILED),
        row("new", name="a", created=1.0, ended=9.0, status=Status.STOPPED, started=1.0),
    ]
    assert [each.id for each in sorted_rows(rows, sort)] == found
    assert [each.id for each in sorted_rows(rows[::-1], sort)] == found
    assert {*sorted_rows(rows, sort, is_descending=True)} == {*sorted_rows(rows, sort, is_descending=False)} == {*rows}


def test_a_selection_filters_and_sorts() -> None:
    chosen = JobSelection(search=JobSearch.parse("iris"), statuses=frozenset(["created", "running"]), sort="name")
    assert [each.id for each in chosen.of(ROWS)] == ["a1", "c1"]
    assert [each.id for each in JobSelection(backend="pai").of(ROWS)] == ["c1", "d1"]
    assert [each.id for each in JobSelection(notebook="work/my iris.ipynb").of(ROWS)] == ["a1"]


def test_what_a_list_shows_is_searched_or_sorted_by() -> None:
    assert {column.name for column in SHOWN} == {
        *("status", "star", "name", "backend", "notebook", "tags", "values", "metric", "time", "cost", "id")
    }
    assert {"created", "started", "ended", "name", "status", "backend", "notebook", "progress"} == {*SORTED}


def test_a_field_of_a_row_is_told_without_a_word_in_the_wire() -> None:
    rare = {"in_line": 1, "roles": "1 chief", "failed_replica": "worker-1", "run": "r1", "step": "train"}
    rare |= {"recorded_name": "iris-1", "is_starred": True, "tags": ("best",), "note": "x" * 5_000}
    rare |= {"alert": RowAlert(kind="nan", text="`loss` became nan.", time=1.0)}
    rare |= {"cost": JobPrice(currency="CNY", per_hour=Decimal("6.2"))}
    told = row_body(row("j1", values=("lr=0.3",), **rare))
    assert {*told} == {field.name for field in fields(JobRow)} - {"stem", "facts", "searched"}
    assert not {"values", "in_line", "roles", "failed_replica", *rare} & {*row_body(row("j1"))}
    assert (told["tags"], len(told["note"])) == (["best"], 300)


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("lr < 0.1", ["lr<0.1"]),
        ("lr< 0.1 adam", ["lr<0.1", "adam"]),
        ("iris lr <0.1", ["iris", "lr<0.1"]),
        ("opt != adam", ["opt!=adam"]),
        ("opt= adam", ["opt=adam"]),
        ("max(loss) >= 1 tag:a", ["max(loss)>=1", "tag:a"]),
        ("accuracy> lr<0.1", ["accuracy>", "lr<0.1"]),
        ("tag:a <b", ["tag:a", "<b"]),
        ("lr <", ["lr<"]),
        ("< 3", ["<", "3"]),
    ],
)
def test_blanks_in_a_comparison_do_not_matter(typed: str, words: list[str]) -> None:
    assert joined(typed.split()) == words
