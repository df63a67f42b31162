"""%pai_jobs: the list of jobs as a table, with the rows, the search, the orders and the columns of the panel."""

import json
from collections.abc import Iterator
from decimal import Decimal

import pytest

from pai_jupyter.cost import JobPrice
from pai_jupyter.errors import SpecError
from pai_jupyter.events import Status
from pai_jupyter.jobs import JobIndex, close_runtime, get_job_index, runtime
from pai_jupyter.jobs.job_index import index as catalogue
from pai_jupyter.jobs.job_index.search import HELP
from pai_jupyter.store import AnnotationChange, JobStore
from tests.support.lists import BEGAN, loss, record, record_many, running
from tests.support.shells import Shell


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    """A shell beside three jobs, the newest of which has failed."""
    monkeypatch.setenv("PAI_JUPYTER_LANG", "en")
    record(
        "j1", loss(0.5), name="iris-1", values={"lr": 0.3, "fixed": 1}, notebook="a.ipynb", place="docker (asked for)"
    )
    record(
        "j2", loss(0.25), name="iris-2", values={"lr": 0.35, "fixed": 1}, created=BEGAN + 5, place="process (asked for)"
    )
    record("j3", name="mnist", status=Status.FAILED, created=BEGAN + 9, place="emulator (asked for)")
    with Shell() as shell:
        yield shell
    close_runtime()


def listed(shell: Shell, line: str = "") -> list[str]:
    """The ids in the table."""
    result = shell.run(f"%pai_jobs {line}")
    assert result.error is None, result.text
    return [row.split()[-1] for row in result.text.strip().splitlines()[1:] if "shows more" not in row]


def test_what_is_no_job_is_not_counted(shell: Shell) -> None:
    for name in ("lost+found", "tmp", "zzz"):
        (JobStore().home / "jobs" / name).mkdir()
    assert "shows more" not in shell.run("%pai_jobs -n 100").text
    assert "2 of 3 jobs; -n N shows more." in shell.run("%pai_jobs -n 2").text


def test_a_state_that_cannot_be_read_is_told_whole_below_the_table(shell: Shell) -> None:
    state = JobStore().home / "jobs" / "j2" / "state.json"
    state.write_text("{")
    table, _, below = shell.run("%pai_jobs").text.partition("\nj2: ")
    assert "Local process" in table
    assert "state.json" in below.splitlines()[0]


def test_its_columns_are_those_of_the_panel(shell: Shell) -> None:
    head, _, _, first = shell.run("%pai_jobs").text.strip().splitlines()
    assert head.split("  ")[0] == "state"
    assert head.split() == ["state", "name", "run", "on", "notebook", "values", "metric", "time", "id"]
    assert first.split()[:2] == ["✓", "Succeeded"]
    assert all(text in first for text in ("iris-1", "Docker", "a.ipynb", "lr=0.3 fixed=1", "loss=0.5", " ago  j1"))


@pytest.mark.parametrize(
    ("line", "ids"),
    [
        ("", ["j3", "j2", "j1"]),
        ("iris", ["j2", "j1"]),
        ("lr=.30", ["j1"]),
        ("iris state:succeeded lr=0.35", ["j2"]),
        ("failed", ["j3"]),
        ("notebook:a.ipynb", ["j1"]),
        ("backend:emulator", ["j3"]),
        ("失败", ["j3"]),
        ("--state 失败", ["j3"]),
        ("--state Failed", ["j3"]),
        ("--state active", []),
        ("--state succeeded -n 1", ["j2"]),
        ("iris --state succeeded -n 1", ["j2"]),
        ("iris --state succeeded lr=0.35", ["j2"]),
        ("--sort name", ["j1", "j2", "j3"]),
        ("iris --sort created", ["j2", "j1"]),
        ("--sort status", ["j3", "j2", "j1"]),
        ("-n 2", ["j3", "j2"]),
    ],
)
def test_it_takes_the_search_of_the_filter_box(shell: Shell, line: str, ids: list[str]) -> None:
    assert listed(shell, line) == ids


def test_the_dearest_and_those_with_a_star_come_first(shell: Shell) -> None:
    for job_id, price in (("j4", "6"), ("j5", "60")):
        cost = JobPrice(currency="CNY", per_hour=Decimal(price))
        record(job_id, running(), name=job_id, created=BEGAN - 9, price=cost)
    JobStore().open("j2").annotate(AnnotationChange(is_starred=True))
    assert listed(shell, "--sort cost") == ["j5", "j4", "j3", "j2", "j1"]
    assert listed(shell, "--sort cost -n 1") == ["j5"]
    assert listed(shell, "--sort star") == ["j2", "j3", "j1", "j5", "j4"]


def test_a_variable_may_stand_in_a_search(shell: Shell) -> None:
    shell.user_ns["rate"] = 0.3
    assert listed(shell, "lr={rate}") == ["j1"]


def test_json_has_the_jobs_that_are_found(shell: Shell) -> None:
    found = json.loads(shell.run("%pai_jobs lr=0.3 --json").text)
    assert [(job["id"], job["hyperparameters"], job["metrics"]) for job in found] == [
        ("j1", {"lr": 0.3, "fixed": 1}, {"loss": 0.5})
    ]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("nothing", "no matching jobs. %pai_jobs lists all."),
        ("--state running", "no job is running. %pai_jobs lists all."),
        ("nothing --state failed", "no matching jobs. %pai_jobs lists all."),
    ],
)
def test_where_nothing_fits_it_says_what_lists_all(shell: Shell, line: str, told: str) -> None:
    assert told in shell.run(f"%pai_jobs {line}").text


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("state:foo", "there is no state 'foo'; there are active, queued, running, succeeded, failed, stopped."),
        ("state:failed,foo", "there is no state 'foo'; there are active"),
        ("--state foo", "there is no state 'foo'; there are active"),
        (
            "foo:bar",
            "there is no field 'foo' to search in; there are state, status, star, name, backend, notebook, tag, note, metric, id, run.",
        ),
        ("state=failed", "no job has a value 'state'. To search this column, write state:failed"),
        ("lrr>0.2", "there is no value or metric 'lrr'; there are lr, fixed, loss"),
        ("lrr > 0.2", "there is no value or metric 'lrr'; there are lr, fixed, loss"),
        ("'lr <= big'", "'lr <= big' compares with 'big', which is no number. Type e.g. lr<=0.1"),
        ("state!=failed", "To search this column, write state:failed"),
        ("NOT iris", "the search has no NOT: all words must match. For one of several type e.g. state:failed,stopped"),
        ("iris OR mnist", "the search has no OR: "),
    ],
)
def test_a_search_that_is_none_is_refused_with_what_to_type(shell: Shell, line: str, told: str) -> None:
    result = shell.run(f"%pai_jobs {line}")
    assert isinstance(result.error, SpecError), result.text
    assert told in str(result.error)
    assert len(str(result.error).splitlines()) == 1


def test_a_refused_search_is_told_where_there_is_no_job_too(monkeypatch: pytest.MonkeyPatch) -> None:
    with Shell() as shell:
        assert isinstance(shell.run("%pai_jobs state:foo").error, SpecError)
        assert shell.run("%pai_jobs state:failed").error is None


@pytest.mark.parametrize("line", ["state:fail", "state:", "notes", "not", "oss://bucket/x", "lr=7", "id:zz", "12:30"])
def test_a_search_that_only_finds_nothing_is_no_error(shell: Shell, line: str) -> None:
    assert shell.run(f"%pai_jobs {line}").error is None


def test_values_and_metrics_are_compared(shell: Shell) -> None:
    assert listed(shell, "lr>0.3") == listed(shell, "lr > 0.3") == listed(shell, "'lr > 0.3'") == ["j2"]
    assert listed(shell, "loss<=0.5 lr<0.35") == ["j1"]
    assert shell.run("%pai_jobs lr>7").error is None


def test_a_text_that_a_job_has_is_found_in_any_form(shell: Shell) -> None:
    record("j4", name="a:b>2", values={"state": "failed"}, created=BEGAN + 10)
    assert listed(shell, "a:b") == listed(shell, "b>2") == listed(shell, "state=failed") == ["j4"]


def test_an_order_that_is_none_is_refused_with_those_there_are(shell: Shell) -> None:
    result = shell.run("%pai_jobs --sort colour")
    assert isinstance(result.error, SpecError)
    assert "ended" in str(result.error)


def test_its_help_has_the_grammar(shell: Shell) -> None:
    told = " ".join(shell.user_ns["get_ipython"]().find_line_magic("pai_jobs").__doc__.split())
    assert " ".join(HELP.split()) in told


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("state:fa", "failed"),
        ("noteb", "notebook:"),
        ("iris-", "iris-1"),
        ("--sort en", "ended"),
        ("--sort co", "cost"),
        ("--state run", "running"),
    ],
)
def test_tab_offers_states_fields_names_and_orders(shell: Shell, typed: str, offered: str) -> None:
    assert offered in {each.rpartition("state:")[2] for each in shell.complete(f"%pai_jobs {typed}")}


def test_a_record_that_is_damaged_is_a_row_and_a_sentence(shell: Shell) -> None:
    (JobStore().path("j2") / "job.json").write_text("{")
    text = shell.run("%pai_jobs").text
    assert "? Unknown" in text
    assert "job j2: " in text
    assert "job j2: " not in shell.run("%pai_jobs mnist").text


def test_star_and_tags_are_columns_where_a_job_has_them(shell: Shell) -> None:
    for job_id, change in {
        "j1": AnnotationChange(name="baseline", add=("best", "paper"), note="overfits"),
        "j3": AnnotationChange(is_starred=True),
    }.items():
        JobStore().open(job_id).annotate(change)
    head, first, _, last = shell.run("%pai_jobs").text.strip().splitlines()
    assert head.split()[:3] == ["state", "★", "name"]
    assert "tags" in head
    assert "★" in first
    assert "baseline" in last
    assert "best paper" in last
    assert "★" not in shell.run("%pai_jobs iris").text
    assert listed(shell, "tag:best name:iris") == ["j1"]
    assert listed(shell, "star:yes") == ["j3"]
    assert listed(shell, "overfits") == ["j1"]
    assert isinstance(shell.run("%pai_jobs star:maybe").error, SpecError)
    assert json.loads(shell.run("%pai_jobs baseline --json").text)[0]["tags"] == ["best", "paper"]


def test_damaged_annotations_are_a_sentence(shell: Shell) -> None:
    (JobStore().path("j2") / "annotations.json").write_text("{")
    assert "job j2: '" in shell.run("%pai_jobs").text
    assert "job j2: " not in shell.run("%pai_jobs mnist").text


def test_in_chinese(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAI_JUPYTER_LANG", "zh")
    text = shell.run("%pai_jobs").text
    assert all(word in text for word in ("状态", "笔记本", "指标", "时间", "天前", "PAI 模拟器"))
    assert "没有匹配的作业" in shell.run("%pai_jobs nothing").text


def test_where_there_are_more_it_says_how_many(shell: Shell) -> None:
    assert "2 of 3 jobs; -n N shows more." in shell.run("%pai_jobs -n 2").text
    assert "1 of 2 jobs; -n N shows more." in shell.run("%pai_jobs -n 1 iris").text
    assert "shows more" not in shell.run("%pai_jobs").text
    assert "shows more" not in shell.run("%pai_jobs --json -n 1").text


def test_the_newest_are_listed_without_reading_all(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "FIRST", 1)
    ids = record_many(30, notebook="many.ipynb")
    for job_id in ("j1", "j2", "j3"):
        JobStore().remove(job_id)
    assert listed(shell, "-n 2") == ids[:2]
    assert known() == 2
    record("j99999", created=BEGAN + 10_000)
    assert listed(shell, "-n 2") == ["j99999", ids[0]]
    assert len(listed(shell, "-n 50 notebook:many")) == 30
    assert known() == 31


def known() -> int:
    """How many rows this process has read."""
    return len(runtime().run(_catalogue()).rows)


async def _catalogue() -> JobIndex:
    return get_job_index()
