"""Runs for tests of drawings."""

from dataclasses import replace
from typing import Any

from pai_jupyter.runs.plan import Argument, Graph, Loop, Plan
from pai_jupyter.runs.state import ConditionState, RunState, StepState, StepStatus, TryState
from pai_jupyter.view.run.data import RunData
from tests.support.run_plans import Simulation, output, plan_of, step

HOSTILE = "<script>alert(1)</script>\"'&]]>\x1b[31m\u202e{{item}}\ud800 onload=x"
NOW = 1_800_000_000.0


def of_everything() -> Plan:
    """A plan with a condition that is met and one that is not, a nested pipeline, a loop, and a step that fails."""
    condition = f"{output('train')} <= 0.9"
    inner = Graph(steps=(step("a"), step("b", "a")), title="two steps")
    plan = plan_of(
        step("train"),
        step("small", "train", condition=condition),
        step("big", "train", condition=condition.replace("<=", ">")),
        step("nested", "big", job=inner),
        step("loop", "nested", loop=Loop(items=Argument(value=["x", "y"]))),
        step("bad", "train"),
        step("after", "bad"),
        final=output("train"),
    )
    return replace(plan, notes=("a note",))


def everything(language: Any = "en") -> RunData:  # Any: "en" or "zh"
    run = Simulation(
        of_everything(), values={"train": 0.93}, wanted=lambda path, number: "fail" if path == "bad" else "ok"
    )
    run.finish()
    state = replace(run.run.state(), id="r-123abc")
    return RunData(state=state, now=NOW, language=language, home="/home/me")


def hostile() -> RunData:
    """A run in which every text is hostile, from steps, jobs and users."""
    values = {HOSTILE: HOSTILE, "access_key_secret": "hidden", "place": "/home/me/secret oss://b/k?Signature=abc"}
    step_of = StepState(
        path=HOSTILE,
        name=HOSTILE,
        kind="loop",
        title=HOSTILE,
        status=StepStatus.FAILED,
        reason=HOSTILE,
        item=HOSTILE,
        condition=ConditionState(text=HOSTILE, is_met=True, values={HOSTILE: HOSTILE}),
        tries=(TryState(job_id=HOSTILE, status="failed", reason=HOSTILE),) * 2,
        parameters=values,
        taken_from=HOSTILE,
        children=(StepState(path=HOSTILE + "[0]", name=HOSTILE, kind="job", title=HOSTILE, parameters=values),),
    )
    state = RunState(
        id=HOSTILE, name=HOSTILE, reason=HOSTILE, notes=(HOSTILE,), steps=(step_of,), parameters=values, created=NOW
    )
    return RunData(state=state, now=NOW, language="en", home="/home/me")


def wide(count: int) -> RunData:
    """A run of so many steps beside each other, all of which have failed with a long reason."""
    steps = tuple(
        StepState(
            path=f"step-{n}",
            name=f"step-{n}",
            kind="job",
            title="job of a long title",
            status=StepStatus.FAILED,
            reason="原因 " * 100,
            depends=("step-0",) if n else (),
            parameters={"accuracy": 0.5},
        )
        for n in range(count)
    )
    return RunData(state=RunState(id="r1", name="wide", steps=steps, created=NOW), now=NOW, language="en", home="/h")
