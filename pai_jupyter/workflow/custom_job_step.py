"""A step that is a custom job, run as `CustomJob` runs: the script directly, in its own image, without PAI's executor.

    parameters   as the script takes them (packed_script), else `--name value`, each as a word of its own; no shell reads it
    artifacts    `--name /ml/input/data/name/file`; an output is the directory /ml/output/name/, in PAI_OUTPUT_NAME
    job_config   roles and instance types: all run on this machine; a note names what is not used
    output_path  the place of /ml/output: a path, or an oss:// address, to which the output is copied after success

With a command in place of a script, values are in PAI_HPS_* and in `$PAI_USER_ARGS`, where the command has it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast, get_args

from pai_jupyter import contract
from pai_jupyter.errors import SpecError
from pai_jupyter.estimator import JobConfig
from pai_jupyter.hyperparameters import Schema
from pai_jupyter.jobs import clear_values, copy_output, copying_problem
from pai_jupyter.runs.plan import Given, JobBody, JobRequest, Outputs
from pai_jupyter.runs.references import as_text, resolve
from pai_jupyter.spec import JobSpec, JobType, Json
from pai_jupyter.storage.opening import scheme_of
from pai_jupyter.typed_json import Fields, text_of
from pai_jupyter.workflow.component_rules import check_rules
from pai_jupyter.workflow.container_script import further_outputs
from pai_jupyter.workflow.job_config_map import read_job_config
from pai_jupyter.workflow.packed_script import with_script
from pai_jupyter.workflow.planning_bodies import IMPLICIT
from pai_jupyter.workflow.step_outputs import (
    PARAMETERS,
    artifact_channels,
    artifact_path,
    artifact_places,
    output_root,
    parameter_paths,
    read_parameters,
)
from pai_jupyter.workflow.step_values import StepData, channels, package_of, with_system_values

AS_ON_PAI = "as_on_pai"  # in a body's data: every value is `--name value`, whatever the script declares, and requirements are not installed


@dataclass(frozen=True)
class CustomJobStep:
    """See the module."""

    def prepare(
        self, body: JobBody, given: Given, *, job_id: str, run_folder: Path, environment: Mapping[str, str]
    ) -> JobRequest:
        given = with_system_values(given, run_id=run_folder.name, job_id=job_id)
        data = StepData.of(body)
        config = _config(given)
        fields = Fields.of(body.data, "data")
        packed = package_of(fields.optional_line("package"), run_folder)
        spec, files = _built(body, given, data.variables(environment), packed)
        if spec.output_path is not None:
            clear_values(Path(spec.output_path), directory=PARAMETERS)
            for path in parameter_paths(body).values():
                folder, _, file = artifact_path("", {"": path}).rpartition("/")
                clear_values(Path(spec.output_path), directory=folder, name=file)
        return JobRequest(
            spec=spec,
            backend=data.backend,
            place=data.place,
            package=packed,
            changed=files,
            artifacts=_planned_places(body, given),
            notes=tuple([*config.notes(_job_type(body)), *config.not_used_here("local")] if config else ()),
        )

    def collect(self, body: JobBody, given: Given, *, job_id: str, run_folder: Path) -> Outputs:
        given = with_system_values(given, run_id=run_folder.name, job_id=job_id)
        root, address = output_root(job_id), _output_path(given)
        parameters = read_parameters(body, job_id, PARAMETERS)
        if is_remote := scheme_of(address) == "oss":
            copy_output(job_id, address)
        places = artifact_places(body, root, address if is_remote else None)
        return Outputs(parameters=parameters, artifacts=places)


STEP = CustomJobStep()


def job_spec(
    body: JobBody, given: Given, *, variables: Mapping[str, str], packages: Mapping[str, Path] | None = None
) -> JobSpec:
    """Return the spec of the step's job; `packages`: the packed code by its name in the run.

    Raises:
        SpecError: a value cannot be given to a job of this machine, or does not fit the script.
    """
    name = Fields.of(body.data, "data").optional_line("package")
    return _built(body, given, variables, (packages or {}).get(name or ""))[0]


def _built(
    body: JobBody, given: Given, variables: Mapping[str, str], packed: Path | None
) -> tuple[JobSpec, dict[str, bytes]]:
    """Return the spec, and the files of the packed code that its values change."""
    fields = Fields.of(body.data, "data")
    values = {name: value for name, value in given.parameters.items() if name not in IMPLICIT}
    schema, as_on_pai = Schema(), fields.flag(AS_ON_PAI)
    checked = schema.validate(values)
    placed = placed_spec(body, given, variables)
    spec = replace(
        placed,
        command=further_outputs(artifact_channels(body)) + _command(fields, given, placed.inputs),
        hyperparameters=checked,
        argument_styles=schema.argument_styles(checked),
        requirements=() if as_on_pai else tuple(text_of(it, path) for it, path in fields.items("requirements")),
    )
    if fields.has("command") or as_on_pai:
        return spec, {}
    return with_script(spec, values, packed=packed, entry_point=fields.line("entry_point"))


def placed_spec(body: JobBody, given: Given, variables: Mapping[str, str]) -> JobSpec:
    """Return the spec without values and command: what the job runs on, what it reads and where it writes.

    Raises:
        SpecError: the step's component does not take that, or jobs of this machine cannot.
    """
    fields, config, job_type = Fields.of(body.data, "data"), _config(given), _job_type(body)
    address = _output_path(given)
    spec = JobSpec(
        name=job_name(body.title),
        command="true",
        source_dir=fields.optional_line("source"),
        image_uri=fields.line("image", "") or None,
        output_path=None if scheme_of(address) == "oss" or not address else address,
        instance_type=config.machine_here("local") if config else "local",
        instance_count=sum(role.instance_count for role in config.roles) if config else 1,
        job_type=_known_type(job_type, config),
        roles=() if config is None or config.is_plain(job_type) else config.roles_here,
        inputs=channels(given.artifacts),
        environments=variables,
        max_run_time=config.max_run_time if config else None,
    )
    check_rules(fields.text("rules", ""), spec)
    return spec


def job_name(title: str) -> str:
    """Return a name that a job may have; the driver puts that of run and step in its place."""
    return re.sub(r"[\x00-\x1f/\\]", "-", title)[:100].strip() or "job"


def _command(fields: Fields, given: Given, inputs: Mapping[str, str]) -> str:
    """Return the command; a component's own goes into the shell as it is on PAI, references replaced."""
    if not fields.has("command"):
        return contract.default_command(fields.line("entry_point"), options=inputs, inputs=inputs, outputs=())
    return as_text(resolve(fields.text("command"), lambda reference: given.parameters.get(reference.name)))


def _config(given: Given) -> JobConfig | None:
    value = given.parameters.get("job_config")
    return read_job_config(value) if isinstance(value, dict) else None


def _output_path(given: Given) -> str:
    """Return where the output goes; "": into the job folder."""
    address = as_text(given.parameters.get("output_path"))
    if not address or "://" in address:
        return address
    return str(Path(address).expanduser())


def output_problem(given: Given) -> str:
    """Return why the output cannot be copied to where the step names, as far as known without a request; "" if it can."""
    address = _output_path(given)
    return copying_problem(address) if "://" in address else ""


def _job_type(body: JobBody) -> JobType:
    return cast(JobType, body.data.get("job_type") or "TFJob")  # `_known_type` checks it


def _known_type(job_type: str, config: JobConfig | None) -> JobType | None:
    """Return the type that the job is given; a type of PAI alone is not needed by a single replica.

    Raises:
        SpecError: several replicas would need it.
    """
    if job_type in get_args(JobType):
        return cast(JobType, job_type)
    if config is not None and sum(role.instance_count for role in config.roles) > 1:
        known = ", ".join(get_args(JobType))
        raise SpecError(
            f"the job type is {job_type!r}, of which several replicas cannot run on this machine; it has {known}. "
            "Give one worker, or run on PAI.",
            field="job_type",
        )
    return None


def _planned_places(body: JobBody, given: Given) -> dict[str, Json]:
    address, paths = _output_path(given), body.data.get("paths")
    if not address:
        return {}
    known = paths if isinstance(paths, dict) else {}
    return {it.name: f"{address.rstrip('/')}/{artifact_path(it.name, known)}" for it in body.output_artifacts}
