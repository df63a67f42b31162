"""Jobs of PAI at the emulator: faults on the way, kernels that are killed, the whole life of a job through `jobs`."""

import asyncio
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.backends.pai import PaiBackend
from pai_jupyter.backends.pai.following import followed_job, poll_schedule
from pai_jupyter.backends.pai.submission import creation
from pai_jupyter.cloud.client import paistudio
from pai_jupyter.errors import BackendError, JobFailed
from pai_jupyter.events import LogChunk, Status, StatusChanged
from pai_jupyter.jobs import close_runtime, submit
from pai_jupyter.package import build
from pai_jupyter.spec import JobSpec
from pai_jupyter.store import JobRecord, JobStore
from tests.support.emulators import DEADLINE, Emulator
from tests.support.pai_jobs import rehearsal, rehearsed
from tests.support.storages import read_tree, write_tree

__all__ = ["rehearsal", "rehearsed"]  # fixtures

PLAIN = JobSpec(name="a", command="python train.py $PAI_USER_ARGS", image_uri="img:1", instance_type="ecs.c6.large")
SCRIPT = b"""
import os, pathlib, time
for number in range(40):
    print("line", number, flush=True)
gate = os.environ.get("PROBE_GATE")
while gate and not os.path.exists(gate):
    time.sleep(0.01)
pathlib.Path(os.environ["PAI_OUTPUT_MODEL"], "model.bin").write_bytes(b"weights")
print("end")
"""
LINES = [*(f"line {number}" for number in range(40)), "end"]
LOG = "".join(f"{line}\n" for line in LINES)


@pytest.fixture
def emulator(rehearsal: Emulator, rehearsed: PaiBackend) -> Iterator[Emulator]:
    """The emulator without any faults, and this kernel's session there."""
    rehearsal.clear_faults()
    yield rehearsal
    rehearsal.clear_faults()
    close_runtime()


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "source", {"train.py": SCRIPT})


async def run(backend: PaiBackend, folder: Path, name: str, **fields: Any) -> tuple[str, StatusChanged]:
    """Submit and follow a job of this name; its log and its end. (Any: fields of a spec)"""
    spec = JobSpec(
        **{"name": name, "command": PLAIN.command, "image_uri": "img:1", **fields}, instance_type="ecs.c6.large"
    )
    job_id = f"j{time.time_ns()}"
    await asyncio.to_thread(JobStore().create, JobRecord(id=job_id, spec=spec, backend="pai", created=0.0))
    package = await asyncio.to_thread(build, None, to=folder / f"{job_id}.tar.gz", files={"train.py": SCRIPT})
    async with asyncio.timeout(DEADLINE):
        ref = await backend.submit(spec, package, job_id=job_id)
        events = [event async for event in backend.follow(ref, {})]
    end = events[-1]
    assert isinstance(end, StatusChanged)
    return b"".join(event.data for event in events if isinstance(event, LogChunk)).decode(), end


def jobs_with(emulator: Emulator, job_id: str) -> list[Any]:
    """The service's jobs with the label of ours. (Any: JSON)"""

    async def ask(client: Any) -> list[Any]:
        query = {"Labels": {"pai_jupyter_job_id": job_id}}
        return [item async for page in client.pages(paistudio.LIST_TRAINING_JOBS, query=query) for item in page]

    return emulator.ask(ask)


# --- faults ------------------------------------------------------------------------------------------------------

FAULTS = ("throttling", "server-error", "html", "lost-answer", "dropped", "truncated", "corrupted")
ACTIONS = ("CreateTrainingJob", "GetTrainingJob", "ListTrainingJobLogs", "OSS:PUT", "OSS:HEAD")


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("action", ACTIONS)
async def test_no_job_is_doubled_and_no_line_lost(
    rehearsed: PaiBackend,
    emulator: Emulator,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    fault: str,
    action: str,
) -> None:
    monkeypatch.setattr(creation, "PAUSES", (0.0, 0.1, 0.2))
    monkeypatch.setattr(poll_schedule, "SHORTEST", 0.2)
    emulator.fault(fault, action=action, times=1)
    before = len(await asyncio.to_thread(emulator.keys, "pai-jupyter/code/"))
    name = f"{action.replace(':', '-')} {fault}"
    log, end = await run(rehearsed, tmp_path, name, environments={"MARK": name})
    assert (log, end.status, end.exit_code) == (LOG, Status.SUCCEEDED, 0)
    async with emulator.client() as client:
        pages = client.pages(paistudio.LIST_TRAINING_JOBS, query={"TrainingJobName": name})
        assert len([item async for page in pages for item in page]) == 1
    assert len(await asyncio.to_thread(emulator.keys, "pai-jupyter/code/")) - before <= 1


@pytest.mark.parametrize("fault", ["late-logs", "late-instances", "slow"])
async def test_what_comes_late_is_waited_for(
    rehearsed: PaiBackend, emulator: Emulator, tmp_path: Path, fault: str
) -> None:
    log, end = await run(rehearsed, tmp_path, f"fault-{fault}")
    assert (log, end.status) == (LOG, Status.SUCCEEDED)


@pytest.mark.parametrize("fault", ["create-failed", "initialize-failed"])
async def test_a_job_that_never_ran_says_why(
    rehearsed: PaiBackend, emulator: Emulator, tmp_path: Path, fault: str
) -> None:
    log, end = await run(rehearsed, tmp_path, f"fault-{fault}")
    assert (log, end.status) == ("", Status.FAILED)
    assert fault in end.reason


def test_a_clock_and_a_token_that_are_wrong_for_a_while_end_nothing(
    emulator: Emulator, source: Path, tmp_path: Path
) -> None:
    gate = tmp_path / "open"
    job = submit(_with_source(source, environments={"PROBE_GATE": str(gate)}), backend="pai")
    _until(lambda: job.folder.log("master-0").count() >= 40)
    emulator.fault("skewed-clock", seconds=7200)
    emulator.fault("expired-token", action="GetTrainingJob")
    gate.touch()
    job.wait(DEADLINE)
    assert [line.text for line in job.logs()] == LINES


# --- through `jobs` ----------------------------------------------------------------------------------------------


def test_a_job_lives_through_submit_wait_and_fetch(emulator: Emulator, source: Path, tmp_path: Path) -> None:
    job = submit(_with_source(source, hyperparameters={"lr": 0.1}), backend="pai")
    job.wait(DEADLINE)
    assert [line.text for line in job.logs()] == LINES
    assert job.model_data() == f"oss://emulator/pai-jupyter/jobs/{job.id}/model/"
    assert emulator.get(f"pai-jupyter/jobs/{job.id}/model/model.bin") == b"weights"
    assert read_tree(job.fetch("model", tmp_path / "model")) == {"model.bin": b"weights"}
    assert job.url is None  # an emulator has no console


def test_a_job_that_fails_says_where_in_the_script(emulator: Emulator, tmp_path: Path) -> None:
    source = write_tree(tmp_path / "failing", {"train.py": b"def f():\n    raise ValueError('no data')\n\nf()\n"})
    with pytest.raises(JobFailed, match="ValueError: no data"):
        submit(_with_source(source), backend="pai").wait(DEADLINE)


def test_the_same_job_again_is_its_twin_and_sends_nothing_twice(
    emulator: Emulator, source: Path, tmp_path: Path
) -> None:
    spec = _with_source(source, environments={"PROBE_GATE": str(tmp_path / "open")})
    first, second = submit(spec, backend="pai"), submit(spec, backend="pai")
    assert first.folder.record.fingerprint == second.folder.record.fingerprint
    (tmp_path / "open").touch()
    for job in (first, second):
        job.wait(DEADLINE)
    assert first.model_data() != second.model_data()


@pytest.mark.parametrize("kind", ["directory", "archive"])
def test_code_in_oss_is_used_there(emulator: Emulator, source: Path, tmp_path: Path, kind: str) -> None:
    emulator.put("code/dir/train.py", SCRIPT)
    package = build(source, to=tmp_path / "code.tar.gz")
    emulator.put("code/code.tar.gz", package.path.read_bytes())
    place = "oss://emulator/code/" + {"directory": "dir/", "archive": "code.tar.gz"}[kind]
    sent = emulator.keys("pai-jupyter/code/")
    job = submit(_with_source(place), backend="pai")
    job.wait(DEADLINE)
    assert [line.text for line in job.logs()] == LINES
    assert emulator.keys("pai-jupyter/code/") == sent


def test_a_stopped_job_is_stopped(emulator: Emulator, source: Path, tmp_path: Path) -> None:
    job = submit(_with_source(source, environments={"PROBE_GATE": str(tmp_path / "never")}), backend="pai")
    _until(lambda: job.folder.log("master-0").count() >= 40)
    job.stop()
    _until(lambda: job.status.is_terminal)
    assert job.status is Status.STOPPED
    assert [line.text for line in job.logs()] == LINES[:40]


# --- what lies beside the channels -------------------------------------------------------------------------------

BESIDE = (
    b"import pathlib\nplace = pathlib.Path('/ml/output')\n(place / 'report 1').mkdir()\n"
    b"(place / 'report 1' / 'a.txt').write_text('a')\n(place / 'summary.txt').write_text('s')\n"
    b"(place / 'model' / 'm').write_text('m')\n"
)
TREE = {"report 1/a.txt": b"a", "summary.txt": b"s"}


def test_what_a_script_writes_beside_its_channels_lies_below_the_output_path(
    emulator: Emulator, tmp_path: Path
) -> None:
    source = write_tree(tmp_path / "beside", {"train.py": BESIDE})
    emulator.put("shared/of an earlier job.txt", "earlier")
    job = submit(_with_source(source, output_path="oss://emulator/shared/"), backend="pai")
    job.wait(DEADLINE)
    found = {key: emulator.get(f"shared/{key}") for key in TREE}
    assert found == TREE
    assert [key for key in emulator.keys("shared/") if "beside" in key] == []
    assert (emulator.get("shared/of an earlier job.txt"), emulator.get("shared/model/m")) == (b"earlier", b"m")
    assert not any("beside" in notice.text for notice in job.state.notices)


def test_it_is_fetched_as_an_output_here_and_there(
    emulator: Emulator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = write_tree(tmp_path / "beside", {"train.py": BESIDE})
    there = submit(_with_source(source), backend="pai")
    here = submit(JobSpec.from_json({**_with_source(source).to_json(), "instance_type": "local"}), backend="process")
    for name, job in (("there", there), ("here", here)):
        job.wait(DEADLINE)
        assert read_tree(job.fetch("beside_channels", tmp_path / name)) == TREE
    assert there.output("beside_channels") == f"oss://emulator/pai-jupyter/jobs/{there.id}/"
    assert here.output("beside_channels") == f"{here.folder.path}/output/"


LEFT = (
    b"import os, pathlib\npathlib.Path('plot 1.png').write_text('p')\nos.makedirs('runs/a b')\n"
    b"pathlib.Path('runs/a b/m.pt').write_text('m')\npathlib.Path('packed.txt').write_text('changed')\n"
    b"os.makedirs('.cache'); pathlib.Path('.cache/x').write_text('x')\nos.symlink('plot 1.png', 'latest.png')\n"
    b"os.mkfifo('pipe'); open('two\\nlines', 'w').close(); os.symlink('/etc/hostname', 'host')\n"
    b"print(*sorted(n for n in os.environ if 'WORKDIR' in n or n.startswith('pai_jupyter') or n.startswith('LOCAL_')))\n"
)


def test_what_a_script_leaves_in_its_working_directory_is_saved_and_told(emulator: Emulator, tmp_path: Path) -> None:
    files = {"train.py": LEFT, "packed.txt": b"x", "same.txt": b"x"}
    job = submit(_with_source(write_tree(tmp_path / "left", files)), backend="pai")
    job.wait(DEADLINE)
    assert read_tree(job.fetch("workdir", tmp_path / "fetched")) == {
        "plot 1.png": b"p",
        "runs/a b/m.pt": b"m",
        "packed.txt": b"changed",
    }
    assert [line.text for line in job.logs()] == [""]
    told = [notice.text for notice in job.state.notices if "beside the channels" in notice.text]
    assert told == ["3 files beside the channels: packed.txt, plot 1.png, runs/a b/m.pt, in Files below workdir."]
    (lost,) = [notice.text for notice in job.state.notices if "working directory" in notice.text]
    assert "are lost: host, pipe, two, lines. Up to 1 GiB is saved" in lost
    assert job.output("workdir") == f"oss://emulator/pai-jupyter/jobs/{job.id}/workdir/"
    assert not any(key.endswith("/same.txt") for key in emulator.keys(f"pai-jupyter/jobs/{job.id}/"))


def test_what_could_not_be_saved_is_told(emulator: Emulator, tmp_path: Path) -> None:
    script = b"import pathlib\npathlib.Path('/ml/output/lost.txt').write_text('x')\n"
    source = write_tree(tmp_path / "lost", {"train.py": script})
    outputs = {"beside_channels": "oss://emulator/of the user/"}
    job = submit(_with_source(source, outputs=outputs), backend="pai")
    job.wait(DEADLINE)
    (said,) = [notice.text for notice in job.state.notices if "beside its channels" in notice.text]
    assert "are lost: lost.txt" in said
    assert list(job.logs()) == []


def test_what_no_bucket_holds_is_named_and_the_rest_is_saved(emulator: Emulator, tmp_path: Path) -> None:
    script = (
        b"import os\nos.chdir('/ml/output')\nos.mkdir('run')\nopen('run/kept.txt', 'w').write('x')\n"
        b"os.mkfifo('run/pipe')\nos.symlink('/etc/hostname', 'host')\nopen(b'run/\\xff', 'w').close()\n"
        b"os.symlink('/ml/output/run/kept.txt', 'latest')\n"
    )
    source = write_tree(tmp_path / "odd", {"train.py": script})
    job = submit(_with_source(source, output_path="oss://emulator/odd/"), backend="pai")
    job.wait(DEADLINE)
    (said,) = [notice.text for notice in job.state.notices if "beside its channels" in notice.text]
    assert "are lost: host, run/pipe, run/?. Only files" in said
    assert (emulator.get("odd/run/kept.txt"), emulator.get("odd/latest")) == (b"x", b"x")


# --- what goes wrong meanwhile ------------------------------------------------------------------------------------


def test_an_emulator_that_is_gone_ends_nothing(
    tmp_path: Path, rehearsed: PaiBackend, monkeypatch: pytest.MonkeyPatch, emulator: Emulator, source: Path
) -> None:
    monkeypatch.setattr(followed_job, "RETRY", 0.1)
    gate = tmp_path / "open"
    job = submit(_with_source(source, environments={"PROBE_GATE": str(gate)}), backend="pai")
    _until(lambda: job.folder.log("master-0").count() >= 40)
    emulator.fault("dropped", action="GetTrainingJob", times=8)
    gate.touch()
    job.wait(DEADLINE)
    assert [line.text for line in job.logs()] == LINES


def test_an_output_that_was_never_written_is_said(emulator: Emulator, source: Path, tmp_path: Path) -> None:
    job = submit(_with_source(source), backend="pai")
    job.wait(DEADLINE)
    with pytest.raises(BackendError, match="there is nothing at"):
        job.fetch("checkpoints", tmp_path / "checkpoints")


def _with_source(source: Path | str, **fields: Any) -> JobSpec:  # Any: fields of a spec
    return JobSpec.from_json({**PLAIN.to_json(), "source_dir": str(source), **fields})


def _until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)
