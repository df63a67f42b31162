"""`%pai_runs` as the table of jobs: filter, columns, orders, groups, CSV; beside runs of pipelines."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pai_jupyter.errors import NotFoundError, SpecError
from pai_jupyter.events import Status
from tests.support.lists import BEGAN, loss, record, running
from tests.support.shells import Shell


@pytest.fixture
def shell() -> Iterator[Shell]:
    record("j1", running(), loss(0.5), loss(0.25), name="iris", values={"lr": 0.1, "opt": "adam"}, created=BEGAN)
    record("j2", running(), loss(0.75), name="mnist", values={"lr": 0.2, "opt": "sgd"}, created=BEGAN + 1)
    record(
        "j3",
        running(),
        loss(0.25),
        name="iris",
        values={"lr": 0.4, "opt": "sgd"},
        created=BEGAN + 2,
        status=Status.FAILED,
    )
    record("j4", name="a step", created=BEGAN + 3, run="r1", step="train")
    with Shell() as made:
        yield made


def lines(shell: Shell, line: str) -> list[list[str]]:
    result = shell.run(f"%pai_runs {line}")
    assert result.error is None, result.error
    return [row.split() for row in result.text.splitlines()]


def test_jobs_are_listed_with_values_and_metrics_those_of_pipelines_apart(shell: Shell) -> None:
    told = lines(shell, "")
    assert told[0] == ["state", "name", "lr", "opt", "loss", "created", "duration", "id"]
    assert [row[-1] for row in told[1:4]] == ["j3", "j2", "j1"]
    assert "iris 0.1 adam 0.25" in " ".join(told[3])
    assert "00:50" in told[3]


def test_a_stable_output_has_no_times_and_no_ids(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAI_JUPYTER_STABLE", "1")
    assert lines(shell, "")[:2] == [
        ["state", "name", "lr", "opt", "loss"],
        ["✗", "Failed", "iris", "0.4", "sgd", "0.25"],
    ]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("lr<0.4 --columns id", ["j2", "j1"]),
        ("'lr < 0.4' max(loss)>=0.5 --columns id", ["j2", "j1"]),
        ("lr < 0.2 --columns id", ["j1"]),
        ("iris --columns id", ["j3", "j1"]),
        ("run:r1 --columns id", ["j4"]),
        ("--sort lr --columns id -n 2", ["j1", "j2"]),
        ("--sort=-loss --columns id", ["j2", "j3", "j1", "j4"]),
        ("--columns id state:failed", ["j3"]),
    ],
)
def test_words_and_options_choose_jobs(shell: Shell, line: str, found: list[str]) -> None:
    told = lines(shell, line)
    assert [row[0] for row in told[1 : len(found) + 1]] == found
    assert told[0] == ["id"]
    assert len(told) == len(found) + 1 or "-n N shows more." in " ".join(told[-1])


def test_words_alone_filter_too(shell: Shell) -> None:
    assert [row[-1] for row in lines(shell, "mnist")[1:2]] == ["j2"]
    assert [row[-1] for row in lines(shell, "lr<0.2")[1:2]] == ["j1"]


def test_the_columns_are_those_that_the_found_jobs_have(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    record("j5", name="other", values={"size": 3, "image": "cat.png"}, created=BEGAN + 4)
    monkeypatch.setenv("PAI_JUPYTER_STABLE", "1")
    assert lines(shell, "iris lr<1")[0] == ["state", "name", "lr", "opt", "loss"]
    assert lines(shell, "size>1")[0] == ["state", "name", "size", "image"]


@pytest.mark.parametrize(("line", "hidden"), [("", 24), ("-n 1", 24), ("wide", 21), ("--columns name", None)])
def test_columns_that_do_not_fit_are_counted(shell: Shell, line: str, hidden: int | None) -> None:
    metrics = [loss(0.5, name=f"m{number}") for number in range(9)]
    record("j5", running(), *metrics, name="wide", values={f"v{number}": number for number in range(26)})
    told = [row for row in shell.run(f"%pai_runs {line}").text.splitlines() if "not shown" in row]
    asked = f"columns that are not shown: {hidden}; --columns all shows every one."
    assert told == ([] if hidden is None else [asked])


def test_names_of_values_are_not_translated(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    record("j5", name="other", values={"size": 3, "image": "cat.png"}, created=BEGAN + 4)
    monkeypatch.setenv("PAI_JUPYTER_LANG", "zh")
    assert lines(shell, "size>1 --columns tags,size,image")[0] == ["标签", "size", "image"]
    assert lines(shell, "size>1 --group-by size --columns image")[0] == ["size", "作业数", "image"]


def test_groups_have_mean_and_deviation(shell: Shell) -> None:
    told = shell.run("%pai_runs lr>0 --group-by opt --sort opt --columns lr,loss,opt,state").text.splitlines()
    assert told[0].split() == ["opt", "jobs", "lr", "loss", "state"]
    assert told[1].split() == ["adam", "1", "0.1", "0.25", "✓", "Succeeded"]
    assert told[2].split() == ["sgd", "2", "0.3", "±", "0.1414", "0.5", "±", "0.3536"]


def test_a_csv_has_all_that_is_found(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "jobs.csv"
    assert f"jobs written to {path}: 2" in shell.run(f"%pai_runs iris -n 1 --columns name,lr --csv {path}").text
    assert path.read_bytes() == b"\xef\xbb\xbfname,lr\r\niris,0.4\r\niris,0.1\r\n"
    refused = shell.run(f"%pai_runs --csv {tmp_path}/no/jobs.csv").error
    assert isinstance(refused, SpecError)
    assert "cannot be written: No such file or directory" in str(refused)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("lrr<1", "there is no value or metric 'lrr'; there are lr, opt, loss"),
        ("lr<x", "which is no number. Type e.g. lr<0.1"),
        ("lr>", "'lr>' compares with nothing. Type e.g. lr>0.1"),
        ("lr<<0.1", "'lr<<0.1' is no comparison. Type e.g. lr<0.1"),
        ("lr<0.1 or lr>0.3", "the search has no or: all words must match."),
        ("--sort lrr", "there is no column 'lrr'; there are state, name"),
        ("--group-by lrr", "there is no column 'lrr'"),
        ("--columns ,", "`--columns` needs names"),
        ("--sort -lr", "`--sort` has no value. To sort downwards write --sort=-NAME."),
        ("--group-by opt --csv x.csv", "`--csv` writes jobs, not groups."),
        ("iris --stop --csv x.csv", "`--csv` is for the table of jobs, `--stop` for a run."),
    ],
)
def test_what_is_none_is_refused_with_what_to_type(shell: Shell, line: str, told: str) -> None:
    error = shell.run(f"%pai_runs {line}").error
    assert isinstance(error, SpecError)
    assert told in str(error)


def test_a_word_that_names_no_run_and_finds_no_job_is_no_run(shell: Shell) -> None:
    assert isinstance(shell.run("%pai_runs nothing").error, NotFoundError)


def test_columns_complete(shell: Shell) -> None:
    assert {"lr", "loss", "max(loss)"} <= {*shell.complete("%pai_runs --group-by ")}
    assert "lr" in shell.complete("%pai_runs --sort l")
    assert "state:failed" in {*shell.complete("%pai_runs ")}
    assert {"--columns", "--csv", "--group-by"} <= {*shell.complete("%pai_runs --")}
    assert shell.complete("%pai_runs --sort=-lo") == ["-loss"]
    assert shell.complete("%pai_runs --columns=name,lo") == ["loss"]
    assert shell.complete("%pai_runs lo") == ["loss"]


def test_headings_are_in_chinese(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAI_JUPYTER_LANG", "zh")
    shown = lines(shell, "--columns name,star,note,created,backend")[0]
    assert shown == ["名称", "星标", "备注", "创建时间", "后端"]
    assert lines(shell, "--group-by opt --columns name")[0] == ["opt", "作业数", "名称"]
