"""Components and pipelines: jobs as components, saved, run again with other values, and joined to graphs under conditions.

What users write:
    pipeline                  `Pipeline`; pipeline_graph: which steps and inputs it has
    custom_job_component      a `CustomJob` as a component (custom_job_source: its packed code)
    code_component            a custom component (`Component`) as one of these
    container_component       a command in an image
    registered_component      a saved component; component_store: where it is kept
    component_base, unregistered_component, step, assignment, loops, expressions
                              steps of components, what their inputs are given, loops, conditions
    parameter, artifact, artifact_metadata, variables, io_spec, names
                              inputs and outputs
Manifests, lists of documents as PAIFlow stores them:
    documents, manifest_text  as plain values and as YAML; executor: PAI's own image in them
    checks                    the checks before anything runs
    running                   where a component runs
    planning                  a manifest as a plan that runs here (place, planning_graph, planning_bodies, planning_declared);
                              local_run and preflight start it (kernel_session: with a key that only the kernel has)
    custom_job_step, container_step
                              bodies as jobs (step_values, step_outputs, job_config_map, component_rules, packed_script, container_script)
    remote                    runs that PAIFlow drives (remote_upload, _notes, _folder, _watch, _state, _steps)

Rule 1: a manifest says all that a run needs: planner, PAIFlow and files get the same one.
Rule 2: every check is made before anything is uploaded or started, and in `checks`.
"""

from pai_jupyter.workflow.artifact import PipelineArtifact
from pai_jupyter.workflow.artifact_metadata import (
    ArtifactMetadataUtils,
    DataType,
    LocationArtifactMetadata,
    LocationType,
)
from pai_jupyter.workflow.checks import check_documents
from pai_jupyter.workflow.container_component import ContainerComponent
from pai_jupyter.workflow.custom_job_component import CustomJobComponent
from pai_jupyter.workflow.expressions import ConditionExpr
from pai_jupyter.workflow.loops import LoopItems, ParallelFor
from pai_jupyter.workflow.parameter import LoopItemPlaceholder, PipelineParameter
from pai_jupyter.workflow.pipeline import LoadedPipeline, Pipeline
from pai_jupyter.workflow.registered_component import RegisteredComponent, SavedOperator
from pai_jupyter.workflow.step import ConditionStep, LoopStep, PipelineStep
from pai_jupyter.workflow.variables import PipelineVariable

# Other versions of PAI's SDK call them so.
CustomJobOperator = CustomJobComponent
ContainerOperator = ContainerComponent
MetadataBuilder = ArtifactMetadataUtils
LoopItem = LoopItemPlaceholder

__all__ = [
    "ArtifactMetadataUtils",
    "ConditionExpr",
    "ConditionStep",
    "ContainerComponent",
    "ContainerOperator",
    "CustomJobComponent",
    "CustomJobOperator",
    "DataType",
    "LoadedPipeline",
    "LocationArtifactMetadata",
    "LocationType",
    "LoopItem",
    "LoopItemPlaceholder",
    "LoopItems",
    "LoopStep",
    "MetadataBuilder",
    "ParallelFor",
    "Pipeline",
    "PipelineArtifact",
    "PipelineParameter",
    "PipelineStep",
    "PipelineVariable",
    "RegisteredComponent",
    "SavedOperator",
    "check_documents",
]
