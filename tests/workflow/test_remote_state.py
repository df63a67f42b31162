"""Nodes of PAIFlow as the state of a run: laid over the steps of the manifest."""

import json
from typing import Any

import pytest

from pai_jupyter.cloud.flow import FlowNode, FlowRun, from_yaml
from pai_jupyter.cloud.flow import status as words
from pai_jupyter.runs.state import RunState, RunStatus, StepState, StepStatus
from pai_jupyter.workflow.remote_state import RUN_STATUS, STEP_STATUS, RemoteDrawing
from pai_jupyter.workflow.remote_steps import RemoteManifest
from tests.support.paths import DATA

ACCURACY = "{{pipelines.train-step-1.outputs.parameters.test-accuracy}}"
REFERENCE = "pipelines.train-step-1.outputs.parameters.test-accuracy"
CONDITIONAL = f"""
metadata: {{guid: c, name: tmp-c}}
spec:
  container: {{image: x}}
  outputs: {{parameters: [{{name: test-accuracy, type: Double}}]}}
---
metadata: {{guid: p, name: tmp-p}}
spec:
  pipelines:
  - metadata: {{guid: c, name: train-step-1}}
    spec: {{arguments: {{parameters: [{{name: n, value: 500}}, {{name: m, value: "{{{{inputs.parameters.m}}}}"}}]}}}}
  - metadata: {{guid: c, name: train-step-2}}
    spec: {{dependencies: [train-step-1], when: "{ACCURACY} <= 0.9"}}
  - metadata: {{guid: c, name: train-step-3}}
    spec: {{when: "{ACCURACY} > 0.9"}}
"""
NESTED = """
metadata: {guid: c, identifier: fit, version: v1}
spec: {container: {image: x}}
---
metadata: {guid: i, name: tmp-i}
spec:
  pipelines:
  - {metadata: {guid: c, name: a}, spec: {}}
  - {metadata: {guid: c, name: b}, spec: {dependencies: [a]}}
---
metadata: {guid: p, name: tmp-p}
spec:
  pipelines:
  - {metadata: {guid: i, name: nested}, spec: {}}
  - {metadata: {guid: i, name: loop}, spec: {withItems: [x, y], dependencies: [nested]}}
  - {metadata: {guid: c, name: range}, spec: {withSequence: {start: 0, end: 12}}}
  - {metadata: {identifier: split, provider: pai, version: v1, name: registered}, spec: {}}
"""


def draw(text: str, *nodes: FlowNode, status: str = words.RUNNING, **more: Any) -> RunState:
    run = FlowRun(id="flow-1", name="a", status=status, node_id="root", **more)
    root = FlowNode(id="root", name="root", status=status, is_graph=True, children=nodes)
    drawing = RemoteDrawing(RemoteManifest(from_yaml(text)), lambda node: f"job-{node.id}")
    return drawing.draw(run, root, run_id="f1", name="a", created=1.0, notes=("n",))


def node(name: str, status: str = words.SUCCEEDED, *children: FlowNode, **more: Any) -> FlowNode:
    return FlowNode(id=f"n-{name}", name=name, status=status, is_graph=bool(children), children=children, **more)


def by_path(state: RunState) -> dict[str, StepState]:
    def below(steps: tuple[StepState, ...]) -> dict[str, StepState]:
        found = {}
        for step in steps:
            found[step.path] = step
            found |= below(step.children)
        return found

    return below(state.steps)


def statuses(state: RunState) -> dict[str, str]:
    return {path: step.status.value for path, step in by_path(state).items()}


def test_every_documented_status_is_mapped() -> None:
    assert set(STEP_STATUS) == set(RUN_STATUS) == words.STATUSES
    assert {word for word, status in STEP_STATUS.items() if status.is_terminal} == words.ENDS
    assert {word for word, status in RUN_STATUS.items() if status.is_terminal} == words.ENDS


@pytest.mark.parametrize("word", ["", "Paused"])
def test_a_status_that_is_not_documented_ends_nothing_and_is_told(word: str) -> None:
    state = draw(CONDITIONAL, node("train-step-1", word), status=word)
    assert (state.status, state.steps[0].status) == (RunStatus.RUNNING, StepStatus.RUNNING)
    assert state.reason == f"PAIFlow says {word!r}"


def test_names_that_nobody_gave_are_no_titles_and_items_are_those_of_the_manifest() -> None:
    made_up = {"title": "tmp-jtao2w"}
    state = draw(
        NESTED,
        node("loop", words.RUNNING, node("loop-1", **made_up), **made_up),
        node("range", words.RUNNING, node("range-0", **made_up), **made_up),
        node("registered", **made_up),
    )
    found = by_path(state)
    assert {step.title for step in found.values()} == {"", "fit v1", "split v1"}
    assert (found["loop[1]"].item, found["range[0]"].item) == ("y", None)


def test_what_a_step_began_with_is_what_the_manifest_and_the_service_say_of_it() -> None:
    state = draw(
        CONDITIONAL, node("train-step-1", inputs={"m": "7"}), node("train-step-2", words.SKIPPED, inputs={"m": "8"})
    )
    assert [step.inputs for step in state.steps] == [{"n": 500, "m": "7"}, {}, {}]
    [loop] = [
        step
        for step in draw(NESTED, node("loop", words.RUNNING, node("loop-0", inputs={"v": "x"}))).steps
        if step.name == "loop"
    ]
    assert (loop.inputs, loop.children[0].inputs) == ({}, {"v": "x"})


def test_before_anything_has_begun_all_steps_wait_and_the_graph_is_known() -> None:
    state = draw(CONDITIONAL)
    assert statuses(state) == {"train-step-1": "waiting", "train-step-2": "waiting", "train-step-3": "waiting"}
    assert [step.depends for step in state.steps] == [(), ("train-step-1",), ("train-step-1",)]
    condition = state.steps[2].condition
    assert condition is not None
    assert (condition.text, condition.is_met) == (f"{ACCURACY} > 0.9", None)
    assert (state.notes, state.created, state.ended) == (("n",), 1.0, None)


def test_exactly_one_branch_runs_and_the_deciding_value_is_shown() -> None:
    state = draw(
        CONDITIONAL,
        node("train-step-1", parameters={"test-accuracy": "0.95"}, started=2.0, ended=3.0),
        node("train-step-2", words.SKIPPED, started=3.0, ended=3.0),
        node("train-step-3", words.RUNNING, started=4.0),
    )
    first, second, third = state.steps
    assert [step.status for step in state.steps] == [StepStatus.SUCCEEDED, StepStatus.SKIPPED, StepStatus.RUNNING]
    assert first.parameters == {"test-accuracy": 0.95}  # as declared, not as text
    assert second.condition is not None
    assert third.condition is not None
    assert (second.condition.is_met, third.condition.is_met) == (False, True)
    assert third.condition.values == {REFERENCE: 0.95}
    assert (second.tries, second.started) == ((), None)
    assert [one.job_id for one in third.tries] == ["job-n-train-step-3"]
    assert (first.started, first.ended, third.ended) == (2.0, 3.0, None)


def test_a_branch_behind_a_failed_step_was_not_decided() -> None:
    state = draw(
        CONDITIONAL,
        node("train-step-1", words.FAILED, message="OOMKilled"),
        node("train-step-2", words.SKIPPED),
        status=words.FAILED,
        ended=9.0,
    )
    assert statuses(state) == {"train-step-1": "failed", "train-step-2": "skipped", "train-step-3": "skipped"}
    assert state.steps[1].condition is not None
    assert state.steps[1].condition.is_met is None
    assert (state.reason, state.ended) == ("step `train-step-1`: OOMKilled", 9.0)
    assert state.steps[0].tries[0].reason == "OOMKilled"


TYPED = """
metadata: {guid: c, name: tmp-c}
spec:
  container: {image: x}
  outputs:
    parameters: [{name: acc, type: Double}, {name: label, type: String}, {name: flag, type: Bool}, {name: map, type: Map}]
---
metadata: {guid: i, name: tmp-i}
spec:
  outputs: {parameters: [{name: acc, from: "{{pipelines.one.outputs.parameters.acc}}"}]}
  pipelines: [{metadata: {guid: c, name: one}, spec: {}}]
---
metadata: {guid: p, name: tmp-p}
spec:
  outputs:
    parameters:
    - {name: acc, type: Double, from: "{{pipelines.inner.outputs.parameters.acc}}"}
    - {name: labels, type: String, from: "{{pipelines.loop.outputs.parameters.label}}"}
    - {name: accs, from: "{{pipelines.loop.outputs.parameters.acc}}"}
    - {name: unknown, from: "{{pipelines.registered.outputs.parameters.x}}"}
  pipelines:
  - {metadata: {guid: i, name: inner}, spec: {}}
  - {metadata: {guid: c, name: loop}, spec: {withItems: [1, 2]}}
  - {metadata: {identifier: split, provider: pai, version: v1, name: registered}, spec: {}}
"""


def test_outputs_have_the_types_that_are_declared_as_they_have_here() -> None:
    values = {"acc": "0.5", "label": "07", "flag": "true", "map": '{"a": 1}'}
    lists = {"acc": "[0.5, 1]", "label": '["07", "x"]'}
    run = FlowRun(id="flow-1", name="a", status=words.SUCCEEDED, node_id="root")
    told = {"acc": "0.5", "labels": '["07", "x"]', "accs": '["0.5", 1]', "unknown": "7"}
    inner = node("inner", words.SUCCEEDED, node("one", parameters=values), parameters={"acc": "0.5"})
    loop = node("loop", words.SUCCEEDED, node("loop-0", parameters=values), parameters=lists)
    root = FlowNode(id="root", name="r", status=words.SUCCEEDED, is_graph=True, parameters=told, children=(inner, loop))
    drawing = RemoteDrawing(RemoteManifest(from_yaml(TYPED)), lambda node: node.id)
    state = drawing.draw(run, root, run_id="f1", name="a", created=1.0)
    assert state.parameters == {"acc": 0.5, "labels": ["07", "x"], "accs": [0.5, 1], "unknown": "7"}
    found = by_path(state)
    assert found["loop[0]"].item == 1
    assert found["inner"].parameters == {"acc": 0.5}
    assert found["loop"].parameters == {"acc": [0.5, 1], "label": ["07", "x"]}
    typed = {"acc": 0.5, "label": "07", "flag": True, "map": {"a": 1}}
    assert found["inner/one"].parameters == found["loop[0]"].parameters == typed


def test_a_condition_whose_value_never_came_is_not_decided_when_the_run_is_stopped() -> None:
    at = {"started": 3.0, "ended": 3.0}
    nodes = (node("train-step-1", words.TERMINATED), node("train-step-2", words.TERMINATED, **at))
    second = draw(CONDITIONAL, *nodes, status=words.TERMINATED).steps[1]
    assert second.condition is not None
    assert (second.status, second.condition.is_met) == (StepStatus.STOPPED, None)


def test_a_step_whose_condition_nobody_can_decide_has_no_job() -> None:
    at = {"started": 3.0, "ended": 3.0}
    message = "the condition cannot be decided: 'low' is no number, and `<=` compares numbers only."
    nodes = (
        node("train-step-1", parameters={"test-accuracy": "low"}),
        node("train-step-2", words.FAILED, message=message, **at),
        node("train-step-3", words.FAILED, message="exit code 1", started=3.0, ended=4.0),  # PAIFlow could decide it
    )
    _, second, third = draw(CONDITIONAL, *nodes, status=words.FAILED).steps
    assert second.condition is not None
    assert (second.condition.is_met, second.condition.reason, second.tries) == (None, message, ())
    assert third.condition is not None
    assert (third.condition.is_met, len(third.tries)) == (True, 1)
    drawing = RemoteDrawing(RemoteManifest(from_yaml(CONDITIONAL)), lambda node: node.id)
    root = FlowNode(id="root", name="root", status=words.FAILED, is_graph=True, children=nodes)
    assert [found.path for found in drawing.job_nodes(root)] == ["train-step-1", "train-step-3"]


@pytest.mark.parametrize("end", sorted(words.ENDS))
def test_nothing_runs_in_a_run_that_has_ended(end: str) -> None:
    state = draw(CONDITIONAL, node("train-step-1", words.RUNNING), status=end)
    assert state.status.is_terminal
    assert all(step.status.is_terminal for step in state.steps)


def test_pipelines_and_loops_hold_what_is_in_them() -> None:
    inner = (node("a", words.SUCCEEDED), node("b", words.RUNNING))
    state = draw(
        NESTED,
        node("nested", words.SUCCEEDED, node("a"), node("b")),
        node("loop", words.RUNNING, node("loop-1", words.RUNNING, *inner), node("loop-0", words.SUCCEEDED, node("a"))),
        node("range", words.RUNNING, *(node(f"range({number})", words.RUNNING) for number in (10, 2))),
        node("registered", words.RUNNING, node("part 1", words.RUNNING)),
    )
    assert statuses(state) == {
        "nested": "succeeded",
        "nested/a": "succeeded",
        "nested/b": "succeeded",
        "loop": "running",
        "loop[0]": "succeeded",
        "loop[0]/a": "succeeded",
        "loop[0]/b": "waiting",
        "loop[1]": "running",
        "loop[1]/a": "succeeded",
        "loop[1]/b": "running",
        "range": "running",
        "range[2]": "running",
        "range[10]": "running",
        "registered": "running",
        "registered/part 1": "running",
    }
    kinds = {path: step.kind for path, step in by_path(state).items()}
    assert [kinds[path] for path in ("nested", "loop", "loop[0]", "range[2]", "registered", "registered/part 1")] == [
        "pipeline",
        "loop",
        "pipeline",
        "job",
        "pipeline",
        "job",
    ]
    assert by_path(state)["nested/a"].title == "fit v1"
    assert by_path(state)["nested/b"].depends == ("a",)


def test_items_whose_names_have_no_numbers_come_in_their_order() -> None:
    children = [node("range-x", words.RUNNING), node("range-y", words.RUNNING)]
    paths = by_path(draw(NESTED, node("range", words.RUNNING, *children)))
    assert {"range[0]", "range[1]"} <= set(paths)


def test_jobs_are_the_nodes_that_have_begun_and_are_no_pipelines() -> None:
    root = FlowNode(
        id="root",
        name="root",
        status=words.RUNNING,
        is_graph=True,
        children=(
            node("nested", words.RUNNING, node("a"), node("b", words.READY)),
            node("range", words.RUNNING, node("range-0"), node("range-1", words.SKIPPED)),
        ),
    )
    drawing = RemoteDrawing(RemoteManifest(from_yaml(NESTED)), lambda node: node.id)
    assert [found.path for found in drawing.job_nodes(root)] == ["nested/a", "range[0]"]


def test_a_component_alone_is_one_step() -> None:
    run = FlowRun(id="flow-1", name="a", status=words.RUNNING)
    drawing = RemoteDrawing(RemoteManifest(from_yaml("spec: {container: {}}")), lambda node: node.id)
    state = drawing.draw(run, node("alone", words.RUNNING), run_id="f1", name="a", created=1.0)
    assert [(step.path, step.kind, len(step.tries)) for step in state.steps] == [("alone", "job", 1)]
    assert drawing.draw(run, None, run_id="f1", name="a", created=1.0).steps == ()


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "spec: 7",
        "spec: {pipelines: x}",
        "spec: {pipelines: [1, {metadata: 3}, {spec: {dependencies: {a: 1}, when: 4, withItems: []}}]}",
        "metadata: {guid: g}\nspec: {pipelines: [{metadata: {guid: g, name: itself}, spec: {}}]}",
        'spec: {pipelines: [{metadata: {name: a}, spec: {when: "{{pipelines.odd}} <", arguments: {parameters: [3]}}}]}',
    ],
)
def test_odd_manifests_are_drawn_as_far_as_they_go(text: str) -> None:
    state = draw(text, node("itself", words.RUNNING), node("a", words.RUNNING))
    assert {"itself", "a"} <= set(statuses(state))
    assert state.to_json()


def test_a_manifest_of_pais_sdk_is_understood() -> None:
    requests = json.loads((DATA / "pai_requests.json").read_text())
    [text] = [row["body"]["PipelineManifest"] for row in requests if (row["body"] or {}).get("PipelineManifest")]
    state = draw(text, node("train-step-1", parameters={"test-accuracy": "0.95"}))
    assert [step.depends for step in state.steps] == [(), ("train-step-1",), ("train-step-1",)]
    assert state.steps[0].parameters == {"test-accuracy": 0.95}
