"""Runs of a PAIFlow that has bad days: what is known stays known, nothing is started twice, damaged files hide nothing."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from pai_jupyter.errors import NotFoundError, PaiJupyterError, SpecError, UnavailableError, UncertainError
from pai_jupyter.jobs import close_runtime
from pai_jupyter.runs.state import RunState, RunStatus
from pai_jupyter.wire.run_view.rows import trouble_of
from pai_jupyter.workflow import remote, remote_source, remote_watch
from pai_jupyter.workflow.remote import RemoteRun, attach_remote_run, list_remote_runs, run_remote
from pai_jupyter.workflow.remote_source import RemoteRuns
from tests.fakes.openapi import dropped, lost, says
from tests.fakes.paiflow import ACCOUNT, CREATED, FakeNode, PaiFlow
from tests.support.pai_jobs import session_at
from tests.support.paiflow import paiflow

__all__ = ["paiflow"]  # a fixture

T = TypeVar("T")
DOCUMENTS: list[dict[str, Any]] = [
    {"metadata": {"guid": "c", "name": "tmp-c"}, "spec": {"container": {"image": "x", "envs": {"A": "1"}}}},
    {
        "metadata": {"guid": "p", "name": "tmp-p"},
        "spec": {"pipelines": [{"metadata": {"guid": "c", "name": "train"}, "spec": {}}]},
    },
]


@pytest.fixture
async def service(paiflow: PaiFlow, home: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[PaiFlow]:
    """PAIFlow is where this kernel's session is; who looks again does so at once."""
    monkeypatch.setattr(remote_watch, "SHORTEST", 0.01)
    monkeypatch.setattr(remote_watch, "LONGEST", 0.01)
    monkeypatch.setattr(remote, "WAIT_SLICE", 0.01)
    with session_at(paiflow.address, home):
        yield paiflow
        await asyncio.to_thread(close_runtime)


async def ask(call: Callable[[], T]) -> T:
    """Do what blocks beside the service, which runs on this loop."""
    return await asyncio.to_thread(call)


async def started(service: PaiFlow, **node: Any) -> tuple[RemoteRun, FakeNode]:
    run = await ask(lambda: run_remote(DOCUMENTS, name="a"))
    train = FakeNode("n1", "train", **node)
    service.run.root.children.append(train)
    return run, train


def end(service: PaiFlow, node: FakeNode, status: str = "Succeeded") -> None:
    node.status = service.run.status = service.run.root.status = status
    node.ended = service.run.ended = CREATED + 60


async def test_a_wait_goes_on_while_the_service_does_not_answer(service: PaiFlow) -> None:
    run, train = await started(service)
    service.plan.extend([dropped] * 12)  # each call is tried six times
    waiting = asyncio.create_task(ask(lambda: run.wait(60)))
    async with asyncio.timeout(60):
        while service.plan:  # noqa: ASYNC110  a service sets no event
            await asyncio.sleep(0.01)
    end(service, train)
    assert (await waiting).status is RunStatus.SUCCEEDED


async def test_a_wait_ends_when_patience_does_or_when_the_run_is_gone(
    service: PaiFlow, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, _ = await started(service)
    monkeypatch.setattr(remote, "PATIENCE", -1.0)
    service.plan.extend([dropped] * 6)
    with pytest.raises(UnavailableError):
        await ask(lambda: run.wait(60))
    service.runs.clear()
    with pytest.raises(NotFoundError):
        await ask(lambda: run.wait(60))


async def test_what_was_seen_stays_while_the_service_does_not_answer(service: PaiFlow) -> None:
    run, _ = await started(service)
    seen = await ask(lambda: run.state)
    again = attach_remote_run(run.id)
    watcher = RemoteRuns().watcher(again.id)
    service.plan.extend([dropped] * 6)
    with pytest.raises(PaiJupyterError):
        await ask(lambda: again.state)
    service.plan.extend([dropped] * 6)
    with pytest.raises(PaiJupyterError):
        await ask(watcher.poll)
    assert known(again) == seen


async def test_a_view_tells_of_a_service_that_does_not_answer_until_it_does(
    service: PaiFlow, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, _ = await started(service)
    await ask(lambda: run.state)
    monkeypatch.setattr(remote_watch, "SHORTEST", 3600.0)  # the next polls ask nothing
    watcher = RemoteRuns().watcher(run.id)
    service.plan.extend([dropped] * 6)
    with pytest.raises(PaiJupyterError):
        await ask(watcher.poll)
    state = await ask(watcher.poll)
    assert state is not None
    assert [step.path for step in state.steps] == ["train"]
    assert "PAIFlow" in trouble_of(watcher)
    assert await ask(watcher.poll) is None
    assert "PAIFlow" in trouble_of(watcher)
    watcher = RemoteRuns().watcher(run.id)
    await ask(watcher.poll)
    assert trouble_of(watcher) == ""


def known(run: RemoteRun) -> RunState:
    return run._watcher.state()


async def test_a_list_says_why_the_service_cannot_be_asked(service: PaiFlow, monkeypatch: pytest.MonkeyPatch) -> None:
    run, train = await started(service)
    source = RemoteRuns()
    service.plan.extend([dropped] * 6)
    [row] = await ask(source.summaries)
    assert (row.id, row.status) == (run.id, RunStatus.RUNNING)
    assert "PAIFlow" in row.trouble
    monkeypatch.setattr(remote_source, "EVERY", 0.0)
    end(service, train, "Failed")
    [row] = await ask(source.summaries)
    assert (row.status, row.ended, row.trouble) == (RunStatus.FAILED, CREATED + 60, "")


async def test_one_call_tells_a_list_of_many_runs(service: PaiFlow) -> None:
    for number in range(5):
        await ask(lambda number=number: run_remote(DOCUMENTS, name=f"a{number}"))  # type: ignore[misc]  # a loop's
    before = len(service.requests)
    rows = await ask(RemoteRuns().summaries)
    assert len(rows) == 5
    assert service.actions[before:] == ["ListRuns"]


async def test_a_run_whose_start_was_not_answered_is_uncertain_and_started_once(service: PaiFlow) -> None:
    service.plan.extend([says(200, json.dumps({"AccountId": ACCOUNT})), lost])
    with pytest.raises(UncertainError):
        await ask(lambda: run_remote(DOCUMENTS, name="a"))
    assert service.count("CreateRun") == 1
    assert list_remote_runs() == []


async def test_a_refused_run_leaves_nothing(service: PaiFlow) -> None:
    refusal = {"Code": "InvalidParameter", "Message": "the manifest is wrong"}
    service.plan.extend([says(200, json.dumps({"AccountId": ACCOUNT})), says(400, refusal)])  # type: ignore[arg-type]
    with pytest.raises(SpecError, match="the manifest is wrong"):
        await ask(lambda: run_remote(DOCUMENTS, name="a"))
    assert list_remote_runs() == []


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"run": 7, "root": {}}', b'{"run": {"odd": 1}, "root": null}'])
async def test_damaged_notes_are_asked_for_again(service: PaiFlow, damage: bytes) -> None:
    run, train = await started(service)
    end(service, train)
    await ask(lambda: run.wait(60))
    (run.folder / "nodes.json").write_bytes(damage)
    again = attach_remote_run(run.id)
    assert known(again).steps == ()
    assert (await ask(lambda: again.state)).status is RunStatus.SUCCEEDED


@pytest.mark.parametrize("damage", [b"", b"{}", b"[]", b'{"id": "f1234567", "site": 3}'])
async def test_a_damaged_record_hides_no_other_and_can_be_deleted(service: PaiFlow, damage: bytes) -> None:
    run, _ = await started(service)
    other = await ask(lambda: run_remote(DOCUMENTS, name="b"))
    (run.folder / "remote.json").write_bytes(damage)
    assert [each.id for each in list_remote_runs()] == [other.id]
    rows = {row.id: row for row in await ask(RemoteRuns().summaries)}
    assert rows[other.id].trouble == ""
    assert "remote.json' is damaged: " in rows[run.id].trouble
    assert rows[run.id].trouble.endswith(f"%pai_runs {run.id} --delete")
    await ask(lambda: remote.delete_remote_run(run.id))
    assert not run.folder.exists()


async def test_hostile_names_are_steps_and_jobs_like_others(service: PaiFlow) -> None:
    run, _ = await started(service)
    names = ["../../x", "a\nb\x1b[31m", "<script>", "", "训" * 300, "{{item}}"]
    service.run.root.children = [FakeNode(f"n{number}", name) for number, name in enumerate(names)]
    state = await ask(lambda: run.state)
    assert len(state.steps) == len(names) + 1
    jobs = await ask(lambda: run.jobs)
    assert len({job.id for job in jobs}) == len(names)
    assert all(job.folder.path.parent.name == "jobs" for job in jobs)


async def test_containers_and_their_variables_are_in_no_file(service: PaiFlow) -> None:
    run, _ = await started(service)
    assert "container" not in (run.folder / "remote.json").read_text()
    assert (run.folder.stat().st_mode & 0o777, (run.folder / "remote.json").stat().st_mode & 0o777) == (0o700, 0o600)
