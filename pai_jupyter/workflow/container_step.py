"""A step that is a plain container: its command and arguments with values put in, as PAIFlow does.

    {{inputs.parameters.x}}    the value, within a word of the command, an argument or a variable
    {{inputs.artifacts.x}}     the path of the artifact: /ml/input/data/x/..., and a link to it at the `path` that it declares
    /pai/outputs/              a link to /ml/output/pai_outputs/: parameters/<name> is the text of an output parameter

Rule 1: a word stays one word whatever is put in. Only where a word is shell text itself (`bash -c`) a value can be code, as on PAI;
    the plan has a note then.
Rule 2: /pai is made in the job's own root directory and never on this machine. A backend without one (`has_own_root`) runs only
    components that do not need it.
"""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from pai_jupyter.backends import BackendInfo, find_info
from pai_jupyter.backends.info import IMAGE_WORKDIR
from pai_jupyter.contract import PATHS
from pai_jupyter.errors import SpecError
from pai_jupyter.runs.plan import Given, JobBody, JobRequest, Outputs
from pai_jupyter.runs.references import Reference, as_text, resolve
from pai_jupyter.spec import JobSpec, Json, is_hyperparameter_name
from pai_jupyter.typed_json import Fields, text_of
from pai_jupyter.workflow.container_script import setup_script
from pai_jupyter.workflow.custom_job_step import job_name
from pai_jupyter.workflow.planning_bodies import used_artifacts
from pai_jupyter.workflow.planning_graph import is_max_compute
from pai_jupyter.workflow.step_outputs import PAI, artifact_places, output_root, parameter_paths, read_parameters
from pai_jupyter.workflow.step_values import StepData, channels, with_system_values


@dataclass(frozen=True)
class ContainerStep:
    """See the module."""

    def prepare(
        self, body: JobBody, given: Given, *, job_id: str, run_folder: Path, environment: Mapping[str, str]
    ) -> JobRequest:
        given = with_system_values(given, run_id=run_folder.name, job_id=job_id)
        data = StepData.of(body)
        return JobRequest(
            spec=job_spec(body, given, variables=data.variables(environment)), backend=data.backend, place=data.place
        )

    def collect(self, body: JobBody, given: Given, *, job_id: str, run_folder: Path) -> Outputs:
        root = output_root(job_id)
        return Outputs(
            parameters=read_parameters(body, job_id, f"{PAI}/parameters"), artifacts=artifact_places(body, root)
        )


STEP = ContainerStep()


def job_spec(body: JobBody, given: Given, *, variables: Mapping[str, str]) -> JobSpec:
    """Return the spec of the step's job.

    Raises:
        SpecError: a value cannot be given to a job of this machine, or its backend has no directory /pai.
    """
    fields = Fields.of(body.data, "data")
    used = used_artifacts(body)
    told = {name for name, place in given.artifacts.items() if name not in used and is_max_compute(place)}
    inputs = channels({name: place for name, place in given.artifacts.items() if name not in told})
    info = find_info(fields.line("backend"))
    setup = _setup(body, fields, inputs, info)
    words = [_filled(text_of(it, path), given, inputs) for it, path in fields.items("words")]
    return JobSpec(
        name=job_name(body.title),
        command=f"{setup}exec {shlex.join(words)}",
        image_uri=fields.line("image", "") or None,
        inputs=inputs,
        hyperparameters={name: value for name, value in given.parameters.items() if is_hyperparameter_name(name)},
        environments={name: _filled(text, given, inputs) for name, text in variables.items()},
        options=_options(info),
    )


def _options(info: BackendInfo | None) -> dict[str, Json]:
    """Let the command start where it starts on PAI: in the working directory of its image."""
    found = [it for it in info.options if it.name == IMAGE_WORKDIR] if info else []
    return {info.full_name(it): True for it in found} if info else {}


def _filled(text: str, given: Given, inputs: Mapping[str, str]) -> str:
    def value_of(reference: Reference) -> Json:
        if reference.step is not None or reference.is_item:
            raise SpecError(f"{{{{{reference.text}}}}} is used in a component, which knows its own inputs alone.")
        if reference.kind == "parameters":
            return given.parameters.get(reference.name)
        return _path_of(reference.name, inputs)

    return as_text(resolve(text, value_of))


def _path_of(name: str, inputs: Mapping[str, str]) -> str:
    """Return the path of an input in the job; "" for one that is not given."""
    place = inputs.get(name)
    if place is None:
        return ""
    is_directory = place.endswith("/") or Path(place).is_dir()
    return PATHS.input(name) + ("" if is_directory else PurePosixPath(place).name)


def _setup(body: JobBody, fields: Fields, inputs: Mapping[str, str], info: BackendInfo | None) -> str:
    """Return the shell code that makes /pai and the links that the component expects."""
    files = parameter_paths(body)
    outputs = [*fields.inside("paths").values.values(), *files.values()]
    links = {
        path: _path_of(name, inputs)
        for name, path, _ in fields.inside("input_paths").all()
        if isinstance(path, str) and name in inputs and not path.startswith("/ml/")
    }
    has_default = any(it.name not in files for it in body.output_parameters)
    needs_outputs = has_default or any(str(path).startswith("/pai/") for path in outputs)
    if not needs_outputs and not links:
        return ""
    if info is None or not info.has_own_root:
        where = "/pai/outputs" if needs_outputs else next(iter(links))
        raise SpecError(
            f"component `{body.title}` uses {where}, which jobs of the backend {fields.line('backend')!r} do not have here. "
            "Run it in Docker: backend='docker'; or install bubblewrap, with which local processes have it.",
            field="backend",
        )
    return setup_script(links, has_outputs=needs_outputs)
