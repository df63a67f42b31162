"""The settings `<backend>.max_parallel`: how many jobs of this machine run at once, and what those hear that wait.

The limit is of a home: all its kernels and servers share one line for each backend (slots/pool.py). It goes with a job
when that is submitted; setting it anew also changes it for the jobs that wait.
Rule 1: a job that is started inside a job takes no slot, or the outer one would wait for the inner one for ever. Inside
    a process job the variable PAI_JUPYTER_JOB_ID tells. A container needs none: it has a home of its own, and not the
    engine's socket; and its pool is another one than that of processes.
Rule 2: the jobs of an emulator are those of its cloud, which has room for all: its process takes no slots.
"""

import hashlib
import os
from contextlib import suppress
from pathlib import Path
from typing import TypedDict

from pai_jupyter.backends import infos
from pai_jupyter.backends.local.slots.pool import restate
from pai_jupyter.config import settings
from pai_jupyter.errors import SpecError
from pai_jupyter.events import Waiting

INSIDE = "PAI_JUPYTER_JOB_ID"  # in the environment of a process job, and of whatever it starts
_without: list[bool] = []  # not empty: this process takes no slots


class SlotOrder(TypedDict):
    """What a starter needs to get a slot: the folder of the pool, and how many jobs may run at once."""

    folder: str
    limit: int


def take_no_slots() -> None:
    """Let every job that this process starts run at once."""
    _without.append(True)


def slot_order(home: Path, backend: str) -> SlotOrder | None:
    """Return the slot settings for a job submitted now; None if it need not wait for a slot."""
    if _without or os.environ.get(INSIDE):
        return None
    return SlotOrder(folder=str(_folder(home, backend)), limit=max_parallel(backend))


def max_parallel(backend: str) -> int:
    """Return how many jobs of `backend` may run at once; without a valid setting, the CPU core count."""
    with suppress(SpecError):  # %pai_config says what is wrong with it; a job that asks for nothing in it still runs
        return int(settings().get(f"{backend}.max_parallel") or cores())
    return cores()


def restate_limits(home: Path) -> None:
    """Let what is set now apply to the jobs that wait, too."""
    for info in infos():
        if info.has_slots:
            restate(str(_folder(home, info.name)), max_parallel(info.name))


def cores() -> int:
    """Return the number of CPU cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS
        return os.cpu_count() or 1


def pool_label(home: Path) -> str:
    """Return a short hash that identifies this home's jobs in an engine."""
    return hashlib.sha256(bytes(home.resolve())).hexdigest()[:12]


def waiting_reason(backend: str, place_and_limit: str) -> str:
    """Why a job is queued, from what its starter has noted: "<place> <limit>"."""
    try:
        place, limit = map(int, place_and_limit.split())
    except ValueError:  # nothing yet
        return "waiting for a free slot"
    return Waiting(place=place, setting=f"{backend}.max_parallel", limit=limit).reason


def _folder(home: Path, backend: str) -> Path:
    return home / "slots" / backend
