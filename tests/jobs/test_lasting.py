"""What keeps a job running although it has succeeded: said once, to all who look."""

from collections.abc import Iterator
from typing import Any

import pytest

from pai_jupyter.events import Event, JobState, Notice, ReplicaChanged, Status, StatusChanged
from pai_jupyter.jobs import Job, attach, close_runtime, lasting
from pai_jupyter.jobs.lasting import SAID_AFTER, lasting_notice, lasting_text
from pai_jupyter.spec import JobSpec, Role
from tests.support.runs import run
from tests.support.shells import Shell
from tests.support.started import DEADLINE, until

TEXT = "master-0 has succeeded. Still running: {}. To end the job: %pai_stop {}"


def spec(**given: Any) -> JobSpec:  # Any: of a JobSpec
    return JobSpec(**{"name": "a", "command": "true", "job_type": "XGBoostJob", "instance_count": 3, **given})


def state(*more: Event, **replicas: Status) -> JobState:
    """A running job whose replicas stand so since 10 s; their names with `_` for `-`."""
    events = [StatusChanged(status=Status.RUNNING, time=1.0)]
    changes = [ReplicaChanged(replica=name.replace("_", "-"), status=it, time=10.0) for name, it in replicas.items()]
    made = JobState()
    for event in (*events, *changes, *more):
        made = made.apply(event)
    return made


DONE, RUNS, FAILED = Status.SUCCEEDED, Status.RUNNING, Status.FAILED


def test_workers_that_outlast_their_master_are_named_once() -> None:
    now = state(master_0=DONE, worker_0=RUNS, worker_1=RUNS)
    assert lasting_notice("j1", spec(), now, 10.0 + SAID_AFTER - 1) is None
    notice = lasting_notice("j1", spec(), now, 500.0)
    assert notice == Notice(text=TEXT.format("worker-0, worker-1", "j1"), time=10.0 + SAID_AFTER)
    later = now.apply(notice).apply(ReplicaChanged(replica="worker-0", status=DONE, time=600.0))
    assert lasting_notice("j1", spec(), later, 700.0) is None
    assert lasting_text(later) == notice.text
    assert lasting_text(later.apply(StatusChanged(status=DONE, time=800.0))) == ""


def test_many_workers_are_not_all_named() -> None:
    workers = {f"worker_{index}": RUNS for index in range(9)}
    notice = lasting_notice("j1", spec(instance_count=10), state(master_0=DONE, **workers), 500.0)
    assert notice is not None
    assert "worker-4, …. To end" in notice.text
    assert lasting_text(state(notice)) == notice.text


@pytest.mark.parametrize(
    ("given", "replicas"),
    [
        ({}, {"master_0": RUNS, "worker_0": RUNS}),
        ({}, {"master_0": DONE, "worker_0": DONE, "worker_1": FAILED}),
        ({}, {"worker_0": RUNS, "worker_1": RUNS}),
        ({"job_type": "PyTorchJob"}, {"master_0": DONE, "worker_0": RUNS}),
        ({"job_type": "TFJob"}, {"worker_0": DONE, "worker_1": RUNS}),  # those are ended after 30 s
        ({"roles": (Role(name="worker", instance_count=2),)}, {"worker_0": DONE, "worker_1": RUNS}),
    ],
)
def test_nothing_is_said_of_others(given: dict[str, Any], replicas: dict[str, Status]) -> None:
    assert lasting_notice("j1", spec(**given), state(**replicas), 500.0) is None


@pytest.fixture
def hung(plain: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Job]:
    """A job of which a worker hangs after its master's success, and this process says so soon."""
    monkeypatch.setenv("PAI_JUPYTER_LANG", "en")
    monkeypatch.setattr(lasting, "SAID_AFTER", 0.1)
    roles = (Role(name="master", command="true"), Role(name="worker", command="sleep 600"))
    job = run("", job_type="XGBoostJob", roles=roles)
    yield job
    attach(job.id).stop()
    attach(job.id).wait(DEADLINE)


def test_the_state_and_the_list_say_why_a_job_still_runs(hung: Job) -> None:
    text = TEXT.format("worker-0", hung.id)
    until(lambda: any(notice.text == text for notice in hung.state.notices))
    close_runtime()  # as a restarted kernel
    again = attach(hung.id)
    until(lambda: len(again.state.replicas) == 2)
    with Shell() as shell:
        assert f"{hung.id}: {text}\n" in shell.run("%pai_jobs").text
        shell.run(f"%pai_stop -y {hung.id}")
        until(lambda: attach(hung.id).status == "succeeded")
        assert text not in shell.run("%pai_jobs").text
    assert [notice.text for notice in attach(hung.id).state.notices].count(text) == 1
