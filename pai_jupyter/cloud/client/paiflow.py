"""PAIFlow 2021-02-02: saved pipelines and components, runs of them, the nodes of a run.

Two dialects share this version. The official notebook SDK says `/runs` (CREATE_RUN, GET_NODE, ...), the generated client
`/pipelineruns` (CREATE_PIPELINE_RUN, GET_PIPELINE_RUN_NODE, ...). Pipelines are the same in both, but for the schema, which only
the first has.
"""

from pai_jupyter.cloud.client.operation import Paging, Service

SERVICE = Service(name="PAIFlow", origin="https://paiflow", version="2021-02-02")
_PIPELINE = "/pipelines/{pipeline_id}"
_RUN = "/runs/{run_id}"
_NODE = _RUN + "/nodes/{node_id}"
_PIPELINE_RUN = "/pipelineruns/{pipeline_run_id}"
_PIPELINE_NODE = _PIPELINE_RUN + "/nodes/{node_id}"
_LOGS = Paging(items="Logs", style="offset")
_OUTPUTS = Paging(items="Outputs")

CREATE_PIPELINE = SERVICE.operation("CreatePipeline", "POST /pipelines")
GET_PIPELINE = SERVICE.operation("GetPipeline", f"GET {_PIPELINE}")
# A single document, with inputs and outputs alone, whatever was saved.
GET_PIPELINE_SCHEMA = SERVICE.operation("GetPipelineSchema", f"GET {_PIPELINE}/schema")
LIST_PIPELINES = SERVICE.operation("ListPipelines", "GET /pipelines", paging=Paging(items="Pipelines"))
UPDATE_PIPELINE = SERVICE.operation("UpdatePipeline", f"PUT {_PIPELINE}")
DELETE_PIPELINE = SERVICE.operation("DeletePipeline", f"DELETE {_PIPELINE}")
GET_CALLER_PROVIDER = SERVICE.operation("GetCallerProvider", "GET /provider")

CREATE_RUN = SERVICE.operation("CreateRun", "POST /runs")
GET_RUN = SERVICE.operation("GetRun", f"GET {_RUN}")
LIST_RUNS = SERVICE.operation("ListRuns", "GET /runs", paging=Paging(items="Runs"))
START_RUN = SERVICE.operation("StartRun", f"PUT {_RUN}/start")
TERMINATE_RUN = SERVICE.operation("TerminateRun", f"PUT {_RUN}/termination")
UPDATE_RUN = SERVICE.operation("UpdateRun", f"PUT {_RUN}")
GET_NODE = SERVICE.operation("GetNode", f"GET {_NODE}")
LIST_NODE_LOGS = SERVICE.operation("ListNodeLogs", f"GET {_NODE}/logs", paging=_LOGS)
LIST_NODE_OUTPUTS = SERVICE.operation("ListNodeOutputs", f"GET {_NODE}/outputs", paging=_OUTPUTS)
LIST_NODE_STATUS = SERVICE.operation("ListNodeStatus", f"GET {_NODE}/status")

CREATE_PIPELINE_RUN = SERVICE.operation("CreatePipelineRun", "POST /pipelineruns")
GET_PIPELINE_RUN = SERVICE.operation("GetPipelineRun", f"GET {_PIPELINE_RUN}")
LIST_PIPELINE_RUNS = SERVICE.operation("ListPipelineRuns", "GET /pipelineruns", paging=Paging(items="PipelineRuns"))
START_PIPELINE_RUN = SERVICE.operation("StartPipelineRun", f"PUT {_PIPELINE_RUN}/start")
TERMINATE_PIPELINE_RUN = SERVICE.operation("TerminatePipelineRun", f"PUT {_PIPELINE_RUN}/termination")
DELETE_PIPELINE_RUN = SERVICE.operation("DeletePipelineRun", f"DELETE {_PIPELINE_RUN}")
GET_PIPELINE_RUN_NODE = SERVICE.operation("GetPipelineRunNode", f"GET {_PIPELINE_NODE}")
LIST_PIPELINE_RUN_NODE_LOGS = SERVICE.operation("ListPipelineRunNodeLogs", f"GET {_PIPELINE_NODE}/logs", paging=_LOGS)
LIST_PIPELINE_RUN_NODE_OUTPUTS = SERVICE.operation(
    "ListPipelineRunNodeOutputs", f"GET {_PIPELINE_NODE}/outputs", paging=_OUTPUTS
)
