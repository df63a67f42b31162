"""What is left to send to MLflow servers, by their addresses; give it up."""

import os
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pai_jupyter.delivery.notes import note_of
from pai_jupyter.delivery.outbox import Outbox, open_jobs
from pai_jupyter.delivery.tracking.wanted import NAME, address_of, missing_login
from pai_jupyter.errors import PaiJupyterError, SpecError
from pai_jupyter.events import Notice
from pai_jupyter.store import JobFolder


@dataclass(frozen=True, kw_only=True)
class Left:
    """What is left to send to one address. `tried`: what came of the last try that failed; `missing`: variables of its login."""

    messages: int
    tried: str
    missing: tuple[str, ...]
    outboxes: tuple[Outbox, ...]


def left_at(home: Path, environ: Mapping[str, str] | None = None) -> dict[str, Left]:
    """Return by address what is left to send there."""
    here = os.environ if environ is None else environ
    by_address: dict[str, list[Outbox]] = {}
    for job_id in open_jobs(home, NAME):
        with suppress(PaiJupyterError):  # just deleted, or damaged: the process says so
            outbox = Outbox(home, NAME, job_id)
            if outbox.unsent:
                by_address.setdefault(address_of(outbox.wanted), []).append(outbox)
    return {address: _left(outboxes, here) for address, outboxes in by_address.items()}


def _left(outboxes: list[Outbox], environ: Mapping[str, str]) -> Left:
    entries = sorted((it for outbox in outboxes for it in outbox.unsent), key=lambda it: it.message.time)
    return Left(
        messages=len(entries),
        tried=next((it.why for it in reversed(entries) if it.why and it.state == "later"), ""),
        missing=tuple(dict.fromkeys(it for outbox in outboxes for it in missing_login(outbox.wanted, environ))),
        outboxes=tuple(outboxes),
    )


def drop_left(home: Path, address: str) -> str:
    """Give up what is left to send to an address, and tell the jobs whose notices promise it; say what was dropped.

    The process that sends forgets an outbox that is gone.

    Raises:
        SpecError: nothing is left for this address, which may have a login in it and is not repeated.
        PaiJupyterError: an outbox cannot be deleted.
    """
    known = left_at(home)
    if not known:
        raise SpecError("nothing is left to send to an MLflow server.")
    if address not in known:
        raise SpecError(f"nothing is left to send to this address; there is something for {', '.join(known)}")
    left = known[address]
    for outbox in left.outboxes:
        outbox.delete()
        if any(it.noted for it in outbox.entries.values()):
            text = f"MLflow at {address} does not get what was left of this job: it was dropped by %pai_config drop."
            note_of(JobFolder(home / "jobs" / outbox.job_id), Notice(text=text, time=time.time(), level="warning"))
    messages = "1 message" if left.messages == 1 else f"{left.messages} messages"
    jobs = "1 job" if len(left.outboxes) == 1 else f"{len(left.outboxes)} jobs"
    return f"dropped: {messages} of {jobs} for MLflow at {address}"
