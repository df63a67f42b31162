"""The runs table: its columns, filter, orders, groups, and what is written of it."""

import csv
import io
import math
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

import pai_jupyter
from pai_jupyter.cost import JobPrice
from pai_jupyter.errors import SpecError
from pai_jupyter.events import JobState, Status, StatusChanged
from pai_jupyter.jobs import JobRow, JobSearch
from pai_jupyter.jobs.job_index.facts import facts_of
from pai_jupyter.jobs.job_index.row import with_state
from pai_jupyter.jobs.table import JobGroup, JobTable, Summary, TableQuery, as_csv, as_frame, current_table
from pai_jupyter.jobs.table.groups import summary_of
from tests.support.lists import BEGAN, loss, record, running

NAN = math.nan


def job(
    job_id: str, values: Mapping[str, Any], metrics: Mapping[str, list[float]] | None = None, **fields: Any
) -> JobRow:
    """A job with these values, that has told these metrics. (Any: JSON values, fields of a row)"""
    given = {"name": f"name of {job_id}", "backend": "process", "place": "process", "created": float(ord(job_id[0]))}
    row = JobRow(id=job_id, facts=facts_of(values), **{**given, **fields})
    state = JobState().apply(StatusChanged(status=Status.SUCCEEDED, time=BEGAN))
    for name, told in (metrics or {}).items():
        for step, value in enumerate(told):
            state = state.apply(loss(value, name=name, step=float(step)))
    return with_state(row, state)


ROWS = [
    job("a", {"lr": 0.1, "opt": "adam", "amp": True, "name": "x"}, {"loss": [3.0, 1.0, 2.0], "acc": [0.5]}),
    job("b", {"lr": 0.01, "opt": "sgd"}, {"loss": [NAN], "lr": [0.5]}),
    job("c", {"lr": 1, "opt": "adam", "amp": False, "mixed": "auto"}, {"loss": [1.0]}),
    job("d", {"mixed": 3, "layers": [1, 2], "api_key": "0123456789", "none": None}),
]
TABLE = JobTable(ROWS)


def ids(text: str = "", sort: str | None = None) -> str:
    return "".join(row.id for row in TABLE.find(TABLE.query(JobSearch.parse(text), sort=sort)))


def test_there_is_a_column_for_each_value_and_each_number_of_a_metric() -> None:
    kinds = {column.title: (column.key, column.kind) for column in TABLE.columns.values() if column.part != "job"}
    assert kinds["lr"] == ("value:lr", "number")
    assert kinds["amp"] == ("value:amp", "bool")
    assert kinds["opt"] == ("value:opt", "text")
    assert kinds["mixed"] == ("value:mixed", "text")
    assert kinds["value(name)"] == ("value:name", "text")  # `name` is a column of every job
    assert kinds["last(lr)"] == ("last:lr", "number")  # `lr` is a value
    assert {title: kinds[title][0] for title in ("loss", "min(loss)", "max(loss)", "steps(loss)")} == {
        "loss": "last:loss",
        "min(loss)": "min:loss",
        "max(loss)": "max:loss",
        "steps(loss)": "steps:loss",
    }
    assert "none" not in kinds


def test_of_two_long_names_with_the_same_beginning_the_first_is_a_column_beside_all_others() -> None:
    long = "m" * 100
    table = JobTable([job("a", {}, {f"{long}1": [1.0], f"{long}2": [2.0], "loss": [3.0]})])
    assert [table.named(title).read(table.rows[0]) for title in (long, "loss")] == [1.0, 3.0]


def test_there_is_a_column_of_the_cost_for_each_currency_and_what_is_not_charged_has_none() -> None:
    yuan, dollars = (JobPrice(currency=currency, per_hour=Decimal(6)) for currency in ("CNY", "USD"))
    half: dict[str, Any] = {"started": BEGAN, "ended": BEGAN + 1800}  # Any: fields of a row
    rows = [
        replace(job("a", {}), cost=yuan, **half),
        replace(job("b", {}), cost=yuan, started=BEGAN, ended=None),
        replace(job("c", {}), cost=dollars, **half),
        replace(job("d", {}), cost=replace(yuan, is_rehearsal=True), **half),
        replace(job("e", {}), cost=yuan, started=None, ended=BEGAN),
        job("f", {}),
    ]
    table = JobTable(rows, now=BEGAN + 3600)
    assert [column.title for column in table.shown if column.key.startswith("cost:")] == ["cost (CNY)", "cost (USD)"]
    column = table.named("cost (CNY)")
    assert [column.read(row) for row in rows] == [3.0, 6.0, None, None, None, None]
    found = table.find(table.query(JobSearch(), sort="-cost (CNY)"))
    assert [row.id for row in found[:2]] == ["b", "a"]
    assert not any(column.key.startswith("cost:") for column in TABLE.columns.values())


def test_duration_and_cost_are_compared_unless_a_value_has_that_name() -> None:
    yuan = JobPrice(currency="CNY", per_hour=Decimal(6))
    rows = [
        replace(job("a", {}), cost=yuan, started=BEGAN, ended=BEGAN + 1800),
        replace(job("b", {}), cost=yuan, started=BEGAN, ended=None),
        replace(job("c", {}), started=BEGAN, ended=BEGAN + 60),
        replace(job("d", {}), cost=replace(yuan, is_rehearsal=True), started=BEGAN, ended=BEGAN + 60),
    ]

    def found(text: str, among: list[JobRow] = rows) -> str:
        return "".join(row.id for row in JobSearch.parse(text).find(among))

    assert [found(f"duration{test}") for test in (">60", "<=60", "=1800", "!=60")] == ["a", "cd", "a", "a"]
    assert [found(text) for text in ("cost>0", "cost<=3", "cost=3", "max(cost)>0")] == ["ab", "a", "a", ""]
    own = [*rows, job("e", {"duration": 5}, {"cost": [7.0]})]
    assert [found(text, own) for text in ("duration>1", "cost>1")] == ["e", "e"]
    table = JobTable(rows)
    assert table.problem(["duration>60", "cost<=3"]) == ""
    assert "which is no number. Type e.g. duration>0.1" in table.problem(["duration>long"])


def test_the_table_is_made_anew_while_a_job_costs_something(monkeypatch: pytest.MonkeyPatch) -> None:
    price = JobPrice(currency="CNY", per_hour=Decimal(6))
    record("j1", running(), status=Status.RUNNING, price=price)
    now = BEGAN + 70
    monkeypatch.setattr("pai_jupyter.jobs.table.current.time.time", lambda: now)

    def told() -> tuple[Any, str]:  # Any: a cell
        table, version = current_table()
        return table.named("cost (CNY)").read(table.rows[0]), version

    first = told()
    assert first[0] == 0.1
    assert told() == first
    now += 600
    assert told()[0] == 1.1
    assert told()[1] != first[1]


def test_cells_are_what_the_job_has_and_secrets_are_masked() -> None:
    row = {row.id: row for row in ROWS}
    told = {
        title: [TABLE.named(title).read(row[job_id]) for job_id in "ad"]
        for title in ("loss", "min(loss)", "steps(loss)")
    }
    assert told == {"loss": [2.0, None], "min(loss)": [1.0, None], "steps(loss)": [3.0, None]}
    assert [TABLE.named(title).read(row["d"]) for title in ("layers", "api_key", "mixed")] == ["[1, 2]", "***", 3]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("lr<0.1", "b"),
        ("lr<=0.1", "ba"),
        ("LR > 0.01", "cba"),
        ("lr!=0.1", "cb"),
        ("lr=1.0", "c"),
        ("loss<3", "ca"),
        ("loss=2", "a"),
        ("min(loss)<=1 opt:adam", ""),
        ("min(loss)<=1 opt=adam", "ca"),
        ("max(loss)>2", "a"),
        ("steps(loss)>=2", "a"),
        ("last(lr)>0.1", "b"),
        ("value(lr)>0.1", "c"),
        ("opt!=adam", "b"),
        ("amp=true", "a"),
        ("mixed>2", "d"),
        ("loss!=1", "ba"),
        ("lr<", "cba"),  # somebody is typing
        ("lr<x", ""),
        ("nothing<3", ""),
    ],
)
def test_a_filter_compares_values_and_metrics(text: str, found: str) -> None:
    assert ids(text) == found


@pytest.mark.parametrize(
    ("sort", "found"),
    [
        (None, "dcba"),
        ("lr", "bacd"),
        ("-lr", "cabd"),
        ("loss", "cabd"),  # nan before those that have none
        ("-loss", "acbd"),
        ("opt", "cabd"),  # ties: the newest first
        ("-opt", "bcad"),
        ("mixed", "dcba"),
        ("created", "dcba"),
        ("id", "abcd"),
    ],
)
def test_jobs_are_sorted_by_a_column_and_those_without_a_cell_come_last(sort: str | None, found: str) -> None:
    assert ids(sort=sort) == found


def test_groups_have_mean_and_deviation_of_numbers_and_what_else_their_jobs_have_in_common() -> None:
    lines = TABLE.lines(TABLE.query(JobSearch(), group="opt", sort="-lr"))
    groups = [line for line in lines if isinstance(line, JobGroup)]
    assert [(group.cell, "".join(row.id for row in group.rows)) for group in groups] == [
        ("adam", "ca"),
        ("sgd", "b"),
        (None, "d"),
    ]
    lr, name, status = (groups[0].summary(TABLE.named(title)) for title in ("lr", "name", "state"))
    assert isinstance(lr, Summary)
    assert (round(lr.mean, 6), round(lr.deviation or 0, 6), lr.count) == (0.55, 0.636396, 2)
    assert (name, status) == (None, "succeeded")
    assert groups[1].summary(TABLE.named("loss")) is None  # nan is none


def test_an_opened_group_shows_its_jobs_below_it() -> None:
    query = TABLE.query(JobSearch(), group="opt")
    opened = TableQuery(group=query.group, opened=frozenset({'"adam"'}))
    told = [line.cell if isinstance(line, JobGroup) else line.id for line in TABLE.lines(opened)]
    assert told == ["adam", "c", "a", "sgd", None]
    assert TABLE.matching(opened) == 4


@pytest.mark.parametrize(
    ("numbers", "summary"),
    [
        ([], None),
        ([2.0], Summary(mean=2.0, deviation=None, count=1)),
        ([1.0, NAN, 3.0], Summary(mean=2.0, deviation=math.sqrt(2), count=2)),
        ([math.inf, 1.0], Summary(mean=math.inf, deviation=None, count=2)),
    ],
)
def test_a_summary_is_that_of_a_sample(numbers: list[float], summary: Summary | None) -> None:
    assert summary_of(numbers) == summary


@pytest.mark.parametrize(
    ("numbers", "mean", "deviation"),
    [
        ([1e200, 3.0], 5e199, 1e200 / math.sqrt(2)),
        ([1.7e308] * 3, 1.7e308, 0.0),
        ([1e-320, 3e-320], 2e-320, 1.414e-320),
    ],
)
def test_numbers_at_the_ends_of_a_float_have_a_summary(numbers: list[float], mean: float, deviation: float) -> None:
    found = summary_of(numbers)
    assert found is not None
    assert found.mean == pytest.approx(mean)
    assert found.deviation == pytest.approx(deviation, abs=abs(mean) / 1_000)


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("lrr<1", "there is no value or metric 'lrr'; there are "),
        ("lr<x", "'lr<x' compares with 'x', which is no number. Type e.g. lr<0.1"),
        ("lr<0.0001", ""),
        ("state<3", "To search this column, write state:3"),
    ],
)
def test_a_filter_that_is_none_is_told(word: str, told: str) -> None:
    problem = TABLE.problem([word])
    assert told in problem
    assert (problem == "") is (told == "")


def test_a_column_that_is_none_is_refused_with_those_there_are() -> None:
    with pytest.raises(SpecError, match=r"there is no column 'lrr'; there are state, name, "):
        TABLE.named("lrr")


def test_a_csv_has_no_formulas() -> None:
    evil = job(
        "e", {"=cmd": "=1+1", "plus": "+1", "number": -1, "at": "@x", "minus": "-x"}, {"-m": [1.0]}, name="=name"
    )
    table = JobTable([evil])
    titles = ["name", "=cmd", "plus", "number", "at", "minus", "-m", "created"]
    text = as_csv(table.rows, [table.named(title) for title in titles])
    told = list(csv.reader(io.StringIO(text)))
    assert told[0] == ["name", "'=cmd", "plus", "number", "at", "minus", "'-m", "created"]
    assert told[1] == ["'=name", "'=1+1", "'+1", "-1", "'@x", "'-x", "1.0", "1970-01-01T00:01:41+00:00"]


def test_a_frame_has_types() -> None:
    frame = as_frame(TABLE.rows, list(TABLE.columns.values()))
    assert list(frame.index) == ["d", "c", "b", "a"]
    assert frame.index.name == "id"
    assert [*frame.sort_values("id").index] == ["a", "b", "c", "d"]  # a column of that name would be another one
    assert "id" in frame.reset_index()
    assert str(frame["created"].dt.tz) == "UTC"
    assert frame["lr"].dropna().to_dict() == {"a": 0.1, "b": 0.01, "c": 1.0}
    assert frame.loc["a", "amp"] is True
    assert str(frame["max(loss)"].dtype) == "float64"
    assert len(frame[frame["star"]]) == sum(row.is_starred for row in TABLE.rows)


@pytest.mark.usefixtures("backend")
def test_jobs_are_a_frame_whether_or_not_the_package_of_this_name_is_imported() -> None:
    record("j1", running(), loss(0.5), values={"lr": 0.1})
    record("j2", values={"lr": 0.2}, created=BEGAN + 1)
    frame = pai_jupyter.runs("lr<0.2", columns=["lr", "loss"])
    assert frame.to_dict("index") == {"j1": {"lr": 0.1, "loss": 0.5}}
    assert "loss" not in pai_jupyter.runs("lr=0.2").columns  # no such job has one
    assert list(pai_jupyter.runs(sort="-lr", limit=1).index) == ["j2"]
    with pytest.raises(SpecError, match="no value or metric 'nothing'"):
        pai_jupyter.runs("nothing<1")
    program = (
        "import pai_jupyter; first = pai_jupyter.runs; import pai_jupyter.runs; from pai_jupyter.runs import Run; "
        "assert pai_jupyter.runs is first and callable(first) and Run is pai_jupyter.Run is first.Run"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_help_and_a_wrong_argument_are_answered_for_the_function_of_this_name() -> None:
    program = (  # a package that a test has imported already would have another type
        "from IPython.core.interactiveshell import InteractiveShell as S; s = S.instance(); s.run_cell('import pai_jupyter');"
        "print(s.object_inspect_mime('pai_jupyter.runs')['text/plain'])"
    )
    shown = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout
    assert "search" in shown
    assert "limit" in shown
    assert shown.count("Return this user's jobs as a DataFrame of pandas") == 1
    assert "kwargs" not in shown
    assert "Several jobs as one" not in shown
    with pytest.raises(SpecError, match="`runs` has no argument 'n'; there are: search, columns, sort, limit"):
        pai_jupyter.runs(n=2)  # type: ignore[call-arg]  # which is the mistake
    with pytest.raises(SpecError, match=r"`runs` is called so: runs\(search"):
        pai_jupyter.runs("lr<1", "loss")  # type: ignore[call-arg]  # as above


@pytest.mark.usefixtures("backend")
def test_without_pandas_one_sentence_says_what_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(pai_jupyter.PaiJupyterError, match=r"a DataFrame needs pandas\. Type: %pip install pandas"):
        pai_jupyter.runs()
