"""What is shown of a job's log has no secret that this process knows; the log itself stays as the job has printed it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pai_jupyter import JobFailed, JobSpec, attach, submit, write_report
from pai_jupyter.config import settings
from pai_jupyter.jobs import follow_log
from tests.support.sessions import Surroundings, surroundings

ADDRESS = "http://127.0.0.1:18933/robot/s3nd-h1ther"
LINE = f'notify.webhook = "{ADDRESS}"'

pytestmark = pytest.mark.usefixtures("plain")


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Surroundings]:
    with surroundings(tmp_path, monkeypatch) as place:
        place.write(place.user, f"[profiles.default]\n{LINE}\n")
        monkeypatch.setenv("PAI_JUPYTER_NOTIFY_ON", "off")  # or a process would go on to try that address
        yield place


def failed(line: str, **spec: object) -> JobFailed:
    """Return what a job raises that fails behind this command."""
    with pytest.raises(JobFailed) as raised:
        submit(JobSpec(name="demo", command=f"{line}; exit 3", **spec), backend="process").wait()  # type: ignore[arg-type]  # fields of a spec
    return raised.value


def command() -> str:
    """Return a command that prints the file of the settings, and the address in other words: it has it from there."""
    path = settings().user_path()
    return f"cat {path}; echo ask $(cut -sd'\"' -f2 {path}) now"


def test_a_failure_shows_no_address_of_a_webhook_in_any_words() -> None:
    error = failed(f"{command()} $(echo; echo ValueError: no answer of $(cut -sd'\"' -f2 {settings().user_path()}))")
    assert "s3nd" not in f"{error}{error.reason}{error.tail}"
    assert 'notify.webhook = "***"' in error.tail
    assert any("ask *** now" in line for line in error.tail)
    assert LINE in [line.text for line in attach(error.job).logs()]  # the log is the job's


@pytest.mark.parametrize(("count", "begins"), [(1, [""]), (2, ["master-0 | ", "worker-0 | "])])
def test_a_followed_log_is_masked(count: int, begins: list[str]) -> None:
    job = submit(JobSpec(name="demo", command=command(), instance_count=count), backend="process")
    lines: list[str] = []
    follow_log(job, lines.append)
    told = ("[profiles.default]", 'notify.webhook = "***"', "ask *** now")
    assert sorted(lines) == sorted(f"{begin}{text}" for begin in begins for text in told)


def test_a_secret_variable_is_masked_for_the_process_that_submits(tmp_path: Path) -> None:
    error = failed("echo got $OPEN_DOOR_TOKEN", environments={"OPEN_DOOR_TOKEN": "s3same-open"})
    assert "got ***" in error.tail
    text = write_report(tmp_path / "r.html", [attach(error.job)]).read_text()
    assert "got ***" in text
    assert "s3same" not in text


def test_a_variable_that_the_record_names_is_masked_if_this_process_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "key.json"  # a path is none of the secrets that are known anyway
    file.write_text("{}")
    error = failed(f"echo got {file}", environments={"OPEN_DOOR_TOKEN": "something else"})
    assert f"got {file}" in error.tail
    monkeypatch.setenv("OPEN_DOOR_TOKEN", str(file))
    assert "got ***" in write_report(tmp_path / "r.html", [attach(error.job)]).read_text()
