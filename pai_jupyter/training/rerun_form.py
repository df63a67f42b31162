"""A job that ran as the form of another one: what it ran with fills the form, and what the form says becomes a rerun.

Rule 1: the schema is that of the submitted script, since the cell alone lacks what came from other cells; the defaults are those of
    the cell as written, since values were written into the script.
Rule 2: a value whose name is that of a secret is never shown; it stays as it was unless another one is given.
Rule 3: code, values of the kernel and all other options are those of the job.
"""

from dataclasses import replace
from pathlib import Path

from pai_jupyter import contract
from pai_jupyter.cell import magic_line
from pai_jupyter.contract import SENT
from pai_jupyter.errors import SpecError
from pai_jupyter.hyperparameters import Schema, same
from pai_jupyter.jobs import RerunForm, passes_args, schema_of_cell, schema_of_source
from pai_jupyter.spec import Scalar
from pai_jupyter.store import JobRecord
from pai_jupyter.training.clone import cell_as_run
from pai_jupyter.training.form_values import OWNED, FormValues, LineContext, whole_line
from pai_jupyter.training.line import parse_line
from pai_jupyter.training.options import TrainOptions
from pai_jupyter.training.parts import parts_of
from pai_jupyter.training.training import placed

_CHANGED = OWNED - {"send", "return", "leave-out"}  # the others belong to the code, which stays as it is


def check_has_form(record: JobRecord) -> None:
    """Refuse a job whose roles have commands of their own, as those of a job file have.

    Raises:
        SpecError: it is one.
    """
    if any(role.command for role in record.spec.roles):
        raise SpecError(
            f"job {record.id} was made of a job file, so there is no form for it. Change the file, and submit it again."
        )


def rerun_schema(record: JobRecord, script: str) -> Schema:
    """Return the schema of a job's `script`, with the defaults that its cell had as written."""
    spec = record.spec
    schema = schema_of_source(script, spec) if script and (record.entry_point or "").endswith(".py") else Schema()
    if not record.cell:
        return schema
    written = schema_of_cell(record.cell, spec)
    known = {each.name: each.default for each in (*written.hyperparameters, *written.suggestions)}
    as_written = [
        tuple(replace(each, default=known.get(each.name, each.default)) for each in rows)
        for rows in (schema.hyperparameters, schema.suggestions)
    ]
    return replace(schema, hyperparameters=as_written[0], suggestions=as_written[1])


def ran_with(record: JobRecord, schema: Schema) -> FormValues:
    """Return what a job ran with as the values of its form; values that are the script's defaults are left out."""
    spec = record.spec

    def default(name: str) -> Scalar:
        declared = schema.find(name)
        return declared.default if declared else None

    values = {
        name: value
        for name, value in spec.hyperparameters.items()
        if not contract.is_secret(name, value) and not same(value, default(name))
    }
    return FormValues(
        values=values,
        backend=record.backend,
        image_uri=spec.image_uri,
        instance_type=spec.instance_type,
        instance_count=1 if spec.roles else spec.instance_count,
        job_type=spec.job_type,
        roles=spec.roles,
        inputs={name: place for name, place in spec.inputs.items() if name != SENT},
        name=None if record.stem else spec.name,
    )


def rerun_line(record: JobRecord, schema: Schema) -> str:
    """Return the whole line of a job that ran, with the options of its cell's line that the form has no field for.

    Raises:
        SpecError: a value has a line break.
    """
    return whole_line(ran_with(record, schema), schema, line_of(record))


def line_of(record: JobRecord) -> LineContext:
    """Return the line of a job's cell with what it ran with; without a cell an empty one."""
    return LineContext(before=magic_line(cell_as_run(record)) or "", owned=_CHANGED)


def read_rerun(line: str, record: JobRecord, schema: Schema, *, base: Path) -> RerunForm:
    """Read the line of a form as a rerun; relative paths of inputs start at `base`.

    Raises:
        SpecError: the line is invalid.
    """
    parts = parts_of(line.strip().removeprefix("%%pai_train"))
    said = " ".join(part.raw for part in parts if part.option in _CHANGED)  # the others are of files that may be gone
    options = TrainOptions.read(parse_line(said), base=base)
    values = FormValues(
        values={name: schema.check(name, value) for name, value in options.values.items()},
        backend=options.backend,
        image_uri=options.image_uri,
        instance_type=options.instance_type,
        instance_count=options.instance_count or 1,
        job_type=options.job_type,
        roles=options.roles,
        inputs=placed(options.inputs, base),
        name=options.name,
    )
    return rerun_of(values, record, schema)


def rerun_of(given: FormValues, record: JobRecord, schema: Schema) -> RerunForm:
    """Return the rerun of a job with the values of its form."""
    ran = record.spec.hyperparameters
    offered = [each for each in schema.suggestions if each.name in ran]
    # in the package these have the values that the job ran with
    defaults = {each.name: each.default for each in (*schema.hyperparameters, *offered) if each.places}
    secrets = {name: value for name, value in ran.items() if contract.is_secret(name, value)}
    return RerunForm(
        values={**defaults, **secrets, **schema.in_full(given.values)},
        name=given.name,
        backend=given.backend,
        image_uri=given.image_uri,
        instance_type=given.instance_type,
        instance_count=given.instance_count,
        job_type=given.job_type,
        roles=given.roles,
        inputs=given.inputs,
    )


def passes(record: JobRecord) -> bool:
    """Return whether the command of a job passes the values to its script."""
    return record.entry_point is not None and passes_args(record.spec.command, record.entry_point)
