"""The GPUs of this machine, and which of them a job gets: `--option local.gpus=1`; without it all, a step of a run one.

A job has its GPUs for itself: each GPU is a pool with one slot (slots/pool.py) in the home, and the job waits until the GPUs that
it was given at its submission are free. Jobs of other homes are not known.
Rule 1: a job gets the GPUs that the fewest jobs have or wait for, of equal ones that which was given longest ago.
Rule 2: who sets CUDA_VISIBLE_DEVICES for a job has chosen its GPUs, and shares them or not as it likes.
Rule 3: a job inside a job, and one of an emulator, takes none: it sees them all.
"""

import fcntl
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import takewhile
from pathlib import Path

from pai_jupyter import contract
from pai_jupyter.backends.local.slots.pool import is_held
from pai_jupyter.errors import SpecError
from pai_jupyter.spec import JobSpec

OPTION = "gpus"  # name of the option "local.*"
VISIBLE = "CUDA_VISIBLE_DEVICES"


def count_gpus() -> int:
    """Count the NVIDIA GPUs of this machine."""
    return sum(bool(re.fullmatch(r"nvidia\d+", entry.name)) for entry in Path("/dev").iterdir())


def wants_gpus(spec: JobSpec, replica: contract.Replica) -> bool:
    """Return whether the replica asks for GPUs, by its role's instance type or by the job's."""
    own = {role.name.lower(): role.instance_type for role in spec.roles}
    return (own.get(replica.role) or spec.instance_type) == "local_gpu"


def visible_gpus(count: int, environ: Mapping[str, str]) -> list[str]:
    """Return the names of this machine's `count` GPUs that a process with `environ` may use, read as CUDA reads them."""
    given = environ.get(VISIBLE)
    if given is None:
        return [str(number) for number in range(count)]
    return list(dict.fromkeys(takewhile(bool, (_visible_gpu(name.strip(), count) for name in given.split(",")))))


def _visible_gpu(name: str, count: int) -> str:
    """Return the name of a GPU, by its number or its UUID; "" if there is none, from which on CUDA sees no others."""
    if re.fullmatch(r"[0-9]{1,4}", name):
        return str(int(name)) if int(name) < count else ""
    return name if re.fullmatch(r"(GPU|MIG)-[A-Za-z0-9/-]+", name) else ""


def check_gpus(spec: JobSpec, count: int) -> list[str]:
    """Return sentences about `local.gpus` and about replicas that share GPUs; `count` is the number of those there are."""
    try:
        wanting = sum(wants_gpus(spec, replica) for replica in contract.replicas(spec))
        wanted = _wanted(spec, count)
    except SpecError as exc:
        return [str(exc)] if exc.field == OPTION else []  # `check_local` says the others
    if not wanting or not count:
        return []
    if wanted > count:
        return [f"`local.{OPTION}` is {wanted}, and this machine has {count}. Type --option local.{OPTION}={count}"]
    if wanting < 2:
        return []
    return [
        f"note: each of the {wanting} replicas that ask for GPUs sees all GPUs of the job ({wanted}). "
        "Let the script choose its own, by RANK for example."
    ]


def _wanted(spec: JobSpec, count: int) -> int:
    given = spec.backend_options.get("local", {}).get(OPTION, count)
    if (
        isinstance(given, bool)
        or not isinstance(given, int)
        or (given < 1 and OPTION in spec.backend_options.get("local", {}))
    ):
        raise SpecError(
            f"`local.{OPTION}` is {given!r}; it is a whole number from 1. Type --option local.{OPTION}=1", field=OPTION
        )
    return given


def choose_gpus(spec: JobSpec, home: Path, available: Sequence[str]) -> list[str]:
    """Return the GPUs that a new job gets of the `available` ones; [] if it asks for none, or has chosen by itself."""
    wants = any(wants_gpus(spec, replica) for replica in contract.replicas(spec))
    if not (wants and available) or VISIBLE in spec.environments:
        return []
    folders = {gpu: gpu_folder(home, gpu) for gpu in available}
    with _alone(home):
        for folder in folders.values():
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        by_load = sorted(available, key=lambda gpu: (_load(folders[gpu]), folders[gpu].stat().st_mtime_ns))
        chosen = set(by_load[: min(_wanted(spec, len(available)), len(available))])
        for gpu in chosen:
            os.utime(folders[gpu])
    return [gpu for gpu in available if gpu in chosen]


def with_few_gpus(spec: JobSpec) -> JobSpec:
    """Return the spec of a job that others run beside: a GPU for each replica that asks for one, unless it says otherwise.

    Raises:
        SpecError: its roles are none.
    """
    given = spec.backend_options.get("local", {})
    wanting = sum(wants_gpus(spec, replica) for replica in contract.replicas(spec))
    if not wanting or OPTION in given or VISIBLE in spec.environments:
        return spec
    return replace(spec, options={**spec.options, f"local.{OPTION}": min(wanting, max(1, count_gpus()))})


def gpu_folder(home: Path, gpu: str) -> Path:
    """Return the pool of a GPU."""
    return home / "slots" / f"gpu-{re.sub(r'[^A-Za-z0-9_.-]', '_', gpu)}"


def _load(folder: Path) -> int:
    """Count the living jobs that have the GPU or wait for it."""
    found = (path for name in ("running", "waiting") if (folder / name).is_dir() for path in (folder / name).iterdir())
    return sum(is_held(str(path)) for path in found)


@contextmanager
def _alone(home: Path) -> Iterator[None]:
    (home / "slots").mkdir(mode=0o700, parents=True, exist_ok=True)
    with (home / "slots" / "gpus.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
