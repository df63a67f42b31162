"""A job that is a try of a run: its record says so, its id is known first, its code is packed already."""

import shutil
from pathlib import Path

import pytest

from pai_jupyter.errors import PackageError, PaiJupyterError
from pai_jupyter.jobs import Draft, Job, JobSearch, Target, close_runtime, draft, list_rows, rerun
from pai_jupyter.jobs.removal import remove
from pai_jupyter.package import build, digest_of, unpack
from pai_jupyter.runs.journal import ResultTaken, RunEnded, TryBegun
from pai_jupyter.runs.journal_file import Journal
from pai_jupyter.spec import JobSpec
from pai_jupyter.store import JobRecord, JobStore
from pai_jupyter.wire.connection.listing import row_body
from tests.fakes.troubled import TroubledBackend
from tests.support.programs import FORTY
from tests.support.runs import left_behind
from tests.support.started import DEADLINE, open_gate

pytestmark = pytest.mark.usefixtures("backend")  # most jobs are of the backend `fake`


@pytest.fixture
def packed(tmp_path: Path) -> Path:
    return FORTY.pack(tmp_path / "code.tar.gz").path


def prepare(packed: Path, job_id: str = "j0try", *, gate: Path | None = None, run: str = "r1", **spec: object) -> Draft:
    wanted = JobSpec(name="try", command="python train.py", inputs={"gate": str(gate)} if gate else {}, **spec)  # type: ignore[arg-type]  # fields of a spec
    place = Target(backend="fake", reason="asked for")
    return draft(wanted, place, job_id=job_id, package=packed, run=run, step="prepare/train[2]")


def begin(packed: Path, job_id: str = "j0try", *, gate: Path | None = None, run: str = "r1") -> Job:
    with prepare(packed, job_id, gate=gate, run=run) as ready:
        return ready.submit()


def test_record_and_row_of_a_try_say_its_run_and_step(packed: Path) -> None:
    job = begin(packed)
    read = JobRecord.from_json(job.folder.record.to_json())
    assert (read.run, read.step) == ("r1", "prepare/train[2]")
    (row,) = list_rows()
    assert (row.run, row.step) == ("r1", "prepare/train[2]")


def test_a_job_of_no_run_has_neither_in_its_record(packed: Path) -> None:
    with draft(JobSpec(name="a", command="true"), Target(backend="fake", reason="x"), package=packed) as ready:
        assert not {"run", "step"} & ready.submit().folder.record.to_json().keys()


def test_a_packed_archive_is_the_code_and_stays_where_it_is(packed: Path, tmp_path: Path) -> None:
    before = packed.read_bytes()
    job = begin(packed).wait(DEADLINE)
    assert [line.text for line in job.logs()] == [f"line {number}" for number in range(40)]
    assert packed.read_bytes() == before
    unpack(packed, tmp_path / "code")
    assert job.folder.record.digest == digest_of(tmp_path / "code")
    assert rerun(job).wait(DEADLINE).folder.record.digest == job.folder.record.digest


def test_an_archive_that_was_replaced_is_read_again(packed: Path) -> None:
    with prepare(packed) as ready:
        first = ready.package.digest
    build(None, to=packed, files={**FORTY.files, "more": b"x"})
    with prepare(packed) as ready:
        assert ready.package.digest != first
        assert "more" in [file.name for file in ready.package.files]


@pytest.mark.parametrize("content", [None, b"no archive"])
def test_an_archive_that_cannot_be_read_leaves_nothing_behind(packed: Path, content: bytes | None) -> None:
    packed.unlink() if content is None else packed.write_bytes(content)
    with pytest.raises(PackageError):
        prepare(packed)
    assert left_behind() == []


def test_a_packed_elastic_batch_job_gets_the_module_of_its_shards(tmp_path: Path) -> None:
    packed = build(None, to=tmp_path / "code.tar.gz", files={"train.py": b"import pai_shards\n"}).path
    with prepare(packed, job_type="ElasticBatchJob") as ready:
        assert [file.name for file in ready.package.files] == ["pai_shards.py", "train.py"]


def test_the_same_id_twice_is_the_same_job(packed: Path, gate: Path, backend: TroubledBackend) -> None:
    first = begin(packed, gate=gate)
    close_runtime()
    second = begin(packed, gate=gate)
    assert second.id == first.id
    assert list(backend.jobs) == ["j0try"]
    open_gate(gate)
    assert second.wait(DEADLINE).status == "succeeded"
    assert begin(packed, gate=gate).status == "succeeded"


def test_a_try_is_never_taken_for_another_job_that_is_like_it(packed: Path, gate: Path) -> None:
    lost = begin(packed, "j0a", gate=gate)
    close_runtime()
    (lost.folder.path / "state.json").unlink()  # its submitter was killed: the outcome is open
    assert begin(packed, "j0b", gate=gate).id == "j0b"


def test_a_list_is_searched_by_run_and_a_row_on_the_wire_has_run_and_step(packed: Path) -> None:
    begin(packed)
    begin(packed, "j0other", run="r2")
    (row,) = JobSearch.parse("run:r2").find(list_rows())
    assert row.id == "j0other"
    body = row_body(row)
    assert (body["run"], body["step"]) == ("r2", "prepare/train[2]")


# --- deleting ----------------------------------------------------------------------------------------------------------


def journal(home: Path, run: str, *entries: TryBegun | ResultTaken | RunEnded) -> None:
    (home / "runs" / run).mkdir(parents=True, exist_ok=True)
    (home / "runs" / run / "run.json").touch()
    with Journal(home / "runs" / run / "journal.jsonl") as file:
        file.append(*entries)


BEGUN = TryBegun(step="train", job_id="j0try", parameters={}, artifacts={}, time=1.0)
TAKEN = ResultTaken(step="train", run_id="r1", job_id="j0try", parameters={}, artifacts={}, time=1.0)
ENDED = RunEnded(status="succeeded", time=2.0)


def test_a_job_that_its_run_still_needs_is_not_deleted(packed: Path, home: Path) -> None:
    begin(packed).wait(DEADLINE)
    journal(home, "r1", BEGUN)
    with pytest.raises(
        PaiJupyterError, match=r"run r1 needs it and has not ended\. Stop the run first: %pai_runs --stop r1"
    ):
        remove("j0try")
    journal(home, "r1", ENDED)
    remove("j0try")
    assert JobStore().ids() == []


def test_a_job_whose_result_another_run_took_over_is_not_deleted(packed: Path, home: Path) -> None:
    begin(packed).wait(DEADLINE)
    journal(home, "r1", BEGUN, ENDED)
    journal(home, "r2", TAKEN)
    with pytest.raises(PaiJupyterError, match="run r2 needs it"):
        remove("j0try")
    journal(home, "r2", ENDED)
    remove("j0try")


def test_a_run_that_is_gone_or_needs_other_jobs_keeps_none(packed: Path, home: Path) -> None:
    begin(packed).wait(DEADLINE)
    journal(home, "r3", TryBegun(step="x", job_id="j0other", parameters={}, artifacts={}, time=1.0))
    journal(home, "r1", BEGUN)
    shutil.rmtree(home / "runs" / "r1")
    remove("j0try")


def test_a_run_that_was_just_made_needs_its_jobs(packed: Path, home: Path) -> None:
    begin(packed).wait(DEADLINE)
    (home / "runs" / "r1").mkdir(parents=True)
    (home / "runs" / "r1" / "run.json").touch()
    with pytest.raises(PaiJupyterError, match="run r1 needs it"):
        remove("j0try")
