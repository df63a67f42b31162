"""Resolve the channels of a spec to local paths, with errors for those that have none.

A location is a path (with ~, or relative to the submitter's working directory), a `file://` address, or an address mounted here
(`mounts`). Inputs with schemes in `BROUGHT` are fetched by `inputs`. Any other `scheme://` is remote and gives an error with an
alternative.
"""

import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from pai_jupyter import contract
from pai_jupyter.backends.local import mounts
from pai_jupyter.backends.local.foreign_links import link_leading_out
from pai_jupyter.errors import SpecError
from pai_jupyter.spec import JobSpec
from pai_jupyter.storage.opening import scheme_of

BROUGHT = ("oss", "odps")  # schemes of inputs that are fetched before a job starts
_REMOTE = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://|git@")
_SHOWN = 200  # characters of a path in a message


@dataclass(frozen=True, kw_only=True)
class LocalInput:
    """The local path of an input channel: a directory, or one file with the name `file` in the channel."""

    source: Path
    file: str | None = None


def resolve_inputs(spec: JobSpec) -> dict[str, LocalInput]:
    """Resolve the input channels of `spec` that are local or on mounted file systems.

    Raises:
        SpecError: a channel is remote, missing or not readable.
    """
    mapped = mounts.mount_map(spec)
    return {
        channel: _resolve_input(channel, mounts.mounted(channel, place, mapped) if _is_mounted(place) else place)
        for channel, place in spec.inputs.items()
        if scheme_of(place) not in BROUGHT
    }


def resolve_outputs(spec: JobSpec, folder: Path) -> dict[str, Path]:
    """Resolve each output channel's directory: from the spec, below `output_path`, or in the job folder.

    Raises:
        SpecError: a channel is remote, its directory cannot be created or written, or a job has put a link in its path.
    """
    whole = output_place(spec, folder)
    outputs = {channel: whole / channel for channel in contract.output_channels(spec)}
    named = {channel: _local_path(place, field="outputs") for channel, place in spec.outputs.items()}
    outputs |= named
    for name, path in {**({"output_path": whole} if spec.output_path else {}), **named}.items():
        _check_way(name, path)
    for channel, path in outputs.items():
        if not path.is_relative_to(folder):
            _check_writable(channel, path)
    return outputs


def output_place(spec: JobSpec, folder: Path) -> Path:
    """Return the directory for the job's /ml/output: `output_path`, else one in the job folder.

    Raises:
        SpecError: `output_path` is remote.
    """
    return _local_path(spec.output_path, field="output_path") if spec.output_path else folder / "output"


def input_files(inputs: Mapping[str, LocalInput]) -> dict[str, str]:
    """Return channel -> file name for channels that are one file, for `contract.environment`."""
    return {channel: item.file for channel, item in inputs.items() if item.file is not None}


def _is_mounted(place: str) -> bool:
    return scheme_of(place) in mounts.SCHEMES


def _resolve_input(channel: str, place: str) -> LocalInput:
    path = _local_path(place, field="inputs")
    try:
        if (link := link_leading_out(path)) is not None:
            raise SpecError(
                f"input {channel!r}: {str(link)[:_SHOWN]} is a link to {str(link.readlink())[:_SHOWN]!r} in a directory that a "
                f"job writes, so it is not followed out of there. Name what it points to: -i {channel}=PATH",
                field="inputs",
            )
        if path.is_dir():
            next(path.iterdir(), None)
            return LocalInput(source=path)
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise SpecError(f"input {channel!r}: {path} is a pipe or a device. Give a file.", field="inputs")
            return LocalInput(source=path, file=path.name)
    except FileNotFoundError as exc:
        raise SpecError(
            f"input {channel!r}: there is no {path}. Give a file or directory that exists: -i {channel}=PATH",
            field="inputs",
        ) from exc
    except (OSError, ValueError) as exc:
        raise SpecError(f"input {channel!r}: {path} cannot be read ({exc}).", field="inputs") from exc


def _check_way(name: str, path: Path) -> None:
    """Reject an output whose path has a link of an earlier job, which would redirect what this job writes."""
    if (link := link_leading_out(path)) is not None:
        raise SpecError(
            f"output {name!r}: {str(link)[:_SHOWN]} is a link to {str(link.readlink())[:_SHOWN]!r} in a directory that a job "
            "writes, so it is not followed out of there. Name another directory.",
            field="output_path" if name == "output_path" else "outputs",
        )


def _check_writable(channel: str, path: Path) -> None:
    try:
        nearest = next((p for p in (path, *path.parents) if p.exists()), path)
    except OSError as exc:  # the name is too long, or a link leads to itself
        raise SpecError(
            f"output {channel!r} cannot go to {str(path)[:_SHOWN]!r}: {exc.strerror}.", field="outputs"
        ) from exc
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
