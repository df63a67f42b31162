"""A job in the user's hands: found, listed, waited for, also by one who gives up or goes away."""

import asyncio
import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pai_jupyter.backends import StatusReport
from pai_jupyter.errors import JobDetached, NotFoundError, PaiJupyterError, SpecError
from pai_jupyter.events import Status
from pai_jupyter.jobs import Job, attach, close_runtime, list_jobs, runtime
from pai_jupyter.spec import JobRef
from tests.fakes.troubled import TroubledBackend, installed
from tests.support.patience import SOON
from tests.support.programs import FORTY, Program
from tests.support.runs import ended, interrupt_when, is_inside
from tests.support.started import DEADLINE, begin, open_gate, until

pytestmark = pytest.mark.usefixtures("backend")  # most jobs are of the backend `fake`

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


def test_a_name_that_a_damaged_record_hides_is_not_said_to_be_nobodys() -> None:
    bad = begin(FORTY, name="bad").wait(DEADLINE)
    (bad.folder.path / "job.json").write_text("{")
    with pytest.raises(
        NotFoundError, match=f"called 'bad', and the record of job {bad.id} cannot be read, .*: .*job.json"
    ):
        attach("bad")
    assert attach(bad.id).id == bad.id


def test_an_end_that_is_no_longer_recorded_is_found_again_in_the_process_that_saw_it() -> None:
    job = begin(FORTY).wait(DEADLINE)
    (job.folder.path / "state.json").unlink()
    assert attach(job.id).wait(DEADLINE).status is Status.SUCCEEDED
    (job.folder.path / "state.json").unlink()
    job.stop()  # it has ended: there is nothing to be submitted still
    until(lambda: job.status is Status.SUCCEEDED)


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
    assert time.monotonic() - started < SOON  # it would never answer


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
    assert time.monotonic() - started < SOON  # the job waits for its gate


def test_an_interrupted_wait_detaches_at_once_and_the_job_goes_on(gate: Path) -> None:
    job = begin(FORTY, gate=gate)
    started = time.monotonic()
    interrupt_when(lambda: is_inside("_wait"))
    with pytest.raises(JobDetached, match=f"job {job.id} goes on. To stop it: %pai_stop {job.id}"):
        job.wait()
    assert time.monotonic() - started < SOON  # the job waits for its gate
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


# --- the process around it -------------------------------------------------------------------------------------------


def test_a_program_that_does_not_wait_ends_silently_while_its_job_goes_on(plain: None, gate: Path) -> None:
    words = "import sys; from pathlib import Path; from tests.support.started import begin; from tests.support.programs import FORTY\n"
    words += "print(begin(FORTY, gate=Path(sys.argv[1]), backend='process').id)"
    done = subprocess.run([sys.executable, "-c", words, str(gate)], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    job = attach(done.stdout.strip())
    assert not job.status.is_terminal
    open_gate(gate)
    assert len(list(job.wait(DEADLINE).logs())) == 40
