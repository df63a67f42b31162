"""AIWorkSpace 2021-02-04: workspaces and their settings, images, datasets, experiments and runs."""

from pai_jupyter.cloud.client.operation import Paging, Service

SERVICE = Service(name="AIWorkSpace", origin="https://aiworkspace", version="2021-02-04")

# `Verbose` adds the labels, which tell the purpose of an image.
LIST_IMAGES = SERVICE.operation("ListImages", "GET /images", paging=Paging(items="Images", size=50))

GET_WORKSPACE = SERVICE.operation("GetWorkspace", "GET /workspaces/{workspace_id}")
GET_DEFAULT_WORKSPACE = SERVICE.operation("GetDefaultWorkspace", "GET /defaultWorkspaces")
LIST_WORKSPACES = SERVICE.operation("ListWorkspaces", "GET /workspaces", paging=Paging(items="Workspaces"))
LIST_CONFIGS = SERVICE.operation("ListConfigs", "GET /workspaces/{workspace_id}/configs")

GET_DATASET = SERVICE.operation("GetDataset", "GET /datasets/{dataset_id}")
LIST_DATASETS = SERVICE.operation("ListDatasets", "GET /datasets", paging=Paging(items="Datasets"))
CREATE_DATASET = SERVICE.operation("CreateDataset", "POST /datasets")
DELETE_DATASET = SERVICE.operation("DeleteDataset", "DELETE /datasets/{dataset_id}")

CREATE_EXPERIMENT = SERVICE.operation("CreateExperiment", "POST /experiments")
GET_EXPERIMENT = SERVICE.operation("GetExperiment", "GET /experiments/{experiment_id}")
LIST_EXPERIMENTS = SERVICE.operation(
    "ListExperiment", "GET /experiments", paging=Paging(items="Experiments", style="token")
)
CREATE_RUN = SERVICE.operation("CreateRun", "POST /runs")
LOG_RUN_METRICS = SERVICE.operation("LogRunMetrics", "POST /runs/{run_id}/metrics/action/log")
LIST_RUN_METRICS = SERVICE.operation(
    "ListRunMetrics", "GET /runs/{run_id}/metrics", paging=Paging(items="Metrics", style="token")
)
