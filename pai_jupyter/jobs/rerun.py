"""Submit a job again with other values: same package, same target, a new id.

Rule 1: the source is the first job's package, since its `source_dir` may have changed. A changed value of a hyperparameter
    declared by an assignment is written into the script of the new package.
Rule 2: inputs and a given checkpoints location are those of the first job, to continue from its checkpoints. Other outputs
    never overwrite the first job's: a given location, or `output_path`, gets the new job's id as a suffix. A generated name is
    generated anew; a name given by the user stays.
Rule 3: secrets are never recorded. They come from this process's environment; if missing, the rerun is an error.
Rule 4: a rerun by a form (`RerunForm`) has the target, inputs and values of the form; all else is the first job's.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from pai_jupyter import contract
from pai_jupyter.backends import infos
from pai_jupyter.config import settings
from pai_jupyter.contract import SENT
from pai_jupyter.errors import NotFoundError, SpecError, UnavailableError
from pai_jupyter.hyperparameters import Schema
from pai_jupyter.jobs.drafts import Draft
from pai_jupyter.jobs.job import Job
from pai_jupyter.jobs.options import without_unknown
from pai_jupyter.jobs.pending import check_known
from pai_jupyter.jobs.provenance import code_of_job
from pai_jupyter.jobs.runtime import job_store
from pai_jupyter.jobs.script import read_script_file
from pai_jupyter.jobs.submission import draft, fresh_id
from pai_jupyter.jobs.target import Target, is_emulated, place_for, type_of_roles
from pai_jupyter.jobs.where import where_of
from pai_jupyter.package import digest_of, unpack
from pai_jupyter.package.files import collect
from pai_jupyter.spec import STANDARD_OUTPUTS, JobSpec, JobType, Json, Role, Scalar
from pai_jupyter.store import MASKED, JobRecord, Scratch

_CHANGED = (
    "the package of job {0} was changed after that job was started, so the code is not the same: {1}. For the "
    "code that the job had, run its cell again: %pai_attach {0} --source"
)


@dataclass(frozen=True, kw_only=True)
class RerunForm:
    """What a form says of a rerun. None = not given: the name is generated, the target chosen as for any job.

    `values` are all values; a hyperparameter that is not among them has its default.
    """

    values: Mapping[str, object] = field(default_factory=dict)
    name: str | None = None
    backend: str | None = None
    image_uri: str | None = None
    instance_type: str | None = None
    instance_count: int = 1
    job_type: JobType | None = None
    roles: tuple[Role, ...] = ()
    inputs: Mapping[str, str] = field(default_factory=dict)

    def given(self, before: Mapping[str, Json]) -> dict[str, Json]:
        """Return what is recorded for clones, as for the first job."""
        asked: dict[str, Json] = {
            "backend": self.backend,
            "image": self.image_uri,
            "instance_type": self.instance_type,
            "instance_count": self.instance_count if self.instance_count > 1 else None,
        }
        kept = {name: value for name, value in before.items() if name not in (*asked, "inputs")}
        return {
            **kept,
            **{name: value for name, value in asked.items() if value is not None},
            "inputs": {**self.inputs},
        }


def rerun(job: Job, values: Mapping[str, object] | None = None) -> Job:
    """Submit `job` again with `values` overriding its hyperparameters; see `draft_rerun`."""
    with draft_rerun(job, values) as ready:
        return ready.submit()


def draft_rerun(job: Job, values: Mapping[str, object] | None = None, *, form: RerunForm | None = None) -> Draft:
    """Check and pack `job` again with `values` overriding its hyperparameters, or with all that `form` says.

    Raises:
        SpecError: a value is invalid, or a secret variable of the first job is no longer set.
        NotFoundError: the first job's package is missing.
        BackendError: it is not known yet whether the first job was started.
    """
    check_known(job.folder, "rerun")
    _check_emulator(job)
    record, job_id = job.folder.record, fresh_id()
    packed = job.folder.path / "package.tar.gz"
    if not packed.is_file():
        raise NotFoundError(f"the package of job {job.id} is gone. Run its cell again: %pai_attach {job.id} --source")
    spec = _beside(_unmask(without_unknown(record.spec), job.id), job.id, job_id)
    spec = replace(spec, name=record.stem or spec.name)
    if record.price is not None and record.price.max_cost is not None:
        spec = replace(spec, max_run_time=record.price.asked_time)  # the cost limit makes one of it by today's prices
    place = Target(
        backend=record.backend, reason=f"as job {job.id}", is_emulated=is_emulated(record.backend, settings())
    )
    given, has_own_name = record.given, not record.stem
    if form is not None:
        spec, place = _with_form(spec, form), _place_of(form, spec, place)
        given, has_own_name = form.given(record.given or {}), form.name is not None
    with Scratch(job_store().home) as scratch:
        source = scratch.path / "source"
        unpack(packed, source, allow_large=True)  # as for the first job
        was_changed = record.digest not in ("", digest_of(source))
        if form is None:
            spec, changed = _with_values(spec, values or {}, source, record.entry_point)
        else:
            spec, changed = _with_all_values(spec, form.values, source, record)
        ready = draft(
            spec,
            place,
            overlay={**_hidden(source), **changed},
            allow_large=True,
            source=source,
            cell=record.cell,
            notebook=record.notebook,
            entry_point=record.entry_point,
            asked_by=record.asked_by,
            given=given if record.given is not None else None,
            lines=record.lines,
            has_own_name=has_own_name,
            job_id=job_id,
            origin=code_of_job(job.folder),
        )
    if was_changed:
        ready.notes = (_CHANGED.format(job.id, packed), *ready.notes)
    return ready


def _check_emulator(job: Job) -> None:
    """Reject the rerun of an emulator's job if neither an emulator nor the cloud is available."""
    was_emulated = where_of(job.place).backend in {info.emulator_title for info in infos() if info.emulator}
    if was_emulated and not settings().get("services") and not settings().get("region"):
        raise UnavailableError(
            f"job {job.id} ran at the emulator, which is not running here. Type %pai_config use emulator, and rerun it."
        )


def _with_values(
    spec: JobSpec, values: Mapping[str, object], source: Path, entry_point: str | None
) -> tuple[JobSpec, dict[str, bytes]]:
    """Return `spec` with `values`, checked by the script if it is known, and the files that they change."""
    if not values:
        return spec, {}
    if entry_point is None:
        _check_reached(spec)
        checked = Schema().validate(values)
        kept = {name: style for name, style in spec.argument_styles.items() if name not in values}
        styles = {**kept, **Schema().argument_styles(checked)}
        return replace(spec, hyperparameters={**spec.hyperparameters, **checked}, argument_styles=styles), {}
    script = read_script_file(source, entry_point, inputs=spec.inputs, outputs=spec.outputs)
    overlaid = _overlaid(script.schema, spec.hyperparameters, values)
    recorded = [name for name in spec.hyperparameters if name not in values]
    return script.apply(spec, overlaid, recorded=recorded)


def _with_form(spec: JobSpec, form: RerunForm) -> JobSpec:
    """Return `spec` with the name, machines and inputs of a form; values that the kernel had sent stay an input."""
    sent = {SENT: spec.inputs[SENT]} if SENT in spec.inputs else {}
    return replace(
        spec,
        name=form.name or spec.name,
        image_uri=form.image_uri,
        instance_type=form.instance_type or "local",
        instance_count=sum(role.instance_count for role in form.roles) or form.instance_count,
        job_type=form.job_type,
        roles=form.roles,
        inputs={**form.inputs, **sent},
    )


def _place_of(form: RerunForm, spec: JobSpec, before: Target) -> Target:
    """Return the target of a form: the first job's where it names that backend."""
    if form.backend == before.backend:
        return before
    return place_for(
        backend=form.backend,
        instance_type=form.instance_type or type_of_roles(form.roles),
        image_uri=form.image_uri,
        options=spec.options,
        settings=settings(),
    )


def _with_all_values(
    spec: JobSpec, values: Mapping[str, object], source: Path, record: JobRecord
) -> tuple[JobSpec, dict[str, bytes]]:
    """Return `spec` with `values` and no others, and the files that they change; the default command gets the new inputs."""
    before = record.spec.hyperparameters
    recorded = [name for name, value in values.items() if name in before and before[name] == value]
    if record.entry_point is None:
        if set(values) != set(before) or len(recorded) < len(values):
            _check_reached(spec)
        checked = Schema().validate(values)
        styles = {name: spec.argument_styles[name] for name in recorded if name in spec.argument_styles}
        changed = {name: value for name, value in checked.items() if name not in recorded}
        return replace(
            spec, hyperparameters=checked, argument_styles={**styles, **Schema().argument_styles(changed)}
        ), {}
    script = read_script_file(source, record.entry_point, inputs=spec.inputs, outputs=spec.outputs)
    if contract.is_default_command(spec.command, script.name):
        outputs = (*STANDARD_OUTPUTS, *record.spec.outputs)
        command = script.default_command(inputs=tuple(spec.inputs), outputs=outputs, values=tuple(values))
        spec = replace(spec, command=command)
    return script.apply(spec, values, recorded=recorded)


def _check_reached(spec: JobSpec) -> None:
    """Refuse values for roles with commands of their own, as of a job file, which read none."""
    commands = [role.command for role in spec.roles if role.command]
    if commands and not any(word in command for word in ("PAI_HPS", "PAI_USER_ARGS") for command in commands):
        raise SpecError(
            "the commands of this job are those of its file, and take no values. Change the file, and submit it again.",
            field="hyperparameters",
        )


def _overlaid(schema: Schema, recorded: Mapping[str, Scalar], values: Mapping[str, object]) -> dict[str, object]:
    """Merge `values` over the recorded ones, also if they use another name of the same option."""

    def first_name(name: str) -> str:
        declared = schema.find(name)
        return declared.name if declared else name

    values = schema.in_full(values)
    given = {first_name(name) for name in values}
    return {**{name: value for name, value in recorded.items() if first_name(name) not in given}, **values}


def _hidden(source: Path) -> dict[str, bytes]:
    """Return the package's files by name that its own ignore file excludes: `--include` had added them."""
    seen = collect(source).sources
    names = {path: path.relative_to(source).as_posix() for path in source.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for path, name in names.items() if name not in seen}


def _beside(spec: JobSpec, old_id: str, new_id: str) -> JobSpec:
    """Return `spec` with output locations of the new job's own."""

    def beside(place: str) -> str:
        if f"/{old_id}/" in f"{place}/":  # a place of the first job's own: the new one has its like
            return f"{place}/".replace(f"/{old_id}/", f"/{new_id}/")[:-1]
        return f"{place.rstrip('/').removesuffix(f'-{old_id}')}-{new_id}{'/' if place.endswith('/') else ''}"

    outputs = {name: place if name == "checkpoints" else beside(place) for name, place in spec.outputs.items()}
    return replace(spec, outputs=outputs, output_path=beside(spec.output_path) if spec.output_path else None)


def _unmask(spec: JobSpec, job_id: str) -> JobSpec:
    """Fill in masked variables (secrets are not recorded) from this process's environment."""
    environments = dict(spec.environments)
    masked = [name for name, value in environments.items() if value == MASKED]
    for name in masked:
        if name not in os.environ:
            raise SpecError(
                f"job {job_id} was given the variable {name}, whose value is not recorded because it may be a secret. "
                f"Set it in this process first, e.g. os.environ[{name!r}] = getpass.getpass().",
                field="environments",
            )
        environments[name] = os.environ[name]
    spec = replace(spec, environments=environments)
    if masked and MASKED in json.dumps(spec.to_json()):
        raise SpecError(
            f"job {job_id} had the value of {masked[0]} in other places than that variable (its command, a value, a path), "
            "and it is not recorded because it may be a secret. Run its cell again.",
            field="environments",
        )
    return spec
