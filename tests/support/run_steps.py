"""The steps of a run that is really driven, for tests that ask about them."""

from pai_jupyter.runs import Run
from pai_jupyter.runs.state import StepState


def steps_of(run: Run) -> dict[str, StepState]:
    """All steps of a run, by path."""
    found, left = {}, list(run.state.steps)
    while left:
        one = left.pop()
        found[one.path] = one
        left += one.children
    return found


def statuses(run: Run) -> dict[str, str]:
    return {path: one.status.value for path, one in sorted(steps_of(run).items())}
