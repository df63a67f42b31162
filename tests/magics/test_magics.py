"""The magics in a plain IPython shell: what they print, bind, start and refuse to start twice."""

import gzip
import io
import json
import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from pai_jupyter.config import settings
from pai_jupyter.errors import JobFailed, JobNotReady, JobStopped, NotFoundError, SpecError, UnavailableError
from pai_jupyter.jobs import Job, WaitingJob
from pai_jupyter.magics.lines import expand
from pai_jupyter.magics.registry import MAGICS
from pai_jupyter.magics.table import Table
from pai_jupyter.package import build
from pai_jupyter.store import JobStore
from pai_jupyter.training import default_name, pairs, seconds
from tests.support.patience import DEADLINE, SOON
from tests.support.runs import interrupt_when, is_inside
from tests.support.shells import Shell
from tests.support.started import until

CELL = """%%pai_train {line}
lr: float = 0.1  # hp: [0..1]
print("epoch 1 loss=%s" % (lr * 2))
"""
SLOW = """%%pai_train {line}
import time
for i in range(400):
    print("tick", i, flush=True)
    time.sleep(0.05)
"""


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    monkeypatch.chdir(tmp_path)
    with Shell() as shell:
        yield shell


def test_a_cell_is_run_waited_for_and_bound(shell: Shell) -> None:
    result = shell.run(CELL.format(line="one --as job -p lr=0.25 --backend process"))
    assert result.error is None, result.text
    assert "runs on: Local process (asked for)" in result.text
    assert "loss=0.5" in result.text
    job = shell.user_ns["job"]
    assert job.status == "succeeded"
    assert job.metrics() == {"loss": 0.5}
    assert dict(job.hyperparameters) == {"lr": 0.25}


def test_a_job_gets_the_tags_of_its_line_and_a_rerun_of_it_none(shell: Shell) -> None:
    assert shell.run(CELL.format(line="one --as job --tag best --tag 论文 --backend process")).error is None
    job = shell.user_ns["job"]
    assert job.tags == ("best", "论文")
    assert shell.run(f"%pai_rerun {job.id} --as again").error is None
    assert shell.user_ns["again"].tags == ()


def test_a_tag_that_is_none_starts_nothing(shell: Shell) -> None:
    result = shell.run(CELL.format(line="one --tag a,b --backend process"))
    assert isinstance(result.error, SpecError)
    assert "has , in it" in str(result.error)
    assert JobStore().ids() == []


def test_line_n_of_the_script_is_line_n_of_the_cell(shell: Shell) -> None:
    result = shell.run("%%pai_train bad --backend process\n\n\n1 / 0\n")
    assert isinstance(result.error, JobFailed)
    assert "ZeroDivisionError: division by zero (cell line 4)" in str(result.error)
    assert 'train.py", line 4' in result.text


def test_a_failed_job_shows_its_cause_and_no_traceback_of_ours(shell: Shell) -> None:
    result = shell.run("%%pai_train bad --backend process\nimport not_there\n")
    assert "ModuleNotFoundError: No module named 'not_there' (cell line 2)" in result.text
    assert "%pip install not-there" in result.text
    assert "pai_jupyter/" not in result.text


def test_dry_run_shows_everything_and_starts_nothing(shell: Shell) -> None:
    result = shell.run(CELL.format(line="dry --dry-run -p lr=0.5 --env API_TOKEN=hunter2hunter2"))
    assert result.error is None, result.text
    for words in (
        "would run on: Local process",
        "python train.py",
        "sha256",
        '"TrainingJobName": "dry"',
        "Nothing was started",
    ):
        assert words in result.text
    assert "hunter2" not in result.text
    assert list(JobStore().folders()) == []
    assert not list((JobStore().home / "packing").iterdir())


def test_a_secret_on_the_line_reaches_the_job_and_no_file(shell: Shell) -> None:
    result = shell.run(
        "%%pai_train secret --backend process --env API_TOKEN=hunter2hunter2 --as job\n"
        "import os\n"
        "print(len(os.environ['API_TOKEN']))\n"
    )
    assert result.error is None, result.text
    assert [line.text for line in shell.user_ns["job"].logs()] == ["14"]
    for path in JobStore().home.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            data = gzip.decompress(data) if path.name.endswith(".gz") else data
            assert b"hunter2" not in data, path


def test_lint_only_speaks(shell: Shell) -> None:
    result = shell.run(
        "%%pai_train --lint\nimport argparse\np = argparse.ArgumentParser()\np.add_argument('--x', type=bool)\n"
    )
    assert result.error is None
    assert "cell line 4" in result.text
    assert list(JobStore().folders()) == []


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("-p lrr=0.3", "Did you mean `lr`?"),
        ("-p lr=7", "`lr` is '7'; it must be"),
        ("-i a=/nope", "there is no /nope"),
        ("--include data --include data2", "data2"),
        ("--option process.colour=red", "process.colour"),
        ("--job-type ElasticBatchJob --instance-count 3", "each of the 3 workers"),
        ("--env PAI_HPS=x --env A=1", "note: the value given for PAI_HPS is not used: every job gets its own"),
        ("--image x", "x.py: no problems found.\nnote: the image x is not used"),
    ],
)
def test_lint_says_what_run_would_refuse_or_note(shell: Shell, line: str, words: str) -> None:
    for name in ("data", "data2"):
        Path(name).mkdir()
    Path("data2/link").symlink_to("/etc/passwd")
    result = shell.run(CELL.format(line=f"x --entry-point x.py --lint --backend process {line}"))
    assert result.error is None
    assert words in result.text
    assert ("x.py: no problems found.\nnote: " in result.text) == ("note:" in result.text)
    assert list(JobStore().folders()) == []
    assert not list(JobStore().home.rglob("package.tar.gz"))


def test_lint_does_not_fetch_a_source_from_the_cloud(shell: Shell) -> None:
    line = "x --lint --backend process -p lr=7 --source-dir oss://bucket/code/"
    result = shell.run(CELL.format(line=line))
    assert "`lr` is '7'; it must be" in result.text
    assert "oss" not in shell.run(CELL.format(line=line.replace("lr=7", "lr=0.7"))).text.lower().replace("oss://", "")


def test_the_same_cell_does_not_start_twice_while_it_runs(shell: Shell) -> None:
    shell.run(SLOW.format(line="slow --run --no-wait --as first --backend process"))
    again = shell.run(SLOW.format(line="slow --run --no-wait --as first --backend process"))
    assert "is running already" in again.text
    assert "--force" in again.text
    assert len(list(JobStore().folders())) == 1
    forced = shell.run(SLOW.format(line="slow --run --no-wait --as second --force --backend process"))
    assert forced.error is None
    assert len(list(JobStore().folders())) == 2
    stopped = shell.run(f"%pai_stop {shell.user_ns['first'].id} {shell.user_ns['second'].id} -y")
    assert stopped.error is None, stopped.text
    for name in ("first", "second"):
        with pytest.raises(Exception, match="stopped"):
            shell.user_ns[name].wait(DEADLINE)


def test_a_job_that_cannot_be_stopped_keeps_no_other_from_being_stopped(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("first", "second"):
        shell.run(SLOW.format(line=f"{name} --run --no-wait --force --as {name} --backend process"))
    first, second = shell.user_ns["first"], shell.user_ns["second"]
    real = Job.stop

    def stop(job: Job) -> None:
        if job.id == first.id:
            raise UnavailableError("its service does not answer.")
        real(job)

    with monkeypatch.context() as patch:
        patch.setattr(Job, "stop", stop)
        result = shell.run(f"%pai_stop {first.id} {second.id} -y")
    assert isinstance(result.error, UnavailableError)
    assert f"{first.id} first: was not stopped: its service does not answer." in result.text
    with pytest.raises(JobStopped):
        second.wait(DEADLINE)
    first.stop()


def test_names_that_no_job_has_keep_no_other_from_being_stopped(shell: Shell) -> None:
    shell.run(SLOW.format(line="slow --run --no-wait --as job --backend process"))
    result = shell.run(f"%pai_stop nope {shell.user_ns['job'].id} neither -y")
    assert isinstance(result.error, NotFoundError)
    assert "there is no job 'nope'" in result.text
    assert "there is no job 'neither'" in str(result.error)
    with pytest.raises(JobStopped):
        shell.user_ns["job"].wait(DEADLINE)


def test_an_output_that_cannot_be_made_asks_for_another_place_of_it(shell: Shell) -> None:
    error = shell.run(CELL.format(line="x --run --backend process -o model=/proc/x")).error
    assert "output 'model' cannot go to '/proc/x'" in str(error)
    assert "Name another directory: -o model=DIR" in str(error)
    assert "PAI_JUPYTER_HOME" not in str(error)
    assert list(JobStore().folders()) == []


def test_stop_asks_nobody_when_nobody_is_there(shell: Shell) -> None:
    shell.run(SLOW.format(line="slow --run --no-wait --backend process"))
    result = shell.run("%pai_stop slow")
    assert isinstance(result.error, SpecError)
    job = shell.user_ns["_pai"]
    assert (
        f"nothing was stopped: you cannot be asked here. To stop without confirmation, type: %pai_stop -y {job.id}"
        in str(result.error)
    )
    assert "be stopped" not in result.text.partition("SpecError")[0]
    shell.run("%pai_stop slow -y")


class Terminal(io.StringIO):
    """Somebody at a keyboard, who types this."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("answer", ["n\n", "y\n", ""])
def test_stop_asks_at_a_terminal(shell: Shell, monkeypatch: pytest.MonkeyPatch, answer: str) -> None:
    shell.run(SLOW.format(line="slow --run --no-wait --backend process"))
    job = shell.user_ns["_pai"]
    monkeypatch.setattr("sys.stdin", Terminal(answer))
    result = shell.run("%pai_stop slow")
    before, question, after = result.text.partition("Stop 1 job? [y/N] ")
    assert (f"{job.id} slow: to be stopped" in before, bool(question)) == (True, True)
    match answer:
        case "y\n":
            assert (result.error, after) == (None, "")
            with pytest.raises(JobStopped):
                job.wait(DEADLINE)
        case "n\n":
            assert (result.error, after.strip()) == (None, "Nothing was stopped.")
        case _:
            assert "nothing was stopped: you cannot be asked here" in str(result.error)
    job.stop()


@pytest.mark.parametrize("word", ["{job}", "$job", "{job.id}", "$job.id", "{job.name} {job}"])
@pytest.mark.parametrize("magic", ["%pai_stop -y", "%pai_logs", "%pai_attach", "%pai_rerun", "%pai_download"])
def test_a_job_whose_form_waits_is_not_looked_up(shell: Shell, magic: str, word: str) -> None:
    sentence = "job 'form' has not been started: the form above waits for Submit."
    shell.user_ns["job"] = WaitingJob(sentence)
    result = shell.run(f"{magic} {word}")
    assert (type(result.error), str(result.error)) == (JobNotReady, sentence)


def test_a_variable_that_holds_a_job_stands_for_it(shell: Shell) -> None:
    shell.run(CELL.format(line="one --run --as job --backend process"))
    for word in ("{job}", "$job", "{job.id}", "$job.id"):
        result = shell.run(f"%pai_logs {word}")
        assert result.error is None, result.text
        assert "loss=0.2" in result.text


def test_a_job_whose_folder_is_gone_is_stopped_by_its_id(shell: Shell, tmp_path: Path) -> None:
    shell.run(SLOW.format(line="slow --run --no-wait --backend process --as job"))
    job = shell.user_ns["job"]
    supervisor = psutil.Process(json.loads((job.folder.path / "run" / "supervisor.json").read_text())["pid"])
    until(lambda: (job.folder.path / "logs" / "master-0.log").exists() and job.tail(1))
    JobStore().home.rename(tmp_path / "gone")
    result = shell.run(f"%pai_stop {job.id} -y")
    assert result.error is None
    assert f"job {job.id} was removed; its processes were stopped." in result.text
    supervisor.wait(30)
    with pytest.raises(NotFoundError, match="no process of one runs here"):
        job.stop()


def test_a_list_that_cannot_be_read_is_not_called_empty(shell: Shell, home: Path) -> None:
    (home / "jobs").write_text("")
    result = shell.run("%pai_jobs")
    assert "the list of jobs cannot be read" in str(result.error)
    assert "no jobs yet" not in result.text


SHOW_TOKEN = """%%pai_train show --backend process {line}
import os
print("got", os.environ.get("NOTED_TOKEN"))
"""


def test_what_a_job_does_not_inherit_is_named_once_with_the_remedy(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOTED_TOKEN", "s3cr3t-value")
    first = shell.run(SHOW_TOKEN.format(line=""))
    assert "they may be secrets" in first.text
    assert "NOTED_TOKEN" in first.text
    assert "--pass-env" in first.text
    assert "got None" in shell.run("%pai_logs show").text
    assert "they may be secrets" not in shell.run(SHOW_TOKEN.format(line="--force")).text


def test_a_variable_passed_by_name_is_recorded_nowhere_and_asked_for_again(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    monkeypatch.setenv("NOTED_TOKEN", "s3cr3t-value")
    shell.run(SHOW_TOKEN.format(line="--pass-env NOTED_TOKEN --quiet"))
    assert "got s3cr3t-value" in shell.run("%pai_logs show").text
    kept = [path.name for path in home.rglob("*") if path.is_file() and b"s3cr3t" in path.read_bytes()]
    assert set(kept) <= {"master-0.log", "train.log"}  # it has printed it itself
    monkeypatch.setenv("NOTED_TOKEN", "another")
    shell.run("%pai_rerun show")
    assert "got another" in shell.run("%pai_logs show").text
    monkeypatch.delenv("NOTED_TOKEN")
    assert "`--pass-env NOTED_TOKEN`: there is no such variable here" in str(shell.run("%pai_rerun show").error)


def test_logs_tail_grep_and_file(shell: Shell, tmp_path: Path) -> None:
    shell.run("%%pai_train talk --backend process --quiet\nfor i in range(20): print('\\x1b[31mline\\x1b[0m', i)\n")
    assert shell.run("%pai_logs talk --tail 2").text.count("\n") == 2
    assert "line\x1b[0m 7\n" in shell.run("%pai_logs talk --grep 'line 7$'").text
    shell.run("%pai_logs talk -o talk.log")
    assert (tmp_path / "talk.log").read_text().splitlines() == [f"line {i}" for i in range(20)]
    assert shell.run("%pai_logs talk -f").text.count("\n") == 20


def test_a_log_of_several_replicas_says_whose_each_line_is(shell: Shell, tmp_path: Path) -> None:
    code = "import os\nfor i in range(3): print('line', i, os.environ['RANK'], flush=True)\n"
    shell.run(f"%%pai_train many --backend process --instance-count 2 --quiet\n{code}")
    every = sorted(f"{name} | line {i} {rank}" for rank, name in enumerate(("master-0", "worker-0")) for i in range(3))
    for line in ("%pai_logs many", "%pai_logs many -f"):
        assert sorted(shell.run(line).text.splitlines()) == every
    assert shell.run("%pai_logs many --replica worker-0").text.splitlines() == [f"line {i} 1" for i in range(3)]
    assert len(shell.run("%pai_logs many -f --tail 4").text.splitlines()) == 4
    assert shell.run("%pai_logs many --grep '^line 2 0$'").text == "master-0 | line 2 0\n"
    shell.run("%pai_logs many -o many.log")
    assert sorted((tmp_path / "many.log").read_text().splitlines()) == every


def test_a_waiting_cell_prints_each_line_of_all_replicas_once_with_its_name(shell: Shell, tmp_path: Path) -> None:
    code = (
        "import os, pathlib, sys, time\nrank, count = int(os.environ['RANK']), 3\n"
        f"gate = pathlib.Path({str(tmp_path)!r})\n"
        "for i in range(200):\n"
        "    print('line', i, 'of', rank, flush=i % 3 == 0)\n"
        "    if i == 100:\n"  # so that each is in the middle of its lines while the others print
        "        (gate / f'half-{rank}').touch()\n"
        "        while not all((gate / f'half-{n}').exists() for n in range(count)): time.sleep(0.01)\n"
        "sys.stdout.write('no end of line')\n"
    )
    names = ["master-0", "worker-0", "worker-1"]
    shown = shell.run(f"%%pai_train each --backend process --instance-count 3 --wait\n{code}")
    assert shown.error is None
    printed = [line for line in shown.text.splitlines() if " | " in line]
    for rank, name in enumerate(names):
        own = [line for line in printed if line.startswith(f"{name} | ")]
        assert own == [*(f"{name} | line {i} of {rank}" for i in range(200)), f"{name} | no end of line"]
    assert len(printed) == 3 * 201
    assert "of 0\n" not in shell.run("%pai_logs each --replica worker-0").text


def test_a_failure_names_its_replica_in_the_error_and_in_the_list(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PAI_JUPYTER_STABLE", raising=False)
    code = "import os, time\nif os.environ['RANK'] == '1': raise ValueError('no data')\ntime.sleep(600)\n"
    shown = shell.run(f"%%pai_train odd --backend process --instance-count 2 --wait\n{code}")
    assert isinstance(shown.error, JobFailed)
    assert shown.error.replica == "worker-0"
    assert "failed: worker-0: ValueError: no data" in shown.text
    assert "✗ Failed (worker-0)" in shell.run("%pai_jobs").text
    (told,) = json.loads(shell.run("%pai_jobs --json").text)
    assert (told["roles"], told["failed_replica"]) == ("", "worker-0")
    assert told["replicas"] == {
        "worker-0": {"status": "failed", "exit_code": 1, "attempt": 0},
        "master-0": {"status": "stopped", "exit_code": 143, "attempt": 0},
    }


@pytest.mark.parametrize("line", ["%pai_logs title", "%pai_logs title -f"])
def test_a_log_does_nothing_to_the_terminal_but_colour_it(shell: Shell, line: str) -> None:
    shell.run("%%pai_train title --backend process --quiet\nprint('a\\x1b]0;mine\\x07b\\x1b[2J \\x1b[31mc')\n")
    assert shell.run(line).text == "ab \x1b[31mc\n"


def test_a_failure_is_printed_once_in_a_terminal(shell: Shell) -> None:
    shown = shell.run("%%pai_train bad --run --backend process\nprint('began')\nraise ValueError('no data')")
    assert isinstance(shown.error, JobFailed)
    assert [shown.text.count(each) for each in ("began", "Traceback (most recent call last)")] == [1, 1]
    assert "JobFailed: job" in shown.text
    assert "Traceback" in str(shown.error)  # a program that catches it has the end of the log


def test_jobs_are_listed_newest_first_and_as_json(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PAI_JUPYTER_STABLE", raising=False)
    for name in ("one", "two"):
        shell.run(CELL.format(line=f"{name} --quiet --backend process"))
    table = shell.run("%pai_jobs").text
    assert table.index("two") < table.index("one")
    listed = json.loads(shell.run("%pai_jobs --json").text)
    assert [job["name"] for job in listed] == ["two", "one"]
    assert shell.run("%pai_jobs -n 1").text.count("Succeeded") == 1
    assert re.search(r"1 of \d+ jobs; -n N shows more\.", shell.run("%pai_jobs -n 1").text)
    assert "shows more" not in shell.run("%pai_jobs").text
    assert "no job is failed. %pai_jobs lists all." in shell.run("%pai_jobs --state failed").text
    assert "must be a whole number from 1" in shell.run("%pai_jobs -n 0").text


def test_rerun_with_another_value_changes_the_script(shell: Shell) -> None:
    shell.run(CELL.format(line="one --quiet --backend process --as first"))
    result = shell.run("%pai_rerun one -p lr=0.75 --as second")
    assert result.error is None, result.text
    assert shell.user_ns["second"].metrics() == {"loss": 1.5}
    assert shell.user_ns["first"].metrics() == {"loss": 0.2}
    wrong = shell.run("%pai_rerun one -p lr=7")
    assert isinstance(wrong.error, SpecError)
    assert "lr" in str(wrong.error)


def test_a_rerun_need_not_be_waited_for(shell: Shell, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    gate.touch()
    code = f"import os, time\nwhile not os.path.exists({str(gate)!r}):\n    time.sleep(0.05)\n"
    shell.run(f"%%pai_train one --quiet --backend process\n{code}")
    gate.unlink()
    result = shell.run("%pai_rerun one --no-wait --as second")
    assert result.error is None, result.text
    assert not shell.user_ns["second"].status.is_terminal
    gate.touch()
    shell.user_ns["second"].wait(DEADLINE)


def test_a_rerun_says_that_the_stored_package_was_changed(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "src" / "deep").mkdir(parents=True)
    (tmp_path / "src" / "run.sh").write_text("true\n")
    (tmp_path / "src" / "run.sh").chmod(0o755)
    (tmp_path / "src" / "deep" / "训练.txt").write_text("x")
    (tmp_path / "src" / "link").symlink_to("deep/训练.txt")
    shell.run(CELL.format(line="one --quiet --backend process --as first --source-dir src"))
    told = "the package of job {} was changed after that job was started, so the code is not the same"
    job = shell.user_ns["first"]
    assert told.format(job.id) not in shell.run("%pai_rerun one --as second").text
    shutil.copy(job.folder.path / "package.tar.gz", tmp_path / "as it was")
    (tmp_path / "src" / "deep" / "训练.txt").write_text("y")
    build(tmp_path / "src", files={"train.py": b"print('other')\n"}, to=job.folder.path / "package.tar.gz")
    again = shell.run(f"%pai_rerun {job.id}")
    assert again.error is None, again.text
    assert f"note: {told.format(job.id)}" in again.text
    shutil.copy(tmp_path / "as it was", job.folder.path / "package.tar.gz")
    assert told.format(job.id) not in shell.run(f"%pai_rerun {job.id} -p lr=0.5").text


def test_a_missing_path_is_below_the_directory_only_if_it_is_relative(shell: Shell, tmp_path: Path) -> None:
    absolute = shell.run("%pai_train x --source-dir /no/where --run").error
    assert str(absolute) == "`--source-dir /no/where`: there is no such file or directory."
    relative = shell.run("%pai_train x --source-dir no/where --run").error
    assert str(relative) == f"`--source-dir no/where`: there is no such file or directory below {tmp_path.name}/."


def test_what_there_is_to_say_of_a_package_is_said_at_a_rerun_too(shell: Shell) -> None:
    shell.run("%%pai_train noted --quiet --backend process\nkey_id = 'LTAI5tQkLmNoPqRsTuVw'\n")
    assert "note: 'noted.py' line" in shell.run("%pai_rerun noted").text.replace("train.py", "noted.py")


def test_a_list_of_jobs_masks_values_with_the_name_of_a_secret(shell: Shell) -> None:
    shell.run("%%pai_train one --quiet --backend process -p api_key=hunter2hunter2\napi_key: str = ''\nprint('x')\n")
    table = shell.run("%pai_jobs").text
    assert "api_key=***" in table
    assert "hunter2" not in table


def test_a_list_of_jobs_begins_with_what_tells_those_of_a_name_apart(shell: Shell) -> None:
    cell = "%%pai_train sweep --quiet --backend process -p lr={}\nfixed: str = 'abcdefghijklmnopqrstuvwxyz'\nbatch: int = 64\n"
    cell += (
        "more: str = 'abcdefghijklmnopqrstuvwxyz'\nlr: float = 0.1\nprint('epoch 1 loss=0.5 accuracy=0.75 lr=0.1')\n"
    )
    shell.run(cell.format("0.1"))
    shell.run(cell.format("0.3"))
    table = shell.run("%pai_jobs").text
    assert "  lr=0.3 fixed=" in table
    assert "  lr=0.1 fixed=" in table
    assert "  accuracy=0.75 " in table


def test_stop_says_which_of_a_name_it_stops(shell: Shell) -> None:
    cell = "%%pai_train sweep --backend process --no-wait --quiet -p lr={} --as j{}\nimport time\nlr: float = 0.1\ntime.sleep(600)\n"
    shell.run(cell.format("0.1", 1))
    shell.run(cell.format("0.3", 3))
    first, third = shell.user_ns["j1"], shell.user_ns["j3"]
    assert f"{third.id} sweep lr=0.3: will be stopped" in shell.run(f"%pai_stop {third.id} -y").text
    assert repr(first).endswith("on process lr=0.1>")
    shell.run(f"%pai_stop {first.id} -y")


def test_attach_by_prefix_and_source(shell: Shell) -> None:
    cell = CELL.format(line="one --quiet --backend process --as first")
    shell.run(cell)
    shell.run(f"%pai_attach {shell.user_ns['first'].id} --as again")
    assert shell.user_ns["again"].id == shell.user_ns["first"].id
    shell.run("%pai_attach one --source")
    assert shell.next_input == cell


def test_the_source_of_a_job_comes_back_with_the_values_of_the_run(shell: Shell) -> None:
    cell = "%%pai_train one --quiet --backend process\nlr: float = 0.1\nprint(lr)\n"
    shell.run(cell)
    shell.run("%pai_rerun one -p lr=0.3 --as again")
    shell.run(f"%pai_attach {shell.user_ns['again'].id} --source")
    assert shell.next_input == cell.replace("process\n", "process -p lr=0.3\n")


def test_a_line_that_is_not_python_is_a_line_of_the_cell(shell: Shell) -> None:
    result = shell.run("%%pai_train a --run --backend process\nprint((\n")
    assert str(result.error).startswith("cell line 2: Invalid Python: ")


def test_download_copies_an_output(shell: Shell, tmp_path: Path) -> None:
    shell.run(
        "%%pai_train model --backend process --quiet\n"
        "import os\n"
        "open(os.path.join(os.environ['PAI_OUTPUT_MODEL'], 'm.txt'), 'w').write('42')\n"
    )
    result = shell.run("%pai_download model:model out")
    assert result.error is None, result.text
    assert [path.read_text() for path in (tmp_path / "out").rglob("m.txt")] == ["42"]


def test_a_download_of_an_output_without_files_says_so_and_makes_nothing(shell: Shell, tmp_path: Path) -> None:
    shell.run(CELL.format(line="empty --quiet --backend process"))
    result = shell.run("%pai_download empty out")
    assert "model of empty: this output has no files; nothing was copied.\n" in result.text
    assert not (tmp_path / "out" / "model").exists()


def test_a_download_tells_the_jobs_files_from_those_that_were_there(shell: Shell, tmp_path: Path) -> None:
    for name in ("first", "second"):
        shell.run(
            f"%%pai_train {name} --quiet --backend process\nimport os\n"
            f"for name in ('{name}.txt', 'both.txt', 'a\\x1b]0;x\\x07b'):\n"
            "    open(os.path.join(os.environ['PAI_OUTPUT_MODEL'], name), 'w').write('x')\n"
        )
    assert "3 files in out/model: " in shell.run("%pai_download first out").text
    result = shell.run("%pai_download second out")
    assert "model of second: 3 files in out/model: " in result.text
    assert "note: 1 file already there, unchanged: first.txt" in result.text
    assert "note: 2 files replaced: " in result.text
    assert "\x1b" not in result.text


def test_a_download_takes_the_rest_and_names_what_it_cannot_copy(shell: Shell, tmp_path: Path) -> None:
    shell.run(
        "%%pai_train odd --quiet --backend process\nimport os\n"
        "os.chdir(os.environ['PAI_OUTPUT_MODEL'])\nopen('m.txt', 'w').close()\nos.mkfifo('pipe')\n"
    )
    result = shell.run("%pai_download odd out")
    assert result.error is None, result.text
    assert "model of odd: 1 file in out/model: m.txt" in result.text
    assert "note: 1 file not copied: 'pipe' (it is a pipe, a socket or a device)" in result.text


def test_a_download_to_a_wrong_place_asks_for_another_one(shell: Shell, tmp_path: Path) -> None:
    shell.run(CELL.format(line="one --quiet --backend process"))
    (tmp_path / "file").touch()
    for dest in ("file", "file/below", "/proc/nowhere"):
        error = str(shell.run(f"%pai_download one {dest}").error)
        assert error.startswith("cannot write to '")
        assert error.endswith("Name another directory.")
        assert "PAI_JUPYTER_HOME" not in error


def test_a_download_names_the_links_that_lead_out_of_the_output(shell: Shell, tmp_path: Path) -> None:
    shell.run(
        "%%pai_train linked --quiet --backend process\nimport os\n"
        "place = os.environ['PAI_OUTPUT_MODEL']\n"
        "os.symlink('/etc', os.path.join(place, 'outside'))\n"
        "os.symlink('.', os.path.join(place, 'inside'))\n"
    )
    result = shell.run("%pai_download linked:model out")
    assert "note: 1 link out of the output, copied as links: outside." in result.text


def test_code_on_disk_runs_by_the_line_magic(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "train.py").write_text("import helper\nprint('helped', helper.VALUE)\n")
    (tmp_path / "src" / "helper.py").write_text("VALUE = 3\n")
    result = shell.run("%pai_train disk --source-dir src --backend process --run")
    assert result.error is None, result.text
    assert "helped 3" in result.text


def test_notebook_variables_expand_but_nothing_else_in_braces(shell: Shell) -> None:
    shell.user_ns["rate"] = 0.5
    shell.run(CELL.format(line="one --quiet --backend process -p lr={rate} --as job --metric 'x:x=([0-9]{2,5})'"))
    assert dict(shell.user_ns["job"].hyperparameters) == {"lr": 0.5}
    assert shell.user_ns["job"].spec.metric_definitions[0].regex == "x=([0-9]{2,5})"


def test_states_complete_and_nothing_of_python(shell: Shell) -> None:
    assert shell.complete("%pai_jobs --state ") == ["failed", "queued", "running", "stopped", "succeeded"]
    assert shell.complete("%pai_jobs --") == ["--json", "--sort", "--state"]


def test_options_and_their_values_complete(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    assert "--backend" in shell.complete("%%pai_train --ba")
    assert set(shell.complete("%%pai_train --backend ")) >= {"process", "docker"}
    assert "XGBoostJob" in shell.complete("%%pai_train --job-type X")
    assert "data/" in shell.complete("%%pai_train -i train=da")
    shell.run(CELL.format(line="findme --quiet --backend process"))
    assert "findme" in shell.complete("%pai_logs fi")


def test_the_words_of_config_complete_by_their_verb(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(settings()), "profile_names", lambda _: ["office"])
    assert set(shell.complete("%pai_config use ")) == {"emulator", "office"}
    assert set(shell.complete("%pai_config ")) == {"show", "set", "use", "test", "wizard", "drop"}
    assert "backend=" in shell.complete("%pai_config set region=cn-a back")


def test_the_replicas_of_a_job_complete(shell: Shell) -> None:
    shell.run("%%pai_train ranks --backend process --instance-count 2 --quiet\nprint(1)\n")
    assert shell.complete("%pai_logs ranks -f --replica ") == ["master-0", "worker-0"]
    assert shell.complete("%pai_logs ranks --replica wo") == ["worker-0"]


def test_the_outputs_of_a_job_complete_behind_its_colon(shell: Shell) -> None:
    shell.run(CELL.format(line="outs --run --quiet --backend process -o plots=./plots"))
    assert {each.rpartition(":")[2] for each in shell.complete("%pai_download outs:")} >= {"model", "plots"}
    assert {each.rpartition(":")[2] for each in shell.complete("%pai_download outs:pl")} == {"plots"}


def test_config_shows_origins_and_sets(shell: Shell) -> None:
    shell.run("%pai_config set backend=process")
    table = shell.run("%pai_config").text
    assert re.search(r"backend\s+process\s+", table)
    result = shell.run(CELL.format(line="one"))
    assert "set in" in result.text


def test_config_shows_and_sets_how_many_jobs_run_at_once(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PAI_JUPYTER_PROCESS_MAX_PARALLEL")
    assert re.search(r"process\.max_parallel\s+\d+ \(cores\)\s+default", shell.run("%pai_config").text)
    assert re.search(r"process\.max_parallel\s+7\s+notebook", shell.run("%pai_config set process.max_parallel=7").text)
    assert "a whole number from 1" in str(shell.run("%pai_config set process.max_parallel=0").error)
    assert "process.max_parallel=" in shell.complete("%pai_config set proc")
    shell.run("%pai_config set process.max_parallel=")
    assert "(cores)" in shell.run("%pai_config").text


@pytest.mark.parametrize("wrong", ["backend=nosuch", "backend", "nosuch=1"])
def test_config_sets_all_that_a_line_gives_or_nothing(shell: Shell, wrong: str) -> None:
    shell.run("%pai_config set process.max_parallel=3")
    assert isinstance(shell.run(f"%pai_config set process.max_parallel=1 {wrong}").error, SpecError)
    assert re.search(r"process\.max_parallel\s+3\s+notebook", shell.run("%pai_config").text)
    shell.run("%pai_config set process.max_parallel= backend=docker")
    assert re.search(r"backend\s+docker\s+notebook", shell.run("%pai_config").text)
    assert not re.search(r"process\.max_parallel.*notebook", shell.run("%pai_config").text)


def test_in_chinese_settings_states_and_the_first_line_are_chinese(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PAI_JUPYTER_PROCESS_MAX_PARALLEL")
    monkeypatch.setenv("PAI_JUPYTER_LANG", "zh")
    text = shell.run("%pai_config").text
    assert re.search(r"process\.max_parallel\s+\d+（核数）\s+默认", text)
    assert "default" not in text
    assert "运行于：本地进程（用户指定）" in shell.run(CELL.format(line="one --run --backend process --as job")).text
    assert "已结束（成功）" in shell.run("%pai_stop one -y").text


@pytest.mark.parametrize("width", [60, 80, 97])
def test_the_chinese_help_breaks_no_word(shell: Shell, monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    monkeypatch.setenv("PAI_JUPYTER_LANG", "zh")
    magics = [shell.magic(name) for name in MAGICS]
    assert all(magic.__wrapped__ for magic in magics)  # imported now: the English help keeps the width of that moment
    for magic in magics:
        monkeypatch.setenv("COLUMNS", "5000")
        words = set(re.findall(r"[A-Za-z_]+", magic.__doc__))
        monkeypatch.setenv("COLUMNS", str(width))
        assert set(re.findall(r"[A-Za-z_]+", magic.__doc__)) <= words


def test_doctor_names_what_is_there(shell: Shell) -> None:
    text = shell.run("%pai_doctor").text
    for what in ("pai_jupyter", "job folders", "/ml", "Docker engine", "GPU"):
        assert what in text


def test_unload_takes_the_magics_away(shell: Shell) -> None:
    shell.run("%unload_ext pai_jupyter")
    assert "not found" in shell.run("%pai_jobs").text


def test_interrupting_a_wait_detaches(shell: Shell) -> None:
    shell.run(SLOW.format(line="slow --run --no-wait --backend process --as job"))
    started = time.monotonic()
    interrupt_when(lambda: is_inside("_wait"))
    result = shell.run("job.wait()")
    assert type(result.error).__name__ == "JobDetached"
    assert time.monotonic() - started < SOON
    assert not shell.user_ns["job"].status.is_terminal
    shell.run("%pai_stop slow -y")


@pytest.mark.parametrize(
    ("text", "expected"), [("90", 90), ("90s", 90), ("30m", 1800), ("2h", 7200), ("1h30m", 5400), ("1d", 86400)]
)
def test_lengths_of_time(text: str, expected: int) -> None:
    assert seconds("--max-time", text) == expected


def test_expand_leaves_unknown_names_and_refuses_secrets() -> None:
    assert expand("{a} {b} {1} {{c}}", {"a": 1, "c": 2}) == "1 {b} {1} {2}"
    with pytest.raises(SpecError, match="secret"):
        expand("{access_key}", {"access_key": "x"})


def test_pairs_keep_everything_behind_the_first_equals() -> None:
    assert pairs("-p", ["a=b=c", "d="], example="x=1") == {"a": "b=c", "d": ""}


def test_a_table_aligns_chinese_and_escapes_html() -> None:
    table = Table(headers=("名", "x"), rows=[("训练", "<b>"), ("a", "y")])
    assert repr(table).splitlines()[1] == "训练  <b>"
    assert repr(table).splitlines()[2] == "a     y"
    assert "<b>" not in table._repr_html_()


def test_default_names_tell_notebook_and_code() -> None:
    assert default_name("def fit(): pass\n", "iris.ipynb") == "iris-fit"
    assert default_name("# 训练 a b\n", None) == "训练-a-b"
    assert default_name("1\n", None) == "train"


def test_a_job_that_nobody_names_gets_a_name_that_no_other_has(shell: Shell) -> None:
    cell = "%%pai_train --quiet --backend process --as job\ndef fit(lr=1): print(lr)\nlr: float = 0.1\nfit(lr)\n"
    shell.run(cell)
    first = shell.user_ns["job"]
    shell.run(cell)
    second = shell.user_ns["job"]
    shell.run(f"%pai_rerun {second.id} -p lr=0.5 --as third")
    assert (first.name, second.name, shell.user_ns["third"].name) == ("fit-1", "fit-2", "fit-3")
    shell.run("%pai_attach fit-2 --as again")
    assert shell.user_ns["again"].id == second.id
    shell.run("%pai_rerun fit-3 --as fourth")
    assert shell.user_ns["fourth"].name == "fit-4"


def test_a_name_that_the_user_gives_stays_it_and_no_other_job_is_called_so(shell: Shell) -> None:
    cell = "%%pai_train {} --quiet --backend process --as job\ndef fit(): print(1)\nfit()\n"
    names = []
    for name in ("fit-1", "fit-1", "", "fit-7", ""):
        shell.run(cell.format(name))
        names.append(shell.user_ns["job"].name)
    assert names == ["fit-1", "fit-1", "fit-2", "fit-7", "fit-8"]


def test_the_same_job_running_is_found_though_it_would_have_another_name(shell: Shell) -> None:
    cell = "%%pai_train --backend process --as job --no-wait\nimport time\ndef fit(): time.sleep(600)\nfit()\n"
    shell.run(cell)
    first = shell.user_ns["job"]
    assert "This exact job is running already" in shell.run(cell).text
    assert shell.user_ns["job"].id == first.id
    shell.run(f"%pai_stop {first.id} -y")


def test_outputs_that_must_not_change_have_no_number(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAI_JUPYTER_STABLE", "1")
    cell = "%%pai_train --backend process\ndef fit(): print(1)\nfit()\n"
    shell.run(cell)
    assert "fit-1" not in shell.run("%pai_jobs").text
