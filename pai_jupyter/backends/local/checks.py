"""What a backend of this machine cannot honour, as sentences, before anything is started. Asks nobody but this machine."""

import os
from collections.abc import Collection
from functools import partial
from pathlib import Path

from pai_jupyter import contract
from pai_jupyter.backends.local import mounts, passed, tables
from pai_jupyter.backends.local.inputs import check_inputs
from pai_jupyter.backends.local.places import resolve_inputs, resolve_outputs
from pai_jupyter.backends.local.source import check_source
from pai_jupyter.errors import SpecError
from pai_jupyter.spec import JobSpec

LOCAL_INSTANCES = ("local", "local_gpu")
_NO_FOLDER = Path("/nonexistent")  # a check is made before the job has one
_OPTIONS = (mounts.OPTION, tables.OPTION, passed.OPTION)  # of every backend of this machine: local.mount_map, ...


def check_local(spec: JobSpec, name: str, *, options: Collection[str] = ()) -> list[str]:
    """What backend `name` of this machine cannot honour, as sentences; `options` are the keys it knows."""
    problems = _check_instances(spec, name) + _check_options(spec, name, options) + check_source(spec.source_dir, name)
    try:
        problems += [f"note: {sentence}" for sentence in contract.undivided(spec)]
    except SpecError as exc:  # roles that the type does not have
        problems.append(str(exc))
    for resolve in (resolve_inputs, partial(resolve_outputs, folder=_NO_FOLDER)):
        try:
            resolve(spec)
        except SpecError as exc:
            problems.append(str(exc))
    return problems + passed.check_passed(spec, os.environ) + check_inputs(spec)


def _check_instances(spec: JobSpec, name: str) -> list[str]:
    wanted = [spec.instance_type, *(role.instance_type for role in spec.roles if role.instance_type)]
    return [
        f"`instance_type` is {kind!r} but backend {name!r} runs only 'local' or 'local_gpu'. "
        "Use --backend pai, or --instance-type local."
        for kind in dict.fromkeys(wanted)
        if kind not in LOCAL_INSTANCES
    ]


def _check_options(spec: JobSpec, name: str, known: Collection[str]) -> list[str]:
    return [
        f"backend {name!r} has no option '{kind}.{key}'; it has {', '.join(f'{kind}.{key}' for key in sorted(has)) or 'none'}."
        for kind, has in ((name, known), ("local", _OPTIONS))
        for key in spec.backend_options.get(kind, {})
        if key not in has
    ]
