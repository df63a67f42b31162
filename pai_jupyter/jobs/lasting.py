"""Say, once, that a job waits for replicas although it has succeeded: its policy lets them run to their own end. Pure.

A worker of an XGBoostJob that hangs after its master's success would keep its job running without a word.
"""

import re

from pai_jupyter import contract
from pai_jupyter.errors import SpecError
from pai_jupyter.events import JobState, Notice, Status
from pai_jupyter.spec import JobSpec

SAID_AFTER = 60.0  # seconds after the success; usual workers have ended by then
MAX_NAMES = 5
_SAID = re.compile(r"\S+ has succeeded\. Still running: .+\. To end the job: %pai_stop \S+")


def lasting_notice(job_id: str, spec: JobSpec, state: JobState, now: float) -> Notice | None:
    """Return the notice for a job that has waited `SAID_AFTER` seconds for such replicas; None if it was given before."""
    if state.status is not Status.RUNNING or lasting_text(state) or not _has_ended(state, now - SAID_AFTER):
        return None
    try:
        rules = {each.name: contract.policy(spec, each) for each in contract.replicas(spec)}
    except SpecError:  # names from a job of another origin
        return None
    known = {name: state.replicas[name] for name in rules if name in state.replicas}
    deciding = [known.get(name) for name, rule in rules.items() if rule.decides]
    ends = [last.time for last in deciding if last is not None and last.status is Status.SUCCEEDED]
    running = [name for name, last in known.items() if last.status is Status.RUNNING and rules[name].lasts is None]
    if not running or not ends or len(ends) < len(deciding) or max(ends) > now - SAID_AFTER:
        return None
    decided = next(name for name, rule in rules.items() if rule.decides)
    text = f"{decided} has succeeded. Still running: {_listed(running)}. To end the job: %pai_stop {job_id}"
    return Notice(text=text, time=max(ends) + SAID_AFTER)


def lasting_text(state: JobState) -> str:
    """Return the text of the notice that the job was given; "" if there is none, or it has ended since."""
    if state.status is not Status.RUNNING:
        return ""
    return next((notice.text for notice in state.notices if _SAID.fullmatch(notice.text)), "")


def _has_ended(state: JobState, time: float) -> bool:
    """Return whether any replica had succeeded at `time`: usually none has, and the rules need not be looked up."""
    return any(last.status is Status.SUCCEEDED and last.time <= time for last in state.replicas.values())


def _listed(names: list[str]) -> str:
    return ", ".join([*names[:MAX_NAMES], *(["…"] if len(names) > MAX_NAMES else [])])
