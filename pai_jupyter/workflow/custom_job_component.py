"""`CustomJobComponent`: a `CustomJob` as a component. PAI runs it with an executor of its own, which is told of the job by variables.

Its implicit inputs are `job_config` (the machines) and `output_path`, where all that the script writes to /ml/output goes.
"""

import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from pai_jupyter.config import plain_variables, refuse_secrets
from pai_jupyter.errors import SpecError
from pai_jupyter.runs.parameter_types import shown
from pai_jupyter.spec import Json
from pai_jupyter.workflow.custom_job_source import pack_source
from pai_jupyter.workflow.executor import ANY_REGION, SUBMIT, executor_image
from pai_jupyter.workflow.parameter import PipelineParameter
from pai_jupyter.workflow.unregistered_component import UnRegisteredComponent
from pai_jupyter.workflow.variables import PipelineVariable

if TYPE_CHECKING:
    from pai_jupyter.estimator import CustomJob

BASE, WORK = "/ml", "/ml/code"


class CustomJobComponent(UnRegisteredComponent):
    """A job as a component; make one with `CustomJob.as_component`.

    Args:
        source: an oss:// address, or the tar.gz that was packed.
        entry_point: the script in it; or a `command` instead.
        parameters: with their defaults.

    Raises:
        SpecError: neither or both of `entry_point` and `command` are given, or a name is there twice.

    Example:
        >>> from pathlib import Path
        >>> from pai_jupyter import CustomJob
        >>> _ = Path("train.sh").write_text("echo trained")
        >>> component = CustomJob(entry_point="train.sh", parameters={"lr": 0.1}).as_component()
        >>> [it.name for it in component.inputs]
        ['job_config', 'output_path', 'lr']
    """

    def __init__(
        self,
        *,
        image_uri: str | None = None,
        entry_point: str | None = None,
        command: str | Sequence[str] | None = None,
        source: str | None = None,
        parameters: Mapping[str, object] | None = None,
        job_type: str = "TFJob",
        environments: Mapping[str, str] | None = None,
        requirements: Sequence[str] = (),
        inputs: Iterable[PipelineVariable] | None = None,
        outputs: Iterable[PipelineVariable] | None = None,
    ) -> None:
        if (entry_point is None) == (command is None):
            raise SpecError("give either `entry_point` or `command`, e.g. entry_point='train.py'.", field="entry_point")
        own = [_parameter(name, value) for name, value in (parameters or {}).items()]
        super().__init__([*_implicit(), *own, *(inputs or ())], outputs)
        self.image_uri = image_uri
        self.entry_point = entry_point
        self.command = command if command is None or isinstance(command, str) else shlex.join(command)
        self.source = source
        self.job_type = job_type
        self.environments = dict(environments or {})
        self.requirements = tuple(requirements)

    def spec_to_dict(self) -> dict[str, Json]:
        container: dict[str, Json] = {
            "image": executor_image(ANY_REGION),
            "command": list(SUBMIT),
            "envs": self._variables(),
            "imageRegistryConfig": {},
        }
        return {**self.io_spec_to_dict(), "container": container}

    def _variables(self) -> dict[str, Json]:
        told = {
            "MODE": "1",
            "IMAGE_URI": self.image_uri or "",
            "ENTRY_POINT": self.entry_point or "None",  # as PAI's SDK writes it beside a command
            "COMMAND": self.command,
            "TYPE": self.job_type,
            "BASE_PATH": BASE,
            "WORK_DIR": WORK,
            "SOURCE_FILE": self.source,
            "REQUIREMENTS": "\n".join(self.requirements) or None,
        }
        own: dict[str, Json] = {f"CUSTOM_JOB_{name}": value for name, value in told.items() if value is not None}
        return {**self.environments, **own}


def from_custom_job(
    job: "CustomJob", inputs: Sequence[PipelineVariable] = (), outputs: Sequence[PipelineVariable] = ()
) -> CustomJobComponent:
    """Return a job as a component, its source packed; see `CustomJob.as_component`."""
    refuse_secrets([*job.parameters.items(), *plain_variables(job.environments)])
    packed = pack_source(job)
    return CustomJobComponent(
        image_uri=job.image_uri,
        entry_point=packed.entry_point,
        source=packed.source,
        parameters=job.parameters,
        job_type=job.job_type,
        environments=job.environments,
        requirements=job.requirements,
        inputs=inputs,
        outputs=outputs,
    )


def _implicit() -> list[PipelineVariable]:
    return [
        PipelineParameter(
            "job_config", typ="Map", desc="PAI-DLC job config, including worker spec, resource spec, etc."
        ),
        PipelineParameter(
            "output_path", typ="String", default="", desc="Job output path, could be OSS url or NAS url."
        ),
    ]


def _parameter(name: str, value: object) -> PipelineParameter:
    if value is None:
        raise SpecError(f"the parameter `{name}` has no value. Give it one, so that its type is known.", field=name)
    kind = next((it for it in (bool, int, float, str, dict, list) if isinstance(value, it)), None)
    if kind is None:
        raise SpecError(
            f"the parameter `{name}` is {shown(repr(value))}; give a number, text, a list or a dict.", field=name
        )
    return PipelineParameter(name, typ=kind, default=value)
