"""Resolve the locations of code, data and outputs of a spec: local paths become absolute, remote code is fetched.

Code in OSS is downloaded to be packed, unless the backend fetches it itself.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from pai_jupyter.backends import TakesSource, get_backend
from pai_jupyter.backends.local import is_remote_source, source_at
from pai_jupyter.errors import SpecError
from pai_jupyter.spec import JobSpec
from pai_jupyter.storage.opening import scheme_of


def with_absolute_paths(spec: JobSpec) -> JobSpec:
    """Make local paths absolute: the job, and processes that attach to it, may have another working directory."""

    def absolute(place: str) -> str:
        if "://" in place:
            return place
        with suppress(RuntimeError):  # "~nobody/x": the backend reports it
            place = str(Path(place).expanduser().absolute())
        return place

    source_dir = absolute(str(spec.source_dir)) if spec.source_dir else None
    return replace(
        spec,
        source_dir=source_dir if source_dir and Path(source_dir).is_dir() else spec.source_dir,
        inputs={name: place if _is_dataset(place) else absolute(place) for name, place in spec.inputs.items()},
        outputs={name: absolute(place) for name, place in spec.outputs.items()},
        output_path=absolute(spec.output_path) if spec.output_path else None,
    )


def _is_dataset(place: str) -> bool:
    """Return whether an input is a PAI dataset id (`d-...`) and not an existing file."""
    return place.startswith("d-") and not Path(place).exists()


def is_passed_on(spec: JobSpec, backend: str) -> bool:
    """Return whether the backend itself fetches the code from its address."""
    if not isinstance(spec.source_dir, str) or not _is_address(spec.source_dir):
        return False
    taker = get_backend(backend)
    return isinstance(taker, TakesSource) and taker.takes_source(spec.source_dir)


def _is_address(source_dir: str) -> bool:
    return bool(scheme_of(source_dir)) or source_dir.startswith("git@")


@contextmanager
def directory_of(spec: JobSpec, backend: str, *, allow_large: bool = False) -> Iterator[Path | None]:
    """Provide the directory to pack, downloaded from OSS if needed; None if there is nothing to pack.

    `allow_large`: a downloaded archive is unpacked without limits.
    """
    if spec.source_dir is None or is_passed_on(spec, backend):
        yield None
    elif is_remote_source(spec.source_dir):
        with source_at(str(spec.source_dir), allow_large=allow_large) as directory:
            yield directory
    else:
        yield _local_directory(Path(spec.source_dir))


def _local_directory(directory: Path) -> Path:
    if not directory.is_dir():
        raise SpecError(
            f"`source_dir` {str(directory)!r} is not a directory. Give the directory of your code, e.g. ./src",
            field="source_dir",
        )
    return directory
