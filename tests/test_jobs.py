"""A job in the user's hands: submit, find, list, wait, stop, fetch, run again; and what is left when that goes wrong."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.backends import StatusReport
from pai_jupyter.backends.docker.outcome import Circumstances, ReplicaExit, explain
from pai_jupyter.backends.process.report import in_words
from pai_jupyter.errors import (
    BackendError,
    JobDetached,
    JobFailed,
    JobStopped,
    LimitExceededError,
    NotFoundError,
    PackageError,
    PaiJupyterError,
    SpecError,
)
from pai_jupyter.events import JobState, Status, StatusChanged
from pai_jupyter.jobs import Job, Place, attach, close_runtime, draft, draft_rerun, list_jobs, rerun, runtime, submit
from pai_jupyter.package import Package
from pai_jupyter.spec import JobRef, JobSpec
from pai_jupyter.store import JobFolder, JobRecord, JobStore
from tests.fakes.troubled import TroubledBackend, installed
from tests.programs import Program, lines
from tests.started import DEADLINE, begin, open_gate, prepare, until

FORTY = Program(before=lines(0, 20), after=lines(20, 40))


@pytest.fixture(autouse=True)
def backend() -> Iterator[TroubledBackend]:
    backend = TroubledBackend()
    with installed(backend):
        yield backend


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes without a /ml of their own: they start faster."""
    monkeypatch.setenv("PAI_JUPYTER_ML", "plain")


def run(script: str, **spec: Any) -> Job:
    """A job of the process backend whose train.py is `script`. (Any: of a JobSpec)"""
    wanted = JobSpec(**{"name": "a job", "command": "python train.py $PAI_USER_ARGS", **spec})
    place = Place(backend="process", reason="asked for")
    with draft(wanted, place, files={"train.py": script.encode()}, entry_point="train.py") as ready:
        return ready.submit()


def ended(name: str, state: Status, *, reason: str = "", exit_code: int | None = None, log: bytes = b"") -> Job:
    """A job that has ended so, with this log."""
    record = JobRecord(id=f"j-{name}", spec=JobSpec(name=name, command="true"), backend="fake", created=1.0)
    folder = JobStore().create(record)
    (folder.path / "logs" / "master-0.log").write_bytes(log)
    end = StatusChanged(status=state, time=2.0, reason=reason, exit_code=exit_code)
    folder.start(JobRef(backend="fake", job_id=record.id), JobState().apply(end))
    return Job(folder)


def interrupt_when(condition: Callable[[], object]) -> None:
    """Send this process a real SIGINT as soon as `condition` holds."""

    def send() -> None:
        until(condition)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=send).start()


def left_behind() -> list[Path]:
    """Every file in the store but the lists of what is there."""
    return [path for path in JobStore().home.rglob("*") if not path.is_dir()]


# --- finding ---------------------------------------------------------------------------------------------------------


def test_a_job_is_found_by_id_by_prefix_and_by_name(gate: Path) -> None:
    job = begin(FORTY, name="iris 训练")
    for text in (job.id, job.id[:9], "iris 训练"):
        assert attach(text).id == job.id


def test_the_newest_job_of_a_name_is_meant() -> None:
    for job_id in ("j2", "j3", "j1"):  # an id begins with its time
        begin(FORTY, name="twice", job_id=job_id)
    assert attach("twice").id == "j3"


def test_a_prefix_of_several_jobs_names_them() -> None:
    ids = [begin(FORTY, name=name).id for name in ("one", "two")]
    with pytest.raises(SpecError, match=ids[0]):
        attach("j")


def test_a_job_that_is_not_there_is_no_job() -> None:
    with pytest.raises(NotFoundError, match="no job 'nothing'"):
        attach("nothing")


def test_jobs_are_listed_newest_first_and_limited() -> None:
    for number, name in enumerate(["one", "two", "three"]):  # an id begins with its time
        begin(FORTY, name=name, job_id=f"j{number}").wait(DEADLINE)
    assert [job.name for job in list_jobs()] == ["three", "two", "one"]
    assert [job.name for job in list_jobs(limit=2)] == ["three", "two"]
    assert list_jobs(limit=0) == []


def test_jobs_are_listed_by_state_and_by_notebook() -> None:
    begin(FORTY).wait(DEADLINE)
    ended("bad", Status.FAILED)
    assert [job.name for job in list_jobs(status="failed")] == ["bad"]
    assert list_jobs(notebook="other.ipynb") == []
    with pytest.raises(SpecError, match="no state 'sleeping'; there are created"):
        list_jobs(status="sleeping")


def test_a_damaged_job_hides_neither_itself_nor_the_others() -> None:
    good = begin(FORTY, name="good").wait(DEADLINE)
    bad = begin(FORTY, name="bad").wait(DEADLINE)
    (bad.folder.path / "state.json").write_text("{")
    assert {job.name: str(job.status) for job in list_jobs()} == {"bad": "unknown", "good": "succeeded"}
    assert [job.id for job in list_jobs(status="succeeded")] == [good.id]


def test_a_listing_tells_of_the_end_that_nobody_was_there_to_see(gate: Path) -> None:
    ended, alive = begin(FORTY, gate=gate), begin(FORTY, inputs={"gate": "/nowhere"})
    until(lambda: alive.status is ended.status is Status.RUNNING)
    close_runtime()
    open_gate(gate)
    assert {str(job.status) for job in list_jobs(refresh=False)} == {"running"}
    assert [job.id for job in list_jobs(status="succeeded")] == [ended.id]
    assert [job.id for job in list_jobs(status="running")] == [alive.id]


def test_a_listing_does_not_wait_for_a_backend_that_does_not_answer(
    backend: TroubledBackend, gate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def silent(ref: JobRef) -> StatusReport:
        await asyncio.Event().wait()
        raise AssertionError

    monkeypatch.setattr(backend, "status", silent)
    begin(FORTY, gate=gate)
    started = time.monotonic()
    assert len(list_jobs()) == 1
    assert time.monotonic() - started < 15  # it would never answer


def test_a_listing_shows_jobs_of_a_backend_that_is_not_installed_any_more(gate: Path) -> None:
    begin(FORTY, gate=gate)
    with installed(TroubledBackend(), name="another"):
        assert len(list_jobs()) == 1


def test_a_job_as_json_is_strict_json() -> None:
    job = begin(Program(before=b"epoch 1 loss=nan\n"), hyperparameters={"sizes": [1, 2]}).wait(DEADLINE)
    told = json.loads(json.dumps(job.to_json(), allow_nan=False))
    assert told["metrics"] == {"loss": "nan"}
    assert (told["name"], told["status"], told["hyperparameters"]) == ("训练 a", "succeeded", {"sizes": [1, 2]})


# --- waiting ---------------------------------------------------------------------------------------------------------


def test_waiting_returns_the_job_when_it_has_succeeded() -> None:
    job = begin(FORTY)
    assert job.wait(DEADLINE) is job
    assert [line.text for line in job.tail(1)] == ["line 39"]


def test_a_job_can_be_awaited() -> None:
    job = begin(FORTY)

    async def main() -> Job:
        return await job

    assert asyncio.run(main()) is job


def test_one_who_gives_up_awaiting_does_not_end_it_for_others(gate: Path) -> None:
    job = begin(FORTY, gate=gate)

    async def main() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(job, 0.05)

    asyncio.run(main())
    open_gate(gate)
    job.wait(DEADLINE)


def test_a_wait_ends_at_its_time(gate: Path) -> None:
    job = begin(FORTY, gate=gate)
    started = time.monotonic()
    with pytest.raises(TimeoutError, match=f"job {job.id} has not ended within 0.1 seconds"):
        job.wait(timeout=0.1)
    assert time.monotonic() - started < 10  # the job waits for its gate


def test_an_interrupted_wait_detaches_at_once_and_the_job_goes_on(gate: Path) -> None:
    job = begin(FORTY, gate=gate)
    started = time.monotonic()
    interrupt_when(lambda: time.monotonic() - started > 0.2)
    with pytest.raises(JobDetached, match=f"job {job.id} goes on. To stop it: %pai_stop {job.id}"):
        job.wait()
    assert time.monotonic() - started < 10  # the job waits for its gate
    open_gate(gate)
    assert job.wait(DEADLINE).status is Status.SUCCEEDED


def test_waiting_on_the_runtime_thread_is_refused_instead_of_never_returning(gate: Path) -> None:
    job = begin(FORTY, gate=gate)

    async def call(verb: str) -> None:
        getattr(job, verb)()

    for verb in ("wait", "stop", "fetch"):
        with pytest.raises(PaiJupyterError, match="await job"):
            runtime().call(call(verb)).result(DEADLINE)


def test_a_job_can_be_awaited_on_the_runtime_thread() -> None:
    async def main(job: Job) -> Job:
        return await job

    job = begin(FORTY)
    assert runtime().call(main(job)).result(DEADLINE) is job


# --- failing ---------------------------------------------------------------------------------------------------------


def test_a_failed_job_raises_its_cause_with_the_line_of_the_script_its_hint_and_its_tail(plain: None) -> None:
    job = run("import os\n\nprint('begun')\nos.environ['PAI_INPUT_TRAIN']\n")
    with pytest.raises(JobFailed) as caught:
        job.wait(DEADLINE)
    failed = caught.value
    assert failed.reason == "KeyError: 'PAI_INPUT_TRAIN' (cell line 4)"
    assert "-i NAME=PATH" in failed.hint
    assert failed.tail[0] == "begun"
    assert str(failed).startswith(f"job {job.id} failed: KeyError")


PLAIN_REASONS = [
    *(in_words(code) for code in (1, 3, 137, 139, 255)),
    *(f"replica worker-1: {in_words(code)}" for code in (1, 139)),
    *(explain(ReplicaExit(code=code), Circumstances(image="x")) for code in (1, 3, 139, 255)),
    "worker-1: " + explain(ReplicaExit(code=2), Circumstances(image="x")),
]
TELLING_REASONS = [
    "max_run_time of 3 s was reached",
    "requirements.txt could not be installed: no such package",
    "its supervisor was killed",
    "somebody has deleted the job.",
    *(
        explain(ReplicaExit(code=code, **state), Circumstances(image="x", **about))  # type: ignore[arg-type]  # a table
        for code, state, about in [
            (137, {"is_out_of_memory": True}, {"memory": "1g"}),
            (137, {}, {}),
            (127, {}, {}),
            (1, {}, {"full_disk": Path("/x")}),
            (1, {"error": "said the engine"}, {}),
            (None, {}, {}),
        ]
    ),
]
LOG = b'Traceback (most recent call last):\n  File "/ml/usercode/train.py", line 7, in <module>\nKeyError: 3\n'


@pytest.mark.parametrize("reason", PLAIN_REASONS)
def test_the_log_says_more_than_a_plain_exit_code(reason: str) -> None:
    job = ended("plain", Status.FAILED, reason=reason, exit_code=1, log=LOG)
    (job.folder.path / "logs" / "worker-1.log").write_bytes(LOG)
    assert job.failure().cause == "KeyError: 3 (cell line 7)"


@pytest.mark.parametrize("reason", TELLING_REASONS)
def test_a_reason_of_the_backends_own_says_more_than_the_log(reason: str) -> None:
    assert ended("told", Status.FAILED, reason=reason, exit_code=1, log=LOG).failure().cause == reason


def test_the_cause_is_looked_for_in_the_log_of_the_replica_that_failed() -> None:
    job = ended("two", Status.FAILED, reason="replica master-0: exit code 1", exit_code=1, log=LOG)
    (job.folder.path / "logs" / "worker-0.log").write_bytes(LOG.replace(b"KeyError: 3", b"ValueError: of another"))
    assert job.failure().cause == "KeyError: 3 (cell line 7)"


def test_a_signal_is_explained_whatever_was_logged_before() -> None:
    job = ended("killed", Status.FAILED, reason=in_words(137), exit_code=137, log=LOG)
    assert "out of memory most likely" in job.failure().cause


# --- stopping and fetching -------------------------------------------------------------------------------------------


def test_a_stopped_job_raises_that_it_was(gate: Path) -> None:
    job = begin(FORTY, gate=gate)
    job.stop()
    with pytest.raises(JobStopped, match=f"job {job.id} was stopped"):
        job.wait(DEADLINE)


def test_stopping_an_ended_job_does_nothing() -> None:
    job = begin(FORTY).wait(DEADLINE)
    job.stop()
    assert job.status is Status.SUCCEEDED


def test_an_output_is_fetched(tmp_path: Path) -> None:
    place = begin(FORTY).wait(DEADLINE).fetch("model", tmp_path / "模型 copy")
    assert (place / "model.bin").read_bytes() == FORTY.model


def test_an_output_that_the_job_has_not_is_refused_with_those_it_has(tmp_path: Path) -> None:
    job = begin(FORTY).wait(DEADLINE)
    for verb in (job.output, job.fetch):
        with pytest.raises(NotFoundError, match="no output 'modle'; it has model, checkpoints"):
            verb("modle")


def test_outputs_lie_where_the_spec_says_and_end_in_a_slash(tmp_path: Path) -> None:
    own = begin(FORTY)
    assert own.model_data() == f"{own.folder.path}/output/model/"
    assert own.output("logs") == own.tensorboard_data() == f"{own.folder.path}/output/tensorboard/"
    given = begin(FORTY, output_path=f"{tmp_path}/out/", outputs={"model": f"{tmp_path}/m", "extra": f"{tmp_path}/e/"})
    assert given.outputs == {
        "model": f"{tmp_path}/m/",
        "checkpoints": f"{tmp_path}/out/checkpoints/",
        "tensorboard": f"{tmp_path}/out/tensorboard/",
        "output_parameters": f"{tmp_path}/out/output_parameters/",
        "extra": f"{tmp_path}/e/",
    }


def test_output_parameters_are_read_by_name(plain: None) -> None:
    script = "import os, pathlib\npathlib.Path(os.environ['PAI_OUTPUT_OUTPUT_PARAMETERS'], 'test-accuracy').write_text('0.97')\n"
    assert run(script).wait(DEADLINE).output_parameters() == {"test-accuracy": "0.97"}


# --- submitting ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("error", [BackendError("the service refuses."), LimitExceededError("the disk is full.")])
def test_a_refused_submission_leaves_nothing_behind(backend: TroubledBackend, error: BackendError) -> None:
    backend.refusal = error
    with pytest.raises(type(error), match=str(error)):
        begin(FORTY)
    assert left_behind() == []
    assert list_jobs() == []


def test_a_source_that_cannot_be_packed_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "out").symlink_to("/etc/passwd")
    with pytest.raises(PackageError, match="leaves the source directory"):
        submit(JobSpec(name="a", command="true", source_dir=tmp_path / "src"), backend="fake")
    assert left_behind() == []


def test_what_the_backend_cannot_honour_is_said_before_anything_is_packed() -> None:
    with pytest.raises(SpecError, match="there is no 'huge' here"):
        submit(JobSpec(name="a", command="true", instance_type="huge"), backend="fake")
    assert left_behind() == []


def test_a_draft_that_is_not_sent_leaves_nothing_behind() -> None:
    with prepare(FORTY) as ready:
        assert ready.package.path.is_file()
    assert left_behind() == []


def test_what_killed_processes_have_left_packed_is_swept_a_day_later(home: Path) -> None:
    left, fresh = home / "packing" / "a.tar.gz", home / "packing" / "b.tar.gz.1f.tmp"
    left.parent.mkdir()
    for path in (left, fresh):
        path.write_bytes(b"x")
    day = 24 * 3600
    os.utime(left, (time.time() - day - 60,) * 2)
    os.utime(fresh, (time.time() - day + 60,) * 2)
    with prepare(Program()):
        assert not left.exists()
        assert fresh.exists()


def test_a_home_of_jobs_inside_the_source_is_not_packed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "net.py").write_text("x = 1\n")
    monkeypatch.setenv("PAI_JUPYTER_HOME", str(tmp_path / "lib" / "jobs home"))
    begin(Program(), source_dir=tmp_path).wait(DEADLINE)
    with prepare(Program(), source_dir=tmp_path) as ready:
        names = [file.name for file in ready.package.files]
    assert "net.py" in names
    assert [name for name in names if name.startswith("lib")] == []


def test_a_draft_is_sent_once(gate: Path) -> None:
    with prepare(FORTY, gate=gate) as ready:
        ready.submit()
        with pytest.raises(PaiJupyterError, match="already"):
            ready.submit()
    assert len(list_jobs()) == 1


def test_an_interrupted_submission_ends_what_it_had_started_and_leaves_nothing(backend: TroubledBackend) -> None:
    backend.holds_submissions = True
    interrupt_when(lambda: backend.submitted)
    with pytest.raises(KeyboardInterrupt) as caught:
        begin(FORTY)
    assert not isinstance(caught.value, JobDetached)
    assert backend.jobs == {}
    assert left_behind() == []


def test_an_interrupt_that_comes_too_late_detaches_from_the_started_job(gate: Path) -> None:
    class Stubborn(TroubledBackend):
        async def submit(self, spec: JobSpec, package: Package, *, job_id: str) -> JobRef:
            try:
                return await super().submit(spec, package, job_id=job_id)
            except asyncio.CancelledError:
                return JobRef(backend=self.name, job_id=job_id)

    stubborn = Stubborn()
    stubborn.holds_submissions = True
    with installed(stubborn):
        interrupt_when(lambda: stubborn.submitted)
        with pytest.raises(JobDetached, match="goes on"):
            begin(FORTY, gate=gate)
        assert len(list_jobs()) == 1


def test_a_process_whose_start_cannot_be_noted_is_ended_again(
    plain: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    beat = tmp_path / "beat"

    def no_room(self: JobFolder, ref: JobRef | None, state: JobState) -> None:
        until(beat.exists)
        raise LimitExceededError("there is no room left.")

    monkeypatch.setattr(JobFolder, "start", no_room)
    with pytest.raises(LimitExceededError):
        run(f"import time\nwhile True:\n    open({str(beat)!r}, 'a').write('x')\n    time.sleep(0.01)\n")
    until(lambda: time.time() - beat.stat().st_mtime > 0.5)
    assert list_jobs() == []


def test_local_paths_are_those_of_the_submitting_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "src").mkdir()
    spec = JobSpec(
        name="a", command="true", source_dir="src", inputs={"a": "in.csv", "b": "oss://x/y/"}, outputs={"c": "./c"}
    )
    with draft(spec, Place(backend="fake", reason="")) as ready:
        assert ready.spec.to_json() | {"name": ""} == ready.spec.to_json() | {
            "name": "",
            "source_dir": str(tmp_path / "src"),
            "inputs": {"a": str(tmp_path / "in.csv"), "b": "oss://x/y/"},
            "outputs": {"c": str(tmp_path / "c")},
        }


# --- the same job while it is alive ----------------------------------------------------------------------------------


def test_the_same_code_values_and_place_have_a_running_twin_until_it_ends(gate: Path) -> None:
    job = begin(FORTY, gate=gate)
    with prepare(FORTY, gate=gate) as ready:
        twin = ready.running_twin()
        assert twin is not None
        assert twin.id == job.id
        open_gate(gate)
        job.wait(DEADLINE)
        assert ready.running_twin() is None


@pytest.mark.parametrize(
    "change", [{"hyperparameters": {"lr": 0.2}}, {"backend": "process"}, {"command": "python -u train.py"}], ids=str
)
def test_another_value_place_or_command_is_another_job(gate: Path, change: dict[str, object]) -> None:
    begin(FORTY, gate=gate, hyperparameters={"lr": 0.1})
    with prepare(FORTY, gate=gate, **{"hyperparameters": {"lr": 0.1}, **change}) as ready:  # type: ignore[arg-type]  # a table
        assert ready.running_twin() is None


def test_other_code_is_another_job(gate: Path) -> None:
    begin(FORTY, gate=gate)
    with prepare(Program(before=b"other\n"), gate=gate) as ready:
        assert ready.running_twin() is None


def test_neither_a_damaged_nor_a_lost_job_is_a_twin(gate: Path) -> None:
    damaged, lost = begin(FORTY, gate=gate), begin(FORTY, gate=gate)
    close_runtime()
    (damaged.folder.path / "state.json").write_text("{")
    (lost.folder.path / "state.json").unlink()
    with prepare(FORTY, gate=gate) as ready:
        assert ready.running_twin() is None


def test_a_job_that_is_being_submitted_is_a_twin(gate: Path) -> None:
    job = begin(FORTY, gate=gate)
    close_runtime()
    (job.folder.path / "state.json").unlink()
    lock = job.folder.try_lock()
    assert lock is not None
    with lock, prepare(FORTY, gate=gate) as ready:
        assert ready.running_twin() is not None


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
    with draft(spec, Place(backend="process", reason=""), include=[tmp_path / "data.csv"]) as ready:
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


# --- the process around it -------------------------------------------------------------------------------------------


def test_a_program_that_does_not_wait_ends_silently_while_its_job_goes_on(plain: None, gate: Path) -> None:
    words = "import sys; from pathlib import Path; from tests.started import begin; from tests.test_jobs import FORTY\n"
    words += "print(begin(FORTY, gate=Path(sys.argv[1]), backend='process').id)"
    done = subprocess.run([sys.executable, "-c", words, str(gate)], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    job = attach(done.stdout.strip())
    assert not job.status.is_terminal
    open_gate(gate)
    assert len(list(job.wait(DEADLINE).logs())) == 40
