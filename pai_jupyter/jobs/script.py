"""The script of a job and the values written into it: one path for cell, form, `-p`, `Estimator` and rerun.

A value travels in one of two ways (contract.md, Command): as an argument behind `$PAI_USER_ARGS`, or, for a
hyperparameter declared by an assignment, inside the job's own copy of the script, on the same line.
"""

import re
import shlex
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from pai_jupyter import contract
from pai_jupyter.errors import SpecError
from pai_jupyter.hyperparameters import Schema, read_schema
from pai_jupyter.spec import JobSpec

_USER_ARGS = re.compile(r"\$(PAI_USER_ARGS\b|\{PAI_USER_ARGS\})")


@dataclass(frozen=True, kw_only=True)
class Script:
    """A script by its name in the package, with the hyperparameters that it declares; one of sh declares none."""

    name: str
    source: str
    schema: Schema

    @classmethod
    def read(cls, name: str, source: str, *, inputs: Collection[str] = (), outputs: Collection[str] = ()) -> "Script":
        """Read the schema of `source`; `inputs` and `outputs` are the channels that are known to be given."""
        schema = read_schema(source, inputs=inputs, outputs=outputs) if name.endswith(".py") else Schema()
        return cls(name=name, source=source, schema=schema)

    def default_command(
        self, *, inputs: Collection[str], outputs: Collection[str], values: Collection[str] = ()
    ) -> str:
        """`python train.py $PAI_USER_ARGS`, and the channels that are options of the script and not among `values`."""
        options = self.schema.channel_options(values)
        return contract.default_command(self.name, options=options, inputs=inputs, outputs=outputs)

    def apply(self, spec: JobSpec, values: Mapping[str, object]) -> tuple[JobSpec, dict[str, bytes]]:
        """The spec with `values` checked and in their types, and the files of the package that they change.

        Raises:
            SpecError: a value does not fit the schema, or nothing in the script takes it.
        """
        checked = self.schema.validate(values, passes_args=passes_args(spec.command))
        styles = self.schema.argument_styles(checked)
        source = self.schema.write_values(self.source, checked)
        files = {self.name: source.encode()} if source != self.source else {}
        return replace(spec, hyperparameters=checked, argument_styles=styles), files


def passes_args(command: str) -> bool:
    """Whether `command` hands the hyperparameters to a script's argparse."""
    return _USER_ARGS.search(command) is not None


def entry_point_of(command: str) -> str | None:
    """The script that `command` runs with Python: `python -u train.py --x` -> "train.py"; None where none is seen."""
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
    source_dir: Path, name: str, *, inputs: Collection[str] = (), outputs: Collection[str] = ()
) -> Script:
    """Read the script `name` below `source_dir`.

    Raises:
        SpecError: there is no such file, or it is no UTF-8 text.
    """
    path = source_dir / name
    try:
        source = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise SpecError(
            f"there is no {name!r} in {str(source_dir)!r}. Name the script with --entry-point.", field="entry_point"
        ) from None
    except (OSError, UnicodeDecodeError) as exc:
        raise SpecError(f"{name!r} in {str(source_dir)!r} cannot be read: {exc}", field="entry_point") from exc
    return Script.read(name, source, inputs=inputs, outputs=outputs)
