"""A submission starts one job, or leaves nothing behind: refused, unpackable, interrupted early or late."""

import asyncio
import os
import time
from pathlib import Path

import pytest

from pai_jupyter.errors import BackendError, JobDetached, LimitExceededError, PackageError, PaiJupyterError, SpecError
from pai_jupyter.events import JobState
from pai_jupyter.jobs import Place, draft, list_jobs, submit
from pai_jupyter.package import Package
from pai_jupyter.spec import JobRef, JobSpec
from pai_jupyter.store import JobFolder
from tests.fakes.troubled import TroubledBackend, installed
from tests.jobs.runs import interrupt_when, left_behind, run
from tests.programs import FORTY, Program
from tests.started import DEADLINE, begin, prepare, until


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


def test_what_killed_processes_have_left_packed_is_swept_a_day_later(home: Path) -> None:
    left, fresh = home / "packing" / "a.tar.gz", home / "packing" / "b.tar.gz.1f.tmp"
    left.parent.mkdir()
    for path in (left, fresh):
        path.write_bytes(b"x")
    day = 24 * 3600
    os.utime(left, (time.time() - day - 60,) * 2)
    os.utime(fresh, (time.time() - day + 60,) * 2)
    with prepare(Program()):
        assert not left.exists()
        assert fresh.exists()


def test_a_home_of_jobs_inside_the_source_is_not_packed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "net.py").write_text("x = 1\n")
    monkeypatch.setenv("PAI_JUPYTER_HOME", str(tmp_path / "lib" / "jobs home"))
    begin(Program(), source_dir=tmp_path).wait(DEADLINE)
    with prepare(Program(), source_dir=tmp_path) as ready:
        names = [file.name for file in ready.package.files]
    assert "net.py" in names
    assert [name for name in names if name.startswith("lib")] == []


def test_a_draft_is_sent_once(gate: Path) -> None:
    with prepare(FORTY, gate=gate) as ready:
        ready.submit()
        with pytest.raises(PaiJupyterError, match="already"):
            ready.submit()
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
                return JobRef(backend=self.name, job_id=job_id)

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
    with draft(spec, Place(backend="fake", reason="")) as ready:
        assert ready.spec.to_json() | {"name": ""} == ready.spec.to_json() | {
            "name": "",
            "source_dir": str(tmp_path / "src"),
            "inputs": {"a": str(tmp_path / "in.csv"), "b": "oss://x/y/"},
            "outputs": {"c": str(tmp_path / "c")},
        }
