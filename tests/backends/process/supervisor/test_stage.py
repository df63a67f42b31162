"""What the end of one replica means for the others: who runs on, who is ended, who is started again."""

import signal
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter import contract
from pai_jupyter.backends.process.launch import _write_order
from pai_jupyter.backends.process.supervisor.logs import LogWriter
from pai_jupyter.backends.process.supervisor.member import ReplicaProcess
from pai_jupyter.backends.process.supervisor.outcome import failure, has_succeeded
from pai_jupyter.events import Status, Usage
from pai_jupyter.spec import JobRef, Role
from tests.support.local_jobs import LocalJobs, until

WAYS = ["bwrap", "plain"]
INDEX = "index=$(echo $ELASTICBATCH_CONFIG | tr -dc 0-9); "


@pytest.fixture
async def jobs(tmp_path: Path) -> AsyncIterator[LocalJobs]:
    jobs = LocalJobs(tmp_path)
    yield jobs
    await jobs.end()


def history_of(jobs: LocalJobs, ref: JobRef) -> str:
    """What the supervisor has noted of the replicas so far."""
    path = jobs.folder_of(ref) / "run" / "replicas"
    return path.read_text() if path.exists() else ""


def by_role(**commands: str) -> tuple[Role, ...]:
    return tuple(Role(name=name, command=command) for name, command in commands.items())


# --- after the success -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
async def test_workers_of_an_xgboost_job_run_to_their_own_end(
    jobs: LocalJobs, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    monkeypatch.setenv("PAI_JUPYTER_ML", way)
    script = "import os, time\nif int(os.environ['RANK']): time.sleep(0.5)\nprint('rank', os.environ['RANK'])\n"
    ended = await jobs.run(script, job_type="XGBoostJob", instance_count=3)
    assert ended.end.status is Status.SUCCEEDED
    assert [ended.log(name) for name in ("master-0", "worker-0", "worker-1")] == ["rank 0\n", "rank 1\n", "rank 2\n"]


async def test_a_worker_that_fails_after_the_masters_success_changes_nothing(jobs: LocalJobs, tmp_path: Path) -> None:
    roles = by_role(master="exit 0", worker=f"while [ ! -e {tmp_path}/master ]; do sleep 0.05; done; echo late; exit 3")
    ref = await jobs.start(job_type="XGBoostJob", roles=roles)
    await until(lambda: "master-0 succeeded" in history_of(jobs, ref))
    (tmp_path / "master").touch()
    ended = await jobs.finish(ref)
    assert (ended.end.status, ended.end.exit_code, ended.log("worker-0")) == (Status.SUCCEEDED, 0, "late\n")
    assert "worker-0 failed 0 3 " in history_of(jobs, ref)


async def test_the_time_limit_ends_what_runs_on_after_the_success(jobs: LocalJobs) -> None:
    started = time.monotonic()
    ended = await jobs.run(job_type="XGBoostJob", roles=by_role(master="exit 0", worker="sleep 600"), max_run_time=2)
    assert (ended.end.status, ended.end.reason) == (Status.SUCCEEDED, "")
    assert time.monotonic() - started >= 2


async def test_a_stop_ends_what_runs_on_after_the_success(jobs: LocalJobs) -> None:
    ref = await jobs.start(job_type="XGBoostJob", roles=by_role(master="exit 0", worker="sleep 600"))
    await until(lambda: "master-0 succeeded" in history_of(jobs, ref))
    await jobs.backend.stop(ref)
    assert (await jobs.finish(ref)).end.status is Status.SUCCEEDED
    assert "worker-0 stopped 0 143 " in history_of(jobs, ref)


@pytest.mark.parametrize("way", WAYS)
async def test_servers_end_at_once_and_workers_may_last(
    jobs: LocalJobs, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, way: str
) -> None:
    monkeypatch.setenv("PAI_JUPYTER_ML", way)
    serve = f"trap 'touch {tmp_path}/served; exit 0' TERM; touch {tmp_path}/serves; sleep 600 & wait"
    lead = f"while [ ! -e {tmp_path}/serves ]; do sleep 0.05; done"
    work = f"while [ ! -e {tmp_path}/served ]; do sleep 0.05; done; echo all is done"
    roles = by_role(chief=lead, ps=serve, worker=work, evaluator="sleep 600")
    ended = await jobs.run(job_type="TFJob", roles=roles)
    assert (ended.end.status, ended.log("worker-0")) == (Status.SUCCEEDED, "all is done\n")
    told = [line.split()[:4] for line in (ended.folder / "run" / "replicas").read_text().splitlines()]
    assert {name: status for name, status, *_ in told} == {
        "chief-0": "succeeded",
        "worker-0": "succeeded",
        "ps-0": "succeeded",  # it was ended, and took it well
        "evaluator-0": "stopped",
    }


async def test_workers_that_last_too_long_are_ended(jobs: LocalJobs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[contract.policy.__module__], "_WORKERS_MAY_LAST", 1.0)
    started = time.monotonic()
    ended = await jobs.run(job_type="TFJob", roles=by_role(chief="exit 0", ps="sleep 600", worker="sleep 600"))
    assert ended.end.status is Status.SUCCEEDED
    assert time.monotonic() - started >= 1
    assert "worker-0 stopped 0 143 " in (ended.folder / "run" / "replicas").read_text()


@pytest.mark.parametrize("way", WAYS)
async def test_a_server_that_defies_its_end_is_killed_while_workers_last(
    jobs: LocalJobs, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, way: str
) -> None:
    monkeypatch.setenv("PAI_JUPYTER_ML", way)
    jobs.backend.grace = 1.0
    beat = tmp_path / "beat"
    defy = f"trap '' TERM; while :; do touch {beat}; sleep 0.1; done"
    work = f"while [ -e {beat} ]; do rm {beat}; sleep 0.8; done; echo it is gone"
    roles = by_role(chief=f"while [ ! -e {beat} ]; do sleep 0.05; done", ps=defy, worker=f"sleep 0.5; {work}")
    ended = await jobs.run(job_type="TFJob", roles=roles)
    assert (ended.end.status, ended.log("worker-0")) == (Status.SUCCEEDED, "it is gone\n")
    assert "ps-0 stopped 0 137 " in (ended.folder / "run" / "replicas").read_text()


async def test_a_replica_that_ends_well_when_the_job_is_stopped_was_stopped(jobs: LocalJobs) -> None:
    wait = "trap 'exit 0' TERM; echo ready; sleep 600 & wait"
    ref = await jobs.start(command=wait, instance_count=2)
    await jobs.printed(ref, "ready", "master-0")
    await jobs.printed(ref, "ready", "worker-0")
    await jobs.backend.stop(ref)
    assert (await jobs.finish(ref)).end.status is Status.STOPPED
    assert [history_of(jobs, ref).count(f"{name} stopped 0 0 ") for name in ("master-0", "worker-0")] == [1, 1]


async def test_an_order_of_an_older_version_ends_all_at_once(jobs: LocalJobs, monkeypatch: pytest.MonkeyPatch) -> None:
    def write(run: Path, order: dict[str, Any]) -> None:  # Any: values of an order
        for replica in order["replicas"]:
            del replica["lasts"], replica["restarts"]
        _write_order(run, order)  # type: ignore[arg-type]  # as it was

    monkeypatch.setattr(sys.modules[_write_order.__module__], "_write_order", write)
    ended = await jobs.run(job_type="XGBoostJob", roles=by_role(master="exit 0", worker="sleep 600"))
    assert ended.end.status is Status.SUCCEEDED


# --- restarts ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
async def test_a_killed_worker_of_an_elastic_job_is_started_again(
    jobs: LocalJobs, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, way: str
) -> None:
    monkeypatch.setenv("PAI_JUPYTER_ML", way)
    script = (
        "import json, os, pathlib\n"
        "index = json.loads(os.environ['ELASTICBATCH_CONFIG'])['task']['index']\n"
        f"mark = pathlib.Path({str(tmp_path)!r}) / f'tried-{{index}}'\n"
        "print('worker', index, end='', flush=True)\n"
        "if index == 1 and not mark.exists():\n"
        "    mark.touch()\n"
        "    os.kill(os.getpid(), 9)\n"
        "print(' is done')\n"
    )
    command = "exec python train.py"  # without a shell, which would say that its command was killed
    ended = await jobs.run(script, command=command, job_type="ElasticBatchJob", instance_count=2)
    assert ended.end.status is Status.SUCCEEDED
    assert ended.log("worker-0") == "worker 0 is done\n"
    assert ended.log("worker-1") == (
        "worker 1\npai_jupyter: worker-1 failed (SIGKILL); started again, 1 of 3 times\nworker 1 is done\n"
    )


async def test_a_worker_that_always_fails_fails_the_job_after_its_last_attempt(jobs: LocalJobs) -> None:
    started = time.monotonic()
    ended = await jobs.run(
        command=INDEX + '[ "$index" = 0 ] || { echo try; exit 5; }; sleep 600',
        job_type="ElasticBatchJob",
        instance_count=2,
    )
    assert (ended.end.status, ended.end.reason) == (Status.FAILED, "replica worker-1: exit code 5")
    assert ended.log("worker-1").split("\n")[::2] == ["try"] * 4
    assert ended.log("worker-1").count("started again") == 3
    assert time.monotonic() - started >= 0.5 + 1 + 2
    told = [line.split()[:4] for line in (ended.folder / "run" / "replicas").read_text().splitlines()]
    assert [words for words in told if words[0] == "worker-1"] == [
        words
        for attempt in "0123"
        for words in (["worker-1", "running", attempt, "-"], ["worker-1", "failed", attempt, "5"])
    ]
    assert told[-1][:2] == ["worker-0", "stopped"]


async def test_what_a_failed_attempt_left_is_ended_before_the_next(
    jobs: LocalJobs, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PAI_JUPYTER_ML", "plain")
    tried = tmp_path / "tried"
    command = (
        f"if [ -e {tried} ]; then kill -0 $(cat {tried}) || echo gone; else sleep 600 & echo $! > {tried}; exit 1; fi"
    )
    ended = await jobs.run(command=command, job_type="ElasticBatchJob")
    assert ended.end.status is Status.SUCCEEDED
    assert ended.log("worker-0").endswith("gone\n")


async def test_cpu_time_and_memory_are_those_of_all_attempts(jobs: LocalJobs, tmp_path: Path) -> None:
    script = (
        f"import os, pathlib, time\nmark = pathlib.Path({str(tmp_path / 'tried')!r})\n"
        "block = b'x' * (1 if mark.exists() else 80_000_000)\n"
        "while time.process_time() < 0.3: pass\n"
        "if not mark.exists(): mark.touch(); os._exit(1)\n"
    )
    ended = await jobs.run(script, job_type="ElasticBatchJob")
    usage = [event for event in ended.events if isinstance(event, Usage)][-1]
    assert 0.6 <= (usage.cpu_time or 0) < 10
    assert (usage.peak_memory or 0) > 80e6


async def test_a_job_can_be_stopped_between_two_attempts(jobs: LocalJobs) -> None:
    ref = await jobs.start(command="exit 1", job_type="ElasticBatchJob")
    await until(lambda: "failed 2 " in history_of(jobs, ref))  # the next one is 2 s away
    await jobs.backend.stop(ref)
    assert (await jobs.finish(ref)).end.status is Status.STOPPED
    assert "running 3" not in history_of(jobs, ref)


@pytest.mark.parametrize("kind", ["TFJob", "PyTorchJob", "XGBoostJob"])
async def test_other_jobs_start_nothing_again(jobs: LocalJobs, kind: str) -> None:
    ended = await jobs.run(command="echo once; exit 1", job_type=kind)
    name = "worker-0" if kind == "TFJob" else "master-0"
    assert (ended.end.status, ended.log(name)) == (Status.FAILED, "once\n")


# --- the rules ---------------------------------------------------------------------------------------------------


def member(
    tmp_path: Path, name: str, exit_code: int | None, *, decides: bool = True, restarts: int = 0
) -> ReplicaProcess:
    made = ReplicaProcess(name, [], {}, LogWriter(str(tmp_path / name)), decides=decides, restarts=restarts)
    made.exit_code = exit_code
    return made


def test_of_replicas_that_fail_together_a_killed_one_is_the_cause(tmp_path: Path) -> None:
    both = [member(tmp_path, "master-0", 1), member(tmp_path, "worker-0", 128 + signal.SIGKILL)]
    found = failure(both)
    assert found is not None
    assert (found.replica, found.exit_code) == ("worker-0", 137)


def test_a_replica_with_attempts_left_is_no_failure(tmp_path: Path) -> None:
    failed = member(tmp_path, "worker-0", 1, restarts=1)
    assert failure([failed]) is None
    failed.attempt = 1
    assert failure([failed]) is not None


def test_where_no_replica_decides_all_do(tmp_path: Path) -> None:
    both = [member(tmp_path, f"ps-{index}", code, decides=False) for index, code in enumerate((0, None))]
    assert not has_succeeded(both)
    both[1].exit_code = 0
    assert has_succeeded(both)
