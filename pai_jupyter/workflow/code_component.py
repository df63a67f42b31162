"""A custom component (`%%pai_component`, `Component`) as a component of workflows, for runs of this machine.

Its command runs as in a job of its own: with `$PAI_USER_ARGS`, `PAI_HPS_*`, `PAI_INPUT_*` and `PAI_OUTPUT_*`. PAIFlow's executor
does not give these, so it is told not to take such a component (remote_upload).
"""

from collections.abc import Iterable
from typing import Any

from pai_jupyter.component import Component, check_component
from pai_jupyter.component.addresses import source_kind
from pai_jupyter.component.code import opened, origin_of, packed
from pai_jupyter.config import loaded_secrets
from pai_jupyter.errors import SpecError
from pai_jupyter.hyperparameters import Hyperparameter
from pai_jupyter.jobs.provenance import CodeRecording
from pai_jupyter.spec import Json
from pai_jupyter.workflow.artifact import PipelineArtifact
from pai_jupyter.workflow.artifact_metadata import ArtifactMetadataUtils
from pai_jupyter.workflow.component_rules import RULES, rules_of
from pai_jupyter.workflow.custom_job_component import CustomJobComponent
from pai_jupyter.workflow.custom_job_source import keep_package
from pai_jupyter.workflow.parameter import PipelineParameter
from pai_jupyter.workflow.planning_bodies import COMPONENT
from pai_jupyter.workflow.variables import PipelineVariable

_TYPES = {"Int": "Int", "Float": "Double", "String": "String", "Bool": "Bool"}


class CodeComponent(CustomJobComponent):
    """A custom component as one of workflows; `Component.as_component` makes it. Its code is packed now."""

    def __init__(self, component: Component, outputs: Iterable[PipelineVariable] = ()) -> None:
        check_component(component, for_pai=False)
        self._component = component
        places = [PipelineArtifact(it.name, metadata=ArtifactMetadataUtils.raw()) for it in component.outputs]
        channels = [
            PipelineArtifact(it.name, metadata=ArtifactMetadataUtils.raw(), required=it.required)
            for it in component.inputs
        ]
        super().__init__(
            image_uri=component.image_uri,
            command=component.command,
            source=_source(component),
            job_type=component.job_type,
            inputs=[*map(_parameter, component.parameters), *channels],
            outputs=[*places, *outputs],
        )

    @property
    def title(self) -> str:
        return self._component.name

    def _variables(self) -> dict[str, Json]:
        rules = rules_of(self._component)
        return {**super()._variables(), COMPONENT: self._component.title, **({RULES: rules} if rules else {})}


def _source(component: Component) -> str | None:
    if component.source is not None and source_kind(component.source) == "oss":
        if component.files:
            raise SpecError(
                f"component {component.name!r} adds files to code in OSS, which a step cannot. Give all its code in one place.",
                field="source",
            )
        return component.source
    with opened(component) as code:
        if code.directory is None and not code.files:
            return None
        recording = CodeRecording(origin_of(component, code), loaded_secrets())
        with packed(component, code) as package:
            return str(keep_package(package, recording))


def _parameter(given: Hyperparameter) -> PipelineParameter:
    feasible: dict[str, Any] = {}  # Any: as `PipelineParameter` takes it
    if given.choices:
        feasible["enum"] = list(given.choices)
    elif given.type in ("Int", "Float") and (given.minimum is not None or given.maximum is not None):
        low = "-INF" if given.minimum is None else given.minimum
        high = "INF" if given.maximum is None else given.maximum
        start = "(" if given.open_minimum or given.minimum is None else "["
        end = ")" if given.open_maximum or given.maximum is None else "]"
        feasible["range"] = f"{start}{low}, {high}{end}"
    return PipelineParameter(given.name, typ=_TYPES[given.type], default=given.default, feasible=feasible or None)
