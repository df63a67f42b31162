"""What the jobs of a run have cost so far, by the price that is recorded with each.

Rule: two currencies are never added up. A job without a price adds nothing: what it costs is not known.
"""

from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.events import Status
from pai_jupyter.runs.labels import every_step
from pai_jupyter.runs.state import RunState
from pai_jupyter.store import JobStore

if TYPE_CHECKING:
    from pai_jupyter.cost import Cost, JobPrice

MOST_JOBS = 500  # of a run whose cost is told: the record of each is read


def costs_of_run(state: RunState, *, now: float) -> "list[Cost]":
    """Return what the jobs of a run have cost, a sum for each currency; [] if no job has a price, or there are too many."""
    tries = [each for step in every_step(state.steps) if step.kind == "job" for each in step.tries]
    if len(tries) > MOST_JOBS:
        return []
    prices = {each.job_id: _price(JobStore().home, each.job_id) for each in tries}
    if not any(prices.values()):
        return []
    from pai_jupyter.cost import add_up, cost_of  # late, with `decimal`: few runs have prices

    found: dict[str, list[Cost]] = {}
    for each in tries:
        if (price := prices[each.job_id]) is not None:
            ended = (each.ended or each.started or now) if Status(each.status).is_terminal else None
            cost = cost_of(price, started=each.started, ended=ended, now=now)
            found.setdefault(cost.currency, []).append(cost)
    return [add_up(costs, is_final=state.status.is_terminal) for costs in found.values()]


@lru_cache(maxsize=2 * MOST_JOBS)
def _recorded(home: Path, job_id: str) -> "JobPrice | None":
    return JobStore(home).open(job_id).record.price


def _price(home: Path, job_id: str) -> "JobPrice | None":
    """Return the recorded price of a job; None while it is not there, too."""
    with suppress(PaiJupyterError):
        return _recorded(home, job_id)
    return None
