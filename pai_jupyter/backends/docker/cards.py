"""The GPUs of a job's containers: those that the job has for itself (backends/local/gpus.py), as requests to the engine.

Rule: the containers are made with their GPUs before they start, so a job's GPUs are chosen once, and kept in `run/gpus.json`.
"""

import json
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from pai_jupyter import contract
from pai_jupyter.backends.local import choose_gpus, disk_errors, wants_gpus
from pai_jupyter.backends.local.parallel import takes_slots
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.spec import JobSpec
from pai_jupyter.store import JobStore
from pai_jupyter.store.disk import read_plain

GPUS = "NVIDIA_VISIBLE_DEVICES"
_NOTE = "gpus.json"


def count_cards() -> int:
    """Count the NVIDIA GPUs that containers of this machine can see."""
    cards = Path("/proc/driver/nvidia/gpus")
    return len(list(cards.iterdir())) if cards.is_dir() else 0


def own_gpus(spec: JobSpec, run: Path) -> list[str]:
    """Return the GPUs that the job has for itself, chosen now or before; [] if it sees all, or asks for none."""
    if (run / _NOTE).exists():
        return read_own(run)
    chosen = choose_gpus(spec, JobStore().home, _every()) if takes_slots() else []
    if chosen:
        with disk_errors(run):
            (run / f"{_NOTE}.tmp").write_text(json.dumps(chosen))
            (run / f"{_NOTE}.tmp").replace(run / _NOTE)
    return chosen


def read_own(run: Path) -> list[str]:
    """Return the GPUs that were chosen for the job; [] if none were."""
    with suppress(PaiJupyterError, ValueError, OSError):
        found = json.loads(read_plain(run / _NOTE))
        if isinstance(found, list):
            return [str(name) for name in found]
    return []


def gpus_of(spec: JobSpec, replica: contract.Replica, own: Sequence[str]) -> list[str] | None:
    """Return the GPUs that the replica sees; None if it requests none."""
    return [*(own or _every())] if wants_gpus(spec, replica) else None


def requests(
    gpus: Sequence[str] | None, own: Sequence[str]
) -> list[dict[str, Any]] | None:  # Any: arguments of the SDK
    """Return what the engine is asked for: the job's own GPUs, or all."""
    if gpus is None:
        return None
    which: dict[str, Any] = {"device_ids": [*own]} if own else {"count": -1}  # Any: as above
    return [{**which, "capabilities": [["gpu"]]}]


def _every() -> list[str]:
    return [str(number) for number in range(count_cards())]
