"""Where the channels of a job lie on this machine: the spec's text -> paths, and sentences for what cannot be.

A place is a path (with ~, or relative to the working directory of whoever submits) or a `file://` address.
Everything else of the form `scheme://` is remote, and refused in a sentence that says what works instead.
"""

import os
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import unquote, urlsplit

from pai_jupyter import contract
from pai_jupyter.errors import SpecError
from pai_jupyter.spec import JobSpec

_NO_FOLDER = Path("/nonexistent")  # a check is made before the job has one
LOCAL_INSTANCES = ("local", "local_gpu")
_REMOTE = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://|git@")


@dataclass(frozen=True, kw_only=True)
class LocalInput:
    """What lies behind an input channel: a directory, or one file, whose name in the channel is `file`."""

    source: Path
    file: str | None = None


def resolve_inputs(spec: JobSpec) -> dict[str, LocalInput]:
    """The input channels of `spec` as places on this machine.

    Raises:
        SpecError: a channel is remote, missing or not readable.
    """
    return {channel: _resolve_input(channel, place) for channel, place in spec.inputs.items()}


def resolve_outputs(spec: JobSpec, folder: Path) -> dict[str, Path]:
    """The directory of every output channel: named in the spec, else below `output_path`, else in the job folder.

    Raises:
        SpecError: a channel is remote, or its directory cannot be made or written to.
    """
    base = _local_path(spec.output_path, field="output_path") if spec.output_path else folder / "output"
    outputs = {channel: base / channel for channel in contract.output_channels(spec)}
    outputs |= {channel: _local_path(place, field="outputs") for channel, place in spec.outputs.items()}
    for channel, path in outputs.items():
        if not path.is_relative_to(folder):
            _check_writable(channel, path)
    return outputs


def input_files(inputs: Mapping[str, LocalInput]) -> dict[str, str]:
    """Channel -> file name, for the channels that are one file (what `contract.environment` asks for)."""
    return {channel: item.file for channel, item in inputs.items() if item.file is not None}


def check_local(spec: JobSpec, name: str, *, options: Collection[str] = ()) -> list[str]:
    """What backend `name` of this machine cannot honour, as sentences; `options` are the keys it knows."""
    problems = _check_instances(spec, name) + _check_options(spec, name, options)
    if isinstance(spec.source_dir, str) and _REMOTE.match(spec.source_dir):
        problems.append(
            f"`source_dir` is {spec.source_dir!r}, which backend {name!r} cannot read yet. "
            "Fetch it first and give the directory: --source-dir DIR"
        )
    for resolve in (resolve_inputs, partial(resolve_outputs, folder=_NO_FOLDER)):
        try:
            resolve(spec)
        except SpecError as exc:
            problems.append(str(exc))
    return problems


def _check_instances(spec: JobSpec, name: str) -> list[str]:
    wanted = [spec.instance_type, *(role.instance_type for role in spec.roles if role.instance_type)]
    return [
        f"`instance_type` is {kind!r} but backend {name!r} runs only 'local' or 'local_gpu'. "
        "Use --backend pai, or --instance-type local."
        for kind in dict.fromkeys(wanted)
        if kind not in LOCAL_INSTANCES
    ]


def _check_options(spec: JobSpec, name: str, known: Collection[str]) -> list[str]:
    listed = ", ".join(f"{name}.{key}" for key in sorted(known)) or "none"
    return [
        f"backend {name!r} has no option '{name}.{key}'; it has {listed}."
        for key in spec.backend_options.get(name, {})
        if key not in known
    ]


def _resolve_input(channel: str, place: str) -> LocalInput:
    path = _local_path(place, field="inputs")
    try:
        if path.is_dir():
            next(path.iterdir(), None)
            return LocalInput(source=path)
        with path.open("rb"):
            return LocalInput(source=path, file=path.name)
    except FileNotFoundError as exc:
        raise SpecError(
            f"input {channel!r}: there is no {path}. Give a file or directory that exists: -i {channel}=PATH",
            field="inputs",
        ) from exc
    except (OSError, ValueError) as exc:
        raise SpecError(f"input {channel!r}: {path} cannot be read ({exc}).", field="inputs") from exc


def _check_writable(channel: str, path: Path) -> None:
    nearest = next((p for p in (path, *path.parents) if p.exists()), path)
    if nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK):
        return
    trouble = f"you may not write to {nearest}" if nearest.is_dir() else f"{nearest} is a file"
    raise SpecError(
        f"output {channel!r} is to go to {path}, but {trouble}. Name another directory: -o {channel}=DIR",
        field="outputs",
    )


def _local_path(place: str, *, field: str) -> Path:
    remote = _REMOTE.match(place)
    if remote and (remote["scheme"] or "").lower() == "file":
        return Path(unquote(urlsplit(place).path))
    if remote:
        raise SpecError(
            f"`{field}` has {place!r}, which jobs on this machine cannot reach yet. "
            "Copy the data to this machine and give a local path.",
            field=field,
        )
    try:
        return Path(place).expanduser().absolute()
    except RuntimeError as exc:  # "~nobody/x"
        raise SpecError(f"`{field}` has {place!r}: {exc}.", field=field) from exc
