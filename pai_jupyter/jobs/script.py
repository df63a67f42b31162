"""The script of a job and the values written into it: one path for cell, form, `-p`, `Estimator` and rerun.

A value travels in one of two ways (contract.md, Command): as an argument behind `$PAI_USER_ARGS`, or, for a
hyperparameter declared by an assignment, inside the job's own copy of the script, on the same line.
"""

import re
import shlex
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from posixpath import normpath

from pai_jupyter import contract
from pai_jupyter.errors import SpecError
from pai_jupyter.hyperparameters import Schema, read_schema
from pai_jupyter.spec import JobSpec

_USER_ARGS = re.compile(r"\$(PAI_USER_ARGS\b|\{PAI_USER_ARGS\})")
_BETWEEN_COMMANDS = re.compile(r"[;&|\n()`]+")


@dataclass(frozen=True, kw_only=True)
class Script:
    """A script by its name in the package, with the hyperparameters that it declares; one of sh declares none."""

    name: str
    source: str
    schema: Schema

    @classmethod
    def read(
        cls,
        name: str,
        source: str,
        *,
        inputs: Collection[str] = (),
        outputs: Collection[str] = (),
        beside: Collection[str] | None = (),
    ) -> "Script":
        """Read the schema of `source`; `inputs` and `outputs` are the channels that are known to be given.

        `beside` are the names of what lies in the package with it, which it may import; None where they are not known.
        """
        is_python = name.endswith(".py")
        schema = read_schema(source, inputs=inputs, outputs=outputs, beside=beside) if is_python else Schema()
        return cls(name=name, source=source, schema=schema)

    def default_command(
        self, *, inputs: Collection[str], outputs: Collection[str], values: Collection[str] = ()
    ) -> str:
        """`python train.py $PAI_USER_ARGS`, and the channels that are options of the script and not among `values`."""
        options = self.schema.channel_options(values)
        return contract.default_command(self.name, options=options, inputs=inputs, outputs=outputs)

    def apply(
        self, spec: JobSpec, values: Mapping[str, object], *, recorded: Collection[str] = ()
    ) -> tuple[JobSpec, dict[str, bytes]]:
        """The spec with `values` checked and in their types, and the files of the package that they change.

        `recorded` are names of values that an earlier job had: nobody can take them back, so they may be unknown here.

        Raises:
            SpecError: a value does not fit the schema, or nothing in the script takes it.
        """
        checked = self.schema.validate(
            values,
            passes_args=passes_args(spec.command, self.name),
            runs_alone=contract.is_default_command(spec.command, self.name),
            recorded=recorded,
        )
        styles = self.schema.argument_styles(checked)
        source = self.schema.write_values(self.source, checked)
        files = {self.name: source.encode()} if source != self.source else {}
        return replace(spec, hyperparameters=checked, argument_styles=styles), files


def passes_args(command: str, script: str) -> bool:
    """Whether `command` hands the hyperparameters to `script`, and to nothing else."""
    handed = _handed(command)
    return bool(handed) and all(normpath(_script_of(part) or "") == normpath(script) for part in handed)


def entry_point_of(command: str) -> str | None:
    """The script that `command` runs with Python: `python -u train.py --x` -> "train.py"; None where none is seen.

    Of several, the one that is handed the hyperparameters.
    """
    found = (_script_of(part) for part in (*_handed(command), command))
    return next((name for name in found if name is not None), None)


def _handed(command: str) -> list[str]:
    """The commands in `command` that name the hyperparameters."""
    return [part for part in _BETWEEN_COMMANDS.split(command) if _USER_ARGS.search(part)]


def _script_of(command: str) -> str | None:
    try:
        words = shlex.split(command, comments=False)
    except ValueError:
        return None
    for place, word in enumerate(words):
        if re.fullmatch(r"(.*/)?(python[\d.]*|torchrun)", word):
            rest = (other for other in words[place + 1 :] if other.endswith(".py"))
            return next(rest, None)
    return None


def read_script_file(
    source_dir: Path,
    name: str,
    *,
    inputs: Collection[str] = (),
    outputs: Collection[str] = (),
    is_alone: bool = False,
) -> Script:
    """Read the script `name` below `source_dir`; `is_alone`: nothing else of that directory goes into the package.

    Raises:
        SpecError: there is no such file, it is outside the directory, or it is no UTF-8 text.
    """
    path = source_dir / name
    if Path(name).is_absolute() or ".." in Path(name).parts:  # it is not packed, so no job could run it
        raise SpecError(
            f"the script {name!r} must be in {str(source_dir)!r}, named from there, e.g. train.py", field="entry_point"
        )
    try:
        source = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise SpecError(
            f"there is no {name!r} in {str(source_dir)!r}. Name the script with --entry-point.", field="entry_point"
        ) from None
    except (OSError, UnicodeDecodeError) as exc:
        raise SpecError(f"{name!r} in {str(source_dir)!r} cannot be read: {exc}", field="entry_point") from exc
    beside = () if is_alone else names_in(source_dir, path.parent)
    return Script.read(name, source, inputs=inputs, outputs=outputs, beside=beside)


def names_in(*directories: Path) -> frozenset[str] | None:
    """The names of what lies in these directories; None where one cannot be read."""
    try:
        return frozenset(path.name for directory in set(directories) for path in directory.iterdir())
    except OSError:
        return None
