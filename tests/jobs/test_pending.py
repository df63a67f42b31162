"""Submissions whose answer is lost: the job is kept, found again, and never made twice."""

import asyncio
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from pai_jupyter.backends.pai.services.job_service import TrainingService
from pai_jupyter.errors import BackendError, JobFailed, PaiJupyterError, UncertainError
from pai_jupyter.estimator import Estimator
from pai_jupyter.events import Status
from pai_jupyter.jobs import (
    Job,
    PlainLines,
    attach,
    close_runtime,
    draft,
    follower,
    list_jobs,
    pending,
    place_of,
    rerun,
)
from pai_jupyter.jobs.removal import remove
from pai_jupyter.server import cells
from pai_jupyter.spec import JobRef, JobSpec, Json, Role
from pai_jupyter.store import JobRecord, JobStore
from tests.fakes.troubled import TroubledBackend
from tests.jobs.test_follower import FullDisk
from tests.support import emulators
from tests.support.emulators import Emulator
from tests.support.pai_jobs import hurry, rehearsal, session_at
from tests.support.programs import FORTY
from tests.support.shells import Shell
from tests.support.started import DEADLINE, begin, prepare, until

__all__ = ["rehearsal"]  # the fixture

SPEC = JobSpec(name="a", command="true", image_uri="img:1", instance_type="ecs.c6.large")
CLOUD = "--backend pai --image img:1 --instance-type ecs.c6.large"
ROLES = tuple(Role(name=name, instance_type="ecs.c6.large") for name in ("master", "worker"))
KINDS = [
    (SPEC, "CreateTrainingJob", "ListTrainingJobs"),
    (replace(SPEC, instance_type="local", roles=ROLES), "CreateJob", "ListJobs"),
]
by_kind = pytest.mark.parametrize(("spec", "create", "listing"), KINDS, ids=["training", "dlc"])


@pytest.fixture
def service(rehearsal: Emulator, home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Emulator]:
    """The emulator, in whose cloud this process is; whoever tries again does so soon."""
    hurry(monkeypatch)
    monkeypatch.setattr(follower, "MAX_PAUSE", 0.3)
    monkeypatch.setattr("pai_jupyter.jobs.job.SUBMITTED_WITHIN", 0.3)
    with session_at(rehearsal.address, home, key=(emulators.KEY, emulators.SECRET), values={}):
        yield rehearsal
        rehearsal.clear_faults()
        close_runtime()


def submit(spec: JobSpec) -> Job:
    with draft(spec, place_of(spec, backend="pai")) as ready:
        return ready.submit()


def lose(service: Emulator, create: str, listing: str, *, name: str = "lost-answer") -> None:
    """The next create is answered by nobody, and no list is from then on."""
    service.fault(name, action=create)
    service.fault("server-error", action=listing, times=None)


def made(name: str) -> int:
    """How many jobs of this name the services know of."""
    from pai_jupyter.backends import get_backend
    from pai_jupyter.backends.pai import PaiBackend
    from pai_jupyter.jobs import runtime

    backend = get_backend("pai")
    assert isinstance(backend, PaiBackend)
    return sum(job.name == name for job in runtime().run(backend.recorded()))


@by_kind
def test_a_job_whose_answer_is_lost_is_kept_and_found_when_lists_answer_again(
    service: Emulator, spec: JobSpec, create: str, listing: str
) -> None:
    spec = replace(spec, name=f"kept-{create}")
    lose(service, create, listing)
    job = submit(spec)
    assert str(job.status) == "submitting"
    assert "it is not known yet" in job.state.reason
    assert f"%pai_attach {job.id}" in job.state.reason
    assert (job.folder.path / "run" / "pai.json").is_file()
    assert [each.id for each in list_jobs(status="submitting")] == [job.id]
    service.clear_faults()
    job.wait(DEADLINE)
    assert job.status is Status.SUCCEEDED
    assert made(spec.name) == 1
    assert not (job.folder.path / "submitting").exists()


@by_kind
def test_the_same_job_again_finds_the_one_whose_outcome_is_open(
    service: Emulator, spec: JobSpec, create: str, listing: str
) -> None:
    spec = replace(spec, name=f"again-{create}")
    lose(service, create, listing)
    job = submit(spec)
    assert submit(spec).id == job.id
    close_runtime()  # as another kernel, which follows it not yet
    assert submit(spec).id == job.id
    with draft(spec, place_of(spec, backend="pai")) as ready:
        duplicate = ready.running_duplicate()
        assert duplicate is not None
        assert duplicate.id == job.id
    service.clear_faults()
    job.wait(DEADLINE)
    assert made(spec.name) == 1


def test_a_submission_that_never_arrived_fails_with_the_remedy_once_a_list_says_so(service: Emulator) -> None:
    service.fault("dropped", action="CreateTrainingJob", times=None)
    service.fault("server-error", action="ListTrainingJobs", times=None)
    job = submit(replace(SPEC, name="never"))
    assert job.status is Status.SUBMITTING
    service.clear_faults()
    with pytest.raises(JobFailed, match=f"it was never started. Run the cell again, or type: %pai_rerun {job.id}"):
        job.wait(DEADLINE)
    assert made("never") == 0
    assert rerun(job).wait(DEADLINE).status is Status.SUCCEEDED


def test_a_stop_of_a_job_whose_outcome_is_open_is_made_when_it_is_found(service: Emulator) -> None:
    lose(service, "CreateTrainingJob", "ListTrainingJobs")
    job = submit(replace(SPEC, name="stopped", command="sleep 600"))
    job.stop()
    until(lambda: "is stopped as soon as it is found" in job.state.reason)
    service.clear_faults()
    until(lambda: job.status.is_terminal)
    assert job.status is Status.STOPPED


def test_a_job_whose_outcome_is_open_is_neither_deleted_nor_rerun(service: Emulator) -> None:
    lose(service, "CreateTrainingJob", "ListTrainingJobs")
    job = submit(replace(SPEC, name="refused"))
    with pytest.raises(BackendError, match="cannot be deleted yet: it is not known whether it was started"):
        remove(job.id)
    with pytest.raises(BackendError, match="cannot be rerun yet"):
        rerun(job)
    with pytest.raises(BackendError, match="cannot be asked for its outputs yet"):
        job.fetch()


def test_a_rerun_typed_again_finds_the_one_whose_outcome_is_open(service: Emulator) -> None:
    first = submit(replace(SPEC, name="rerun")).wait(DEADLINE)
    lose(service, "CreateTrainingJob", "ListTrainingJobs")
    second = rerun(first)
    assert second.status is Status.SUBMITTING
    assert rerun(first).id == second.id
    service.clear_faults()
    second.wait(DEADLINE)
    assert made("rerun") == 2


def test_a_cell_says_in_one_sentence_that_its_outcome_is_open(service: Emulator, workplace: Path) -> None:
    lose(service, "CreateTrainingJob", "ListTrainingJobs")
    with Shell() as shell:
        cell = f"%%pai_train cell {CLOUD} --run --no-wait\nprint(1)"
        first = shell.run(cell)
        assert first.error is None
        job = shell.user_ns["_pai"]
        assert f"job {job.id} (cell): it is not known yet whether the job was started" in first.text
        assert shell.run(cell).error is None
        assert shell.user_ns["_pai"].id == job.id
        service.clear_faults()
        job.wait(DEADLINE)
        assert made("cell") == 1


def test_the_server_finds_the_job_whose_outcome_is_open_and_says_so(service: Emulator, workplace: Path) -> None:
    lose(service, "CreateTrainingJob", "ListTrainingJobs")
    cell = {"cell": f"%%pai_train server {CLOUD}\nprint(1)"}
    first, second = cells.submit(cell, str(workplace)), cells.submit(cell, str(workplace))
    assert first["job"] == second["job"]
    assert "it is not known yet whether the job was started" in str(first["notes"])
    service.clear_faults()
    attach(str(first["job"])).wait(DEADLINE)
    assert made("server") == 1


def test_an_estimator_that_is_fitted_again_finds_the_job_whose_outcome_is_open(
    service: Emulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    lose(service, "CreateTrainingJob", "ListTrainingJobs")
    estimator = Estimator(command="true", image_uri="img:1", instance_type="ecs.c6.large", base_job_name="fitted")
    monkeypatch.setattr("pai_jupyter.estimator.estimator.job_name", lambda *_: "fitted_20261122-062420")
    first = estimator.fit(wait=False)
    monkeypatch.setattr("pai_jupyter.estimator.estimator.job_name", lambda *_: "fitted_20261122-062421")
    assert (estimator.fit(wait=False).id, str(first.status)) == (first.id, "submitting")
    service.clear_faults()
    assert first.wait(DEADLINE).status is Status.SUCCEEDED


def test_a_kernel_that_shuts_down_while_it_submits_keeps_the_job(
    service: Emulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The runtime ends while the create is under way: it was carried out, and nobody hears of that."""
    carried_out, create = threading.Event(), TrainingService.create

    async def unheard(self: TrainingService, body: Mapping[str, Json]) -> str:
        await create(self, body)
        carried_out.set()
        await asyncio.Event().wait()
        raise AssertionError("nothing wakes it")

    monkeypatch.setattr(TrainingService, "create", unheard)
    spec = replace(SPEC, name="unheard")
    ready = draft(spec, place_of(spec, backend="pai"))

    def start() -> None:
        with suppress(CancelledError):  # of the runtime that ends below it
            ready.submit()

    thread = threading.Thread(target=start, daemon=True)
    thread.start()
    assert carried_out.wait(DEADLINE)
    close_runtime()
    thread.join(DEADLINE)
    job = attach(ready.job_id)
    assert job.wait(DEADLINE).status is Status.SUCCEEDED
    assert made("unheard") == 1


# --- of any backend --------------------------------------------------------------------------------------------------------


def test_a_job_that_cannot_be_noted_nor_stopped_keeps_its_folder(
    backend: TroubledBackend, gate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = FullDisk(monkeypatch)

    async def refuses(ref: JobRef) -> None:
        raise BackendError("it cannot be stopped now.")

    async def fills(*args: object, **kwargs: object) -> JobRef:
        ref = await submit_it(*args, **kwargs)  # type: ignore[arg-type]  # as it is called
        disk.is_full = True
        return ref

    submit_it = backend.submit
    monkeypatch.setattr(backend, "submit", fills)
    monkeypatch.setattr(backend, "stop", refuses)
    job = begin(FORTY)
    assert job.folder.path.is_dir()
    disk.is_full = False
    assert job.wait(DEADLINE).status is Status.SUCCEEDED


def test_a_refused_submission_leaves_nothing_behind(backend: TroubledBackend) -> None:
    backend.refusal = BackendError("no.")
    with prepare(FORTY) as ready, pytest.raises(BackendError, match=r"no\."):
        ready.submit()
    assert JobStore().ids() == []


def test_an_open_outcome_is_a_job_and_no_error(backend: TroubledBackend) -> None:
    backend.refusal = UncertainError("its answer was lost.")
    with prepare(FORTY) as ready:
        job = ready.submit()
    with pytest.raises(PaiJupyterError, match="never started"):
        job.wait(DEADLINE)


def test_what_is_printed_of_an_open_outcome_is_one_sentence_with_what_to_type(
    backend: TroubledBackend, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = JobStore().create(
        JobRecord(id="j-open", spec=JobSpec(name="a", command="true"), backend="fake", created=1.0)
    )
    pending.note_open(folder)
    PlainLines().show(Job(folder), [], wait=False)
    out = capsys.readouterr().out
    assert out.startswith("job j-open (a): it is not known yet whether the job was started")
    assert "%pai_attach j-open" in out
    assert "runs on" not in out
