"""DLC 2020-12-03: jobs with several roles, TensorBoard apps, instance types."""

from pai_jupyter.cloud.client.operation import Paging, Service

SERVICE = Service(name="PAI-DLC", origin="https://pai-dlc", version="2020-12-03")
_JOB = "/jobs/{job_id}"
_POD = _JOB + "/pods/{pod_id}"
_BOARD = "/tensorboards/{tensorboard_id}"

CREATE_JOB = SERVICE.operation("CreateJob", "POST /jobs")
GET_JOB = SERVICE.operation("GetJob", f"GET {_JOB}")
LIST_JOBS = SERVICE.operation("ListJobs", "GET /jobs", paging=Paging(items="Jobs"))
STOP_JOB = SERVICE.operation("StopJob", f"POST {_JOB}/stop", is_repeatable=True)
DELETE_JOB = SERVICE.operation("DeleteJob", f"DELETE {_JOB}")
GET_JOB_EVENTS = SERVICE.operation("GetJobEvents", f"GET {_JOB}/events")
GET_POD_LOGS = SERVICE.operation("GetPodLogs", f"GET {_POD}/logs")  # not paged: MaxLines from StartTime on
GET_POD_EVENTS = SERVICE.operation("GetPodEvents", f"GET {_POD}/events")

CREATE_TENSORBOARD = SERVICE.operation("CreateTensorboard", "POST /tensorboards")
GET_TENSORBOARD = SERVICE.operation("GetTensorboard", f"GET {_BOARD}")
LIST_TENSORBOARDS = SERVICE.operation(
    "ListTensorboards", "GET /tensorboards", paging=Paging(items="Tensorboards", size=50)
)
START_TENSORBOARD = SERVICE.operation("StartTensorboard", f"PUT {_BOARD}/start")
STOP_TENSORBOARD = SERVICE.operation("StopTensorboard", f"PUT {_BOARD}/stop")
DELETE_TENSORBOARD = SERVICE.operation("DeleteTensorboard", f"DELETE {_BOARD}")

LIST_ECS_SPECS = SERVICE.operation("ListEcsSpecs", "GET /ecsspecs", paging=Paging(items="EcsSpecs"))
