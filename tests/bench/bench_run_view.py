"""Views of runs of 500 steps: their layout, the first push, and those of every change. There is no peer: goals are times.

Processor time, since what runs beside it makes no push slower to build.
"""

import random
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from pai_jupyter.runs import picture
from pai_jupyter.runs.picture import draw_level, plan_state
from pai_jupyter.runs.plan import Plan
from pai_jupyter.runs.state import StepState
from pai_jupyter.view.run.data import RunData
from pai_jupyter.view.run.html import render_run_html
from pai_jupyter.wire.protocol.messages import Message, to_frame
from pai_jupyter.wire.run_view.delta import RunDelta
from pai_jupyter.wire.run_view.rows import RunOrigin
from tests.bench.harness import Row, at_most
from tests.support.run_plans import Simulation, plan_of, step

STEPS = 500
CHANGES = 400  # pushes that are measured
RUNS = 5


def rows() -> Iterator[Row]:
    for name, plan in plans().items():
        steps = plan_state(plan).steps
        layout = statistics.median(_seconds(partial(_lay_out, steps)) for _ in range(RUNS))
        first, changes = _pushes(plan)
        yield at_most(f"{STEPS} steps, {name}: layout (/ 0.2 s)", layout, 0.2, 1)
        yield at_most("  first push (/ 200 ms)", first * 1000, 200, 1, "ms")
        yield at_most("  a change, p95 (/ 50 ms)", statistics.quantiles(changes, n=20)[-1] * 1000, 50, 1, "ms")
        data = RunData(state=plan_state(plan), now=0.0, language="en", home="/h")
        yield at_most("  saved output (/ 500 ms)", _seconds(partial(render_run_html, data)) * 1000, 500, 1, "ms")


def plans() -> dict[str, Plan]:
    """Wide, deep and random graphs."""
    chance = random.Random(15)
    before: dict[str, Callable[[int], set[int]]] = {
        "wide": lambda number: {0} if number else set(),
        "deep": lambda number: {number - 1} if number else set(),
        "random": lambda number: {chance.randrange(max(0, number - 40), number) for _ in range(2 if number else 0)},
    }
    return {
        name: plan_of(*(step(f"s{n}", *(f"s{each}" for each in sorted(of(n)))) for n in range(STEPS)))
        for name, of in before.items()
    }


def _lay_out(steps: Sequence[StepState]) -> None:
    picture._laid_out.cache_clear()
    assert draw_level("", steps) is not None


def _pushes(plan: Plan) -> tuple[float, list[float]]:
    """Seconds of the first push, and of those after each change."""
    picture._laid_out.cache_clear()
    run, delta = Simulation(plan), RunDelta()
    first = _seconds(lambda: _push(run, delta))
    wander = run.wander(random.Random(1), deaths=0.0)
    times = [_seconds(lambda: _push(run, delta)) for _ in zip(range(CHANGES), wander, strict=False)]
    return first, times


def _push(run: Simulation, delta: RunDelta) -> None:
    news = delta.news(run.run.state(), RunOrigin())
    if news is not None:
        to_frame(Message(body={"kind": "run_changes", "view": "v", "seq": 1, **news}))


def _seconds(action: Callable[[], object]) -> float:
    start = time.process_time()
    action()
    return time.process_time() - start
