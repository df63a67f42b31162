"""PAIFlow's nodes as jobs: followed, fetched, described; none is started."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any, cast

import pytest

from pai_jupyter import contract
from pai_jupyter.backends import Backend, ShowsNodes, get_backend, get_info
from pai_jupyter.backends.flow import FlowBackend, following, snapshots
from pai_jupyter.backends.flow.node_job import job_id_of, spec_of
from pai_jupyter.backends.flow.status_map import STATUS, report_of
from pai_jupyter.cloud.flow import FlowNode
from pai_jupyter.cloud.flow import status as words
from pai_jupyter.cloud.session import Site
from pai_jupyter.errors import BackendError, NotFoundError, ProtocolError, SpecError
from pai_jupyter.events import Event, LogChunk, Notice, Position, Status, StatusChanged
from pai_jupyter.jobs import check
from pai_jupyter.jobs.target import Target
from pai_jupyter.jobs.where import where_of
from pai_jupyter.spec import JobRef, JobSpec
from pai_jupyter.store import JobStore
from tests.fakes.openapi import dropped
from tests.fakes.paiflow import CREATED, WORKSPACE, FakeNode, FakeRun, PaiFlow
from tests.support.pai_jobs import session_at
from tests.support.paiflow import paiflow
from tests.support.patience import DEADLINE

__all__ = ["paiflow"]  # a fixture

[REPLICA] = (replica.name for replica in contract.replicas(JobSpec(name="a", command="true")))
FORTY = [f"line {number}" for number in range(40)]


@pytest.fixture
def site(paiflow: PaiFlow) -> Site:
    return Site(region="cn-test", workspace=WORKSPACE, address=paiflow.address)


@pytest.fixture
async def backend(paiflow: PaiFlow, home: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[FlowBackend]:
    """The backend; who looks again does so at once."""
    for name in ("SHORTEST", "RETRY", "DRAIN_PAUSE", "_SLICE"):
        monkeypatch.setattr(following, name, 0.02)
    monkeypatch.setattr(snapshots, "FRESH", 0.01)
    with session_at(paiflow.address, home):
        backend = FlowBackend()
        yield backend
        await backend.aclose()


def plain(node: FakeNode) -> FlowNode:
    return FlowNode(id=node.id, name=node.name, status=node.status, started=node.started, ended=node.ended)


def ref_of(backend: FlowBackend, site: Site, run: FakeRun, node: FakeNode) -> JobRef:
    return backend.node_job(site, run.id, plain(node), created=CREATED, title="a run").ref


def end(node: FakeNode, status: str = "Succeeded") -> None:
    node.status, node.ended = status, CREATED + 60


async def follow(backend: FlowBackend, ref: JobRef, after: Position | None = None) -> list[Event]:
    async with asyncio.timeout(DEADLINE):
        return [event async for event in backend.follow(ref, after or {})]


def log(events: Sequence[Event]) -> list[str]:
    return b"".join(event.data for event in events if isinstance(event, LogChunk)).decode().splitlines()


def statuses(events: Sequence[Event]) -> list[Status]:
    return [event.status for event in events if isinstance(event, StatusChanged)]


async def until(stream: AsyncIterator[Event], kind: type[Event], *, count: int = 1) -> list[Event]:
    """The events up to the `count`th of this kind."""
    events: list[Event] = []
    async with asyncio.timeout(DEADLINE):
        async for event in stream:
            events.append(event)
            if sum(isinstance(each, kind) for each in events) == count:
                break
    return events


# --- status ----------------------------------------------------------------------------------------------------------


def test_every_documented_status_is_mapped() -> None:
    assert set(STATUS) == words.STATUSES
    assert {word for word, status in STATUS.items() if status.is_terminal} == words.ENDS


@pytest.mark.parametrize("word", ["", "Paused", "succeeded"])
def test_a_status_that_is_not_documented_is_unknown(word: str) -> None:
    assert report_of(FlowNode(id="n", name="a", status=word)).status is Status.UNKNOWN


async def test_a_status_is_that_of_the_node_however_deep_it_is(
    paiflow: PaiFlow, backend: FlowBackend, site: Site
) -> None:
    deep = FakeNode("n3", "deep")
    run = paiflow.add(FakeNode("n1", "outer", children=[FakeNode("n2", "inner", children=[deep])]))
    ref = ref_of(backend, site, run, deep)
    report = await backend.status(ref)
    assert (report.status, report.started) == (Status.RUNNING, CREATED + 10)
    end(deep, "Failed")
    deep.message = "OOMKilled"
    await asyncio.sleep(0.02)
    report = await backend.status(ref)
    assert (report.status, report.reason, report.ended) == (Status.FAILED, "OOMKilled", CREATED + 60)


async def test_a_node_that_is_not_there_is_not_found(paiflow: PaiFlow, backend: FlowBackend, site: Site) -> None:
    run = paiflow.add()
    gone = ref_of(backend, site, run, FakeNode("n9", "gone"))
    never = JobRef(backend="flow", job_id="never", data={})
    for ref in (gone, never):
        with pytest.raises(NotFoundError):
            await backend.status(ref)
        with pytest.raises(NotFoundError):
            await backend.stop(ref)
        with pytest.raises(NotFoundError):
            await follow(backend, ref)
        with pytest.raises(NotFoundError):
            await backend.fetch(ref, "model", Path("copy"))
    with pytest.raises(ProtocolError, match=r"state\.json"):
        await backend.status(JobRef(backend="flow", job_id="odd", data={"run": 7}))


# --- follow ----------------------------------------------------------------------------------------------------------


async def test_follow_yields_every_line_then_the_end(paiflow: PaiFlow, backend: FlowBackend, site: Site) -> None:
    node = FakeNode("n1", "train", lines=[*FORTY, "训练 ✓", ""])
    end(node)
    ref = ref_of(backend, site, paiflow.add(node), node)
    events = await follow(backend, ref)
    assert log(events) == node.lines
    assert statuses(events) == [Status.RUNNING, Status.SUCCEEDED]
    last = events[-1]
    assert isinstance(last, StatusChanged)
    assert (last.exit_code, last.time) == (0, CREATED + 60)
    assert await follow(backend, ref, {REPLICA: 42}) == [events[0], events[-1]]


@pytest.mark.parametrize("cursor", [0, 1, 7, 39, 40])
async def test_a_position_always_means_the_same_line(
    paiflow: PaiFlow, backend: FlowBackend, site: Site, cursor: int
) -> None:
    node = FakeNode("n1", "train", lines=FORTY)
    end(node)
    paiflow.page = 7
    events = await follow(backend, ref_of(backend, site, paiflow.add(node), node), {REPLICA: cursor})
    assert log(events) == FORTY[cursor:]
    assert [event.cursor for event in events if isinstance(event, LogChunk)][-1:] in ([40], [])


async def test_a_running_node_is_followed_to_its_end_and_resumed(
    paiflow: PaiFlow, backend: FlowBackend, site: Site
) -> None:
    node = FakeNode("n1", "train", "ReadyToSchedule", started=None)
    ref = ref_of(backend, site, paiflow.add(node), node)
    async with aclosing(backend.follow(ref, {})) as stream:
        assert statuses(await until(stream, StatusChanged)) == [Status.QUEUED]
        node.status, node.started, node.lines = "Running", CREATED + 10, FORTY[:5]
        events = await until(stream, LogChunk)
        assert statuses(events) == [Status.RUNNING]
    node.lines = FORTY
    end(node)
    [cursor] = [event.cursor for event in events if isinstance(event, LogChunk)]
    rest = await follow(backend, ref, {REPLICA: cursor})
    assert log(events) + log(rest) == FORTY


async def test_lines_that_come_after_the_end_are_read(
    paiflow: PaiFlow, backend: FlowBackend, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the real service; an emulator's log is complete at the end."""
    late = FakeNode("n1", "train", lines=["first"])
    monkeypatch.setattr(following.FollowedNode, "_is_complete", lambda self, node: "last" in late.lines)
    end(late)
    ref = ref_of(backend, site, paiflow.add(late), late)
    async with aclosing(backend.follow(ref, {})) as stream:
        await until(stream, LogChunk)
        late.lines.append("last")
        rest = [event async for event in stream]
    assert statuses(rest) == [Status.SUCCEEDED]
    monkeypatch.setattr(following, "QUIET", 0.1)
    monkeypatch.setattr(following.FollowedNode, "_is_complete", lambda self, node: False)
    late.lines.append("later")
    assert log(await follow(backend, ref, {REPLICA: 1})) == ["last", "later"]


async def test_a_node_that_was_skipped_has_no_log_and_says_why(
    paiflow: PaiFlow, backend: FlowBackend, site: Site
) -> None:
    node = FakeNode("n1", "train", "Skipped")
    [last] = await follow(backend, ref_of(backend, site, paiflow.add(node), node))
    assert isinstance(last, StatusChanged)
    assert (last.status, "condition was not met" in last.reason) == (Status.STOPPED, True)
    assert "ListNodeLogs" not in paiflow.actions


@pytest.mark.parametrize("word", ["Suspended", "Unknown", "Odd"])
async def test_a_node_that_stands_still_goes_on_later(
    paiflow: PaiFlow, backend: FlowBackend, site: Site, word: str
) -> None:
    node = FakeNode("n1", "train", word, lines=["a"])
    ref = ref_of(backend, site, paiflow.add(node), node)
    async with aclosing(backend.follow(ref, {})) as stream:
        [told] = await until(stream, StatusChanged)
        assert isinstance(told, StatusChanged)
        assert not told.status.is_terminal
        assert told.reason
        end(node)
        rest = [event async for event in stream]
    assert statuses(rest) == [Status.RUNNING, Status.SUCCEEDED]


async def test_a_lost_connection_is_announced_once_and_ends_nothing(
    paiflow: PaiFlow, backend: FlowBackend, site: Site
) -> None:
    node = FakeNode("n1", "train", lines=FORTY)
    ref = ref_of(backend, site, paiflow.add(node), node)
    async with aclosing(backend.follow(ref, {})) as stream:
        await until(stream, LogChunk)
        paiflow.plan.extend([dropped] * 14)  # each call is tried six times
        lost = await until(stream, StatusChanged, count=2)
        assert [event.text for event in lost if isinstance(event, Notice)]
        paiflow.plan.clear()
        end(node)
        rest = [event async for event in stream]
    both = [*lost, *rest]
    assert sum(isinstance(event, Notice) for event in both) == 1
    assert statuses(both)[-1] is Status.SUCCEEDED
    assert log(both) == []


async def test_many_followers_ask_for_their_run_together(
    paiflow: PaiFlow, backend: FlowBackend, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshots, "FRESH", 60.0)
    nodes = [FakeNode(f"n{number}", f"step {number}", lines=FORTY) for number in range(20)]
    for node in nodes:
        end(node)
    run = paiflow.add(*nodes)
    async with asyncio.TaskGroup() as group:
        for node in nodes:
            group.create_task(follow(backend, ref_of(backend, site, run, node)))
    assert paiflow.count("GetNode") == 1


# --- what it is not --------------------------------------------------------------------------------------------------


async def test_no_job_is_submitted_to_it(backend: FlowBackend) -> None:
    spec = JobSpec(name="a", command="true")
    with pytest.raises(SpecError, match="no single job"):
        await backend.submit(spec, cast(Any, None), job_id="j1")
    with pytest.raises(SpecError, match="no single job"):
        check(spec, Target(backend="flow", reason="asked for"))


def test_it_is_a_backend_that_shows_nodes() -> None:
    found: Backend = get_backend("flow")
    assert isinstance(found, ShowsNodes)
    assert get_info("flow").title == "PAIFlow"
    assert where_of("flow (step of iris)").backend == "PAIFlow"
    assert where_of("flow-emulator (step of iris)").backend == "PAIFlow emulator"


async def test_a_step_is_stopped_with_its_run_alone(paiflow: PaiFlow, backend: FlowBackend, site: Site) -> None:
    node = FakeNode("n1", "train")
    ref = ref_of(backend, site, paiflow.add(node), node)
    with pytest.raises(SpecError, match="with its whole run"):
        await backend.stop(ref)
    end(node)
    await backend.stop(ref)


# --- outputs ---------------------------------------------------------------------------------------------------------


async def test_output_parameters_are_fetched_as_files(
    paiflow: PaiFlow, backend: FlowBackend, site: Site, tmp_path: Path
) -> None:
    node = FakeNode("n1", "train", parameters={"test-accuracy": " 0.95\n", "n": 3, "../evil": "x", "名": [1]})
    ref = ref_of(backend, site, paiflow.add(node), node)
    place = await backend.fetch(ref, "output_parameters", tmp_path / "deep" / "copy")
    assert {path.name: path.read_text() for path in place.iterdir()} == {
        "test-accuracy": " 0.95\n",
        "n": "3",
        "名": "[1]",
    }
    assert not (tmp_path / "deep" / "evil").exists()


async def test_an_output_that_no_node_has_is_not_found(
    paiflow: PaiFlow, backend: FlowBackend, site: Site, tmp_path: Path
) -> None:
    node = FakeNode("n1", "train")
    node.outputs = [{"Name": "table", "Info": {"value": json.dumps({"location": {"table": "t"}})}}]
    ref = ref_of(backend, site, paiflow.add(node), node)
    with pytest.raises(NotFoundError, match="no output 'modle'; it has table"):
        await backend.fetch(ref, "modle", tmp_path / "copy")
    with pytest.raises(BackendError, match="not in OSS"):
        await backend.fetch(ref, "table", tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


# --- as a job --------------------------------------------------------------------------------------------------------


def test_a_custom_jobs_node_says_what_ran_and_where() -> None:
    config = {"JobSpecs": [{"EcsSpec": "ecs.c6.large", "ImageUri": "img:1", "PodCount": 1, "Type": "Worker"}]}
    place = "oss://pai-test.oss-cn-test.aliyuncs.com/out/"
    for given in (config, json.dumps(config)):
        inputs: dict[str, Any] = {"job_config": given, "output_path": place, "n_estimators": 500, "objective": "multi"}
        spec = spec_of(FlowNode(id="n1", name="train-step-1", status="Running", inputs=inputs))
        assert (spec.name, spec.instance_type, spec.image_uri) == ("train-step-1", "ecs.c6.large", "img:1")
        assert spec.output_path == place
        assert spec.hyperparameters == {"n_estimators": 500, "objective": "multi"}


@pytest.mark.parametrize("name", ["", "../../x", "a\nb\x1b[31m", "训" * 500, "a'; echo x"])
def test_odd_names_make_a_job_all_the_same(name: str) -> None:
    inputs: dict[str, Any] = {"job_config": "[" * 10, "output_path": 7, "x y": {"a": 1}, "": 1}
    spec = spec_of(FlowNode(id="n1", name=name, status="Running", inputs=inputs))
    assert spec.name
    assert "\n" not in spec.name


def test_a_nodes_job_has_the_same_id_everywhere_and_no_other_has_it(home: Path) -> None:
    site = Site(region="cn-test", workspace="1")
    ids = {job_id_of(site, "r", f"n/../{number}", created=CREATED) for number in range(3000)}
    assert len(ids) == 3000
    assert all(re.fullmatch(r"j[0-9a-z]{20}", each) for each in ids)
    assert [JobStore().path(each).name for each in ids]
    assert job_id_of(site, "r", "n", created=CREATED) == job_id_of(site, "r", "n", created=CREATED)
    assert job_id_of(site, "r", "n", created=CREATED) != job_id_of(site, "r2", "n", created=CREATED)
