"""Jobs of PAI that were submitted from another machine: listed, taken up, followed and stopped here."""

import asyncio
import time
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.backends.pai import PaiBackend
from pai_jupyter.backends.pai.following import poll_schedule
from pai_jupyter.backends.pai.services.dlc_service import translated
from pai_jupyter.backends.pai.spec_from_remote import spec_of
from pai_jupyter.errors import NotFoundError, PaiJupyterError
from pai_jupyter.events import Status
from pai_jupyter.jobs import Job, adopt, close_runtime, runtime, submit
from pai_jupyter.jobs.job_index import remote_jobs
from pai_jupyter.spec import JobSpec, MetricDefinition, Role
from pai_jupyter.store import MASKED, JobFolder, JobRecord, JobStore
from tests.bench.counted import counts
from tests.support.emulators import KEY, SECRET, Emulator, emulator
from tests.support.lists import is_free, record, watched
from tests.support.pai_jobs import forget, rehearsal, rehearsed, session_at, until
from tests.support.started import DEADLINE
from tests.support.storages import write_tree

__all__ = ["rehearsal", "rehearsed"]  # fixtures

SCRIPT = b"""
import os, time
print("loss=0.5", flush=True)
while not os.path.exists(os.environ["PROBE_GATE"]):
    time.sleep(0.01)
print("end")
"""


@pytest.fixture
def spec(tmp_path: Path) -> JobSpec:
    """A job that goes on until the file `open` is there."""
    return JobSpec(
        name="from another machine",
        command="python train.py $PAI_USER_ARGS",
        source_dir=write_tree(tmp_path / "source", {"train.py": SCRIPT}),
        image_uri="img:1",
        instance_type="ecs.c6.large",
        hyperparameters={"lr": 0.1, "opt": "adam"},
        environments={"PROBE_GATE": str(tmp_path / "open"), "MY_TOKEN": "hunter2-hunter2"},
        metric_definitions=(MetricDefinition(name="loss", regex="loss=([0-9.]+)"),),
        max_run_time=3600,
    )


@pytest.fixture
def away(
    spec: JobSpec, rehearsal: Emulator, rehearsed: PaiBackend, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[str]:
    """The id of a job that was submitted from another home; nobody there follows it."""
    rehearsal.clear_faults()
    monkeypatch.setattr(poll_schedule, "SHORTEST", 0.2)
    monkeypatch.setattr("pai_jupyter.cloud.client.retry._FIRST", 0.001)
    monkeypatch.setattr("pai_jupyter.cloud.client.retry._LONGEST", 0.002)
    job = submit(spec, backend="pai")
    close_runtime()
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.setenv("PAI_JUPYTER_HOME", str(here))
    with session_at(rehearsal.address, here, key=(KEY, SECRET), values={}):
        yield job.id
    (tmp_path / "open").touch()
    rehearsal.clear_faults()
    close_runtime()


def take_up(job_id: str) -> Job:
    return runtime().call(adopt(job_id)).result(DEADLINE)


async def in_runtime(job_id: str) -> Job:
    return await asyncio.to_thread(take_up, job_id)


# --- listed ----------------------------------------------------------------------------------------------------------


async def test_a_job_that_has_no_folder_here_is_listed_as_one_of_elsewhere(away: str) -> None:
    async with watched() as watcher:
        row = await watcher.row(away)
        assert (row.name, row.backend, row.is_here) == ("from another machine", "pai", False)
        assert row.place == "emulator (submitted elsewhere, cn-emulator)"
        assert abs(row.created - time.time()) < 600
        assert not watcher.catalogue.notes


async def test_a_service_is_asked_for_one_list_and_not_again_when_the_list_is_reopened(
    tmp_path: Path, home: Path
) -> None:
    with (
        emulator(tmp_path / "data", module="tests.bench.counted") as counted,
        session_at(counted.address, home, key=(KEY, SECRET), values={}),
    ):
        for _ in range(3):
            async with watched() as watcher:
                await watcher.whole()
                await watcher.until(lambda: "pai" in watcher.catalogue.elsewhere.jobs)
        assert counts(counted.address)["requests"] == 3  # a list of each service, and whose key this is


async def test_what_a_service_does_not_answer_is_a_note_and_goes_with_the_next_answer(
    away: str, rehearsal: Emulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote_jobs, "EVERY", 0.2)
    async with watched() as watcher:
        await watcher.row(away)
        rehearsal.fault("server-error", action="ListTrainingJobs", times=1_000)
        (note,) = await watcher.until(lambda: watcher.catalogue.notes)
        assert note.startswith("Jobs of pai that were recorded elsewhere cannot be listed: ")
        assert away in watcher.catalogue.rows
        rehearsal.clear_faults()
        await watcher.until(lambda: not watcher.catalogue.notes)


async def test_a_service_that_is_slow_keeps_nothing_else_from_being_listed(
    away: str, rehearsal: Emulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote_jobs, "WITHIN", 0.5)
    rehearsal.fault("slow", action="ListTrainingJobs", times=1_000, seconds=5)
    record("here")
    async with watched() as watcher:
        await watcher.row("here")
        (note,) = await watcher.until(lambda: watcher.catalogue.notes)
        assert "it has not answered within 0.5 seconds" in note


async def test_when_nobody_watches_any_more_nothing_is_left_that_could_look_or_ask(away: str) -> None:
    await in_runtime(away)
    await on_runtime(_watch(away))
    await until(lambda: runtime().call(_tasks()).result(DEADLINE) == 0)
    await on_runtime(_watch(away))  # it is taken up again
    await until(lambda: runtime().call(_tasks()).result(DEADLINE) == 0)


async def on_runtime(work: Coroutine[Any, Any, None]) -> None:  # Any: of coroutines
    """Have it done where a server has it done."""
    await asyncio.wrap_future(runtime().call(work))


async def _watch(job_id: str) -> None:
    """Watch until the job is listed and followed."""
    async with watched() as watcher:
        await watcher.row(job_id, lambda row: row.is_here and row.status is Status.RUNNING)
        folder = JobStore().open(job_id)
        async with asyncio.timeout(DEADLINE):
            while is_free(folder):  # noqa: ASYNC110  nobody tells when it is taken
                await asyncio.sleep(0.05)


async def _tasks() -> int:
    """How many tasks there are on this loop beside the one that asks."""
    return len(asyncio.all_tasks()) - 1


async def test_where_nothing_is_configured_nobody_is_asked(home: Path) -> None:
    forget()
    assert await PaiBackend().recorded() == []


async def test_of_others_in_the_same_workspace_nothing_is_listed(
    away: str, rehearsed: PaiBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert away in {job.ref.job_id for job in await rehearsed.recorded()}
    monkeypatch.setattr("pai_jupyter.backends.pai.backend.owner_of", _somebody_else)
    assert await PaiBackend().recorded() == []


async def _somebody_else(_: object) -> str:
    return "somebody else"


async def test_who_acts_in_a_role_has_the_jobs_of_the_workspace(away: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pai_jupyter.backends.pai.remote_listing._PERSONS", ())
    assert away in {job.ref.job_id for job in await PaiBackend().recorded()}


@pytest.mark.parametrize("label", ["", "../../etc", "a/b", "x" * 500, ".hidden", "训练"])
async def test_a_label_that_no_folder_can_have_is_passed_over(
    away: str, rehearsal: Emulator, monkeypatch: pytest.MonkeyPatch, label: str
) -> None:
    async with rehearsal.client() as client:
        await rehearsal.create(client, Labels=[{"Key": "pai_jupyter_job_id", "Value": label}])
    async with watched() as watcher:
        await watcher.row(away)
        assert label not in watcher.catalogue.rows


async def test_jobs_of_nobody_in_particular_are_not_ours(away: str, rehearsal: Emulator) -> None:
    async with rehearsal.client() as client:
        await rehearsal.create(client, TrainingJobName="of the console")
    assert "of the console" not in {job.name for job in await PaiBackend().recorded()}


# --- taken up --------------------------------------------------------------------------------------------------------


async def test_a_job_is_taken_up_and_followed_to_its_end(away: str, spec: JobSpec, tmp_path: Path) -> None:
    async with watched() as watcher:
        await watcher.row(away)
        job = await in_runtime(away)
        assert (job.id, job.name, job.backend) == (away, spec.name, "pai")
        await watcher.row(away, lambda row: row.is_here and row.status is Status.RUNNING)
        (tmp_path / "open").touch()
        row = await watcher.row(away, lambda row: row.status is Status.SUCCEEDED)
        assert row.metric == ("loss", 0.5)
        assert [line.text for line in job.logs()] == ["loss=0.5", "end"]


async def test_what_was_asked_for_is_recorded_as_the_service_tells_it(away: str, spec: JobSpec) -> None:
    job = await in_runtime(away)
    told = Job(JobStore().open(away)).spec
    assert told.hyperparameters == {"lr": "0.1", "opt": "adam"}
    assert (told.image_uri, told.instance_type, told.instance_count) == ("img:1", "ecs.c6.large", 1)
    assert (told.metric_definitions, told.max_run_time) == (spec.metric_definitions, 3600)
    assert "python train.py" in told.command
    assert told.outputs["model"].startswith("oss://")
    assert "hunter2" not in (job.folder.path / "job.json").read_text()
    assert told.environments["MY_TOKEN"] == MASKED
    assert job.place == "emulator (submitted elsewhere, cn-emulator)"


async def test_a_job_that_was_taken_up_is_stopped_like_any_other(away: str) -> None:
    job = await in_runtime(away)
    await asyncio.to_thread(job.stop)
    await until(lambda: job.status is Status.STOPPED)


async def test_many_who_take_it_up_at_once_make_one_folder(away: str) -> None:
    jobs = await asyncio.gather(*(in_runtime(away) for _ in range(5)))
    assert {job.id for job in jobs} == {away}
    assert JobStore().ids() == [away]


async def test_a_job_that_is_deleted_here_is_one_of_elsewhere_again(away: str, tmp_path: Path) -> None:
    (tmp_path / "open").touch()
    async with watched() as watcher:
        await watcher.row(away)
        job = await in_runtime(away)
        await watcher.row(away, lambda row: row.is_here and row.status is Status.SUCCEEDED)
        await until(lambda: is_free(job.folder))
        JobStore().remove(away)
        await watcher.row(away, lambda row: not row.is_here)


async def test_a_job_that_another_server_has_just_taken_up_is_the_same_here(
    away: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    create = JobStore.create

    def create_late(self: JobStore, record: JobRecord) -> JobFolder:
        create(self, record)
        return create(self, record)

    monkeypatch.setattr(JobStore, "create", create_late)
    assert (await in_runtime(away)).id == away
    assert JobStore().ids() == [away]


async def test_whoever_wants_a_job_that_nobody_knows_costs_one_list(tmp_path: Path, home: Path) -> None:
    with (
        emulator(tmp_path / "data", module="tests.bench.counted") as counted,
        session_at(counted.address, home, key=(KEY, SECRET), values={}),
    ):
        with pytest.raises(NotFoundError):
            await in_runtime("jnobody")
        assert counts(counted.address)["requests"] == 3  # a list of each service, and whose key this is


async def test_a_job_that_nobody_knows_cannot_be_taken_up(away: str) -> None:
    with pytest.raises(NotFoundError, match="neither here nor"):
        await in_runtime("jnobody")
    assert JobStore().ids() == []


async def test_a_service_that_does_not_answer_leaves_no_folder(away: str, rehearsal: Emulator) -> None:
    rehearsal.fault("server-error", action="GetTrainingJob", times=1_000)
    with pytest.raises(PaiJupyterError):
        await in_runtime(away)
    assert JobStore().ids() == []


# --- what a service tells, read back ---------------------------------------------------------------------------------


def test_a_job_of_roles_is_read_back(home: Path) -> None:
    fields = {
        "JobId": "dlc1",
        "DisplayName": "a/b",
        "JobType": "TFJob",
        "UserCommand": "python x.py",
        "Envs": {"A": "b"},
        "JobSpecs": [
            {"Type": "Chief", "PodCount": 1, "EcsSpec": "ecs.c6.large", "Image": "img:1"},
            {"Type": "Worker", "PodCount": 3, "EcsSpec": "ecs.gn6", "Image": "img:2"},
        ],
    }
    spec = spec_of(translated(fields))
    assert (spec.name, spec.command, spec.job_type, spec.environments) == ("a_b", "python x.py", "TFJob", {"A": "b"})
    assert spec.roles == (
        Role(name="chief", instance_type="ecs.c6.large", image_uri="img:1"),
        Role(name="worker", instance_count=3, instance_type="ecs.gn6", image_uri="img:2"),
    )


WHOLE: dict[str, Any] = {  # Any: JSON of a service
    "TrainingJobName": "a",
    "AlgorithmSpec": {"Command": ["sh", "-c", "true"]},
    "ComputeResource": {"EcsCount": 2, "EcsSpec": "ecs.c6.large"},
}


@pytest.mark.parametrize(
    "odd",
    [
        {"TrainingJobName": None},
        {"TrainingJobName": "\x00/\\\n" * 200},
        {"AlgorithmSpec": None},
        {"AlgorithmSpec": {"Command": []}},
        {"AlgorithmSpec": {"Command": {"a": 1}, "JobType": ["PyTorchJob"], "Image": 7}},
        {"AlgorithmSpec": {"MetricDefinitions": [{"Name": "a", "Regex": "("}]}},
        {"ComputeResource": {"EcsCount": -1}},
        {"ComputeResource": {"EcsCount": True, "EcsSpec": []}},
        {"HyperParameters": [{"Name": "a/b", "Value": "1"}, {"Name": 7}, "x"]},
        {"InputChannels": [{"Name": "train", "InputUri": ""}]},
        {"OutputChannels": [{"Name": "logs", "OutputUri": "oss://b/l/"}]},
        {"Environments": {"A B": "x", "C": 1}},
        {"Environments": []},
        {"Scheduler": {"MaxRunningTimeInSeconds": "soon"}},
        {"JobSpecs": [{"Type": None, "PodCount": "many"}]},
    ],
)
def test_whatever_a_service_tells_gives_a_spec(odd: dict[str, Any]) -> None:
    spec = spec_of({**WHOLE, **odd})
    assert JobSpec.from_json(spec.to_json()) == spec
    assert 0 < len(spec.name) <= 100
    assert spec.command
