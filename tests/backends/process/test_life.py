"""The life of a job in a local process: how it ends, what is ended with it, what it outlives."""

import asyncio
import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest

from pai_jupyter.backends.process.isolation import Isolation, has_own_processes
from pai_jupyter.backends.process.launch import _start
from pai_jupyter.errors import BackendError, SpecError
from pai_jupyter.events import Phase, PhaseChanged, Status, Usage
from pai_jupyter.package import build
from pai_jupyter.spec import JobRef, JobSpec, Role
from pai_jupyter.store import JobStore
from tests.support.local_jobs import LocalJobs, is_alive, naps, until
from tests.support.needs import lacking

SLEEP = "import time\nprint('ready', flush=True)\ntime.sleep(600)\n"
WAYS = ["bwrap", "proot", "plain"]


@pytest.fixture
async def jobs(tmp_path: Path) -> AsyncIterator[LocalJobs]:
    jobs = LocalJobs(tmp_path)
    yield jobs
    await jobs.end()


# --- how it ends -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "code", "reason"),
    [
        ("exit 3", 3, "exit code 3"),
        ("no-such-program", 127, "exit code 127"),
        ("kill -9 $$", 137, "killed by SIGKILL (exit code 137), as the system does when memory runs out"),
        ("kill -11 $$", 139, "killed by SIGSEGV (exit code 139)"),
        ("exit 255", 255, "exit code 255"),
    ],
)
async def test_a_failure_is_told_in_plain_words(jobs: LocalJobs, command: str, code: int, reason: str) -> None:
    ended = await jobs.run(command=command)
    assert (ended.end.status, ended.end.exit_code, ended.end.reason) == (Status.FAILED, code, reason)


@pytest.mark.parametrize("way", WAYS)
async def test_a_signal_comes_through_whatever_runs_the_command(
    jobs: LocalJobs, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    monkeypatch.setenv("PAI_JUPYTER_ML", way)
    ended = await jobs.run("import os\nos.kill(os.getpid(), 9)\n")
    assert ended.end.exit_code == 137


@pytest.mark.parametrize("way", WAYS)
async def test_cpu_time_and_peak_memory_are_those_of_the_command(
    jobs: LocalJobs, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    monkeypatch.setenv("PAI_JUPYTER_ML", way)
    ended = await jobs.run("import time\nblock = b'x' * 80_000_000\nwhile time.process_time() < 0.2: pass\n")
    usage = [event for event in ended.events if isinstance(event, Usage)][-1]
    assert usage.cpu_time is not None
    assert 0.2 <= usage.cpu_time < 5
    assert usage.peak_memory is not None
    assert 80e6 < usage.peak_memory < 200e6


async def test_max_run_time_ends_the_job_and_is_the_reason(jobs: LocalJobs) -> None:
    ended = await jobs.run(command="echo ready; sleep 600", max_run_time=3)  # a Python takes its time to say so
    assert (ended.end.status, ended.end.reason) == (Status.FAILED, "Time limit reached (3 s)")
    assert ended.log() == "ready\n"


async def test_stdout_and_stderr_keep_their_order(jobs: LocalJobs) -> None:
    script = "import sys\nfor i in range(200):\n    print(i, file=(sys.stdout, sys.stderr)[i % 2])\n"
    ended = await jobs.run(script)
    assert ended.log().split() == [str(i) for i in range(200)]


async def test_a_closed_pipe_ends_a_program_as_in_any_shell(jobs: LocalJobs) -> None:
    assert (await jobs.run(command="yes | head -n 1")).log() == "y\n"


async def test_signals_that_the_submitter_ignores_still_reach_the_job(jobs: LocalJobs) -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as an idle kernel of a notebook has it
    try:
        ended = await jobs.run("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nprint('still here')\n")
    finally:
        signal.signal(signal.SIGINT, before)
    assert "KeyboardInterrupt" in ended.log()


# --- what is ended with it ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
async def test_a_stopped_job_may_save_its_work_first(
    jobs: LocalJobs, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    monkeypatch.setenv("PAI_JUPYTER_ML", way)
    helper = "import time; time.sleep(0.2); print('saved')"
    save = (
        f"import signal, subprocess, sys\ndef save(*_): sys.exit(subprocess.call([sys.executable, '-c', {helper!r}]))\n"
    )
    ref = await jobs.start(save + "signal.signal(signal.SIGTERM, save)\n" + SLEEP)
    await jobs.printed(ref, "ready")
    await jobs.backend.stop(ref)
    ended = await jobs.finish(ref)
    assert (ended.end.status, ended.log()) == (Status.STOPPED, "ready\nsaved\n")


@pytest.mark.parametrize("way", WAYS)
async def test_a_job_that_ignores_term_is_killed_after_the_grace(
    jobs: LocalJobs, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    monkeypatch.setenv("PAI_JUPYTER_ML", way)
    jobs.backend.grace = 0.2
    ref = await jobs.start("import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n" + SLEEP)
    await jobs.printed(ref, "ready")
    await jobs.backend.stop(ref)
    assert (await jobs.finish(ref)).end.status is Status.STOPPED


FAMILY = """
import os, subprocess, sys, time
nap = [sys.executable, "-c", "import time; time.sleep(600)"]
child = subprocess.Popen(nap)
session = subprocess.Popen(nap, start_new_session=True)
bare = subprocess.Popen(nap, start_new_session=True, env={})
if not (orphan := os.fork()):
    os.setsid()
    if grandchild := os.fork():
        print(child.pid, session.pid, bare.pid, grandchild, flush=True)
        os._exit(0)
    time.sleep(600)
os.waitpid(orphan, 0)
"""


async def test_stop_ends_children_that_have_left_in_every_way(jobs: LocalJobs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAI_JUPYTER_ML", "plain")  # in a namespace of their own they have other numbers
    ref = await jobs.start(FAMILY + "print('ready')\ntime.sleep(600)\n")
    pids = [int(pid) for pid in (await jobs.printed(ref, "ready")).split()[:4]]
    assert all(map(is_alive, pids))
    await jobs.backend.stop(ref)
    await jobs.finish(ref)
    assert [pid for pid in pids if is_alive(pid)] == []


async def test_a_stubborn_child_is_killed_even_when_only_its_ended_parent_knew_it(
    jobs: LocalJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAI_JUPYTER_ML", "plain")
    jobs.backend.grace = 0.3
    nap = "import signal, time; signal.signal(15, signal.SIG_IGN); print('ready', flush=True); time.sleep(600)"
    family = f"import subprocess, sys\nchild = subprocess.Popen([sys.executable, '-c', {nap!r}], start_new_session=True, env={{}})\n"
    ref = await jobs.start(family + "print(child.pid, flush=True)\nchild.wait()\n")
    pid = next(int(word) for word in (await jobs.printed(ref, "ready")).split() if word.isdigit())
    await jobs.backend.stop(ref)
    assert (await jobs.finish(ref)).end.status is Status.STOPPED
    assert not is_alive(pid)


async def test_what_a_command_leaves_running_ends_with_it(jobs: LocalJobs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAI_JUPYTER_ML", "plain")
    ended = await jobs.run(FAMILY)
    assert ended.end.status is Status.SUCCEEDED
    assert [pid for pid in ended.log().split() if is_alive(int(pid))] == []


ESCAPES = {
    "a session": "setsid NAP &",
    "a session and no environment": "setsid env -i NAP &",
    "nohup": "nohup env -i NAP >/dev/null 2>&1 &",
    "two forks": "(setsid env -i sh -c '(NAP &)' &)",
    "no open file": "setsid env -i sh -c 'exec NAP <&- >&- 2>&-' &",
}


@pytest.mark.parametrize("escape", ESCAPES)
@pytest.mark.parametrize("way", ["bwrap", "plain"])  # proot goes on for as long as one of its processes does
async def test_nothing_that_a_command_starts_outlives_it(
    jobs: LocalJobs, monkeypatch: pytest.MonkeyPatch, way: str, escape: str
) -> None:
    monkeypatch.setenv("PAI_JUPYTER_ML", way)
    word = f"600.{secrets.randbelow(10**9)}"
    ended = await jobs.run(command=ESCAPES[escape].replace("NAP", f"sleep {word}") + "\nsleep 0.2; exit 3")
    assert (ended.end.status, ended.end.exit_code) == (Status.FAILED, 3)
    assert naps(word) == []


@pytest.mark.parametrize("way", WAYS)
async def test_nothing_outlives_a_stopped_job(jobs: LocalJobs, monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    monkeypatch.setenv("PAI_JUPYTER_ML", way)
    word = f"600.{secrets.randbelow(10**9)}"
    lines = [escape.replace("NAP", f"sleep {word}") for escape in ESCAPES.values()]
    ref = await jobs.start(command="\n".join([*lines, "echo ready; sleep 600"]))
    await jobs.printed(ref, "ready")
    await until(lambda: len(naps(word)) == len(ESCAPES))
    await jobs.backend.stop(ref)
    assert (await jobs.finish(ref)).end.status is Status.STOPPED
    assert naps(word) == []


async def test_nothing_outlives_a_killed_supervisor_where_the_job_has_a_namespace(jobs: LocalJobs) -> None:
    if not has_own_processes(Isolation.BWRAP):
        lacking("bubblewrap", "bwrap gets no PID namespace here")
    word = f"600.{secrets.randbelow(10**9)}"
    ref = await jobs.start(command=f"setsid env -i sleep {word} &\necho ready; sleep 600")
    await jobs.printed(ref, "ready")
    await until(lambda: len(naps(word)) == 1)
    os.kill(int(str(ref.data["pid"])), signal.SIGKILL)
    await until(lambda: naps(word) == [])


async def test_adopted_processes_that_have_ended_are_let_go(jobs: LocalJobs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAI_JUPYTER_ML", "plain")
    ref = await jobs.start(command="for i in 1 2 3 4 5 6 7 8 9; do (setsid true &); done; echo ready; sleep 600")
    await jobs.printed(ref, "ready")
    supervisor = psutil.Process(int(str(ref.data["pid"])))
    await until(lambda: len(supervisor.children()) == 1)


@pytest.mark.parametrize("way", WAYS)
async def test_a_script_may_save_its_work_when_its_shell_has_ended(
    jobs: LocalJobs, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    monkeypatch.setenv("PAI_JUPYTER_ML", way)
    save = "import signal, sys, time\ndef save(*_): time.sleep(1.5); print('saved'); sys.exit()\n"
    ref = await jobs.start(
        save + "signal.signal(signal.SIGTERM, save)\n" + SLEEP, command="python train.py; echo after"
    )
    await jobs.printed(ref, "ready")
    await jobs.backend.stop(ref)
    assert (await jobs.finish(ref)).log() == "ready\nsaved\n"


@pytest.mark.parametrize("way", ["bwrap", "plain"])
async def test_what_a_command_leaves_running_is_told_before_it_is_killed(
    jobs: LocalJobs, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    monkeypatch.setenv("PAI_JUPYTER_ML", way)
    left = "sh -c 'trap \"echo told; exit\" TERM; echo ready >flag; while :; do sleep 0.05; done' &"
    ended = await jobs.run(command=left + "\nwhile [ ! -e flag ]; do sleep 0.01; done; exit 4")
    assert "told\n" in ended.log()  # its shell may speak of the nap that was ended, too
    assert ended.end.exit_code == 4


async def test_a_process_with_a_used_number_is_never_signalled(jobs: LocalJobs) -> None:
    ref = await jobs.start()
    ended = await jobs.finish(ref)
    with subprocess.Popen(["sleep", "600"]) as innocent:  # noqa: ASYNC220  starting it takes no time
        file = ended.folder / "run" / "supervisor.json"
        file.write_text(json.dumps({**json.loads(file.read_text()), "pid": innocent.pid}))
        (ended.folder / "run" / "exit.json").unlink()
        await jobs.backend.stop(ref)
        assert innocent.poll() is None
        innocent.kill()
    assert (await jobs.backend.status(ref)).status is Status.FAILED


# --- what it outlives --------------------------------------------------------------------------------------------


async def test_a_job_is_nobodys_child(jobs: LocalJobs) -> None:
    ref = await jobs.start(SLEEP)
    supervisor = psutil.Process(int(str(ref.data["pid"])))
    assert os.getpid() not in [parent.pid for parent in supervisor.parents()]
    assert os.getsid(supervisor.pid) == supervisor.pid
    assert [child for child in psutil.Process().children() if child.status() == psutil.STATUS_ZOMBIE] == []


SUBMITTER = """
import asyncio, os, pathlib, signal, sys
from pai_jupyter.backends import get_backend
from pai_jupyter.package import Package
from pai_jupyter.spec import JobSpec

package = Package(path=pathlib.Path(sys.argv[1]), digest="", files=())
spec = JobSpec(name="a", command="python train.py", inputs={"gate": sys.argv[2]})
asyncio.run(get_backend("process").submit(spec, package, job_id=sys.argv[3]))
os.kill(os.getpid(), signal.SIGKILL)
"""


async def test_a_job_outlives_its_killed_submitter(jobs: LocalJobs, tmp_path: Path) -> None:
    script = "import os, time\nprint(1)\nwhile not os.listdir(os.environ['PAI_INPUT_GATE']): time.sleep(.01)\nprint(2)"
    package = build(None, to=tmp_path / "package.tar.gz", files={"train.py": script.encode()})
    (tmp_path / "gate").mkdir()
    words = [sys.executable, "-c", SUBMITTER, str(package.path), str(tmp_path / "gate"), jobs.next_id]
    assert subprocess.run(words, check=False).returncode == -signal.SIGKILL  # noqa: ASYNC221  milliseconds
    jobs.refs.append(JobRef(backend="process", job_id=jobs.next_id))
    (tmp_path / "gate" / "open").touch()
    ended = await jobs.finish(jobs.refs[0])
    assert (ended.log(), ended.end.status) == ("1\n2\n", Status.SUCCEEDED)


async def test_a_second_supervisor_of_a_job_goes_away(jobs: LocalJobs) -> None:
    ended = await jobs.run("print('once')")
    _start(ended.folder, os.environ)  # as a submitter would that died before it could see the first one
    assert (await jobs.finish(ended.ref)).log() == "once\n"


@pytest.mark.parametrize("way", ["bwrap", "plain"])
async def test_a_killed_supervisor_is_a_failure_with_a_reason(
    jobs: LocalJobs, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    if way == "bwrap" and not has_own_processes(Isolation.BWRAP):
        lacking("bubblewrap", "bwrap gets no PID namespace here")
    monkeypatch.setenv("PAI_JUPYTER_ML", way)
    ref = await jobs.start(SLEEP)
    await jobs.printed(ref, "ready")
    following = asyncio.create_task(jobs.finish(ref))
    os.kill(int(str(ref.data["pid"])), signal.SIGKILL)
    ended = await following
    left = f"; processes of the job may still run: %pai_stop {ref.job_id} ends them" if way == "plain" else ""
    assert (ended.end.status, ended.end.reason) == (Status.FAILED, "its supervisor was killed" + left)


async def test_stop_ends_what_a_killed_supervisor_has_left(jobs: LocalJobs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAI_JUPYTER_ML", "plain")
    ref = await jobs.start("import os\nprint(os.getpid(), flush=True)\n" + SLEEP)
    pid = int((await jobs.printed(ref, "ready")).split()[0])
    supervisor = int(str(ref.data["pid"]))
    os.kill(supervisor, signal.SIGKILL)
    await until(lambda: not is_alive(supervisor))
    await jobs.backend.stop(ref)
    assert not is_alive(pid)
    assert (await jobs.backend.status(ref)).status is Status.FAILED


async def test_a_cancelled_submission_leaves_no_job_running(jobs: LocalJobs) -> None:
    submission = asyncio.create_task(jobs.start(SLEEP))
    await until(lambda: bool(jobs.refs))
    run = jobs.folder_of(jobs.refs[0]) / "run"
    await until(run.exists)
    submission.cancel()
    with pytest.raises(asyncio.CancelledError):
        await submission
    await until((run / "exit.json").exists)
    assert (await jobs.finish(jobs.refs[0])).end.status is Status.STOPPED


@pytest.mark.parametrize("way", WAYS)
async def test_a_job_can_be_stopped_as_soon_as_it_has_a_name(
    jobs: LocalJobs, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    monkeypatch.setenv("PAI_JUPYTER_ML", way)
    for _ in range(8):
        ref = await jobs.start(SLEEP)
        stopped = time.monotonic()
        await jobs.backend.stop(ref)
        assert (await jobs.finish(ref)).end.status is Status.STOPPED
        assert time.monotonic() - stopped < jobs.backend.grace, "it was not asked, but killed when its time was over"


@pytest.mark.parametrize("way", ["bwrap", "plain"])
async def test_a_job_whose_home_is_deleted_goes_on_until_it_is_stopped(
    jobs: LocalJobs, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    monkeypatch.setenv("PAI_JUPYTER_ML", way)
    word = f"600.{secrets.randbelow(10**9)}"
    ref = await jobs.start(command=f"echo ready; sleep {word}")
    await jobs.printed(ref, "ready")
    shutil.rmtree(JobStore().home)
    await until(lambda: len(naps(word)) == 1)
    await jobs.backend.stop(ref)
    await until(lambda: not is_alive(int(str(ref.data["pid"]))))
    assert naps(word) == []


async def test_what_a_killed_supervisor_has_left_is_found_without_the_folder(
    jobs: LocalJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAI_JUPYTER_ML", "plain")
    word = f"600.{secrets.randbelow(10**9)}"
    ref = await jobs.start(command=f"echo ready; sleep {word}")
    await jobs.printed(ref, "ready")
    os.kill(int(str(ref.data["pid"])), signal.SIGKILL)
    await until(lambda: not is_alive(int(str(ref.data["pid"]))))
    shutil.rmtree(JobStore().home)
    assert await jobs.backend.stop_removed(ref.job_id)
    assert naps(word) == []
    assert not await jobs.backend.stop_removed(ref.job_id)


# --- replicas ----------------------------------------------------------------------------------------------------

TELL = "import os\nprint(*(os.environ[n] for n in ('RANK', 'WORLD_SIZE', 'MASTER_ADDR', 'MASTER_PORT')))\n"


async def test_replicas_find_each_other_on_this_machine(jobs: LocalJobs) -> None:
    ended = await jobs.run(TELL, instance_count=3)
    told = [ended.log(name).split() for name in ("master-0", "worker-0", "worker-1")]
    assert [words[:2] for words in told] == [[str(rank), "3"] for rank in range(3)]
    [(address, _)] = {tuple(words[2:]) for words in told}
    assert address.startswith("127.")


async def test_a_failed_replica_stops_the_others_and_is_named(jobs: LocalJobs) -> None:
    ended = await jobs.run("import os\nif os.environ['RANK'] == '2': exit(4)\n" + SLEEP, instance_count=3)
    assert (ended.end.status, ended.end.exit_code) == (Status.FAILED, 4)
    assert ended.end.reason == "replica worker-1: exit code 4"


async def test_replicas_that_only_serve_end_with_the_job(jobs: LocalJobs) -> None:
    roles = (Role(name="chief"), Role(name="ps", command="sleep 600"))
    ended = await jobs.run("print('trained')", job_type="TFJob", roles=roles)
    assert (ended.end.status, ended.log("chief-0")) == (Status.SUCCEEDED, "trained\n")


async def test_each_replica_enters_its_phases_once(jobs: LocalJobs) -> None:
    ended = await jobs.run(instance_count=2)
    phases = [(e.replica, e.phase, e.offset) for e in ended.events if isinstance(e, PhaseChanged)]
    assert sorted(phases) == [("master-0", Phase.RUNNING, 0), ("worker-0", Phase.RUNNING, 0)]


# --- before anything is started ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"instance_type": "ecs.gn6"}, "`instance_type` is 'ecs.gn6' but backend 'process' runs only 'local'"),
        ({"options": {"process.memory": "1g"}}, "backend 'process' has no option 'process.memory'; it has none."),
        ({"inputs": {"train": "/no/such"}}, "input 'train': there is no /no/such."),
        ({"inputs": {"train": "s3://bucket/x/"}}, "`inputs` has 's3://bucket/x/', which jobs on this machine"),
        ({"inputs": {"train": "oss://bucket/x/"}}, "input 'train': the address of the bucket is unknown."),
        (
            {"inputs": {"train": "nas://1.cn/x"}},
            "input 'train' is 'nas://1.cn/x', which PAI mounts and this machine does",
        ),
        ({"options": {"local.mounts": {}}}, "backend 'process' has no option 'local.mounts'; it has local.gpus, "),
        ({"inputs": {"train": "~nobody-here/x"}}, "`inputs` has '~nobody-here/x': "),
        ({"outputs": {"model": "oss://bucket/m/"}}, "`outputs` has 'oss://bucket/m/', which jobs"),
        (
            {"outputs": {"model": "/etc/passwd/m"}},
            "output 'model' is to go to /etc/passwd/m, but /etc/passwd is a file",
        ),
        ({"output_path": "nas://x"}, "`output_path` has 'nas://x', which jobs"),
        ({"source_dir": "git@host:a/b"}, "`source_dir` is 'git@host:a/b', which backend 'process' cannot read yet."),
        ({"image_uri": "python:3.11"}, "note: the image python:3.11 is not used by the process backend."),
        (
            {"roles": (Role(name="ps", image_uri="foo:1"),), "job_type": "TFJob"},
            "note: the image foo:1 is not used by the process backend.",
        ),
    ],
)
def test_what_cannot_be_honoured_is_said_in_one_sentence(
    jobs: LocalJobs, given: dict[str, object], sentence: str
) -> None:
    spec = JobSpec(**{"name": "a", "command": "true", **given})  # type: ignore[arg-type]  # a table of fields
    [said] = jobs.backend.check(spec)
    assert said.startswith(sentence)


@pytest.mark.skipif(Path("/dev/nvidia0").exists(), reason="this machine has a GPU")
def test_a_gpu_that_is_not_there_is_missed(jobs: LocalJobs) -> None:
    [said] = jobs.backend.check(JobSpec(name="a", command="true", instance_type="local_gpu"))
    assert said == "`instance_type` is 'local_gpu', but this machine has no NVIDIA GPU. Use --instance-type local."


@pytest.mark.parametrize(
    ("given", "count"),
    [
        ({"instance_type": "local_gpu", "instance_count": 3}, 3),
        ({"roles": (Role(name="master"), Role(name="worker", instance_count=2, instance_type="local_gpu"))}, 2),
        ({"roles": (Role(name="master", instance_type="local_gpu"), Role(name="worker"))}, 0),
        ({"instance_type": "local_gpu"}, 0),
    ],
)
def test_replicas_that_share_the_gpus_are_told_so(
    jobs: LocalJobs, monkeypatch: pytest.MonkeyPatch, given: dict[str, object], count: int
) -> None:
    monkeypatch.setattr("pai_jupyter.backends.process.backend.count_gpus", lambda: 4)
    spec = JobSpec(**{"name": "a", "command": "true", **given})  # type: ignore[arg-type]  # a table of fields
    said = jobs.backend.check(spec)
    assert [sentence.partition(" that ask")[0] for sentence in said] == [f"note: each of the {count} replicas"] * bool(
        count
    )


async def test_the_gpus_of_a_role_are_its_replicas(jobs: LocalJobs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pai_jupyter.backends.process.backend.count_gpus", lambda: 4)
    roles = (Role(name="master"), Role(name="worker", instance_type="local_gpu"))
    ended = await jobs.run(command="echo gpus: $NVIDIA_VISIBLE_DEVICES", roles=roles)
    assert (ended.log("master-0"), ended.log("worker-0")) == ("gpus:\n", "gpus: 0,1,2,3\n")


async def test_a_refused_submission_leaves_nothing_behind(jobs: LocalJobs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAI_JUPYTER_ML", "chroot")
    with pytest.raises(SpecError, match="one of bwrap, proot, plain, auto"):
        await jobs.start()
    assert list(JobStore().path(jobs.refs[0].job_id).iterdir()) == []


async def test_a_damaged_package_leaves_nothing_behind(jobs: LocalJobs, tmp_path: Path) -> None:
    package = build(None, to=tmp_path / "package.tar.gz", files={"train.py": b"x" * 100_000})
    package.path.write_bytes(package.path.read_bytes()[:40])
    with pytest.raises(Exception, match="damaged"):
        await jobs.backend.submit(JobSpec(name="a", command="true"), package, job_id=jobs.next_id)
    assert list(JobStore().path(jobs.next_id).iterdir()) == []


async def test_a_home_that_cannot_be_written_is_an_error_of_ours(
    jobs: LocalJobs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("PAI_JUPYTER_HOME", str(tmp_path / "file" / "home"))
    with pytest.raises(BackendError, match="cannot use"):
        await jobs.start()
