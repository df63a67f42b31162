"""Check what a local backend cannot run, before anything is started and without network."""

import os
import re
from functools import partial
from pathlib import Path

from pai_jupyter import contract
from pai_jupyter.backends.info import LOCAL_TYPES, BackendInfo
from pai_jupyter.backends.local import mounts, passed, tables
from pai_jupyter.backends.local.inputs import check_inputs
from pai_jupyter.backends.local.places import resolve_inputs, resolve_outputs
from pai_jupyter.backends.local.source import check_source
from pai_jupyter.errors import SpecError
from pai_jupyter.spec import JobSpec

_NO_FOLDER = Path("/nonexistent")  # checks run before the job has an id
_OPTIONS = (
    mounts.OPTION,
    tables.OPTION,
    passed.OPTION,
)  # prefix of options for all local backends: local.mount_map, ...


def check_local(spec: JobSpec, info: BackendInfo) -> list[str]:
    """Return a sentence for each thing that a local backend cannot run."""
    problems = _check_instances(spec, info.name) + _check_options(spec, info) + check_source(spec.source_dir, info.name)
    try:
        problems += [f"note: {sentence}" for sentence in contract.undivided(spec)]
    except SpecError as exc:  # roles that the job type lacks
        problems.append(str(exc))
    for resolve in (resolve_inputs, partial(resolve_outputs, folder=_NO_FOLDER)):
        try:
            resolve(spec)
        except SpecError as exc:
            problems.append(str(exc))
    return problems + passed.check_passed(spec, os.environ) + check_inputs(spec)


def count_gpus() -> int:
    """Count the NVIDIA GPUs of this machine."""
    return sum(bool(re.fullmatch(r"nvidia\d+", entry.name)) for entry in Path("/dev").iterdir())


def _check_instances(spec: JobSpec, name: str) -> list[str]:
    wanted = [spec.instance_type, *(role.instance_type for role in spec.roles if role.instance_type)]
    return [
        f"`instance_type` is {kind!r} but backend {name!r} runs only 'local' or 'local_gpu'. "
        "Use --backend pai, or --instance-type local."
        for kind in dict.fromkeys(wanted)
        if kind not in LOCAL_TYPES
    ]


def _check_options(spec: JobSpec, info: BackendInfo) -> list[str]:
    known = ", ".join(f"local.{key}" for key in sorted(_OPTIONS))
    return info.unknown_options(spec) + [
        f"backend {info.name!r} has no option '{kind}.{key}'; it has {known}."
        for kind in ("local",)
        for key in spec.backend_options.get(kind, {})
        if key not in _OPTIONS
    ]
