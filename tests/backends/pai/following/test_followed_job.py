"""A job of the service as events, against a service that has bad days."""

import time
from contextlib import aclosing
from typing import Any

import pytest

from pai_jupyter.backends.pai.following.events_from_remote import facts_of
from pai_jupyter.contract import BESIDE
from pai_jupyter.errors import AuthError, NotFoundError, ProtocolError
from pai_jupyter.events import (
    Link,
    LogChunk,
    Metric,
    Notice,
    Phase,
    PhaseChanged,
    Progress,
    ReplicaChanged,
    Status,
    Usage,
)
from pai_jupyter.spec import JobRef
from tests.fakes.openapi import SECRET, code, dropped, garbled, says
from tests.fakes.studio import StudioJob, lines
from tests.support.pai_jobs import PaiJobs, jobs, log, notices, position, statuses, text, until
from tests.support.patience import SOON

__all__ = ["jobs"]  # the fixture

LONG_AGO = time.time() - 3600


# --- what is said ------------------------------------------------------------------------------------------------


async def test_a_job_is_told_from_its_queue_to_its_end(jobs: PaiJobs) -> None:
    job = jobs.service.add()
    job.enter("Initializing", at=LONG_AGO)
    job.enter("Submitted", "waiting for a machine")
    async with jobs.following(jobs.ref(job)) as heard:
        await heard.until(Status.QUEUED)
        job.run()
        job.print("a", "b")
        await heard.until("b")
        job.end()
        await heard.end()
    found = statuses(heard.events)
    assert [(each.status, each.reason) for each in found] == [
        (Status.QUEUED, "waiting for a machine"),
        (Status.RUNNING, ""),
        (Status.SUCCEEDED, ""),
    ]
    assert (log(heard.events), found[-1].exit_code, heard.events[-1]) == ("a\nb\n", 0, found[-1])
    phases = [event for event in heard.events if isinstance(event, PhaseChanged)]
    assert [each.phase for each in phases] == [Phase.PREPARING, Phase.RUNNING]
    assert phases[0].time == pytest.approx(LONG_AGO, abs=0.01)
    assert [event.url for event in heard.events if isinstance(event, Link)] == [f"https://console.example/{job.id}"]


def saving(job: StudioJob) -> None:
    """Let the job have the channel of what lies beside the others."""
    job.body["OutputChannels"] = [{"Name": BESIDE, "OutputUri": "oss://b/out/"}]


async def test_what_could_not_be_saved_is_told_with_the_end_and_is_no_line_of_the_log(jobs: PaiJobs) -> None:
    job = jobs.service.add()
    saving(job)
    job.run("Master", "Worker")
    job.print("a", "pai_jupyter: job j1 ended with exit code 0; left behind: a b, 训")
    job.print("pai_jupyter: job j1 ended with exit code 0", instance=1)
    job.end(mark=False)
    for after in ({}, {"master-0": 1, "worker-0": 0}):  # and so by whoever comes later
        events = await jobs.follow(jobs.ref(job), after)
        (said,) = notices(events)
        assert said.startswith("master-0 wrote files into /ml/output beside its channels")
        assert "are lost: a b, 训. " in said
        assert statuses(events)[-1].exit_code == 0
    assert log(await jobs.follow(jobs.ref(job))) == "a\n"


@pytest.mark.parametrize(("saves", "code", "mark", "told"), [
    (True, 1, False, True), (True, 1, True, False), (True, 0, False, False), (False, 1, False, False)
])  # fmt: skip
async def test_a_launcher_that_was_killed_may_have_lost_something(
    jobs: PaiJobs, saves: bool, code: int, mark: bool, told: bool
) -> None:
    job = jobs.service.add()
    if saves:
        saving(job)
    job.run()
    job.print("a")
    job.end(code, mark=mark)
    said = [each for each in notices(await jobs.follow(jobs.ref(job))) if "beside" in each]
    assert bool(said) == told


async def test_a_job_that_ended_long_ago_costs_five_requests_at_most(jobs: PaiJobs) -> None:
    job = jobs.service.add()
    job.run(at=LONG_AGO)
    job.print(*lines(0, 2000))
    job.end(3, at=LONG_AGO, reason="exit code 3")
    events = await jobs.follow(jobs.ref(job))
    assert log(events) == text(lines(0, 2000))
    assert len(jobs.service.requests) <= 5
    assert [each.status for each in statuses(events)] == [Status.RUNNING, Status.FAILED]


@pytest.mark.parametrize("cursor", [0, 1, 7, 39, 40])
async def test_a_position_always_means_the_same_line(jobs: PaiJobs, cursor: int) -> None:
    job = jobs.service.add()
    job.run(at=LONG_AGO)
    job.print(*lines(0, 40))
    job.end(at=LONG_AGO)
    events = await jobs.follow(jobs.ref(job), {"master-0": cursor})
    assert log(events) == text(lines(cursor, 40))


async def test_each_replica_has_its_own_log_and_cursor(jobs: PaiJobs) -> None:
    job = jobs.service.add()
    job.run("Master", "Worker", "Worker", at=LONG_AGO)
    for instance, name in enumerate(("m", "w0", "w1")):
        job.print(f"{name} 1", f"{name} 2", instance=instance)
    job.end(at=LONG_AGO)
    events = await jobs.follow(jobs.ref(job), {"worker-1": 1})
    assert [log(events, each) for each in ("master-0", "worker-0", "worker-1")] == [
        "m 1\nm 2\n",
        "w0 1\nw0 2\n",
        "w1 2\n",
    ]
    assert position(events) == {"master-0": 2, "worker-0": 2, "worker-1": 2}


async def test_each_replica_s_standing_is_told_once_and_the_failed_one_is_not_among_the_stopped(jobs: PaiJobs) -> None:
    job = jobs.service.add()
    async with jobs.following(jobs.ref(job)) as heard:
        job.run("Master", "Worker", "Worker", at=LONG_AGO)
        job.print("m")
        await heard.until("m")
        for instance, exit_code in enumerate((143, 0, 7)):
            job.print(f"pai_jupyter: job j1 ended with exit code {exit_code}", instance=instance)
        job.end(7, mark=False, at=LONG_AGO + 60)
        await heard.end()
    found = [event for event in heard.events if isinstance(event, ReplicaChanged)]
    assert [(each.replica, each.status, each.exit_code) for each in found[:3]] == [
        (replica, Status.RUNNING, None) for replica in ("master-0", "worker-0", "worker-1")
    ]
    assert [(each.replica, each.status, each.exit_code) for each in found[3:]] == [
        ("master-0", Status.STOPPED, 143),
        ("worker-0", Status.SUCCEEDED, 0),
        ("worker-1", Status.FAILED, 7),
    ]
    assert found[0].time == pytest.approx(LONG_AGO, abs=0.01)


async def test_a_killed_replica_is_the_cause_and_not_those_that_term_ended(jobs: PaiJobs) -> None:
    job = jobs.service.add()
    job.run("Master", "Worker", "Worker", at=LONG_AGO)
    for instance, exit_code in enumerate((143, 143, 137)):
        job.print(f"pai_jupyter: job j1 ended with exit code {exit_code}", instance=instance)
    job.end(137, mark=False, at=LONG_AGO + 60)
    events = await jobs.follow(jobs.ref(job))
    assert (statuses(events)[-1].reason, statuses(events)[-1].exit_code) == ("worker-1: exit code 137", 137)
    found = {event.replica: event.status for event in events if isinstance(event, ReplicaChanged)}
    assert found == {"master-0": Status.STOPPED, "worker-0": Status.STOPPED, "worker-1": Status.FAILED}


async def test_a_job_of_one_replica_tells_nothing_of_it(jobs: PaiJobs) -> None:
    job = jobs.service.add()
    job.run(at=LONG_AGO)
    job.end(at=LONG_AGO)
    assert not [event for event in await jobs.follow(jobs.ref(job)) if isinstance(event, ReplicaChanged)]


@pytest.mark.parametrize("word", ["CreateFailed", "InitializeFailed"])
async def test_a_job_that_never_ran_ends_at_once_with_its_reason(jobs: PaiJobs, word: str) -> None:
    job = jobs.service.add()
    job.enter(word, "no such image")
    job.events = ["2026-01-01T00:00:00Z Warning pulling image x failed"]
    events = await jobs.follow(jobs.ref(job))
    (end,) = statuses(events)
    assert (end.status, end.reason) == (Status.FAILED, "no such image")
    assert [(e.text, e.level) for e in events if isinstance(e, Notice)] == [
        ("Warning pulling image x failed", "warning")
    ]


async def test_the_exit_code_of_the_log_is_the_plain_reason(jobs: PaiJobs) -> None:
    job = jobs.service.add()
    job.run(at=LONG_AGO)
    job.end(3, at=LONG_AGO, reason="AlgorithmError: see the log")
    events = await jobs.follow(jobs.ref(job))
    assert (statuses(events)[-1].reason, statuses(events)[-1].exit_code) == ("exit code 3", 3)
    assert notices(events) == ["AlgorithmError: see the log"]


async def test_a_stopped_job_is_stopped_whatever_its_command_said(jobs: PaiJobs) -> None:
    job = jobs.service.add()
    job.run()
    await jobs.backend.stop(jobs.ref(job))
    await jobs.backend.stop(jobs.ref(job))
    events = await jobs.follow(jobs.ref(job))
    assert (statuses(events)[-1].status, statuses(events)[-1].exit_code) == (Status.STOPPED, None)


async def test_a_word_of_tomorrow_changes_nothing(jobs: PaiJobs) -> None:
    job = jobs.service.add()
    job.run()
    async with jobs.following(jobs.ref(job)) as heard:
        await heard.until(Status.RUNNING)
        job.status = "Reticulating"
        before = jobs.service.count("GetTrainingJob")
        await until(lambda: jobs.service.count("GetTrainingJob") >= before + 3)
        assert not heard.is_over
        job.end()
        await heard.end()
    assert [each.status for each in statuses(heard.events)] == [Status.RUNNING, Status.SUCCEEDED]


async def test_what_is_told_again_is_told_in_the_same_words(jobs: PaiJobs) -> None:
    job = jobs.service.add()
    job.run(at=LONG_AGO)
    job.progress = 0.5
    job.end(at=LONG_AGO)
    assert await jobs.follow(jobs.ref(job)) == await jobs.follow(jobs.ref(job))


# --- what comes late ---------------------------------------------------------------------------------------------


async def test_lines_behind_the_terminal_status_are_waited_for_until_the_mark(jobs: PaiJobs) -> None:
    job = jobs.service.add()
    job.run()
    job.print("a")
    job.enter("Succeed")
    async with jobs.following(jobs.ref(job)) as heard:
        await heard.until("a")
        job.print("late")
        await heard.until("late")
        assert not heard.is_over
        job.print("pai_jupyter: job j1 ended with exit code 0")
        await heard.end()
    assert log(heard.events) == "a\nlate\n"


async def test_a_job_that_was_killed_ends_when_its_log_is_quiet(jobs: PaiJobs) -> None:
    job = jobs.service.add()
    job.run()
    job.print("a")
    job.end(137, mark=False, reason="exit code 137: out of memory")
    started = time.monotonic()
    events = await jobs.follow(jobs.ref(job))
    assert time.monotonic() - started < SOON
    assert (log(events), statuses(events)[-1].reason) == ("a\n", "exit code 137: out of memory")
    assert statuses(events)[-1].exit_code == 137


async def test_instances_that_appear_late_are_found(jobs: PaiJobs) -> None:
    job = jobs.service.add()
    job.enter("Running")
    async with jobs.following(jobs.ref(job)) as heard:
        await heard.until(Status.RUNNING)
        job.run()
        job.print("a")
        await heard.until("a")
        job.end()
        await heard.end()
    assert log(heard.events) == "a\n"


async def test_instances_that_appear_after_the_end_are_found(jobs: PaiJobs) -> None:
    job = jobs.service.add()
    job.enter("Running")
    job.enter("Succeed")
    async with jobs.following(jobs.ref(job)) as heard:
        await heard.until(Status.RUNNING)
        job.run()
        job.print("a")
        job.end()
        await heard.end()
    assert log(heard.events) == "a\n"


# --- courtesies --------------------------------------------------------------------------------------------------


async def test_usage_is_in_cores_and_bytes(jobs: PaiJobs) -> None:
    job = jobs.service.add(ComputeResource={"EcsSpec": "ecs.c6.xlarge", "EcsCount": 1})
    job.run()
    now = time.time()
    job.usage = {"CpuCoreUsage": [(now, 50.0)], "MemoryUsage": [(now, 25.0)], "GpuMemoryUsage": [(now, 50.0)]}
    job.usage |= {"DiskWriteRate": [(now, 1024.0)], "NetworkInputRate": [(now, 7.5)]}
    async with jobs.following(jobs.ref(job)) as heard:
        await heard.until(Usage)
    (usage,) = [event for event in heard.events if isinstance(event, Usage)]
    assert (usage.replica, usage.cpu, usage.memory, usage.gpu_memory) == ("master-0", 2.0, 2 * 1024**3, 8 * 1024**3)
    assert (usage.write_rate, usage.receive_rate, usage.read_rate) == (1024.0, 7.5, None)
    assert (usage.cores, usage.memory_limit, usage.gpu_memory_limit) == (4.0, 8 * 1024**3, 16 * 1024**3)
    assert usage.time == pytest.approx(now, abs=0.01)
    asked = [each.query for each in jobs.service.requests if each.action == "ListTrainingJobInstanceMetrics"]
    assert len({query["EndTime"] for query in asked}) == 1  # a sample that comes meanwhile waits for all its kinds
    assert len(asked) == 8


async def test_what_may_not_be_measured_ends_nothing(jobs: PaiJobs) -> None:
    job = jobs.service.add(ComputeResource={"EcsSpec": "ecs.c6.xlarge", "EcsCount": 1})
    job.run()
    job.print("a")

    async def refuse(service: Any, request: Any) -> Any:  # Any: a fault
        if request.action == "ListEcsSpecs":
            return await code(403, "Forbidden.RAM")(service, request)
        return service.carry_out(request)

    jobs.service.plan.extend([refuse] * 6)
    async with jobs.following(jobs.ref(job)) as heard:
        await heard.until("a")
        job.print("b")
        await heard.until("b")
    assert not notices(heard.events)


async def test_metrics_that_no_line_tells_are_told_once(jobs: PaiJobs) -> None:
    definitions = {"MetricDefinitions": [{"Name": "loss", "Regex": "loss=(.*)"}]}
    job = jobs.service.add(AlgorithmSpec=definitions)
    job.run(at=LONG_AGO)
    job.metrics = [("loss", 1.0, LONG_AGO), ("auc", 0.5, LONG_AGO), ("auc", 0.6, LONG_AGO + 1)]
    job.end(at=LONG_AGO)
    found = [event for event in await jobs.follow(jobs.ref(job)) if isinstance(event, Metric)]
    assert [(each.name, each.value) for each in found] == [("auc", 0.5), ("auc", 0.6)]


@pytest.mark.parametrize(("value", "total"), [(0.25, 1.0), (25, 100.0)])
async def test_progress_is_a_share(jobs: PaiJobs, value: float, total: float) -> None:
    job = jobs.service.add()
    job.run(at=LONG_AGO)
    job.progress = value
    job.end(at=LONG_AGO)
    (found,) = [event for event in await jobs.follow(jobs.ref(job)) if isinstance(event, Progress)]
    assert (found.done, found.total) == (value, total)


@pytest.mark.parametrize("url", ["javascript:alert(1)", "http://127.0.0.1:8123/#/emulator/trainingjobs/train1"])
def test_a_link_that_opens_no_page_is_not_shown(url: str) -> None:
    events = list(facts_of({"TrainingJobUrl": url}, Status.RUNNING))
    assert events == []


# --- bad days ----------------------------------------------------------------------------------------------------

FAULTS = {
    "dropped": dropped,
    "garbled": garbled,
    "throttled": code(429, "Throttling.User"),
    "down": says(503, {"Code": "ServiceUnavailable"}),
    "html": says(502, "<html>bad gateway</html>"),
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_service_that_fails_now_and_then_loses_and_doubles_nothing(jobs: PaiJobs, fault: str) -> None:
    jobs.service.page = 10
    job = jobs.service.add()
    job.run(at=LONG_AGO)
    job.print(*lines(0, 40))
    job.end(at=LONG_AGO)

    async def answer(service: Any, request: Any) -> Any:  # Any: a fault
        return service.carry_out(request)

    jobs.service.plan.extend([FAULTS[fault], answer] * 20)
    events = await jobs.follow(jobs.ref(job))
    assert log(events) == text(lines(0, 40))
    assert statuses(events)[-1].status is Status.SUCCEEDED


async def test_while_the_service_does_not_answer_nobody_knows_how_the_job_stands(jobs: PaiJobs) -> None:
    job = jobs.service.add()
    job.run()
    async with jobs.following(jobs.ref(job)) as heard:
        await heard.until(Status.RUNNING)
        jobs.service.plan.extend([dropped] * 40)
        await heard.until(Status.UNKNOWN)
        heard.events.clear()
        await heard.until(Status.RUNNING)
        job.end()
        await heard.end()
    assert statuses(heard.events)[-1].status is Status.SUCCEEDED


async def test_a_cut_of_any_length_is_said_once_and_then_all_goes_on(jobs: PaiJobs) -> None:
    job = jobs.service.add()
    job.run()
    job.print("a")
    async with jobs.following(jobs.ref(job)) as heard:
        await heard.until("a")
        jobs.service.plan.extend([dropped] * 40)  # each call tries six times
        job.print("b")
        job.end()
        await heard.end()
    assert log(heard.events) == "a\nb\n"
    (notice,) = notices(heard.events)
    assert "It is tried again and again; the job itself goes on." in notice
    assert SECRET not in notice


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (code(403, "Forbidden.RAM"), AuthError),
        (code(404, "TrainingJobNotFound"), NotFoundError),
        (code(400, "InvalidParameter"), ProtocolError),
    ],
)
async def test_a_refusal_ends_following(jobs: PaiJobs, fault: Any, error: type[Exception]) -> None:  # Any: a fault
    job = jobs.service.add()
    jobs.service.plan.append(fault)
    with pytest.raises(error):
        await jobs.follow(jobs.ref(job))


async def test_a_ref_that_says_nothing_is_of_no_job(jobs: PaiJobs) -> None:
    with pytest.raises(ProtocolError):
        await jobs.follow(JobRef(backend="pai", job_id="j1", data={"kind": "training"}))
    with pytest.raises(NotFoundError):
        await jobs.follow(JobRef(backend="pai", job_id="j1"))


async def test_cancelling_touches_neither_job_nor_other_followers(jobs: PaiJobs) -> None:
    job = jobs.service.add()
    job.run()
    job.print("a")
    async with jobs.following(jobs.ref(job)) as other:
        async with aclosing(jobs.backend.follow(jobs.ref(job), {})) as stream:
            async for event in stream:
                if isinstance(event, LogChunk):
                    break
        job.end()
        await other.end()
    assert job.status == "Succeed"
    assert log(other.events) == "a\n"
    assert not jobs.backend._connections._shared._open
