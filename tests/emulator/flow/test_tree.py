"""The nodes of a run, from its state."""

import pytest

from pai_jupyter.emulator.flow.statuses import KNOWN, OF_RUNS, OF_STEPS
from pai_jupyter.emulator.flow.tree import find_node, flow_tree
from pai_jupyter.runs.state import RunState, RunStatus, StepState, StepStatus


def job(path: str, status: StepStatus, **more: object) -> StepState:
    name = path.rpartition("/")[2].partition("[")[0]
    return StepState(path=path, name=name, kind="job", title="train v1", status=status, **more)  # type: ignore[arg-type]


LOOP = StepState(
    path="all",
    name="all",
    kind="loop",
    title="train v1",
    status=StepStatus.RUNNING,
    started=12.0,
    children=(job("all[0]", StepStatus.SUCCEEDED, started=12.0, ended=13.0), job("all[1]", StepStatus.RUNNING)),
)
STATE = RunState(
    id="r1",
    name="engine",
    created=10.0,
    steps=(
        job("train", StepStatus.SUCCEEDED, started=11.0, ended=12.0, parameters={"acc": "0.9"}),
        job("skipped", StepStatus.SKIPPED, ended=12.5),
        LOOP,
        job("later", StepStatus.WAITING),
    ),
)


def test_the_run_is_the_root_and_what_has_not_begun_has_no_node() -> None:
    root = flow_tree("flow-1", "a run", STATE)
    assert (root.name, root.type, root.status, root.started) == ("a run", "Dag", "Running", 10.0)
    assert [(node.name, node.type, node.status) for node in root.children] == [
        ("train", "Pod", "Succeeded"),
        ("skipped", "Pod", "Skipped"),
        ("all", "Dag", "Running"),
    ]


def test_items_of_a_loop_have_names_of_their_own() -> None:
    loop = flow_tree("flow-1", "a run", STATE).children[2]
    assert [(node.name, node.path) for node in loop.children] == [("all-0", "all[0]"), ("all-1", "all[1]")]


def test_every_node_has_a_time_at_which_it_started() -> None:
    assert [node.started for node in flow_tree("flow-1", "a run", STATE).walk()] == [10.0, 11.0, 12.5, 12.0, 12.0, 12.0]


def test_ids_stay_and_differ_between_runs() -> None:
    root, again, other = (flow_tree(run, "a run", STATE) for run in ("flow-1", "flow-1", "flow-2"))
    ids = [node.id for node in root.walk()]
    assert ids == [node.id for node in again.walk()]
    assert not {*ids} & {node.id for node in other.walk()}
    assert find_node(root, ids[-1]) == root.children[2].children[1]
    assert find_node(root, "node-none") is None


@pytest.mark.parametrize(("depth", "names"), [(1, 1), (2, 4), (3, 6)])
def test_nodes_are_listed_down_to_a_depth(depth: int, names: int) -> None:
    assert len([*flow_tree("flow-1", "a run", STATE).down_to(depth)]) == names


def test_every_status_has_a_word_of_the_service() -> None:
    assert {*OF_RUNS} == {*RunStatus}
    assert {*OF_STEPS} == {*StepStatus}
    documented = {"Initialized", "ReadyToSchedule", "Starting", "WorkflowServiceStarting", "Running", "Suspended"}
    assert documented | {"Succeeded", "Terminated", "Unknown", "Skipped", "Failed"} == KNOWN
