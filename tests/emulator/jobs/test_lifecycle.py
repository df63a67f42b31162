"""The statuses that a job of the emulator goes through, whichever service has it; its run is a fake here."""

from collections.abc import Callable
from pathlib import Path
from secrets import token_hex
from typing import Any

import pytest

from pai_jupyter.cloud.client import paistudio
from pai_jupyter.emulator.calls.calls import ApiCall
from pai_jupyter.emulator.calls.context import EmulatorContext
from pai_jupyter.emulator.calls.pagination import pairs
from pai_jupyter.emulator.dlc.lifecycle import DlcLifecycle
from pai_jupyter.emulator.jobs.channels import ChannelPlaces, Channels
from pai_jupyter.emulator.jobs.lifecycle import JobLifecycle, JobVocabulary
from pai_jupyter.emulator.protocol.refusal import ApiRefusal, Fields
from pai_jupyter.emulator.studio.lifecycle import TrainingLifecycle
from pai_jupyter.errors import LimitExceededError
from pai_jupyter.events import JobState, Status, StatusChanged

LIVES = pytest.mark.parametrize("lives", [TrainingLifecycle, DlcLifecycle])


@pytest.fixture
def world(tmp_path: Path) -> EmulatorContext:
    return EmulatorContext(data=tmp_path, address="http://127.0.0.1:1")


def new(world: EmulatorContext, lives: type[JobLifecycle], **more: Any) -> JobLifecycle:  # Any: JSON
    fields = {"Status": "", lives.kind.history: [], "IsStopped": False, "Body": {}, **more}
    world.records(lives.kind.records).put("job1", fields)
    life = lives(world, "job1")
    life.enter("Creating")
    return life


def record_of(world: EmulatorContext, kind: JobVocabulary) -> dict[str, Any]:  # Any: JSON
    record = world.records(kind.records).get("job1")
    assert record is not None
    return record


@LIVES
def test_the_first_terminal_status_is_the_last(world: EmulatorContext, lives: type[JobLifecycle]) -> None:
    life = new(world, lives)
    for status in ("Running", "Failed", "Running", lives.kind.ends[Status.SUCCEEDED][0]):
        life.enter(status, status, "because")
    record = record_of(world, lives.kind)
    assert (record["Status"], record["ReasonCode"]) == ("Failed", "Failed")
    assert [each["Status"] for each in record[lives.kind.history]] == ["Creating", "Running", "Failed"]


@LIVES
def test_a_status_ends_when_the_next_one_begins(world: EmulatorContext, lives: type[JobLifecycle]) -> None:
    new(world, lives).enter("Running")
    first, second = record_of(world, lives.kind)[lives.kind.history]
    assert first["EndTime"] == second["StartTime"] != ""
    assert second["EndTime"] == ""


@LIVES
def test_the_status_of_a_deleted_job_is_nobody_s_business(world: EmulatorContext, lives: type[JobLifecycle]) -> None:
    life = new(world, lives)
    world.records(lives.kind.records).remove("job1")
    life.enter("Running")
    assert [*world.records(lives.kind.records).all()] == []


def test_dlc_notes_a_status_once_however_often_a_job_is_stopped(world: EmulatorContext) -> None:
    life = new(world, DlcLifecycle)
    for _ in range(3):
        life.enter("Stopping")
    assert [each["Status"] for each in record_of(world, DlcLifecycle.kind)["StatusHistory"]] == ["Creating", "Stopping"]


@pytest.mark.parametrize(
    ("status", "fields"),
    [
        ("Queuing", {"GmtSubmittedTime"}),
        ("EnvPreparing", set()),
        ("Running", {"GmtRunningTime"}),
        ("Stopping", set()),
        ("Succeeded", {"GmtSuccessedTime", "GmtFinishTime"}),
        ("Failed", {"GmtFailedTime", "GmtFinishTime"}),
        ("Stopped", {"GmtStoppedTime", "GmtFinishTime"}),
    ],
)
def test_dlc_tells_when_a_status_was_entered(world: EmulatorContext, status: str, fields: set[str]) -> None:
    life = new(world, DlcLifecycle)
    before = {*record_of(world, DlcLifecycle.kind)}
    life.enter(status)
    assert {*record_of(world, DlcLifecycle.kind)} - before == fields


class Run:
    """A runner whose one job has been submitted, and ends as it is told: stopped, where somebody has asked for that."""

    def __init__(self, status: Status = Status.SUCCEEDED) -> None:
        self._status = status

    def job(self, job_id: str) -> object:
        return object()

    async def stop(self, job_id: str) -> None:
        self._status = Status.STOPPED

    async def follow(self, job: object, changed: Callable[[JobState], None]) -> JobState:
        states = [JobState().apply(StatusChanged(status=Status.RUNNING, time=1.0))]
        states.append(states[0].apply(StatusChanged(status=self._status, time=2.0)))
        for state in states:
            changed(state)
        return states[-1]


class FullChannels(Channels):
    def save(self) -> list[str]:
        raise LimitExceededError("the disk is full.")


class Unsaved(TrainingLifecycle):
    def _channels(self) -> Channels:
        return FullChannels(self._world, self._folder, ChannelPlaces(code=None, inputs={}, outputs={}))


@pytest.mark.parametrize(
    ("lives", "more", "status", "end"),
    [
        (TrainingLifecycle, {}, Status.SUCCEEDED, ("Succeed", "")),
        (TrainingLifecycle, {}, Status.FAILED, ("Failed", "AlgorithmError")),
        (TrainingLifecycle, {"IsStopped": True}, Status.SUCCEEDED, ("Terminated", "StoppedByUser")),
        (DlcLifecycle, {}, Status.SUCCEEDED, ("Succeeded", "JobSucceeded")),
        (DlcLifecycle, {}, Status.FAILED, ("Failed", "JobFailed")),
        (DlcLifecycle, {"IsStopped": True}, Status.SUCCEEDED, ("Stopped", "StoppedByUser")),
        (Unsaved, {}, Status.SUCCEEDED, ("Failed", "OutputNotSaved")),
    ],
)
async def test_a_job_ends_as_its_run_does_unless_it_was_stopped_or_its_outputs_are_lost(
    world: EmulatorContext, lives: type[JobLifecycle], more: Fields, status: Status, end: tuple[str, str]
) -> None:
    vars(world)["runner"] = Run(status)  # in the place of the cached one
    await new(world, lives, **more).run()
    record = record_of(world, lives.kind)
    assert (record["Status"], record["ReasonCode"]) == end
    assert [each["Status"] for each in record[lives.kind.history]] == ["Creating", "Running", end[0]]


async def test_a_defect_of_the_emulator_is_named_and_no_more_said_of_it(
    world: EmulatorContext, caplog: pytest.LogCaptureFixture
) -> None:
    secret = token_hex()

    class Broken(TrainingLifecycle):
        def _channels(self) -> Channels:
            raise KeyError(secret)

    vars(world)["runner"] = Run()
    await new(world, Broken).run()
    record = record_of(world, Broken.kind)
    assert (record["Status"], record["ReasonCode"]) == ("Failed", "InternalError")
    assert "KeyError" in record["ReasonMessage"]
    assert secret not in record["ReasonMessage"] + caplog.text


def asking(world: EmulatorContext, query: dict[str, str]) -> ApiCall:
    return ApiCall(operation=paistudio.LIST_TRAINING_JOBS, world=world, account="1", query=query)


@pytest.mark.parametrize(
    ("text", "read"), [(None, {}), ("", {}), ("{}", {}), ('{"队": "a b", "n": 1}', {"队": "a b", "n": "1"})]
)
def test_labels_are_asked_for_by_a_json_object(world: EmulatorContext, text: str | None, read: dict[str, str]) -> None:
    assert pairs(asking(world, {} if text is None else {"Labels": text}), "Labels") == read


@pytest.mark.parametrize("text", ["x", "[]", "1", '"a"', "null", "[" * 100_000])
def test_labels_that_are_no_json_object_are_refused(world: EmulatorContext, text: str) -> None:
    with pytest.raises(ApiRefusal) as refused:
        pairs(asking(world, {"Labels": text}), "Labels")
    assert (refused.value.code, len(refused.value.message) < 250) == ("InvalidParameter", True)
