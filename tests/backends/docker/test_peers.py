"""The scripts of a job's containers and each other, with nobody following: the real text as process 1 of a PID namespace.

Without an engine: bubblewrap binds what an engine would. tests/backends/docker/test_replicas.py has the same in containers.
"""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.backends.docker import peers, script
from pai_jupyter.backends.docker.changes import PeerNotes, dismissed
from pai_jupyter.backends.docker.deployment import Deployment
from pai_jupyter.backends.docker.following import decide, end_of
from pai_jupyter.backends.docker.outcome import ReplicaExit
from pai_jupyter.backends.process.supervisor.shards import LEFT
from pai_jupyter.events import ReplicaChanged, Status
from pai_jupyter.spec import JobSpec, Role
from tests.support.needs import need_program
from tests.support.patience import DEADLINE

SHELLS = {"dash": ["dash"], "bash": ["bash", "--posix"], "busybox": ["busybox", "sh"]}
SYSTEM = ("--ro-bind", "/usr", "/usr", "--symlink", "usr/bin", "/bin", "--symlink", "usr/lib", "/lib")
FOREVER = "exec sleep 600"
SOON = 20.0  # seconds; 3 on a quiet machine


class Scripts:
    """Runs the scripts of one job, each as process 1 of its own."""

    def __init__(self, shell: str, **spec: Any) -> None:  # Any: fields of the spec
        self.spec = JobSpec(name="a", command="true", image_uri="image", **spec)
        self.job = Deployment.plan(self.spec, "job-1", "unix:///nowhere")
        self.shell = SHELLS[shell]
        self.path = "/usr/bin"
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        self.ml = self.job.folder / "ml"
        for folder in (self.job.run, self.ml):
            folder.mkdir(parents=True, exist_ok=True)
        if self.job.is_coordinated:
            peers.make_files(self.job)

    def start(self, replica: str, command: str, *, limit: int | None = None) -> "Scripts":
        words = script.container_command(["sh", "-c", command], limit=limit, peers=peers.rules(self.job, replica))
        binds = ["--bind", str(self.ml), "/ml"]
        for place in (script.LOG, script.PHASES, script.USAGE):
            self._file(replica, place).touch()
            binds += ["--bind", str(self._file(replica, place)), place]
        if self.job.is_coordinated:
            binds += ["--bind", str(self.job.run / peers.HISTORY), peers.REPLICAS]
            binds += ["--ro-bind", str(self.job.run / peers.PIPES), peers.ALIVE]
        if Path("/lib64").exists():
            binds += ["--symlink", "usr/lib64", "/lib64"]
        self.running[replica] = subprocess.Popen(
            [
                *("bwrap", "--unshare-pid", "--as-pid-1", "--die-with-parent", "--setenv", "PATH", self.path),
                *(*SYSTEM, *binds, "--proc", "/proc", "--dev", "/dev", "--chdir", "/ml", *self.shell, *words),
            ],
            stdin=subprocess.DEVNULL,
        )
        return self

    def log(self, replica: str) -> str:
        return self._file(replica, script.LOG).read_text()

    def printed(self, replica: str, text: str) -> None:
        wait_for(lambda: text in self.log(replica))

    def signal(self, replica: str, number: signal.Signals) -> None:
        """Signal process 1 of the replica, as `docker kill` and `docker stop` do."""
        (child,) = (
            Path(f"/proc/{self.running[replica].pid}/task/{self.running[replica].pid}/children").read_text().split()
        )
        os.kill(int(child), number)

    def code(self, replica: str) -> int:
        """Wait for the replica's end; 128 + N if signal N killed it."""
        return self.running[replica].wait(DEADLINE)

    def ends(self) -> dict[str, str]:
        history = PeerNotes(self.job)
        list(history.read())
        return history.ends

    def attempts(self, replica: str) -> list[tuple[Status, int, int | None]]:
        found: list[ReplicaChanged] = [each for each in PeerNotes(self.job).read() if each.replica == replica]
        return [(each.status, each.attempt, each.exit_code) for each in found]

    def _file(self, replica: str, place: str) -> Path:
        return self.job.run / f"{replica}.{Path(place).name}"


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


every_shell = pytest.mark.parametrize("shell", SHELLS)


@pytest.fixture
def shell() -> str:
    return "dash"


@pytest.fixture
def scripts(shell: str) -> Iterator[Callable[..., Scripts]]:
    need_program("bwrap")
    made: list[Scripts] = []

    def scripts(**spec: Any) -> Scripts:  # Any: fields of the spec
        made.append(Scripts(shell, **spec))
        return made[-1]

    yield scripts
    for each in made:
        for process in each.running.values():
            process.kill()
            process.wait()


def torch(scripts: Callable[..., Scripts], count: int = 3) -> Scripts:
    job = scripts(job_type="PyTorchJob", instance_count=count)
    for name in job.job.replicas:
        job.start(name, f"echo begun; {FOREVER}")
    for name in job.job.replicas:
        job.printed(name, "begun")
    return job


# --- a failure ---------------------------------------------------------------------------------------------------


@every_shell
def test_a_replica_that_fails_ends_the_others(scripts: Callable[..., Scripts]) -> None:
    job = scripts(job_type="PyTorchJob", instance_count=3)
    job.start("master-0", FOREVER).start("worker-1", FOREVER).start("worker-0", "sleep 0.2; exit 5")
    assert job.code("worker-0") == 5
    failed = time.monotonic()
    assert [job.code(name) for name in ("master-0", "worker-1")] == [143, 143]
    assert time.monotonic() - failed < SOON
    assert job.ends() == {"worker-0": "failed", "master-0": "stopped", "worker-1": "stopped"}
    assert dismissed(job.job) == {"master-0", "worker-1"}


@every_shell
@pytest.mark.parametrize("name", ["master-0", "worker-1"])
def test_a_container_that_is_killed_ends_the_others(scripts: Callable[..., Scripts], name: str) -> None:
    job = torch(scripts)
    job.signal(name, signal.SIGKILL)
    assert job.code(name) == 137
    killed = time.monotonic()
    assert {job.code(other) for other in job.job.replicas if other != name} == {143}
    assert time.monotonic() - killed < SOON
    assert job.ends()[name] == "failed"


def test_a_killed_one_is_noticed_though_its_neighbour_has_ended_well(scripts: Callable[..., Scripts]) -> None:
    job = scripts(job_type="PyTorchJob", instance_count=4)
    for name in ("master-0", "worker-1", "worker-2"):
        job.start(name, f"echo begun; {FOREVER}")
        job.printed(name, "begun")
    assert job.start("worker-0", "true").code("worker-0") == 0
    job.signal("worker-1", signal.SIGKILL)
    assert [job.code(name) for name in ("master-0", "worker-2")] == [143, 143]
    assert job.ends() == {"worker-0": "succeeded", "worker-1": "failed", "master-0": "stopped", "worker-2": "stopped"}


def test_one_that_is_stopped_from_outside_ends_the_others(scripts: Callable[..., Scripts]) -> None:
    job = torch(scripts, 2)
    job.signal("worker-0", signal.SIGTERM)
    assert [job.code(name) for name in ("worker-0", "master-0")] == [143, 143]
    assert job.ends() == {"worker-0": "terminated", "master-0": "stopped"}


@every_shell
def test_the_time_limit_of_one_ends_the_others(scripts: Callable[..., Scripts]) -> None:
    job = scripts(job_type="PyTorchJob", instance_count=2)
    job.start("master-0", FOREVER).start("worker-0", FOREVER, limit=1)
    assert [job.code(name) for name in ("worker-0", "master-0")] == [124, 143]
    assert job.ends() == {"worker-0": "failed", "master-0": "stopped"}


def test_one_that_is_told_to_end_may_save_its_work(scripts: Callable[..., Scripts]) -> None:
    job = scripts(job_type="PyTorchJob", instance_count=2)
    job.start("master-0", "trap 'sleep 0.5; echo saved; exit 0' TERM; echo begun; while :; do sleep 0.1; done")
    job.printed("master-0", "begun")
    job.start("worker-0", "exit 1")
    assert job.code("master-0") == 143
    assert "saved" in job.log("master-0")


@every_shell
def test_one_that_hangs_is_ended_too(scripts: Callable[..., Scripts]) -> None:
    job = scripts(job_type="PyTorchJob", instance_count=2)
    job.start("master-0", "echo begun; kill -STOP $$; sleep 600").start("worker-0", "sleep 1; exit 1")
    begun = time.monotonic()
    assert job.code("master-0") == 143  # a stopped process gets TERM when it is continued, and need not be killed
    assert time.monotonic() - begun < SOON


def test_an_image_without_sleep_says_what_is_missing(scripts: Callable[..., Scripts]) -> None:
    job = scripts(job_type="PyTorchJob", instance_count=2)
    (job.ml / "bin").mkdir()
    (job.ml / "bin" / "sh").symlink_to("/usr/bin/dash")
    job.path = "/ml/bin"
    job.shell = ["/usr/bin/dash"]
    assert job.start("worker-0", "exit 3").code("worker-0") == 3
    assert "this image has no sleep, so this replica ends because of the others only while" in job.log("worker-0")
    assert job.ends() == {"worker-0": "failed"}


def test_a_lone_replica_looks_at_nobody(scripts: Callable[..., Scripts]) -> None:
    job = scripts(job_type="PyTorchJob")
    assert job.start("master-0", "ls /.pai; exit 4").code("master-0") == 4
    assert job.log("master-0").split() == ["log", "phases", "usage"]


# --- a success ---------------------------------------------------------------------------------------------------


def test_workers_of_xgboost_run_on_and_their_failure_changes_nothing(scripts: Callable[..., Scripts]) -> None:
    job = scripts(job_type="XGBoostJob", instance_count=3)
    job.start("worker-0", "sleep 4; echo done").start("worker-1", "sleep 3; exit 7").start("master-0", "true")
    assert [job.code(name) for name in ("master-0", "worker-1", "worker-0")] == [0, 7, 0]
    assert job.log("worker-0") == "done\n"


def test_a_parameter_server_ends_at_once_and_a_worker_only_later(scripts: Callable[..., Scripts]) -> None:
    job = scripts(
        job_type="TFJob", roles=(Role(name="chief"), Role(name="ps"), Role(name="worker"), Role(name="evaluator"))
    )
    assert job.job.lasts == {"chief-0": 0.0, "ps-0": 0.0, "worker-0": 30.0, "evaluator-0": 0.0}
    job.job = replace(job.job, lasts={**job.job.lasts, "worker-0": 9.0})
    for name in ("ps-0", "worker-0", "evaluator-0"):
        job.start(name, f"echo begun; {FOREVER}")
        job.printed(name, "begun")
    job.start("chief-0", "true")
    ended = time.monotonic()
    assert [job.code(name) for name in ("chief-0", "ps-0", "evaluator-0")] == [0, 143, 143]
    assert job.running["worker-0"].poll() is None
    assert job.code("worker-0") == 143
    assert 8 < time.monotonic() - ended < 9 + SOON


def test_replicas_that_all_decide_wait_for_each_other(scripts: Callable[..., Scripts]) -> None:
    job = scripts(job_type="PyTorchJob", instance_count=3)
    job.start("master-0", "true").start("worker-0", "true").start("worker-1", "sleep 3; echo done")
    assert [job.code(name) for name in job.job.replicas] == [0, 0, 0]
    assert job.log("worker-1") == "done\n"


# --- another attempt ---------------------------------------------------------------------------------------------


@every_shell
def test_a_worker_that_fails_is_started_again_in_the_same_log(scripts: Callable[..., Scripts]) -> None:
    job = scripts(job_type="ElasticBatchJob", instance_count=2).start("worker-1", "sleep 4")
    command = (
        "echo begun; [ -e twice ] && exit 0; [ -e once ] && touch twice && kill -KILL $$; touch once; printf x; exit 3"
    )
    assert job.start("worker-0", command).code("worker-0") == 0
    said = "begun\nx\npai_jupyter: worker-0 failed (exit code 3); started again, 1 of 3 times\n"
    said += "begun\npai_jupyter: worker-0 failed (SIGKILL); started again, 2 of 3 times\nbegun"
    assert [line for line in job.log("worker-0").splitlines() if "Killed" not in line] == said.splitlines()
    assert job.attempts("worker-0") == [
        (Status.FAILED, 0, 3),
        (Status.RUNNING, 1, None),
        (Status.FAILED, 1, 137),
        (Status.RUNNING, 2, None),
    ]
    assert job.code("worker-1") == 0


def test_it_is_started_three_times_at_most_and_then_ends_the_others(scripts: Callable[..., Scripts]) -> None:
    job = scripts(job_type="ElasticBatchJob", instance_count=2).start("worker-1", FOREVER)
    assert job.start("worker-0", "echo try; exit 9").code("worker-0") == 9
    assert job.log("worker-0").count("try\n") == 4
    assert job.code("worker-1") == 143
    assert job.ends() == {"worker-0": "failed", "worker-1": "stopped"}


@every_shell
def test_what_a_failed_attempt_left_is_gone_when_the_next_one_begins(scripts: Callable[..., Scripts]) -> None:
    job = scripts(job_type="ElasticBatchJob")
    left = (
        "[ -e once ] && { kill -0 $(cat left) && echo lives; exit 0; }; touch once; sleep 600 & echo $! >left; exit 1"
    )
    assert job.start("worker-0", left).code("worker-0") == 0
    assert "lives" not in job.log("worker-0")


@every_shell
def test_the_time_limit_counts_over_all_attempts_and_starts_none(scripts: Callable[..., Scripts]) -> None:
    job = scripts(job_type="ElasticBatchJob")
    begun = time.monotonic()
    job.start("worker-0", "[ -e once ] && sleep 600; touch once; sleep 1; exit 1", limit=7)
    assert job.code("worker-0") == 124
    assert 6 < time.monotonic() - begun < 7 + SOON
    assert job.attempts("worker-0") == [(Status.FAILED, 0, 1), (Status.RUNNING, 1, None)]


@every_shell
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGUSR1])
def test_a_stop_starts_nothing_again(scripts: Callable[..., Scripts], number: signal.Signals) -> None:
    job = scripts(job_type="ElasticBatchJob").start("worker-0", f"echo begun; {FOREVER}")
    job.printed("worker-0", "begun")
    job.signal("worker-0", number)
    assert job.code("worker-0") == 143
    assert job.log("worker-0") == "begun\n"


def test_an_image_without_python_is_not_tried_again(scripts: Callable[..., Scripts]) -> None:
    job = scripts(job_type="ElasticBatchJob")
    (job.ml / "bin").mkdir()
    job.path = "/ml/bin"
    job.shell = ["/usr/bin/dash"]
    assert job.start("worker-0", "python x").code("worker-0") == script.NO_PYTHON
    assert job.attempts("worker-0") == []


@every_shell
def test_sizes_that_were_refused_are_not_tried_again(scripts: Callable[..., Scripts]) -> None:
    job = scripts(job_type="ElasticBatchJob", instance_count=2).start("worker-1", FOREVER)
    assert job.start("worker-0", f"echo 'other sizes' >{peers.ALL_DONE}.refused; exit 1").code("worker-0") == 1
    assert job.attempts("worker-0") == []
    assert job.code("worker-1") == 143
    exits = {"worker-0": ReplicaExit(code=1, ended=1.0), "worker-1": ReplicaExit(code=143, ended=2.0)}
    end = end_of(job.job, exits)
    assert (end.status, end.reason, end.exit_code) == (Status.FAILED, "pai_shards: other sizes", None)


def test_a_job_whose_workers_all_leave_shards_has_failed(scripts: Callable[..., Scripts]) -> None:
    job = scripts(job_type="ElasticBatchJob", instance_count=2)
    for replica in ("worker-0", "worker-1"):
        assert job.start(replica, f"touch {peers.ALL_DONE}.left").code(replica) == 0
    exits = {name: ReplicaExit(code=0, ended=1.0) for name in ("worker-0", "worker-1")}
    assert decide(job.job, {"worker-0": exits["worker-0"]}) is None
    end = end_of(job.job, exits)
    assert (end.status, end.reason) == (Status.FAILED, LEFT)
    job.job.all_done.touch()  # type: ignore[union-attr]  # the job has shards
    assert end_of(job.job, exits).status is Status.SUCCEEDED


# --- shards ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["kill -STOP $$; sleep 600", "trap '' TERM; sleep 600"])
def test_when_all_shards_are_done_a_worker_that_hangs_is_ended(scripts: Callable[..., Scripts], command: str) -> None:
    job = scripts(job_type="ElasticBatchJob", instance_count=2)
    job.start("worker-0", f"echo begun; {command}").printed("worker-0", "begun")
    assert job.start("worker-1", f"touch {peers.ALL_DONE}; exit 3").code("worker-1") == 3
    assert job.attempts("worker-1") == []  # nothing is left to do, so it is not started again
    assert job.code("worker-0") == 143
    assert dismissed(job.job) == {"worker-0"}


# --- what a job can do to it -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "written", ["\\377\\n", "worker-0 failed 0 1 1\\n", "worker-9 succeeded\\n", "\\n\\n", "a b c d e\\n"]
)
def test_garbage_in_the_file_ends_nobody(scripts: Callable[..., Scripts], written: str) -> None:
    job = scripts(job_type="PyTorchJob", instance_count=2)
    job.start("master-0", f"printf '{written}' >>{peers.REPLICAS}; sleep 3; echo done").start("worker-0", "sleep 3")
    assert [job.code(name) for name in job.job.replicas] == [0, 0]


def test_a_job_cannot_replace_what_its_scripts_share(scripts: Callable[..., Scripts]) -> None:
    job = scripts(job_type="PyTorchJob", instance_count=2).start("worker-0", "sleep 1")
    job.start(
        "master-0",
        f"rm -f {peers.ALIVE}/worker-0; ln -sf /etc/passwd {peers.ALIVE}/x; rm -f {peers.REPLICAS}; ls {peers.ALIVE}",
    )
    assert [job.code(name) for name in job.job.replicas] == [0, 0]
    assert job.log("master-0").split()[-2:] == ["master-0", "worker-0"]
    assert (job.job.run / peers.HISTORY).is_file()
