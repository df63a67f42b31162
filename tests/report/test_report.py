"""Reports of recorded jobs: what is in them, what is never in them, and that a browser or a notebook needs nothing else."""

import re
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import nbformat
import pytest

from pai_jupyter import write_report
from pai_jupyter.errors import PaiJupyterError, SpecError
from pai_jupyter.events import Metric, Status
from pai_jupyter.jobs import Job
from pai_jupyter.report.writing import MOST
from pai_jupyter.store import JobFolder, JobStore
from tests.support.shells import Shell
from tests.support.wire import RecordedJob

EVIL = "<script>alert(1)<img src=x onerror=alert(1)>"
Recorded = Callable[..., RecordedJob]


@pytest.fixture
def recorded(home: Path) -> Iterator[Recorded]:
    """Gives jobs that have ended, with a loss of these values."""
    jobs: list[RecordedJob] = []

    def recorded(name: str, *losses: float, metric: str = "loss", **spec: Any) -> RecordedJob:
        job = RecordedJob(f"j{len(jobs)}", record={"created": 1_000.0 + len(jobs)}, name=name, **spec)
        jobs.append(job)
        job.status(Status.RUNNING)
        job.record(*(Metric(name=metric, value=it, step=at, time=6.0 + at) for at, it in enumerate(losses)))
        job.print(f"the end of {name}\n")
        job.status(Status.SUCCEEDED)
        return job

    yield recorded
    for job in jobs:
        job.release()


class Page(HTMLParser):
    """What an HTML file consists of."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self.handlers: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href")]
        self.handlers += [name for name, _ in attrs if name.startswith("on")]


def test_the_page_has_values_metrics_curves_and_logs_of_all_jobs(recorded: Recorded, tmp_path: Path) -> None:
    recorded("slow", 3.0, 2.0, 1.5, hyperparameters={"lr": 0.01, "opt": "adam"})
    best = recorded("fast", 3.0, 1.0, 0.5, hyperparameters={"lr": 0.1, "opt": "adam"}).job
    best.tag("paper")
    best.note = "the one\nto keep"
    best.star()
    text = write_report(tmp_path / "r.html", "", title="Learning rates").read_text(encoding="utf-8")
    assert "<h1>Learning rates</h1>" in text
    for told in ("★ fast", "slow", "paper", "the one\nto keep", "the end of fast", "the end of slow", "✓ Succeeded"):
        assert told in text
    assert re.search(r'<tr class="differs"><th scope="row">lr</th><td>0.1</td><td>0.01</td></tr>', text)
    assert re.search(r'<tr><th scope="row">opt</th><td>adam</td><td>adam</td></tr>', text)
    assert "0.5 (min 0.5, max 3)" in text
    assert text.count("<polyline") >= 2


def test_a_page_needs_no_network_and_runs_nothing(recorded: Recorded, tmp_path: Path) -> None:
    job = recorded(EVIL, 1.0, 0.5, metric=EVIL, hyperparameters={"note": EVIL})
    job.job.note = EVIL
    page = Page(write_report(tmp_path / "r.html", [job.job], title=EVIL).read_text(encoding="utf-8"))
    assert "script" not in page.tags
    assert page.handlers == []
    assert all(address.startswith("data:") for address in page.addresses)


def test_secrets_and_the_home_directory_are_not_told(
    recorded: Recorded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/home/somebody")
    job = recorded("one", 1.0, 0.5, hyperparameters={"api_token": "hunter2hunter2", "data": "/home/somebody/data"})
    job.print("logged in with hunter2hunter2\nand https://bob:pw12345678@host, ghp_0123456789012345678901\n")
    for name in ("r.html", "r.ipynb"):
        text = write_report(tmp_path / name, [job.job]).read_text(encoding="utf-8")
        assert "logged in with" in text
        assert all(secret not in text for secret in ("hunter2", "pw1234", "ghp_0123"))
        assert "/home/somebody" not in text


def test_nothing_is_left_out_without_a_word(recorded: Recorded, tmp_path: Path) -> None:
    job = recorded("many", hyperparameters={f"value_{at}": at for at in range(60)})
    for at in range(60):
        job.record(*(Metric(name=f"metric_{at}", value=step, step=step, time=9.0) for step in range(3)))
    job.job.note = "the *best*\nof all"
    page = write_report(tmp_path / "r.html", [job.job]).read_text()
    path = write_report(tmp_path / "r.ipynb", [job.job])
    cells = nbformat.read(path, as_version=4).cells  # type: ignore[no-untyped-call]  # nbformat's
    texts = [cell.source for cell in cells]
    for told in (page, str(cells)):
        assert all(f">value_{at}<" in told and f">metric_{at}<" in told for at in range(60))
        assert told.count("20 more metrics have no chart here") == 1
    assert page.count("<figure>") == 40
    assert "**many**\n\nthe \\*best\\*  \nof all  " in texts


def test_what_is_no_number_is_a_gap(recorded: Recorded, tmp_path: Path) -> None:
    job = recorded("one", 3.0, 2.0, float("nan"), 1.0, 0.5)
    text = write_report(tmp_path / "r.html", [job.job]).read_text(encoding="utf-8")
    figure = text[text.index("<figure>") : text.index("</figure>")]
    assert figure.count("<polyline") == 2
    assert "nan" not in figure


def test_jobs_without_metrics_have_a_report_without_charts(recorded: Recorded, tmp_path: Path) -> None:
    text = write_report(tmp_path / "r.html", [recorded("one").job]).read_text(encoding="utf-8")
    assert "<figure>" not in text
    assert "the end of one" in text


def test_the_notebook_shows_saved_outputs_and_the_jobs_again(recorded: Recorded, tmp_path: Path) -> None:
    jobs = [recorded(name, 1.0, 0.5).job for name in ("a*b", "c")]
    path = write_report(tmp_path / "r.ipynb", jobs, title="# not a *heading*")
    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]  # nbformat's
    nbformat.validate(notebook)
    sources = [cell.source for cell in notebook.cells]
    assert sources[0].startswith(r"# \# not a \*heading\*")
    assert 'pai_jupyter.runs("id:j0,j1")' in sources[2]
    assert sources[-2:] == ["%pai_attach j0", "%pai_attach j1"]
    assert "the end of c" in notebook.cells[-1].outputs[0].data["text/plain"]
    assert not [cell for cell in notebook.cells if "widget" in str(cell.outputs if "outputs" in cell else "")]


def test_a_search_chooses_and_what_fits_nothing_is_said(recorded: Recorded, tmp_path: Path) -> None:
    for lr in (0.1, 0.2):
        recorded(f"lr-{lr}", 1.0, 0.5, hyperparameters={"lr": lr})
    text = write_report(tmp_path / "r.html", "lr<0.15").read_text(encoding="utf-8")
    assert "lr-0.1" in text
    assert "lr-0.2" not in text
    with pytest.raises(SpecError, match="no job fits 'tag:none'"):
        write_report(tmp_path / "r.html", "tag:none")


@pytest.mark.parametrize(
    ("file", "sentence"),
    [
        ("r.pdf", "must end in .html or .ipynb"),
        ("none/r.html", "there is no directory"),
        ("taken.html", "cannot be written"),
    ],
)
def test_a_file_that_cannot_be_is_refused(recorded: Recorded, tmp_path: Path, file: str, sentence: str) -> None:
    (tmp_path / "taken.html").mkdir()
    with pytest.raises(SpecError, match=sentence):
        write_report(tmp_path / file, [recorded("one").job])


def test_too_many_jobs_are_refused(recorded: Recorded, tmp_path: Path) -> None:
    job = recorded("one").job
    with pytest.raises(SpecError, match=f"{MOST} jobs at most, and these are {MOST + 1}"):
        write_report(tmp_path / "r.html", [job] * (MOST + 1))
    with pytest.raises(SpecError, match="needs a job"):
        write_report(tmp_path / "r.html", [])


def test_the_magic_writes_and_says_where(recorded: Recorded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    recorded("a b", 1.0, 0.5)
    recorded("c", 1.0, 0.5)
    with Shell() as shell:
        assert "report written to report.html" in shell.run("%pai_report 'name:a b'").text
        assert "no job fits" in str(shell.run("%pai_report name:d").error)
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "a b" in text
    assert "the end of c" not in text


def test_a_report_speaks_chinese(recorded: Recorded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAI_JUPYTER_LANG", "zh")
    text = write_report(tmp_path / "r.html", [recorded("one", 1.0, 0.5).job]).read_text(encoding="utf-8")
    assert '<html lang="zh-CN">' in text
    for told in ("概览", "最终指标", "作业数：1", "作业报告"):
        assert told in text


@pytest.mark.parametrize("file", ["r.html", "r.ipynb"])
def test_a_damaged_job_is_left_out_with_a_note(
    recorded: Recorded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str
) -> None:
    monkeypatch.chdir(tmp_path)
    recorded("good", 1.0, 0.5)
    bad = recorded("bad", 1.0, 0.5)
    with Shell() as shell:
        assert shell.run("%pai_runs").error is None  # the index knows both
        (bad.folder.path / "job.json").write_text("{")
        shown = shell.run(f"%pai_report -o {file}").text if file == "r.html" else ""
    told: list[str] = []
    text = write_report(file, [Job(JobFolder(JobStore().path(name))) for name in ("j1", "j0")], on_damage=told.append)
    assert len(told) == 1
    assert "job j1 is not in this report: " in told[0]
    assert "job.json' is damaged" in told[0]
    assert shown == "" or "report written to r.html" in shown
    written = text.read_text(encoding="utf-8").replace("\\\\", "")
    assert "job j1 is not in this report" in written
    assert "the end of good" in written
    assert "the end of bad" not in written


def test_an_error_is_raised_if_no_job_can_be_read(recorded: Recorded, tmp_path: Path) -> None:
    bad = recorded("bad")
    (bad.folder.path / "job.json").write_text("[]")
    with pytest.raises(PaiJupyterError, match=r"job\.json' is damaged: "):
        write_report(tmp_path / "r.html", [Job(JobFolder(bad.folder.path))])
    assert not (tmp_path / "r.html").exists()


def test_a_title_with_a_known_secret_is_refused(
    recorded: Recorded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAI_JUPYTER_WEBHOOK", "https://hooks.invalid/s3nd-h1ther")
    with pytest.raises(SpecError, match=r"`title` holds one of the secrets loaded in this session.* Leave it out"):
        write_report(tmp_path / "r.html", [recorded("one").job], title="to https://hooks.invalid/s3nd-h1ther")
    assert not (tmp_path / "r.html").exists()
