"""The two dialects of PAIFlow's runs, which share a version. The calls do the same; names of paths and fields differ."""

from dataclasses import dataclass

from pai_jupyter.cloud.client import Operation, paiflow
from pai_jupyter.errors import PaiJupyterError, ProtocolError


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """The operations of one dialect. `id_field`, `source_field`: names in bodies; `id_parameter`: in paths."""

    id_field: str
    id_parameter: str
    source_field: str
    create: Operation
    get: Operation
    list: Operation
    start: Operation
    terminate: Operation
    node: Operation
    logs: Operation
    outputs: Operation


RUNS = Dialect(
    id_field="RunId",
    id_parameter="run_id",
    source_field="Source",
    create=paiflow.CREATE_RUN,
    get=paiflow.GET_RUN,
    list=paiflow.LIST_RUNS,
    start=paiflow.START_RUN,
    terminate=paiflow.TERMINATE_RUN,
    node=paiflow.GET_NODE,
    logs=paiflow.LIST_NODE_LOGS,
    outputs=paiflow.LIST_NODE_OUTPUTS,
)
PIPELINE_RUNS = Dialect(
    id_field="PipelineRunId",
    id_parameter="pipeline_run_id",
    source_field="SourceType",
    create=paiflow.CREATE_PIPELINE_RUN,
    get=paiflow.GET_PIPELINE_RUN,
    list=paiflow.LIST_PIPELINE_RUNS,
    start=paiflow.START_PIPELINE_RUN,
    terminate=paiflow.TERMINATE_PIPELINE_RUN,
    node=paiflow.GET_PIPELINE_RUN_NODE,
    logs=paiflow.LIST_PIPELINE_RUN_NODE_LOGS,
    outputs=paiflow.LIST_PIPELINE_RUN_NODE_OUTPUTS,
)


def is_foreign(exc: PaiJupyterError) -> bool:
    """Return whether the service refused a call because it does not know its name: the other dialect may be its own."""
    return isinstance(exc, ProtocolError) and exc.code.partition(".")[0] in ("InvalidAction", "InvalidApi")
