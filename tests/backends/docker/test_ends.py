"""How jobs in containers end, by themselves and otherwise, and what is said of it."""

import secrets
import shutil
import time
from collections.abc import Callable
from dataclasses import replace

import pytest

from pai_jupyter.backends.docker import following
from pai_jupyter.events import Notice, Status, Usage
from pai_jupyter.package import Package
from pai_jupyter.spec import JobSpec, Role
from pai_jupyter.store import JobStore
from tests.support.docker_jobs import Jobs, end, ended_by_itself, log, log_has, only
from tests.support.patience import DEADLINE

pytestmark = pytest.mark.docker

every_shell = pytest.mark.parametrize("shell", ["full", "dash", "bash"])  # busybox's is in the full image


@pytest.mark.parametrize(
    ("command", "code", "reason"),
    [
        ("exit 3", 3, "exit code 3"),
        ("no-such-program", 127, "is not in image"),
        ("/ml/usercode/train.py", 126, "cannot be executed"),
        ("kill -SEGV $$", 139, "killed by SIGSEGV"),
        ("kill -KILL $$", 137, "killed (SIGKILL)"),
        ("exit 97", 97, "exit code 97"),  # ours, but not while the command runs
        ("exit 124", 124, "exit code 124"),
    ],
)
async def test_a_failure_is_explained(jobs: Jobs, spec: JobSpec, command: str, code: int, reason: str) -> None:
    last = end(await jobs.run(replace(spec, command=command)))
    assert (last.status, last.exit_code) == (Status.FAILED, code)
    assert reason in last.reason
    assert "max_run_time" not in last.reason


async def test_out_of_memory_names_the_limit(jobs: Jobs, spec: JobSpec) -> None:
    files = {"train.py": "x = []\nwhile True:\n    x.append(bytearray(b'1' * (8 << 20)))\n"}
    last = end(await jobs.run(replace(spec, options={"docker.memory": "48m"}), files))
    assert (last.status, last.exit_code) == (Status.FAILED, 137)
    assert "out of memory (limit 48m)" in last.reason


@every_shell
async def test_max_run_time_ends_the_whole_job(
    jobs: Jobs, spec: JobSpec, image_of: Callable[[str], str], shell: str
) -> None:
    wanted = replace(spec, image_uri=image_of(shell), command="sleep 300 & sleep 300", max_run_time=1)
    last = end(await jobs.run(wanted))
    assert last.status is Status.FAILED
    assert "longer than max_run_time (1 s)" in last.reason


async def test_a_full_disk_is_told_while_the_job_runs_for_its_log_may_lack_lines(
    jobs: Jobs, spec: JobSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "full_disk", lambda folder: folder)
    events = await jobs.run(replace(spec, command="sleep 3"))
    told = [event.text for event in events if isinstance(event, Notice)]
    assert ["may be missing from its log" in text for text in told] == [True]


async def test_max_run_time_needs_no_follower(jobs: Jobs, spec: JobSpec) -> None:
    ref = await jobs.start(replace(spec, command="sleep 300", max_run_time=1))
    assert (await ended_by_itself(jobs.backend, ref)).status is Status.FAILED


@every_shell
async def test_stop_lets_everything_inside_end_by_itself(
    jobs: Jobs, spec: JobSpec, image_of: Callable[[str], str], shell: str
) -> None:
    script = """\
import signal, sys, time
def save(*_):
    time.sleep(0.5)
    print("saved", flush=True)
    sys.exit(0)
signal.signal(signal.SIGTERM, save)
print("ready", flush=True)
time.sleep(300)
"""
    wanted = replace(spec, image_uri=image_of(shell), command="python train.py && echo not reached")
    ref = await jobs.start(wanted, {"train.py": script})
    await log_has(ref, "ready")
    await jobs.backend.stop(ref)
    events = await jobs.events(ref)
    assert (end(events).status, log(events)) == (Status.STOPPED, "ready\nsaved\n")


@pytest.mark.parametrize("shell", ["dash", "bash"])  # busybox has no `env --default-signal`
async def test_a_script_can_be_interrupted_from_inside(
    jobs: Jobs, spec: JobSpec, image_of: Callable[[str], str], shell: str
) -> None:
    files = {"train.py": "import signal\nprint(signal.getsignal(signal.SIGINT) is signal.default_int_handler)\n"}
    assert log(await jobs.run(replace(spec, image_uri=image_of(shell)), files)) == "True\n"


async def test_stop_kills_what_does_not_listen(jobs: Jobs, spec: JobSpec) -> None:
    command = "trap '' TERM; echo ready; while true; do sleep 1; done"
    ref = await jobs.start(replace(spec, command=command))
    await log_has(ref, "ready")
    begun = time.monotonic()
    await jobs.backend.stop(ref)
    assert end(await jobs.events(ref)).status is Status.STOPPED
    assert 9 < time.monotonic() - begun < DEADLINE


async def test_a_job_whose_record_is_gone_is_ended_by_its_label(
    jobs: Jobs, spec: JobSpec, pack: Callable[..., Package]
) -> None:
    job_id = f"job-{secrets.token_hex(4)}"  # an engine is shared by all who work on this machine
    wanted = replace(spec, command="echo ready; sleep 600", instance_count=2)
    ref = await jobs.backend.submit(wanted, pack(None), job_id=job_id)
    await log_has(ref, "ready")
    shutil.rmtree(JobStore().path(job_id))
    assert await jobs.backend.stop_removed(job_id)
    assert not await jobs.backend.stop_removed(job_id)


async def test_stopping_twice_or_after_the_end_changes_nothing(jobs: Jobs, spec: JobSpec) -> None:
    ref = await jobs.start(spec)
    first = end(await jobs.events(ref))
    await jobs.backend.stop(ref)
    await jobs.backend.stop(ref)
    assert end(await jobs.events(ref)) == first
    assert first.status is Status.SUCCEEDED


async def test_a_failing_replica_ends_the_others(jobs: Jobs, spec: JobSpec) -> None:
    command = 'if [ "$RANK" = 1 ]; then exit 5; else sleep 300; fi'
    events = await jobs.run(replace(spec, command=command, instance_count=2))
    assert (end(events).status, end(events).exit_code) == (Status.FAILED, 5)
    assert end(events).reason == "worker-0: exit code 5"


async def test_a_parameter_server_ends_with_its_workers(jobs: Jobs, spec: JobSpec) -> None:
    roles = (Role(name="chief"), Role(name="ps", command="sleep 300"))
    events = await jobs.run(replace(spec, job_type="TFJob", roles=roles))
    assert end(events).status is Status.SUCCEEDED
    assert log(events, "chief-0") == "trained\n"


async def test_cpu_time_and_peak_memory_are_recorded(jobs: Jobs, spec: JobSpec) -> None:
    script = (
        "import time\nx = b'1' * (32 << 20)\nend = time.process_time() + 0.3\nwhile time.process_time() < end: pass\n"
    )
    usage = only(await jobs.run(spec, {"train.py": script}), Usage)[-1]
    assert isinstance(usage, Usage)
    assert usage.cpu_time is not None
    assert 0.3 <= usage.cpu_time < 5
    assert usage.peak_memory is not None
    assert usage.peak_memory > 32 << 20
