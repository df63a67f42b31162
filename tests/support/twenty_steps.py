"""A run of twenty steps with conditions, a loop and a pipeline in it, and the kernel that starts it.

python -m tests.support.twenty_steps MARKS      says "begins", starts the run, and waits for it
"""

import sys
from pathlib import Path

from pai_jupyter.runs import start_run
from pai_jupyter.runs.plan import Argument, Graph, Loop, Plan, Step
from tests.support.run_jobs import marked
from tests.support.run_plans import output, plan_of, step, template

SKIPPED = {"no", "behind-no", "never"}
ITEMS = 4


def twenty_steps(marks: Path, backend: str = "process") -> Plan:
    """Each step leaves marks of its name; those in `SKIPPED` leave none."""

    def job(name: str, *depends: str, condition: str | None = None, value: str = "1") -> Step:
        body = marked(marks, name, "value", backend=backend, sleep=0.05)
        return step(name, *depends, job=body, condition=condition, value=value)

    inner = Graph(
        steps=(
            step("in-a", job=marked(marks, "in-a", "value", backend=backend), value="7"),
            step("in-b", job=marked(marks, "in-b", "value", backend=backend), value=output("in-a")),
        ),
        output_parameters={"out": template(output("in-b"))},
    )
    loop = Loop(items=Argument(value=list(range(ITEMS))), parallelism=2)
    body = marked(marks, "loop", "item", "value", backend=backend)
    return plan_of(
        job("start", value="0.95"),
        *(job(f"wide-{number}", "start") for number in range(5)),
        job("yes", condition=f"{output('start')} > 0.9"),
        job("no", condition=f"{output('start')} <= 0.9"),
        job("behind-no", "no"),
        job("never", "yes", condition=f"{output('yes')} == 2 and {output('start')} > 0"),
        step("loop", "wide-0", job=body, loop=loop, item="{{item}}", value="{{item}}"),
        job("behind-loop", "loop", value=output("loop")),
        step("nested", "wide-1", job=inner),
        job("behind-nested", "nested", value=output("nested")),
        job("deep-1", "wide-2", "wide-3"),
        job("deep-2", "deep-1"),
        job("deep-3", "deep-2"),
        job("end", "deep-3", "behind-nested", "behind-loop", "yes"),
        result=output("end"),
    )


def names(plan: Plan) -> set[str]:
    """The names of the marks that a whole run of the plan leaves."""
    found = {one.name for one in plan.graph.steps} - SKIPPED - {"loop", "nested"}
    return found | {"in-a", "in-b", *(f"loop{number}" for number in range(ITEMS))}


if __name__ == "__main__":
    print("begins", flush=True)  # noqa: T201  whoever kills this process counts from here
    start_run(twenty_steps(Path(sys.argv[1]))).wait()
