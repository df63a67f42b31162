"""One job of the service for one of ours, whatever gets lost on the way."""

import asyncio
import errno
import os
import time
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.backends.pai.services import job as job_module
from pai_jupyter.backends.pai.services.job import Attempt, PaiJob
from pai_jupyter.cloud.client import UncertainError
from pai_jupyter.cloud.session import Site
from pai_jupyter.errors import AuthError, BackendError, NotFoundError, UnavailableError
from pai_jupyter.events import Status
from pai_jupyter.package import Package, build
from pai_jupyter.spec import JobRef, JobSpec
from pai_jupyter.store import JobRecord, JobStore
from tests.fakes.openapi import code, dropped, garbled, lost, says
from tests.fakes.studio import WORKSPACE
from tests.support.pai_jobs import PaiJobs, jobs

__all__ = ["jobs"]  # the fixture

SPEC = JobSpec(name="a", command="true", image_uri="img:1", instance_type="ecs.c6.large")


@pytest.fixture
def package(tmp_path: Path) -> Package:
    """Code with nothing in it: nothing is uploaded."""
    return build(None, to=tmp_path / "package.tar.gz")


def record(job_id: str = "j1") -> Path:
    return JobStore().create(JobRecord(id=job_id, spec=SPEC, backend="pai", created=0.0)).path


def created(jobs: PaiJobs) -> list[str]:
    return list(jobs.service.training)


async def test_a_ref_says_where_its_job_is_and_holds_no_key(jobs: PaiJobs, package: Package) -> None:
    record()
    ref = await jobs.backend.submit(SPEC, package, job_id="j1")
    assert ref == JobRef(
        backend="pai",
        job_id="j1",
        data={
            "kind": "training",
            "id": "train1",
            "region": "cn-test",
            "workspace": WORKSPACE,
            "address": jobs.service.address,
        },
    )
    assert PaiJob.from_ref(ref).ref == ref


@pytest.mark.parametrize(
    "fault",
    [lost, garbled, says(500, {"Code": "InternalError"}), says(200, "<html>"), dropped],
    ids=["lost", "garbled", "500", "html", "dropped"],
)
async def test_a_lost_answer_makes_no_second_job(jobs: PaiJobs, package: Package, fault: Any) -> None:  # Any: a fault
    record()
    jobs.service.plan.append(fault)
    ref = await jobs.backend.submit(SPEC, package, job_id="j1")
    assert created(jobs) == [ref.data["id"]] == ["train1"]


async def test_a_job_that_lists_do_not_show_yet_is_looked_for_again(jobs: PaiJobs, package: Package) -> None:
    record()
    jobs.service.plan.append(lost)
    jobs.service.hidden = 2
    await jobs.backend.submit(SPEC, package, job_id="j1")
    assert created(jobs) == ["train1"]


async def test_a_service_that_never_answers_is_given_up(jobs: PaiJobs, package: Package) -> None:
    record()

    async def broken(service: Any, request: Any) -> Any:  # Any: a fault
        return await dropped(service, request) if request.action == "CreateTrainingJob" else service.carry_out(request)

    jobs.service.plan.extend([broken] * 100)
    with pytest.raises(UncertainError):
        await jobs.backend.submit(SPEC, package, job_id="j1")
    assert created(jobs) == []


@pytest.mark.parametrize(
    "refusal",
    [
        says(503, {"Code": "ServiceUnavailable"}),
        code(400, "InvalidSecurityToken.Expired"),
        code(404, "WorkspaceNotFound"),
        garbled,
    ],
    ids=["unavailable", "expired", "not found", "garbled"],
)
async def test_the_error_of_a_list_does_not_stand_for_that_of_the_create(
    jobs: PaiJobs, package: Package, refusal: Any
) -> None:  # Any: a fault
    record()
    jobs.service.plan.extend([lost, *[refusal] * 50])
    with pytest.raises(UncertainError, match="It may have been carried out"):
        await jobs.backend.submit(SPEC, package, job_id="j1")
    assert created(jobs) == ["train1"]
    assert Attempt.read("j1") is not None


@pytest.mark.parametrize("refusal", [code(404, "WorkspaceNotFound"), says(503)], ids=["not found", "unavailable"])
async def test_a_list_that_fails_is_no_proof_that_a_job_was_never_made(
    jobs: PaiJobs, package: Package, refusal: Any
) -> None:  # Any: a fault
    record()
    await jobs.backend.submit(SPEC, package, job_id="j1")
    jobs.service.plan.extend([refusal] * 50)
    with pytest.raises(BackendError) as caught:
        await jobs.backend.find("j1")
    assert not isinstance(caught.value, NotFoundError)


async def test_a_service_that_does_not_say_which_job_it_made_leaves_its_outcome_open(
    jobs: PaiJobs, package: Package
) -> None:
    record()

    async def nameless(service: Any, request: Any) -> Any:  # Any: a fault
        if request.action == "CreateTrainingJob":
            return await says(200, {"RequestId": "r"})(service, request)
        return service.carry_out(request)

    jobs.service.plan.extend([nameless] * 100)
    with pytest.raises(UncertainError):
        await jobs.backend.submit(SPEC, package, job_id="j1")


@pytest.mark.parametrize("answer", [lost, None], ids=["lost", "answered"])
async def test_a_cancelled_submission_that_cannot_be_undone_says_so(
    jobs: PaiJobs, package: Package, answer: Any
) -> None:  # Any: a fault
    record()
    go_on = asyncio.Event()

    async def slow(service: Any, request: Any) -> Any:  # Any: a fault
        reply = await answer(service, request) if answer else service.carry_out(request)
        await go_on.wait()
        return reply

    jobs.service.plan.extend([slow, *[says(503)] * 50])
    submission = asyncio.create_task(jobs.backend.submit(SPEC, package, job_id="j1"))
    await jobs.service.arrived.wait()
    submission.cancel()
    await asyncio.sleep(0)
    go_on.set()
    with pytest.raises(UncertainError):
        await submission
    assert created(jobs) == ["train1"]


async def test_a_refusal_makes_no_job_and_is_not_tried_again(jobs: PaiJobs, package: Package) -> None:
    record()
    jobs.service.plan.append(code(403, "Forbidden.RAM"))
    with pytest.raises(AuthError):
        await jobs.backend.submit(SPEC, package, job_id="j1")
    assert jobs.service.count("CreateTrainingJob") == 1


async def test_the_same_id_twice_is_one_job(jobs: PaiJobs, package: Package) -> None:
    record()
    first = await jobs.backend.submit(SPEC, package, job_id="j1")
    assert await jobs.backend.submit(SPEC, package, job_id="j1") == first
    assert created(jobs) == ["train1"]


async def test_the_same_id_at_once_is_one_job(jobs: PaiJobs, package: Package) -> None:
    record()
    refs = await asyncio.gather(*(jobs.backend.submit(SPEC, package, job_id="j1") for _ in range(3)))
    assert refs == [refs[0]] * 3
    assert created(jobs) == ["train1"]


async def test_two_jobs_are_two(jobs: PaiJobs, package: Package) -> None:
    for job_id in ("j1", "j2"):
        record(job_id)
        await jobs.backend.submit(SPEC, package, job_id=job_id)
    assert created(jobs) == ["train1", "train2"]


async def test_a_job_whose_submitter_died_is_found_by_its_label(jobs: PaiJobs, package: Package) -> None:
    record()
    await jobs.backend.submit(SPEC, package, job_id="j1")
    for number in range(150):  # more than a page of others
        jobs.service.add(f"other{number}")
    jobs.service.training["train1"].run()
    nothing = JobRef(backend="pai", job_id="j1")
    assert (await jobs.backend.status(nothing)).status is Status.RUNNING
    await jobs.backend.stop(nothing)
    assert jobs.service.training["train1"].status == "Terminated"


async def test_an_emulator_that_moved_is_found_where_it_is_now(jobs: PaiJobs, package: Package) -> None:
    record()
    ref = await jobs.backend.submit(SPEC, package, job_id="j1")
    moved = JobRef(backend="pai", job_id="j1", data={**ref.data, "address": "http://127.0.0.1:1"})
    assert (await jobs.backend.status(moved)).status is Status.QUEUED


async def test_a_submitter_that_died_before_creating_left_no_job(jobs: PaiJobs) -> None:
    record()
    site = Site(region="cn-test", workspace=WORKSPACE, address=jobs.service.address)
    Attempt(kind="training", site=site, time=time.time()).write("j1")
    with pytest.raises(NotFoundError):
        await jobs.backend.status(JobRef(backend="pai", job_id="j1"))


@pytest.mark.parametrize("fault", [errno.EIO, errno.EACCES, errno.ESTALE])
async def test_a_note_that_cannot_be_read_now_is_no_proof(
    jobs: PaiJobs, package: Package, monkeypatch: pytest.MonkeyPatch, fault: int
) -> None:
    record()
    await jobs.backend.submit(SPEC, package, job_id="j1")
    nothing = JobRef(backend="pai", job_id="j1")

    def fail(*_: object) -> None:
        raise OSError(fault, os.strerror(fault))

    with monkeypatch.context() as patch:
        patch.setattr(job_module, "read_plain", fail)
        with pytest.raises(UnavailableError, match="cannot be read"):
            await jobs.backend.find("j1")
        with pytest.raises(UnavailableError, match="cannot be read"):
            await jobs.backend.status(nothing)
    assert (await jobs.backend.find("j1")).data["id"] == "train1"


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"kind": "training", "region": 5, "workspace": "", "time": 1}'])
async def test_with_a_damaged_note_the_job_is_looked_for_as_if_it_had_been_sent(
    jobs: PaiJobs, package: Package, text: str
) -> None:
    note = record() / "run" / "pai.json"
    ref = await jobs.backend.submit(SPEC, package, job_id="j1")
    note.write_text(text)
    assert await jobs.backend.find("j1") == ref
    jobs.service.training.clear()
    with pytest.raises(UnavailableError, match=r"run/pai.json.* is damaged"):
        await jobs.backend.find("j1")


async def test_a_damaged_note_of_a_job_that_has_no_record_is_no_proof(jobs: PaiJobs) -> None:
    note = JobStore().path("j1") / "run" / "pai.json"
    note.parent.mkdir(parents=True)
    note.write_text("{")
    with pytest.raises(UnavailableError, match="is damaged"):
        await jobs.backend.find("j1")


async def test_a_filter_that_the_service_did_not_understand_finds_no_other_job(jobs: PaiJobs, package: Package) -> None:
    record()
    await jobs.backend.submit(SPEC, package, job_id="j1")
    jobs.service.training["train1"].body["Labels"] = [{"Key": "pai_jupyter_job_id", "Value": "j2"}]
    jobs.service.understands_labels = False
    with pytest.raises(NotFoundError):
        await jobs.backend.status(JobRef(backend="pai", job_id="j1"))


async def test_a_cancelled_submission_stops_what_it_has_made(jobs: PaiJobs, package: Package) -> None:
    record()
    go_on = asyncio.Event()

    async def slow(service: Any, request: Any) -> Any:  # Any: a fault
        answer = service.carry_out(request)
        await go_on.wait()
        return answer

    jobs.service.plan.append(slow)
    submission = asyncio.create_task(jobs.backend.submit(SPEC, package, job_id="j1"))
    await jobs.service.arrived.wait()
    submission.cancel()
    await asyncio.sleep(0)
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await submission
    assert jobs.service.job.status == "Terminated"


async def test_stopping_a_job_that_ends_at_that_moment_is_no_error(jobs: PaiJobs) -> None:
    job = jobs.service.add()
    job.run()

    async def first_it_ends(service: Any, request: Any) -> Any:  # Any: a fault
        answer = service.carry_out(request)
        job.end()
        return answer

    jobs.service.plan.append(first_it_ends)
    await jobs.backend.stop(jobs.ref(job))
    assert job.status == "Succeed"
