"""Runs of PAIFlow in both dialects: started, looked at, ended."""

import asyncio
import json
from collections.abc import Callable
from typing import Any, TypeVar

import pytest
import yaml

from pai_jupyter.cloud import flow
from pai_jupyter.cloud.flow.nodes import node_of, run_of, time_of
from pai_jupyter.cloud.session import Session
from pai_jupyter.errors import NotFoundError, ProtocolError, SpecError, UncertainError
from tests.fakes.openapi import lost, says
from tests.fakes.paiflow import ACCOUNT, CREATED, FakeNode, PaiFlow
from tests.support.paiflow import flow_session, paiflow

__all__ = ["paiflow"]  # a fixture

T = TypeVar("T")
METADATA = {"type": {"DataSet": {"locationType": "OSS"}}}
INPUTS: dict[str, Any] = {
    "parameters": [{"name": "rounds", "type": "Int"}],
    "artifacts": [{"name": "data", "metadata": METADATA}],
}
DOCUMENT: dict[str, Any] = {
    "apiVersion": "core/v1",
    "metadata": {"name": "tmp-1", "guid": "g"},
    "spec": {"inputs": INPUTS, "outputs": {}, "pipelines": []},
}


@pytest.fixture
def session(paiflow: PaiFlow) -> Session:
    return flow_session(paiflow)


@pytest.fixture(params=["runs", "pipelineruns"])
def dialect(request: pytest.FixtureRequest, paiflow: PaiFlow) -> str:
    paiflow.is_old = request.param == "pipelineruns"
    return str(request.param)


async def ask(call: Callable[[], T]) -> T:
    return await asyncio.to_thread(call)


def sent(service: PaiFlow) -> dict[str, Any]:
    return dict(json.loads(next(each.body for each in reversed(service.requests) if each.method == "POST")))


async def test_a_run_of_a_manifest_is_what_the_official_sdk_sends(
    paiflow: PaiFlow, session: Session, dialect: str
) -> None:
    run_id = await ask(
        lambda: flow.create_run(
            "训练 a",
            documents=[DOCUMENT],
            parameters={"rounds": 500},
            artifacts={"data": "oss://pai-test/d/train.csv"},
            session=session,
        )
    )
    assert run_id == paiflow.run.id
    body = sent(paiflow)
    manifest = flow.from_yaml(body.pop("PipelineManifest"))[0]
    arguments = yaml.safe_load(body.pop("Arguments"))
    source = "Source" if dialect == "runs" else "SourceType"
    assert body == {"Name": "训练 a", "NoConfirmRequired": True, "WorkspaceId": "12345", source: "SDK"}
    about = manifest["metadata"]
    assert isinstance(about, dict)
    assert (about["provider"], about["version"]) == (ACCOUNT, "v0")
    assert str(about["identifier"]).startswith("tmp-")
    assert manifest["spec"] == DOCUMENT["spec"]
    [data] = arguments["arguments"]["artifacts"]
    where = {"bucket": "pai-test", "endpoint": paiflow.address.partition("://")[2], "key": "d/train.csv"}
    assert (data["name"], data["metadata"]) == ("data", METADATA)
    assert json.loads(data["value"]) == {"location": where}
    assert arguments["arguments"]["parameters"] == [{"name": "rounds", "value": 500}]
    assert arguments["env"] is None


async def test_a_run_of_a_saved_pipeline_sends_its_id(paiflow: PaiFlow, session: Session) -> None:
    saved = await ask(lambda: flow.save_pipeline([DOCUMENT], identifier="a", version="v1", session=session))
    await ask(
        lambda: flow.create_run("a", pipeline_id=saved.id, artifacts={"data": "oss://pai-test/d"}, session=session)
    )
    body = sent(paiflow)
    assert body["PipelineId"] == saved.id
    assert "PipelineManifest" not in body
    assert yaml.safe_load(body["Arguments"])["arguments"]["artifacts"][0]["metadata"] == METADATA


@pytest.mark.parametrize(
    "given",
    [{"parameters": {"rouns": 1}}, {"artifacts": {"rounds": "oss://pai-test/d"}}],
    ids=["unknown", "of another kind"],
)
async def test_arguments_that_the_pipeline_does_not_have_are_refused(
    paiflow: PaiFlow, session: Session, given: dict[str, Any]
) -> None:
    with pytest.raises(SpecError, match="has no input"):
        await ask(lambda: flow.create_run("a", documents=[DOCUMENT], session=session, **given))
    assert paiflow.runs == {}


async def test_what_runs_must_be_said_and_only_once(session: Session) -> None:
    for given in ({}, {"documents": [DOCUMENT], "pipeline_id": "p"}):
        with pytest.raises(SpecError, match="one of both"):
            await ask(lambda given=given: flow.create_run("a", session=session, **given))  # type: ignore[misc]  # both kinds


async def test_a_run_whose_answer_was_lost_is_uncertain_and_there(paiflow: PaiFlow, session: Session) -> None:
    saved = await ask(lambda: flow.save_pipeline([DOCUMENT], identifier="a", version="v1", session=session))
    schema = json.dumps(paiflow.pipelines[saved.id]).encode()
    paiflow.plan.extend([says(200, schema), lost])
    with pytest.raises(UncertainError):
        await ask(lambda: flow.create_run("a", pipeline_id=saved.id, session=session))
    assert [run.id for run in await ask(lambda: flow.list_runs(session=session))] == [paiflow.run.id]


async def test_a_run_and_its_nodes_are_plain_values(paiflow: PaiFlow, session: Session, dialect: str) -> None:
    deep = FakeNode("n4", "deep", "Running", inputs={"x": 3})
    loop = FakeNode("n3", "inner", children=[deep])
    done = FakeNode("n1", "train", "Succeeded", parameters={"test-accuracy": "0.95"}, ended=CREATED + 20)
    run = paiflow.add(done, FakeNode("n2", "outer", children=[loop]))
    told = await ask(lambda: flow.get_run(run.id, session=session))
    assert (told.id, told.status, told.is_over, told.started) == (run.id, "Running", False, CREATED)
    tree = await ask(lambda: flow.node_tree(run.id, session=session))
    assert tree is not None
    train, outer = tree.children
    assert (train.name, train.status, train.parameters) == ("train", "Succeeded", {"test-accuracy": "0.95"})
    assert (train.started, train.ended, train.is_graph) == (CREATED + 10, CREATED + 20, False)
    assert outer.is_graph
    assert outer.children[0].children[0].inputs == {"x": 3}


async def test_a_run_that_has_not_begun_has_no_nodes(paiflow: PaiFlow, session: Session) -> None:
    run = paiflow.add()
    run.has_begun = False
    assert await ask(lambda: flow.node_tree(run.id, session=session)) is None


async def test_nodes_that_have_ended_are_asked_for_once(paiflow: PaiFlow, session: Session) -> None:
    over = FakeNode("n1", "over", "Succeeded", children=[FakeNode("n2", "a", "Succeeded")])
    run = paiflow.add(over, FakeNode("n3", "on", children=[FakeNode("n4", "b")]))

    async def trees(service: flow.FlowService) -> flow.FlowNode:
        first = await service.tree(run.id, run.root.id)
        return await service.tree(run.id, run.root.id, known={each.id: each for each in first.children})

    tree = await ask(lambda: flow.pipelines.asking(session, trees))
    assert [node.children[0].name for node in tree.children] == ["a", "b"]
    assert paiflow.count("GetNode") == 3 + 2


async def test_logs_are_read_by_pages_from_any_line_on(paiflow: PaiFlow, session: Session, dialect: str) -> None:
    node = FakeNode("n1", "train", lines=[f"行 {number}" for number in range(250)])
    run = paiflow.add(node)
    assert await ask(lambda: flow.node_logs(run.id, "n1", session=session)) == node.lines
    paiflow.page = 30
    assert await ask(lambda: flow.node_logs(run.id, "n1", offset=199, session=session)) == node.lines[199:]
    assert await ask(lambda: flow.node_logs(run.id, "n1", offset=250, session=session)) == []
    paiflow.refused_size = 101
    assert await ask(lambda: flow.node_logs(run.id, "n1", session=session)) == node.lines


async def test_outputs_are_listed(paiflow: PaiFlow, session: Session, dialect: str) -> None:
    value = json.dumps({"location": {"bucket": "pai-test", "key": "k"}})
    info = {"value": value, "metadata": METADATA}
    node = FakeNode("n1", "train")
    node.outputs = [{"Id": "artifact-1", "Name": "model", "Type": "DataSet", "Producer": "p", "Info": info}]  # type: ignore[dict-item]  # JSON
    run = paiflow.add(node)
    [found] = await ask(lambda: flow.node_outputs(run.id, "n1", session=session))
    assert (found.name, found.kind, found.value, found.metadata) == ("model", "DataSet", value, METADATA)


async def test_a_run_is_terminated_and_deleted(paiflow: PaiFlow, session: Session, dialect: str) -> None:
    run = paiflow.add(FakeNode("n1", "train"))
    await ask(lambda: flow.terminate_run(run.id, session=session))
    assert (await ask(lambda: flow.get_run(run.id, session=session))).status == "Terminated"
    await ask(lambda: flow.delete_run(run.id, session=session))
    with pytest.raises(NotFoundError):
        await ask(lambda: flow.get_run(run.id, session=session))


async def test_the_dialect_is_learned_once(paiflow: PaiFlow, session: Session) -> None:
    paiflow.is_old = True
    run = paiflow.add()
    for _ in range(3):
        await ask(lambda: flow.get_run(run.id, session=session))
    assert paiflow.actions == ["GetRun", "GetPipelineRun", "GetPipelineRun", "GetPipelineRun"]


async def test_a_service_that_knows_neither_dialect_is_told_so(paiflow: PaiFlow, session: Session) -> None:
    unknown = {"Code": "InvalidAction.NotFound", "Message": "no such api"}
    paiflow.plan.extend([says(404, unknown), says(404, unknown)])  # type: ignore[arg-type]  # JSON
    with pytest.raises(ProtocolError, match="no such api"):
        await ask(lambda: flow.get_run("flow-1", session=session))


@pytest.mark.parametrize(
    ("told", "seconds"),
    [
        ("2026-01-01T00:00:00Z", CREATED),
        ("2026-01-01T08:00:00+08:00", CREATED),
        (1767225600, CREATED),
        (1767225600000, CREATED),
        ("1767225600000", CREATED),
        (0, None),
        (None, None),
        (True, None),
        ("", None),
        ("soon", None),
        ("nan", None),
        (1e300, None),
        ({}, None),
    ],
)
def test_times_are_read_in_every_form(told: object, seconds: float | None) -> None:
    assert time_of(told) == seconds


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"Metadata": None, "Spec": [], "StatusInfo": 7},
        {"Spec": {"Pipelines": [None, 7, {"Metadata": {"Name": {}}}], "Inputs": {"Parameters": [{"value": 1}, 2]}}},
        {"StatusInfo": {"Status": ["x"], "StartedAt": {}, "Conditions": "no"}},
    ],
)
def test_odd_answers_are_read_as_far_as_they_go(fields: dict[str, Any]) -> None:
    node = node_of(fields)
    assert (node.id, node.status, node.started, node.inputs) == ("", "", None, {})
    assert run_of(fields, id_field="RunId").id == ""


def test_a_message_is_one_short_line() -> None:
    node = node_of({"StatusInfo": {"Message": "out\nof \x1b[31mmemory" + "y" * 1000}})
    assert node.message.startswith("out of [31mmemory")
    assert len(node.message) == 500
