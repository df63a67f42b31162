"""What a view of a run is sent: everything once, then what has changed, never more than a push holds."""

import json
from dataclasses import replace
from typing import Any

import pytest

from pai_jupyter.runs.plan import Argument, Graph, Loop
from pai_jupyter.runs.state import ConditionState, RunState, RunStatus, StepState, StepStatus, TryState
from pai_jupyter.spec import Json
from pai_jupyter.wire.job_view.job_events import PUSH_BYTES
from pai_jupyter.wire.run_view.delta import MOST_WHOLE, RunDelta, whole
from pai_jupyter.wire.run_view.rows import MAX_TRIES, RunOrigin, run_head, step_row
from pai_jupyter.wire.schema.run import RunNews, RunStep
from tests.support.declared import assert_declared
from tests.support.run_plans import Simulation, of_seed, plan_of, step

HERE = RunOrigin()
HOSTILE = "<script>alert(1)</script>\x1b[31m\ud800" * 2_000


def job(path: str, **fields: Any) -> StepState:
    return StepState(path=path, name=path.rpartition("/")[2], kind="job", title="job", **fields)


def run_of(*steps: StepState, **fields: Any) -> RunState:
    return RunState(**{"id": "r1", "name": "run", "steps": steps, **fields})


def all_news(delta: RunDelta, state: RunState) -> list[RunNews]:
    """All pushes until nothing is new."""
    found = []
    while (news := delta.news(state, HERE)) is not None:
        assert len(json.dumps(news, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")) <= PUSH_BYTES
        found.append(news)
        assert len(found) < 100
    return found


def test_the_first_push_has_everything_and_then_only_what_has_changed() -> None:
    run, delta = Simulation(of_seed(), values={"train-step-1": 0.85}), RunDelta()
    (first,) = all_news(delta, run.run.state())
    assert_declared(RunNews, first)
    assert [row["path"] for row in first["steps"]] == ["train-step-1", "train-step-2", "train-step-3"]
    assert [picture["path"] for picture in first["pictures"]] == [""]
    assert first["is_whole"]
    run.finish()
    (last,) = all_news(delta, run.run.state())
    assert [row["status"] for row in last["steps"]] == ["succeeded", "succeeded", "skipped"]
    assert last["pictures"] == []
    assert last["run"]["counts"] == {"succeeded": 2, "skipped": 1}
    condition = last["steps"][2]["condition"]
    assert (condition["label"], condition["is_met"]) == ("out = 0.85 > 0.9", False)


def test_a_step_that_looks_the_same_is_not_sent_again() -> None:
    delta, state = RunDelta(), run_of(job("a"), job("b"))
    all_news(delta, state)
    assert all_news(delta, run_of(*(replace(each) for each in state.steps))) == []
    (news,) = all_news(delta, run_of(job("a"), job("b", status=StepStatus.RUNNING)))
    assert [row["path"] for row in news["steps"]] == ["b"]


def test_a_level_that_begins_comes_with_its_picture() -> None:
    delta = RunDelta()
    outer = StepState(path="p", name="p", kind="pipeline", title="two")
    all_news(delta, run_of(outer))
    inner = (job("p/a"), job("p/b", depends=("a",)))
    (news,) = all_news(delta, run_of(replace(outer, children=inner)))
    assert [(row["path"], row["parent"]) for row in news["steps"]] == [("p", ""), ("p/a", "p"), ("p/b", "p")]
    assert news["steps"][0]["counts"] == {"waiting": 2}
    assert [picture["path"] for picture in news["pictures"]] == ["p"]


def test_of_a_large_run_the_first_level_is_sent_and_those_that_are_open() -> None:
    loop = Loop(items=Argument(value=[*range(MOST_WHOLE)]), parallelism=MOST_WHOLE)
    run, delta = Simulation(plan_of(step("loop", loop=loop), step("end", "loop"))), RunDelta()
    run.finish()
    first = all_news(delta, run.run.state())
    assert [row["path"] for news in first for row in news["steps"]] == ["loop", "end"]
    assert first[0]["steps"][0]["counts"] == {"succeeded": MOST_WHOLE}
    delta.open_levels = frozenset({"loop", "no such"})
    opened = all_news(delta, run.run.state())
    assert sum(len(news["steps"]) for news in opened) == MOST_WHOLE
    assert [picture["path"] for news in opened for picture in news["pictures"]] == ["loop"]
    delta.open_levels = frozenset()
    (closed,) = all_news(delta, run.run.state())
    assert (len(closed["gone"]), closed["steps"]) == (MOST_WHOLE, [])


def test_what_does_not_fit_follows() -> None:
    steps = [job(f"步骤{n}", reason="原因" * 400, status=StepStatus.FAILED) for n in range(600)]
    news = all_news(RunDelta(), run_of(*steps))
    assert len(news) > 3
    assert [each["is_whole"] for each in news] == [False] * (len(news) - 1) + [True]
    assert [row["path"] for each in news for row in each["steps"]] == [each.path for each in steps]
    assert [picture["path"] for each in news for picture in each["pictures"]] == [""]


def test_what_a_run_and_its_steps_began_with_is_told_short_and_without_secrets() -> None:
    inputs: dict[str, Json] = {"lr": 0.1, "output_path": "", "data": "/d/iris.csv", "env": {"API_KEY": "abc"}}
    told = {"lr": "0.1", "data": "/d/iris.csv", "env": '{"API_KEY": "***"}'}
    step = job("a", inputs=inputs)
    assert step_row(step, "")["inputs"] == run_head(run_of(step, inputs=inputs), HERE)["inputs"] == told
    assert "inputs" not in step_row(job("b", inputs={"output_path": ""}), "")
    many = step_row(job("c", inputs={f"v{n}": HOSTILE for n in range(100)}), "")["inputs"]
    assert (sum(map(len, many.values())) <= 1_100, many["…"]) == (True, "+80")


def test_all_text_is_clipped_and_secrets_are_masked() -> None:
    values = {"access_key_secret": "hidden", **{f"v{n}": HOSTILE for n in range(100)}}
    hostile = job(
        "a",
        reason=HOSTILE,
        item={"x": HOSTILE},
        condition=ConditionState(text=HOSTILE, is_met=True, values={"a": HOSTILE}, reason=HOSTILE),
        tries=tuple(TryState(job_id=f"j{n}", status="failed", reason=HOSTILE) for n in range(20)),
        parameters=values,
        artifacts=values,
    )
    state = run_of(hostile, name=HOSTILE, reason=HOSTILE, notes=(HOSTILE,) * 100, parameters=values, artifacts=values)
    row = step_row(hostile, "")
    assert row["parameters"]["access_key_secret"] == "***"
    assert (len(row["tries"]), row["tried"], row["job"]) == (MAX_TRIES, 20, "j19")
    assert len(str(row)) < 60_000
    assert len(str(run_head(state, HERE))) < 100_000
    news = whole(state, HERE)
    assert news["is_whole"]


@pytest.mark.parametrize("value", ["x y" * 21_845, list(range(12_000)), {"a": ["x" * 64_000]}])
def test_thousands_of_steps_with_large_outputs_are_sent_in_a_few_pushes(value: Json) -> None:
    values = {f"out{number}": value for number in range(20)}
    news = all_news(RunDelta(), run_of(*(job(f"s{number}", parameters=values) for number in range(2_000))))
    assert len(news) <= 12
    assert all(text.endswith("…") for text in news[0]["steps"][0]["parameters"].values())


def test_what_is_left_out_of_many_outputs_is_counted() -> None:
    row = step_row(job("a", parameters={f"out{number}": "x" * 300 for number in range(27)}), "")
    assert list(row["parameters"].items())[-2:] == [("out19", f"{'x' * 49}…"), ("…", "+7")]
    few = step_row(job("a", parameters={"out": "x" * 300, "loss": 0.5}), "")
    assert few["parameters"] == {"out": f"{'x' * 199}…", "loss": "0.5"}


@pytest.mark.parametrize(
    "text", ["\x01" * 65_536, "\x1b[31m" * 10_000, '"' * 65_536, "\U0001f600" * 65_536, "\ud800" * 65_536]
)
def test_whatever_a_step_wrote_its_run_becomes_whole(text: str) -> None:
    values = {f"v{n}": text for n in range(100)}
    condition = ConditionState(text=text, is_met=True, values=values, reason=text)
    tries = tuple(TryState(job_id=f"j{n}", status="failed", reason=text) for n in range(20))
    about: dict[str, Any] = {"reason": text, "parameters": values, "artifacts": values}
    step = StepState(path="a\ud800", name="a\ud800", kind="job", title=text, condition=condition, tries=tries, **about)
    state = run_of(step, name=text, notes=(text,) * 100, **about)
    news = whole(state, HERE)
    assert news["is_whole"]
    assert [picture["path"] for picture in news["pictures"]] == [""]
    assert not {"\x01", "\x1b"} & {*news["run"]["parameters"]["v0"], *news["steps"][0]["parameters"]["v0"]}


def test_a_row_has_nothing_that_says_nothing() -> None:
    expected: RunStep = {"path": "a", "parent": "", "name": "a", "kind": "job", "title": "job", "status": "waiting"}
    assert step_row(job("a"), "") == expected


@pytest.mark.parametrize("changed", [{"status": RunStatus.SUCCEEDED}, {"is_stopping": True}, {"notes": ("x",)}])
def test_a_change_of_the_run_itself_is_sent(changed: dict[str, Any]) -> None:
    delta = RunDelta()
    all_news(delta, run_of(job("a")))
    (news,) = all_news(delta, run_of(job("a"), **changed))
    assert (news["steps"], news["pictures"]) == ([], [])


def test_nested_pipelines_are_levels_of_their_own() -> None:
    inner = Graph(steps=(step("a"),), title="one")
    run = Simulation(plan_of(step("n", job=Graph(steps=(step("m", job=inner),), title="outer"))))
    run.finish()
    (news,) = all_news(RunDelta(), run.run.state())
    assert [(row["path"], row["parent"], row["kind"]) for row in news["steps"]] == [
        ("n", "", "pipeline"),
        ("n/m", "n", "pipeline"),
        ("n/m/a", "n/m", "job"),
    ]
