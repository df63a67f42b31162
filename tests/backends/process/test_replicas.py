"""Replicas of a job that nobody follows: its kernel was killed. The cause is named, and nothing of the job stays."""

import asyncio
import os
import secrets
import signal
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from pai_jupyter import Job, JobFailed, JobStopped, attach
from pai_jupyter.events import ReplicaChanged, Status
from pai_jupyter.jobs import close_runtime
from pai_jupyter.package import build
from pai_jupyter.spec import JobRef, Role
from tests.support.local_jobs import Ended, LocalJobs, naps, until
from tests.support.patience import DEADLINE

AT_ONCE = 5.0  # seconds; on a busy machine all are gone within 1
KILLED = "killed by SIGKILL (exit code 137), as the system does when memory runs out"

KERNEL = """
import asyncio, pathlib, sys, time
from pai_jupyter.backends.process import ProcessBackend
from pai_jupyter.package import Package
from pai_jupyter.spec import JobSpec, Role

package = Package(path=pathlib.Path(sys.argv[1]), digest="", files=())
spec = eval(sys.argv[3])
asyncio.run(ProcessBackend().submit(spec, package, job_id=sys.argv[2]))
print("submitted", flush=True)
time.sleep(600)
"""

ANY_KERNEL = """
import sys, time
from pai_jupyter import JobSpec, submit
from pai_jupyter.spec import Role

print(submit(eval(sys.argv[1]), backend="process").id, flush=True)
time.sleep(600)
"""


@pytest.fixture
async def jobs(tmp_path: Path) -> AsyncIterator[LocalJobs]:
    jobs = LocalJobs(tmp_path)
    yield jobs
    await jobs.end()


@pytest.fixture(params=["bwrap", "proot", "plain"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("PAI_JUPYTER_ML", request.param)
    return str(request.param)


async def without_a_kernel(jobs: LocalJobs, **spec: object) -> JobRef:
    """Start a job from a process that is killed as soon as the job is submitted."""
    package = build(None, to=jobs.folder / "package.tar.gz", files={"train.py": b""})
    assert await killed(KERNEL, str(package.path), jobs.next_id, f"JobSpec(name='a', **{spec!r})") == "submitted"
    jobs.refs.append(JobRef(backend="process", job_id=jobs.next_id))
    return jobs.refs[-1]


async def killed(program: str, *words: str) -> str:
    """The first line that a program prints, which is killed then."""
    kernel = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", program, *words), stdout=asyncio.subprocess.PIPE, start_new_session=True
    )
    assert kernel.stdout is not None
    line = await kernel.stdout.readline()
    os.killpg(kernel.pid, signal.SIGKILL)
    await kernel.wait()
    return line.decode().rstrip("\n")


def processes_of(job_id: str) -> list[str]:
    """The processes that have the job in their command or in their variables: its supervisor, and all that it started."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            command = (folder / "cmdline").read_bytes()
            if job_id.encode() in command + (folder / "environ").read_bytes():
                found.append(f"{folder.name}: {command!r}")
    return found


async def is_gone(job_id: str) -> None:
    try:
        async with asyncio.timeout(AT_ONCE):
            await until(lambda: not processes_of(job_id))
    except TimeoutError:
        raise AssertionError(processes_of(job_id)) from None


def outcome(ended: Ended, replica: str) -> Status:
    return [event for event in ended.events if isinstance(event, ReplicaChanged) and event.replica == replica][
        -1
    ].status


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize(("rank", "name"), [(0, "master-0"), (2, "worker-1")])
@pytest.mark.parametrize("kind", ["PyTorchJob", "XGBoostJob"])
async def test_a_killed_replica_ends_the_job_and_is_its_cause(jobs: LocalJobs, kind: str, rank: int, name: str) -> None:
    word = f"600.{secrets.randbelow(10**9)}"
    ref = await without_a_kernel(jobs, command=f"sleep {word}$RANK; exit $?", job_type=kind, instance_count=3)
    await until(lambda: all(naps(f"{word}{each}") for each in range(3)))
    os.kill(naps(f"{word}{rank}")[0], signal.SIGKILL)
    await is_gone(ref.job_id)
    ended = await jobs.finish(ref)
    assert (ended.end.status, ended.end.reason) == (Status.FAILED, f"replica {name}: {KILLED}")
    others = {"master-0", "worker-0", "worker-1"} - {name}
    assert outcome(ended, name) is Status.FAILED
    assert {outcome(ended, other) for other in others} == {Status.STOPPED}


@pytest.mark.parametrize("name", ["chief-0", "ps-0", "worker-0", "evaluator-0"])
async def test_any_killed_replica_of_a_tensorflow_job_ends_it(jobs: LocalJobs, name: str) -> None:
    word = f"600.{secrets.randbelow(10**9)}"
    names = [f"{role}-0" for role in ("chief", "ps", "worker", "evaluator")]
    roles = tuple(Role(name=n[:-2], command=f"sleep {word}{i}; exit $?") for i, n in enumerate(names))
    ref = await without_a_kernel(jobs, command="true", job_type="TFJob", roles=roles)
    await until(lambda: all(naps(f"{word}{i}") for i in range(4)))
    os.kill(naps(f"{word}{names.index(name)}")[0], signal.SIGKILL)
    await is_gone(ref.job_id)
    ended = await jobs.finish(ref)
    assert (ended.end.status, ended.end.reason) == (Status.FAILED, f"replica {name}: {KILLED}")


@pytest.mark.usefixtures("way")
async def test_a_replica_that_cannot_start_ends_the_job_and_is_its_cause(jobs: LocalJobs) -> None:
    roles = (Role(name="master", command="sleep 600"), Role(name="worker", command="no-such-program"))
    ref = await without_a_kernel(jobs, command="true", job_type="PyTorchJob", roles=roles)
    await is_gone(ref.job_id)
    ended = await jobs.finish(ref)
    assert (ended.end.status, ended.end.reason) == (Status.FAILED, "replica worker-0: exit code 127")
    assert "no-such-program" in ended.log("worker-0")


@pytest.mark.usefixtures("way")
async def test_a_stop_ends_every_replica(jobs: LocalJobs) -> None:
    word = f"600.{secrets.randbelow(10**9)}"
    ref = await without_a_kernel(jobs, command=f"sleep {word}", instance_count=3)
    await until(lambda: len(naps(word)) == 3)
    await jobs.backend.stop(ref)
    await is_gone(ref.job_id)
    ended = await jobs.finish(ref)
    assert (ended.end.status, ended.end.reason) == (Status.STOPPED, "")
    assert {outcome(ended, name) for name in ("master-0", "worker-0", "worker-1")} == {Status.STOPPED}


@pytest.mark.usefixtures("way")
async def test_a_killed_elastic_worker_is_started_again_with_nobody_there(jobs: LocalJobs, tmp_path: Path) -> None:
    word = f"600.{secrets.randbelow(10**9)}"
    ref = await without_a_kernel(
        jobs, command=f"[ -e {tmp_path}/on ] || sleep {word}", job_type="ElasticBatchJob", instance_count=2
    )
    await until(lambda: len(naps(word)) == 2)
    (tmp_path / "on").touch()
    for pid in naps(word):
        os.kill(pid, signal.SIGKILL)
    await is_gone(ref.job_id)
    ended = await jobs.finish(ref)
    assert ended.end.status is Status.SUCCEEDED
    for name in ("worker-0", "worker-1"):
        assert "started again, 1 of 3 times" in ended.log(name)


@pytest.mark.usefixtures("way")
async def test_a_job_whose_kernel_was_killed_runs_to_its_end_and_is_followed_again(
    jobs: LocalJobs, tmp_path: Path
) -> None:
    command = f"echo rank $RANK; while [ ! -e {tmp_path}/on ]; do sleep 0.05; done; echo done"
    ref = await without_a_kernel(jobs, command=command, job_type="XGBoostJob", instance_count=3)
    following = asyncio.create_task(jobs.finish(ref))
    await jobs.printed(ref, "rank 2", "worker-1")
    (tmp_path / "on").touch()
    ended = await following
    assert ended.end.status is Status.SUCCEEDED
    assert [ended.log(name) for name in ("master-0", "worker-0", "worker-1")] == [f"rank {n}\ndone\n" for n in range(3)]
    await is_gone(ref.job_id)


# --- seen by who attaches --------------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    yield
    close_runtime()


async def attached(**spec: object) -> Job:
    """A job whose kernel was killed as soon as it was submitted, attached in another one."""
    return await asyncio.to_thread(attach, await killed(ANY_KERNEL, f"JobSpec(name='a', **{spec!r})"))


@pytest.mark.parametrize(("rank", "name"), [(0, "master-0"), (1, "worker-0"), (2, "worker-1")])
async def test_who_attaches_is_told_which_replica_failed(rank: int, name: str) -> None:
    word = f"600.{secrets.randbelow(10**9)}"
    job = await attached(command=f"sleep {word}$RANK; exit $?", instance_count=3)
    await until(lambda: all(naps(f"{word}{each}") for each in range(3)))
    os.kill(naps(f"{word}{rank}")[0], signal.SIGKILL)
    with pytest.raises(JobFailed, match=rf"failed: {name}: the job was killed \(SIGKILL\)"):
        await asyncio.to_thread(job.wait, DEADLINE)
    await is_gone(job.id)
    assert job.state.replicas[name].status is Status.FAILED


async def test_who_attaches_is_told_which_replica_could_not_start() -> None:
    roles = (Role(name="master", command="sleep 600"), Role(name="worker", command="no-such-program"))
    job = await attached(command="true", job_type="XGBoostJob", roles=roles)
    with pytest.raises(JobFailed, match="failed: worker-0: the command `no-such-program` was not found"):
        await asyncio.to_thread(job.wait, DEADLINE)
    await is_gone(job.id)


async def test_who_attaches_stops_every_replica() -> None:
    job = await attached(command="echo up; sleep 600", instance_count=3)
    await until(lambda: [line.text for line in job.logs()] == ["up"] * 3)
    await asyncio.to_thread(job.stop)
    with pytest.raises(JobStopped):
        await asyncio.to_thread(job.wait, DEADLINE)
    await is_gone(job.id)
