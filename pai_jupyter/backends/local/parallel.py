"""The setting `<backend>.max_parallel`: the limit of parallel local jobs, and the reason of waiting ones.

The limit is per home: all its kernels and servers share one queue per backend (slots/pool.py). A job gets the limit on
submission; a new setting also applies to waiting jobs.
Rule 1: a job started inside a job takes no slot, since the outer job could wait for it for ever. In a process job the variable
    PAI_JUPYTER_JOB_ID shows that. A container needs no such check: it has its own home, no engine socket, and another pool.
Rule 2: an emulator's process takes no slots, since its cloud has no limit.
"""

import hashlib
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypedDict

from pai_jupyter.backends import infos
from pai_jupyter.backends.local.gpus import gpu_folder
from pai_jupyter.backends.local.slots.pool import restate
from pai_jupyter.config import settings
from pai_jupyter.errors import SpecError
from pai_jupyter.events import Waiting

INSIDE = "PAI_JUPYTER_JOB_ID"  # variable in a process job and its children
_without: list[bool] = []  # if set: this process takes no slots


class SlotOrder(TypedDict):
    """The slot settings for a starter: the pool's folder, the limit of parallel jobs, the pools of the job's GPUs."""

    folder: str
    limit: int
    gpus: list[str]


def take_no_slots() -> None:
    """Start all jobs of this process without slots."""
    _without.append(True)


def slot_order(home: Path, backend: str, gpus: Sequence[str] = ()) -> SlotOrder | None:
    """Return the slot settings for a job submitted now, which was given these `gpus`; None if it need not wait for a slot."""
    if not takes_slots():
        return None
    folders = [str(gpu_folder(home, gpu)) for gpu in gpus]
    return SlotOrder(folder=str(_folder(home, backend)), limit=max_parallel(backend), gpus=folders)


def takes_slots() -> bool:
    """Return whether jobs submitted by this process wait for slots and GPUs."""
    return not (_without or os.environ.get(INSIDE))


def max_parallel(backend: str) -> int:
    """Return the limit of parallel jobs of `backend`; without a valid setting the number of CPU cores."""
    with suppress(SpecError):  # %pai_config reports invalid settings; jobs that do not need them still run
        return int(settings().get(f"{backend}.max_parallel") or cores())
    return cores()


def largest_limit() -> int:
    """Return the limit of the backend that lets the most jobs run at the same time; 0 if none has one."""
    return max((max_parallel(info.name) for info in infos() if info.has_slots), default=0)


def restate_limits(home: Path) -> None:
    """Apply the current limits to waiting jobs, too."""
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
    """Return the reason of a queued job from its starter's note "<place> <limit>"."""
    try:
        place, limit = map(int, place_and_limit.split())
    except ValueError:  # no note yet
        return "waiting for a free slot"
    if not limit:
        return f"waiting for a GPU that another job of this machine has: number {place} in line"
    return Waiting(place=place, setting=f"{backend}.max_parallel", limit=limit).reason


def _folder(home: Path, backend: str) -> Path:
    return home / "slots" / backend
