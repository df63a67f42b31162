"""How replicas end and what is said of it: pure tables, no engine."""

from pathlib import Path

import pytest

from pai_jupyter.backends import LosesJobs
from pai_jupyter.backends.docker import script
from pai_jupyter.backends.docker.backend import DockerBackend
from pai_jupyter.backends.docker.deployment import Deployment
from pai_jupyter.backends.docker.following import end_of
from pai_jupyter.backends.docker.outcome import (
    ExitFacts,
    ReplicaExit,
    Verdict,
    explain,
    read_exit,
    read_time,
    read_usage,
    save_exit,
    verdict,
)
from pai_jupyter.events import Status, Usage
from pai_jupyter.store import JobStore

HERE = ExitFacts(image="python:3.11")


def ended(code: int, at: float = 1.0) -> ReplicaExit:
    return ReplicaExit(code=code, started=0.0, ended=at)


@pytest.mark.parametrize(
    ("exits", "expected"),
    [
        ({}, None),
        ({"chief-0": ended(0)}, Status.SUCCEEDED),
        ({"ps-0": ended(0)}, None),
        ({"ps-0": ended(1)}, Status.FAILED),
        ({"chief-0": ended(0, at=1), "ps-0": ended(143, at=2)}, Status.SUCCEEDED),  # stopped because the job had ended
        ({"chief-0": ended(0, at=2), "ps-0": ended(1, at=1)}, Status.FAILED),
    ],
)
def test_the_first_decisive_end_decides(exits: dict[str, ReplicaExit], expected: Status | None) -> None:
    found = verdict(exits, ["chief-0"])
    assert (found and found.status) == expected


def test_all_deciding_replicas_must_succeed() -> None:
    assert verdict({"worker-0": ended(0)}, ["worker-0", "worker-1"]) is None


def test_the_replica_that_failed_first_is_named() -> None:
    exits = {"worker-0": ended(143, at=9), "worker-1": ended(7, at=3)}
    assert verdict(exits, exits) == Verdict(status=Status.FAILED, exit_code=7, replica="worker-1", since=3.0)


def test_a_replica_that_ended_because_of_the_others_is_no_cause() -> None:
    """It may even have ended first: whoever failed had to clear up."""
    exits = {"worker-0": ended(143, at=1), "worker-1": ended(7, at=3)}
    found = verdict(exits, exits, dismissed={"worker-0"})
    assert found == Verdict(status=Status.FAILED, exit_code=7, replica="worker-1", since=3.0)
    assert verdict({"worker-0": ended(143)}, exits, dismissed={"worker-0"}) is None


@pytest.mark.parametrize(
    ("exits", "expected"),
    [
        ({}, Status.SUCCEEDED),
        ({"worker-0": ended(137, at=6)}, Status.SUCCEEDED),
        ({"worker-0": ended(137, at=4)}, Status.FAILED),
        ({"worker-0": ReplicaExit(code=None, is_gone=True)}, Status.SUCCEEDED),
    ],
)
def test_when_the_shards_are_done_no_failure_counts_any_more(
    exits: dict[str, ReplicaExit], expected: Status | None
) -> None:
    found = verdict(exits, ["worker-0", "worker-1"], done=5.0)
    assert (found and found.status) == expected


def test_a_success_says_since_when() -> None:
    exits = {"chief-0": ended(0, at=2), "worker-0": ended(1, at=3)}
    assert verdict(exits, ["chief-0"]) == Verdict(status=Status.SUCCEEDED, exit_code=0, since=2.0)


@pytest.mark.parametrize(
    ("end", "about", "words"),
    [
        (ended(3), HERE, "exit code 3"),
        (ended(script.NO_PYTHON), ExitFacts(image="busybox", has_run=False), "image 'busybox' has no `python`"),
        (ended(script.NO_PIP), ExitFacts(image="busybox", has_run=False), "image 'busybox' has no `pip`"),
        (ended(script.NO_REQUIREMENTS), ExitFacts(image="busybox", has_run=False), "requirements failed"),
        (ended(124, at=60.5), ExitFacts(image="x", max_run_time=60), "longer than max_run_time (60 s)"),
        (ended(124, at=59.7), ExitFacts(image="x", max_run_time=60), "longer than max_run_time (60 s)"),
        (ended(134), HERE, "killed by SIGABRT"),
        (ended(255), HERE, "exit code 255"),
        (ReplicaExit(code=137, is_out_of_memory=True), ExitFacts(image="x", memory="4g"), "(limit 4g)"),
        (ReplicaExit(code=137, is_out_of_memory=True), HERE, "the machine itself has no more"),
        (ReplicaExit(code=1, error="bad mount"), HERE, "(bad mount)"),
        (ReplicaExit(code=125, error="bad mount"), HERE, "the engine did not start its container: bad mount"),
        (ReplicaExit(code=125, error='exec: "sh": executable file not found'), HERE, "the image has no `sh`"),
        (ReplicaExit(code=None, is_gone=True), HERE, "removed by somebody else"),
        (ReplicaExit(code=255, is_lost=True), HERE, "the machine was restarted while it ran"),
        (ended(1), ExitFacts(image="x", full_disk=Path("/data")), "the disk that holds /data is full"),
    ],
)
def test_a_reason_names_its_cause(end: ReplicaExit, about: ExitFacts, words: str) -> None:
    assert words in explain(end, about)


@pytest.mark.parametrize("code", [script.NO_PYTHON, script.NO_PIP, script.NO_REQUIREMENTS, script.TIME_IS_UP])
def test_codes_of_ours_mean_nothing_when_the_command_itself_gives_them(code: int) -> None:
    assert explain(ended(code), ExitFacts(image="x", max_run_time=60)) == f"exit code {code}"


def test_a_recorded_end_reads_back(tmp_path: Path) -> None:
    end = ReplicaExit(code=3, started=1.5, ended=2.5, error="训练")
    save_exit(tmp_path, "worker-0", end)
    assert read_exit(tmp_path, "worker-0") == end
    assert [path.name for path in tmp_path.iterdir()] == ["worker-0.exit.json"]


@pytest.mark.parametrize(
    ("code", "booted", "is_lost"),
    [(255, 2_000_000_000.0, True), (143, 2_000_000_000.0, True), (1, 2_000_000_000.0, False), (143, 1.0, False)],
)
def test_a_container_of_an_earlier_boot_was_lost_unless_it_ended_by_itself(
    home: Path, code: int, booted: float, is_lost: bool
) -> None:
    state = {"ExitCode": code, "StartedAt": "2026-01-01T00:00:00Z", "FinishedAt": "2026-01-01T00:00:09Z"}
    end = ReplicaExit.from_state(state, booted=booted)
    assert end.is_lost is is_lost
    folder = JobStore().path("j")
    (folder / "run").mkdir(parents=True)
    save_exit(folder / "run", "worker-0", end)
    assert read_exit(folder / "run", "worker-0") == end
    backend = DockerBackend()
    assert isinstance(backend, LosesJobs)
    assert backend.is_lost(folder) is is_lost
    job = Deployment(job_id="j", engine="unix:///x", name="n", images={"w-0": "i"}, deciding=("w-0",), outputs=())
    assert end_of(job, {"w-0": end}).exit_code == (None if is_lost else code)


@pytest.mark.parametrize("content", ["", "{", "[]", '{"code": "0"}', '{"code": 0, "ended": 1e300}', "[" * 100_000])
def test_a_record_that_is_none_counts_as_missing(tmp_path: Path, content: str) -> None:
    (tmp_path / "worker-0.exit.json").write_text(content)
    assert read_exit(tmp_path, "worker-0") is None


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("2026-11-21T04:05:04.878278231Z", 1795233904.878278),
        ("2026-11-21T04:05:04Z", 1795233904.0),
        ("2026-11-21T06:05:04.5+02:00", 1795233904.5),
        ("0001-01-01T00:00:00Z", None),  # the engine's "never"
        ("", None),
    ],
)
def test_times_of_the_engine_are_read(text: str, seconds: float | None) -> None:
    assert read_time(text) == (None if seconds is None else pytest.approx(seconds))


@pytest.mark.parametrize(
    ("text", "cpu_time", "peak"),
    [
        ("0m0.00s 0m0.01s\n1m2.50s 0m0.25s\n1048576\n", 62.75, 1 << 20),  # dash, bash
        ("0m0.00s 0m0.01s\n0m0.02s 0m0.00s\n", 0.02, None),  # no cgroup to read
        ("0m0.00s 0m0.01s\n0m0.02s 0m0.00s\nmax\n", 0.02, None),
    ],
)
def test_usage_is_read_from_what_the_script_noted(tmp_path: Path, text: str, cpu_time: float, peak: int | None) -> None:
    (tmp_path / "w.usage").write_text(text)
    assert read_usage(tmp_path, "w", 9.0) == Usage(replica="w", time=9.0, cpu_time=cpu_time, peak_memory=peak)


@pytest.mark.parametrize(
    "text", ["", "garbage", "x\n1m2.5.5s 0m0s\n", "x\n0m0s 0m0s\n²\n", "x\n" + "9" * 5000 + "m0s 0m0s"]
)
def test_usage_of_a_container_that_was_killed_is_unknown(tmp_path: Path, text: str) -> None:
    (tmp_path / "w.usage").write_text(text)
    assert read_usage(tmp_path, "w", 9.0) is None
