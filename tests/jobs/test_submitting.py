"""A submission starts one job, or leaves nothing behind: refused, unpackable, interrupted early or late."""

import asyncio
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pai_jupyter.errors import BackendError, JobDetached, LimitExceededError, PackageError, SpecError
from pai_jupyter.events import JobState
from pai_jupyter.jobs import Target, draft, list_jobs, submit
from pai_jupyter.package import Package
from pai_jupyter.spec import JobRef, JobSpec
from pai_jupyter.store import JobFolder
from tests.fakes.troubled import TroubledBackend, installed
from tests.support.programs import FORTY, Program
from tests.support.runs import interrupt_when, left_behind, run
from tests.support.started import DEADLINE, begin, prepare, until

pytestmark = pytest.mark.usefixtures("backend")  # most jobs are of the backend `fake`


@pytest.mark.parametrize("error", [BackendError("the service refuses."), LimitExceededError("the disk is full.")])
def test_a_refused_submission_leaves_nothing_behind(backend: TroubledBackend, error: BackendError) -> None:
    backend.refusal = error
    with pytest.raises(type(error), match=str(error)):
        begin(FORTY)
    assert left_behind() == []
    assert list_jobs() == []


def test_a_source_that_cannot_be_packed_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "out").symlink_to("/etc/passwd")
    with pytest.raises(PackageError, match="leaves the source directory"):
        submit(JobSpec(name="a", command="true", source_dir=tmp_path / "src"), backend="fake")
    assert left_behind() == []


def test_what_the_backend_cannot_honour_is_said_before_anything_is_packed() -> None:
    with pytest.raises(SpecError, match="there is no 'huge' here"):
        submit(JobSpec(name="a", command="true", instance_type="huge"), backend="fake")
    assert left_behind() == []


def test_a_draft_that_is_not_sent_leaves_nothing_behind() -> None:
    with prepare(FORTY) as ready:
        assert ready.package.path.is_file()
    assert left_behind() == []


def test_a_job_with_more_values_than_are_shown_says_so() -> None:
    told = {}
    for count in (200, 250):
        job = begin(Program(), hyperparameters={f"v{number}": number for number in range(count)}).wait()
        told[count] = [notice.text for notice in job.folder.read().state.notices]
    assert told[200] == []
    assert told[250] == ["Only the first 200 values are shown, compared and searched; the job gets all 250."]


def aged(path: Path, seconds: float) -> Path:
    os.utime(path, (time.time() - seconds,) * 2)
    return path


def test_what_killed_processes_have_left_packed_is_swept_an_hour_later(home: Path) -> None:
    waiting = home / "packing"
    for name in ("old", "fresh"):
        (waiting / name / "source").mkdir(parents=True)
        (waiting / name / "lock").touch()
        (waiting / f"{name}.tar.gz").write_bytes(b"x")  # as an earlier version had it
    left = [aged(waiting / name, 3600 + 60) for name in ("old", "old.tar.gz")]
    fresh = [aged(waiting / name, 3600 - 60) for name in ("fresh", "fresh.tar.gz")]
    with prepare(Program()):
        assert [path for path in left if path.exists()] == []
        assert [path for path in fresh if not path.exists()] == []


def test_what_a_process_still_waits_with_is_not_swept(home: Path) -> None:
    with prepare(FORTY) as waiting:
        aged(waiting.package.path.parent, 7 * 3600)
        with prepare(Program()):
            pass
        waiting.submit().wait(DEADLINE)
    assert not list((home / "packing").iterdir())


def test_what_a_killed_process_has_packed_is_free_at_once(home: Path) -> None:
    killed = subprocess.run(
        [sys.executable, "-c", "import os, sys\nfrom pathlib import Path\nfrom pai_jupyter.store import Scratch\n"
         "kept = Scratch(Path(sys.argv[1]))\n(kept.path / 'package.tar.gz').write_bytes(b'x')\n"
         "os.kill(os.getpid(), 9)", str(home)],
        check=False,
    )  # fmt: skip
    assert killed.returncode == -9
    (left,) = (home / "packing").iterdir()
    aged(left, 3600 + 60)
    with prepare(Program()):
        assert not left.exists()


def test_a_home_of_jobs_inside_the_source_is_not_packed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "net.py").write_text("x = 1\n")
    monkeypatch.setenv("PAI_JUPYTER_HOME", str(tmp_path / "lib" / "jobs home"))
    begin(Program(), source_dir=tmp_path).wait(DEADLINE)
    with prepare(Program(), source_dir=tmp_path) as ready:
        names = [file.name for file in ready.package.files]
    assert "net.py" in names
    assert [name for name in names if name.startswith("lib")] == []


def test_a_draft_that_is_sent_twice_is_one_job(gate: Path) -> None:
    with prepare(FORTY, gate=gate) as ready:
        assert ready.submit().id == ready.submit().id
    assert len(list_jobs()) == 1


def test_an_interrupted_submission_ends_what_it_had_started_and_leaves_nothing(backend: TroubledBackend) -> None:
    backend.holds_submissions = True
    interrupt_when(lambda: backend.submitted)
    with pytest.raises(KeyboardInterrupt) as caught:
        begin(FORTY)
    assert not isinstance(caught.value, JobDetached)
    assert backend.jobs == {}
    assert left_behind() == []


def test_an_interrupt_that_comes_too_late_detaches_from_the_started_job(gate: Path) -> None:
    class Stubborn(TroubledBackend):
        async def submit(self, spec: JobSpec, package: Package, *, job_id: str) -> JobRef:
            try:
                return await super().submit(spec, package, job_id=job_id)
            except asyncio.CancelledError:
                return JobRef(backend=self.info.name, job_id=job_id)

    stubborn = Stubborn()
    stubborn.holds_submissions = True
    with installed(stubborn):
        interrupt_when(lambda: stubborn.submitted)
        with pytest.raises(JobDetached, match="goes on"):
            begin(FORTY, gate=gate)
        assert len(list_jobs()) == 1


def test_a_process_whose_start_cannot_be_noted_is_ended_again(
    plain: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    beat = tmp_path / "beat"

    def no_room(self: JobFolder, ref: JobRef | None, state: JobState) -> None:
        until(beat.exists)
        raise LimitExceededError("there is no room left.")

    monkeypatch.setattr(JobFolder, "start", no_room)
    with pytest.raises(LimitExceededError):
        run(f"import time\nwhile True:\n    open({str(beat)!r}, 'a').write('x')\n    time.sleep(0.01)\n")
    until(lambda: time.time() - beat.stat().st_mtime > 0.5)
    assert list_jobs() == []


def test_local_paths_are_those_of_the_submitting_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "src").mkdir()
    spec = JobSpec(
        name="a", command="true", source_dir="src", inputs={"a": "in.csv", "b": "oss://x/y/"}, outputs={"c": "./c"}
    )
    with draft(spec, Target(backend="fake", reason="")) as ready:
        assert ready.spec.to_json() | {"name": ""} == ready.spec.to_json() | {
            "name": "",
            "source_dir": str(tmp_path / "src"),
            "inputs": {"a": str(tmp_path / "in.csv"), "b": "oss://x/y/"},
            "outputs": {"c": str(tmp_path / "c")},
        }
