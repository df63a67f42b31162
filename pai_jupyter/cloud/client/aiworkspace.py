"""AIWorkSpace 2021-02-04: workspaces and their settings, images, datasets, experiments and runs."""

from pai_jupyter.cloud.client.operation import Paging, Service

_WORKSPACE = Service(name="AIWorkSpace", host="aiworkspace", version="2021-02-04")

# `Verbose` brings the labels, which say for what an image is made.
LIST_IMAGES = _WORKSPACE.operation("ListImages", "GET /images", paging=Paging(items="Images", size=50))

GET_WORKSPACE = _WORKSPACE.operation("GetWorkspace", "GET /workspaces/{workspace_id}")
GET_DEFAULT_WORKSPACE = _WORKSPACE.operation("GetDefaultWorkspace", "GET /defaultWorkspaces")
LIST_WORKSPACES = _WORKSPACE.operation("ListWorkspaces", "GET /workspaces", paging=Paging(items="Workspaces"))
LIST_CONFIGS = _WORKSPACE.operation("ListConfigs", "GET /workspaces/{workspace_id}/configs")

GET_DATASET = _WORKSPACE.operation("GetDataset", "GET /datasets/{dataset_id}")
LIST_DATASETS = _WORKSPACE.operation("ListDatasets", "GET /datasets", paging=Paging(items="Datasets"))
CREATE_DATASET = _WORKSPACE.operation("CreateDataset", "POST /datasets")
DELETE_DATASET = _WORKSPACE.operation("DeleteDataset", "DELETE /datasets/{dataset_id}")

CREATE_EXPERIMENT = _WORKSPACE.operation("CreateExperiment", "POST /experiments")
GET_EXPERIMENT = _WORKSPACE.operation("GetExperiment", "GET /experiments/{experiment_id}")
LIST_EXPERIMENTS = _WORKSPACE.operation(
    "ListExperiment", "GET /experiments", paging=Paging(items="Experiments", style="token")
)
CREATE_RUN = _WORKSPACE.operation("CreateRun", "POST /runs")
LOG_RUN_METRICS = _WORKSPACE.operation("LogRunMetrics", "POST /runs/{run_id}/metrics/action/log")
LIST_RUN_METRICS = _WORKSPACE.operation(
    "ListRunMetrics", "GET /runs/{run_id}/metrics", paging=Paging(items="Metrics", style="token")
)
