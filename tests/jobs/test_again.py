"""The same job twice: its duplicate that is still alive, and a job that runs again."""

from pathlib import Path

import pytest

from pai_jupyter.errors import NotFoundError, SpecError
from pai_jupyter.events import Status
from pai_jupyter.jobs import Job, Target, attach, close_runtime, draft, draft_rerun, list_jobs, rerun, submit
from pai_jupyter.package import Package
from pai_jupyter.spec import JobRef, JobSpec, Role
from tests.fakes.troubled import TroubledBackend
from tests.support.programs import FORTY, Program
from tests.support.runs import ended, run
from tests.support.started import DEADLINE, begin, open_gate, prepare

pytestmark = pytest.mark.usefixtures("backend")  # most jobs are of the backend `fake`

# --- the same job while it is alive ----------------------------------------------------------------------------------


def test_the_same_code_values_and_place_have_a_running_duplicate_until_it_ends(gate: Path) -> None:
    job = begin(FORTY, gate=gate)
    with prepare(FORTY, gate=gate) as ready:
        duplicate = ready.running_duplicate()
        assert duplicate is not None
        assert duplicate.id == job.id
        open_gate(gate)
        job.wait(DEADLINE)
        assert ready.running_duplicate() is None


@pytest.mark.parametrize(
    "change",
    [
        {"hyperparameters": {"lr": 0.2}},
        {"backend": "process"},
        {"command": "python -u train.py"},
        {"job_type": "TFJob"},
        {"job_type": "TFJob", "roles": (Role(name="worker", instance_count=2),)},
    ],
    ids=str,
)
def test_another_value_place_or_command_is_another_job(gate: Path, change: dict[str, object]) -> None:
    begin(FORTY, gate=gate, hyperparameters={"lr": 0.1})
    with prepare(FORTY, gate=gate, **{"hyperparameters": {"lr": 0.1}, **change}) as ready:  # type: ignore[arg-type]  # a table
        assert ready.running_duplicate() is None


def test_other_code_is_another_job(gate: Path) -> None:
    begin(FORTY, gate=gate)
    with prepare(Program(before=b"other\n"), gate=gate) as ready:
        assert ready.running_duplicate() is None


def test_neither_a_damaged_nor_a_lost_job_is_a_twin(backend: TroubledBackend, gate: Path) -> None:
    damaged, lost = begin(FORTY, gate=gate), begin(FORTY, gate=gate)
    close_runtime()
    (damaged.folder.path / "state.json").write_text("{")
    (lost.folder.path / "state.json").unlink()
    del backend.jobs[lost.id]  # its submitter died before it was started
    with prepare(FORTY, gate=gate) as ready:
        assert ready.running_duplicate() is None


def test_a_job_whose_submitter_died_before_it_could_note_its_start_is_a_twin(gate: Path) -> None:
    job = begin(FORTY, gate=gate)
    close_runtime()
    (job.folder.path / "state.json").unlink()
    with prepare(FORTY, gate=gate) as ready:
        duplicate = ready.running_duplicate()
        assert duplicate is not None
        assert duplicate.id == job.id


def test_a_job_that_is_being_submitted_is_a_twin(gate: Path) -> None:
    job = begin(FORTY, gate=gate)
    close_runtime()
    (job.folder.path / "state.json").unlink()
    lock = job.folder.try_lock()
    assert lock is not None
    with lock, prepare(FORTY, gate=gate) as ready:
        assert ready.running_duplicate() is not None


def test_a_fingerprint_knows_no_secret() -> None:
    with prepare(FORTY, environments={"API_TOKEN": "hunter2hunter2"}) as one:
        first = one.fingerprint
    with prepare(FORTY, environments={"API_TOKEN": "other-secret-1"}) as two:
        assert two.fingerprint == first


# --- running again ---------------------------------------------------------------------------------------------------

SCRIPT = """\
import argparse, os
parser = argparse.ArgumentParser()
parser.add_argument("--epochs", "--rounds", type=int, default=3)  # hp: [1..10]
momentum: float = 0.9
args = parser.parse_args()
print(f"epochs={args.epochs} momentum={momentum}")
"""


def last_line(job: Job) -> str:
    return job.wait(DEADLINE).tail(1)[0].text


def test_a_job_runs_again_with_another_value_on_the_same_line(plain: None) -> None:
    first = run(SCRIPT)
    assert last_line(first) == "epochs=3 momentum=0.9"
    second = rerun(first, {"momentum": "0.5", "epochs": 4})
    assert last_line(second) == "epochs=4 momentum=0.5"
    third = rerun(second, {"rounds": 5})
    assert last_line(third) == "epochs=5 momentum=0.5"
    assert dict(third.hyperparameters) == {"rounds": 5, "momentum": 0.5}
    assert third.place == f"process (as job {second.id})"


def test_what_there_is_to_say_of_a_package_is_said_again(plain: None) -> None:
    first = run("key_id = 'LTAI5tQkLmNoPqRsTuVw'\n")
    with draft_rerun(first) as ready:
        (note,) = ready.notes
    assert "'train.py' line 1" in note


def test_a_wrong_value_is_refused_before_anything_is_started(plain: None) -> None:
    first = run(SCRIPT).wait(DEADLINE)
    with pytest.raises(SpecError, match="epochs"):
        rerun(first, {"epochs": 99})
    assert len(list_jobs()) == 1


def test_values_of_a_job_without_a_script_are_typed_by_themselves() -> None:
    again = rerun(begin(FORTY, hyperparameters={"a": 1, "b": "x"}), {"b": "0.5", "sizes": [1, 2]})
    assert dict(again.hyperparameters) == {"a": 1, "b": 0.5, "sizes": [1, 2]}


def test_the_package_is_the_source_when_the_directory_is_gone(plain: None, tmp_path: Path) -> None:
    source = tmp_path / "src"
    source.mkdir()
    (source / "train.py").write_text("print(open('data.csv').read())\n")
    (source / "data.csv").write_text("1,2")
    first = submit(JobSpec(name="a", command="python train.py", source_dir=source), backend="process").wait(DEADLINE)
    for file in source.iterdir():
        file.unlink()
    source.rmdir()
    again = rerun(first)
    assert last_line(again) == "1,2"
    assert again.spec.source_dir == str(source)
    assert again.folder.record.digest == first.folder.record.digest


def test_what_was_included_against_an_ignore_file_is_included_again(plain: None, tmp_path: Path) -> None:
    source = tmp_path / "src"
    source.mkdir()
    (source / ".gitignore").write_text("*.csv\n")
    (tmp_path / "data.csv").write_text("1,2")
    spec = JobSpec(name="a", command="cat data.csv", source_dir=source)
    with draft(spec, Target(backend="process", reason=""), include=[tmp_path / "data.csv"]) as ready:
        first = ready.submit()
    assert last_line(first) == "1,2"
    assert last_line(rerun(first)) == "1,2"


def test_a_rerun_keeps_inputs_and_checkpoints_and_never_overwrites_an_output(plain: None, tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("7")
    spec = {
        "inputs": {"data": str(tmp_path / "in.csv")},
        "outputs": {"model": str(tmp_path / "m"), "checkpoints": str(tmp_path / "c")},
        "output_path": str(tmp_path / "out"),
    }
    script = """
import os, sys
for channel in ("MODEL", "CHECKPOINTS", "TENSORBOARD"):
    with open(os.path.join(os.environ["PAI_OUTPUT_" + channel], "log"), "a") as file:
        file.write(open(os.environ["PAI_INPUT_DATA"]).read())
"""
    first = run(script, **spec).wait(DEADLINE)
    second = rerun(first).wait(DEADLINE)
    third = rerun(second).wait(DEADLINE)
    assert third.model_data() == f"{tmp_path}/m-{third.id}/"
    assert third.tensorboard_data() == f"{tmp_path}/out-{third.id}/tensorboard/"
    assert [Path(job.model_data(), "log").read_text() for job in (first, second, third)] == ["7", "7", "7"]
    assert (tmp_path / "c" / "log").read_text() == "777"


def test_a_secret_variable_comes_from_this_process_again(monkeypatch: pytest.MonkeyPatch) -> None:
    first = begin(FORTY, environments={"API_TOKEN": "hunter2hunter2", "MODE": "fast"})
    with pytest.raises(SpecError, match="API_TOKEN, whose value is not recorded"):
        rerun(attach(first.id))
    monkeypatch.setenv("API_TOKEN", "hunter3hunter3")
    with pytest.MonkeyPatch.context() as patch:
        seen: list[JobSpec] = []
        submitted = TroubledBackend.submit

        async def note(self: TroubledBackend, spec: JobSpec, package: Package, *, job_id: str) -> JobRef:
            seen.append(spec)
            return await submitted(self, spec, package, job_id=job_id)

        patch.setattr(TroubledBackend, "submit", note)
        rerun(attach(first.id)).wait(DEADLINE)
    assert dict(seen[0].environments) == {"API_TOKEN": "hunter3hunter3", "MODE": "fast"}


def test_a_secret_within_the_command_cannot_come_again(monkeypatch: pytest.MonkeyPatch) -> None:
    first = begin(FORTY, command="python train.py hunter2hunter2", environments={"API_TOKEN": "hunter2hunter2"})
    monkeypatch.setenv("API_TOKEN", "hunter2hunter2")
    with pytest.raises(SpecError, match="API_TOKEN in other places"):
        rerun(attach(first.id))


def test_a_package_that_is_gone_is_said() -> None:
    with pytest.raises(NotFoundError, match="package of job j-old is gone"):
        rerun(ended("old", Status.SUCCEEDED))
