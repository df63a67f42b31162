"""Check what a local backend cannot run, before anything is started and without network."""

import os
from functools import partial
from pathlib import Path

from pai_jupyter import contract
from pai_jupyter.backends import infos
from pai_jupyter.backends.info import LOCAL_TYPES, BackendInfo
from pai_jupyter.backends.local import gpus, mounts, passed, tables
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
    gpus.OPTION,
)  # prefix of options for all local backends: local.mount_map, ...


def check_local(spec: JobSpec, info: BackendInfo) -> list[str]:
    """Return a sentence for each thing that a local backend cannot run."""
    problems = _check_instances(spec, info.name) + _check_options(spec, info) + check_source(spec.source_dir, info.name)
    try:
        contract.replicas(spec)
        problems += [f"note: {sentence}" for sentence in contract.role_notes(spec)]
    except SpecError as exc:  # roles that the job type lacks
        problems.append(str(exc))
    for resolve in (resolve_inputs, partial(resolve_outputs, folder=_NO_FOLDER)):
        try:
            resolve(spec)
        except SpecError as exc:
            problems.append(str(exc))
    return problems + passed.check_passed(spec, os.environ) + check_inputs(spec)


def _check_instances(spec: JobSpec, name: str) -> list[str]:
    wanted = {spec.instance_type: "--instance-type local"}
    for role in spec.roles:
        wanted.setdefault(role.instance_type or "local", f"--role {role.name}={role.instance_count}")
    return [_not_here(kind, name, remedy) for kind, remedy in wanted.items() if kind not in LOCAL_TYPES]


def _not_here(kind: str, name: str, remedy: str) -> str:
    """Say which backend has this instance type, or others of its family; else `remedy` is to be typed."""
    owners = [info.name for info in infos() if info.has_instance(kind)]
    owner = next(iter([*owners, *(info.name for info in infos() if info.takes_cloud_keys)]), name)
    family = f"{kind.partition('.')[0]}."
    near = [(info, each) for info in infos() for each in info.named_instances if each.startswith(family)]
    if near and not owners:
        types = ", ".join(each for _, each in near)
        return f"{near[0][0].title} has no {kind!r}; it has {types}. Give one of these, or {remedy}."
    return (
        f"`instance_type` is {kind!r} but backend {name!r} runs only 'local' or 'local_gpu'. "
        f"Use --backend {owner}, or {remedy}."
    )


def _check_options(spec: JobSpec, info: BackendInfo) -> list[str]:
    known = ", ".join(f"local.{key}" for key in sorted(_OPTIONS))
    return info.unknown_options(spec) + [
        f"backend {info.name!r} has no option '{kind}.{key}'; it has {known}."
        for kind in ("local",)
        for key in spec.backend_options.get(kind, {})
        if key not in _OPTIONS
    ]
