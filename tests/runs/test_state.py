"""The state of a run as JSON: what has its default is left out, the rest is plain."""

import json

from pai_jupyter.runs.plan import Argument, DeclaredParameter, Graph, Loop, Plan
from tests.support.run_plans import Simulation, of_seed, output, plan_of, step, template


def test_a_state_as_json() -> None:
    run = Simulation(of_seed(), values={"train-step-1": "0.95"})
    run.finish()
    written = json.loads(json.dumps(run.run.state().to_json()))
    assert written["status"] == "succeeded"
    first, second, third = written["steps"]
    assert first["tries"] == [{"job_id": "j0", "status": "succeeded", "ended": 3.0}]
    assert first["parameters"] == {"out": "0.95"}
    assert second["status"] == "skipped"
    assert second["condition"] == {
        "text": f"{output('train-step-1')} <= 0.9",
        "is_met": False,
        "values": {"pipelines.train-step-1.outputs.parameters.out": "0.95"},
    }
    assert "children" not in second
    assert third["depends"] == ["train-step-1"]


def test_what_a_step_began_with_is_known_once_it_has_begun() -> None:
    graph = Graph(
        steps=(step("inner", v="{{inputs.parameters.n}}"),),
        parameters=(DeclaredParameter(name="n", type="Int", default=3),),
    )
    top = Graph(
        steps=(
            step("first", v="{{inputs.parameters.n}}"),
            step("each", "first", loop=Loop(items=template("[5, 6]"), parallelism=1), v="{{item}}"),
            step("nested", "each", job=graph, n="{{inputs.parameters.n}}"),
            step("skipped", "nested", condition="1 > 2", v="never"),
        ),
        parameters=(DeclaredParameter(name="n", type="Int", default=7),),
    )
    run = Simulation(Plan(name="plan", graph=top))
    assert [it.inputs for it in run.run.state().steps] == [{}] * 4
    run.finish()
    for state in (run.run.state(), run.refolded().state()):
        assert state.inputs == state.to_json()["inputs"] == {"n": 7}
        first, each, nested, skipped = state.steps
        assert (first.inputs, each.inputs, nested.inputs, skipped.inputs) == ({"v": "7"}, {}, {"n": 7}, {})
        assert [it.inputs for it in each.children] == [{"v": "5"}, {"v": "6"}]
        assert nested.children[0].inputs == {"v": "7"}


def test_items_of_a_loop_have_their_item_and_their_place() -> None:
    run = Simulation(plan_of(step("each", loop=Loop(end=Argument(value=2)), v="{{item}}")))
    run.finish()
    (loop,) = run.run.state().steps
    assert (loop.kind, loop.title, [child.path for child in loop.children]) == ("loop", "job", ["each[0]", "each[1]"])
    assert [child.to_json()["item"] for child in loop.children] == [0, 1]
    assert loop.started == loop.children[0].started
    assert loop.ended == max(child.ended or 0 for child in loop.children)
