"""Read the script of an `Estimator` or `CustomJob`, check its hyperparameters and write values into it."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from pai_jupyter.errors import SpecError
from pai_jupyter.hyperparameters import Schema
from pai_jupyter.jobs import Script, read_script_file
from pai_jupyter.jobs.provenance import CodeOrigin, local_directory
from pai_jupyter.spec import JobSpec, Scalar


def read_entry_point(entry_point: str, source_dir: str | Path | None, *, inputs: Mapping[str, str]) -> Script | None:
    """Read the script `entry_point` in `source_dir`, if given; None if the source is in cloud storage.

    Raises:
        SpecError: there is no such script.
    """
    if source_dir is None:
        path = Path(entry_point).expanduser()
        _check_there(path, f"entry_point {entry_point!r}", "entry_point='train.py'")
        return read_script_file(path.parent, path.name, inputs=inputs, is_alone=True)
    if "://" in str(source_dir):
        return None
    directory = Path(source_dir).expanduser()
    if not directory.is_dir():
        message = f"`source_dir` {str(directory)!r} is not a directory. Give the directory of your code, e.g. ./src"
        raise SpecError(message, field="source_dir")
    _check_there(directory / entry_point, f"{entry_point!r} in {str(source_dir)!r}", "entry_point='train.py'")
    return read_script_file(directory, entry_point, inputs=inputs)


def code_origin(entry_point: str | None, source_dir: str | Path | None) -> CodeOrigin:
    """Return where the code is from: its directory, or that of a script that is packed alone."""
    if source_dir is None and entry_point is not None:
        return CodeOrigin(directory=Path(entry_point).parent)
    return CodeOrigin(directory=local_directory(source_dir))


def _check_there(path: Path, what: str, example: str) -> None:
    if not path.exists():
        raise SpecError(f"there is no {what}. Give a script that is there, e.g. {example}", field="entry_point")


def with_values(spec: JobSpec, script: Script | None, values: Mapping[str, Scalar]) -> tuple[JobSpec, dict[str, bytes]]:
    """Return `spec` with the checked hyperparameters, and the files that they change or that no directory has.

    Raises:
        SpecError: a value does not fit the script's declaration.
    """
    if script is None:
        checked = Schema().validate(values)
        return replace(spec, hyperparameters=checked, argument_styles=Schema().argument_styles(checked)), {}
    spec, overlay = script.apply(spec, values)
    if spec.source_dir is None:
        overlay.setdefault(script.name, script.content)
    return spec, overlay
