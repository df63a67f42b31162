"""PAIFlow: components and pipelines that it keeps, and its runs of them.

    pipelines   save, find, list and delete components and pipelines     manifest_text  manifests and arguments as YAML text
    flow_runs   create, find, list, start, terminate and delete runs; their nodes, logs and outputs
    nodes       a run and its tree of nodes as plain values, pure        artifact_values  artifacts as PAIFlow writes them
    service     the calls, for code that has a client already            dialect        the two dialects of the runs' calls
    status      every documented status, and which are an end

A manifest is a list of YAML documents (`core/v1`): components first, the pipeline or component that it is about last.
"""

from pai_jupyter.cloud.flow.flow_runs import (
    FlowOutput,
    create_run,
    delete_run,
    get_run,
    list_runs,
    node_logs,
    node_outputs,
    node_tree,
    start_run,
    terminate_run,
)
from pai_jupyter.cloud.flow.manifest_text import from_yaml, to_yaml
from pai_jupyter.cloud.flow.nodes import FlowNode, FlowRun
from pai_jupyter.cloud.flow.pipelines import (
    SavedPipeline,
    delete_pipeline,
    get_pipeline,
    list_pipelines,
    provider_of,
    save_pipeline,
)
from pai_jupyter.cloud.flow.service import FlowService

__all__ = [
    "FlowNode",
    "FlowOutput",
    "FlowRun",
    "FlowService",
    "SavedPipeline",
    "create_run",
    "delete_pipeline",
    "delete_run",
    "from_yaml",
    "get_pipeline",
    "get_run",
    "list_pipelines",
    "list_runs",
    "node_logs",
    "node_outputs",
    "node_tree",
    "provider_of",
    "save_pipeline",
    "start_run",
    "terminate_run",
    "to_yaml",
]
