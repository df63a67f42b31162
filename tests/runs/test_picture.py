"""The picture of a level: nothing overlaps or moves, loops and pipelines are one node, and the same level is laid out once."""

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from pai_jupyter.runs import picture
from pai_jupyter.runs.picture import LevelPicture, draw_level, is_drawn_alike, levels_of, node_lines, plan_state
from pai_jupyter.runs.plan import Argument, Graph, Loop
from pai_jupyter.runs.state import StepState
from tests.support.run_plans import Simulation, of_seed, output, plan_of, step


def drawn(path: str, steps: Sequence[StepState]) -> LevelPicture:
    found = draw_level(path, steps)
    assert found is not None
    return found


def looped(count: int) -> Loop:
    return Loop(items=Argument(value=[f"lr{number}" for number in range(count)]))


def test_the_seed_is_a_fork_of_two_conditions() -> None:
    seen = drawn("", plan_state(of_seed()).steps)
    assert [node.path for node in seen.nodes] == ["train-step-1", "train-step-2", "train-step-3"]
    assert [(edge.source, edge.target, edge.is_condition) for edge in seen.edges] == [(0, 1, True), (0, 2, True)]
    first = seen.nodes[0]
    assert seen.edges[0].points[0] == (first.x + first.w // 2, first.h)


def test_a_plain_dependency_is_no_condition() -> None:
    condition = f"{output('a')} > 1"
    plan = plan_of(step("a"), step("b"), step("c", "b", condition=condition))
    seen = drawn("", plan_state(plan).steps)
    by_source = {seen.nodes[edge.source].path: edge.is_condition for edge in seen.edges}
    assert by_source == {"a": True, "b": False}


def test_no_nodes_overlap_and_all_is_within() -> None:
    chance = random.Random(7)
    steps = [step(f"步骤-{n}", *{f"步骤-{chance.randrange(n)}" for _ in range(2 if n else 0)}) for n in range(40)]
    seen = drawn("", plan_state(plan_of(*steps)).steps)
    for one, other in combinations(seen.nodes, 2):
        beside = one.x + one.w <= other.x or other.x + other.w <= one.x
        assert beside or one.y + one.h <= other.y or other.y + other.h <= one.y
    assert all(0 <= node.x <= seen.w - node.w and 0 <= node.y <= seen.h - node.h for node in seen.nodes)


def test_nothing_moves_while_a_run_goes_on() -> None:
    run = Simulation(of_seed(), values={"train-step-1": 0.123456789})
    before = drawn("", run.run.state().steps)
    run.finish()
    after = run.run.state().steps
    assert drawn("", after) == before
    assert is_drawn_alike(run.refolded().state().steps, after)
    assert not is_drawn_alike(after, (*after[:2], replace(after[2], title="another")))
    assert not is_drawn_alike(after, after[:2])
    assert node_lines(after[1])[2] == "out = 0.123456789 <= 0.9"


def test_each_level_has_a_picture_of_its_own_and_the_executions_of_a_loop_share_a_layout() -> None:
    inner = Graph(steps=(step("a"), step("b", "a")), title="two steps")
    run = Simulation(plan_of(step("loop", job=inner, loop=looped(3)), step("end", "loop")))
    run.finish()
    levels = levels_of(run.run.state())
    assert [*levels] == ["", "loop", "loop[0]", "loop[1]", "loop[2]"]
    assert [node.path for node in drawn("", levels[""]).nodes] == ["loop", "end"]
    assert [node_lines(each)[:2] for each in levels["loop"]] == [(f"loop[{n}]", f"lr{n}") for n in range(3)]
    picture._laid_out.cache_clear()
    pictures = [drawn(f"loop[{n}]", levels[f"loop[{n}]"]) for n in range(3)]
    assert picture._laid_out.cache_info().misses == 1
    assert [node.path for node in pictures[2].nodes] == ["loop[2]/a", "loop[2]/b"]
    assert [len(each.edges) for each in pictures] == [1, 1, 1]


def test_a_plan_that_has_not_run_shows_what_is_in_its_pipelines_and_loops() -> None:
    inner = Graph(steps=(step("a"), step("b", "a")), title="two steps")
    state = plan_state(plan_of(step("nested", job=inner), step("loop", loop=looped(2))))
    assert [(each.path, each.kind) for each in state.steps] == [("nested", "pipeline"), ("loop", "loop")]
    assert [child.path for child in state.steps[0].children] == ["nested/a", "nested/b"]


def test_a_level_of_too_many_steps_has_none() -> None:
    steps = [StepState(path=str(n), name=str(n), kind="job", title="") for n in range(picture.MOST_DRAWN + 1)]
    assert draw_level("", steps) is None
    assert draw_level("", ()) is None
    assert draw_level("", steps[:5]) is not None
