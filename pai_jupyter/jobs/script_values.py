"""Compare a script's own values with those of its job, for the Source tab and for clones of the cell.

A cell is recorded as written. Values from the form, from `-p` or from a rerun are only in the job's spec.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from pai_jupyter.cell import read_cell
from pai_jupyter.errors import SpecError
from pai_jupyter.hyperparameters import Schema, read_schema, same
from pai_jupyter.spec import STANDARD_OUTPUTS, JobSpec, Scalar


@dataclass(frozen=True, kw_only=True)
class ScriptValue:
    """A value in the script: the line (from 1) that declares it, and its default (None = unknown)."""

    line: int | None
    default: Scalar


def schema_of_cell(cell: str, spec: JobSpec) -> Schema:
    """Return the schema of a recorded cell; empty if its code is no longer valid."""
    return schema_of_source(read_cell(cell).source, spec)


def schema_of_source(source: str, spec: JobSpec) -> Schema:
    """Return the schema of a script for a job with the channels of `spec`; empty if it is invalid."""
    try:
        return read_schema(source, inputs=tuple(spec.inputs), outputs=(*STANDARD_OUTPUTS, *spec.outputs))
    except SpecError:  # valid for another version
        return Schema()


def changed_values(schema: Schema, values: Mapping[str, Scalar]) -> dict[str, ScriptValue]:
    """Return the values of the job that differ from the script's own, by name."""
    changed = {}
    for name, value in values.items():
        declared = schema.find(name)
        if declared is not None and not same(value, declared.default):
            changed[name] = ScriptValue(line=declared.line, default=declared.default)
    return changed


def dropped_defaults(schema: Schema, values: Mapping[str, Scalar]) -> list[str]:
    """Return the hyperparameters whose default the job was told to omit."""
    return [
        each.name
        for each in schema.hyperparameters
        if each.default is not None
        and not each.only_if_given
        and schema.applies(each, values)
        and not any(name in values for name in (each.name, *each.aliases))
    ]
