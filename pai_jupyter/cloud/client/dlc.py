"""DLC 2020-12-03: jobs whose roles differ, TensorBoard apps, the machines that jobs can have."""

from pai_jupyter.cloud.client.operation import Paging, Service

_DLC = Service(name="PAI-DLC", host="pai-dlc", version="2020-12-03")
_JOB = "/jobs/{job_id}"
_POD = _JOB + "/pods/{pod_id}"
_BOARD = "/tensorboards/{tensorboard_id}"

CREATE_JOB = _DLC.operation("CreateJob", "POST /jobs")
GET_JOB = _DLC.operation("GetJob", f"GET {_JOB}")
LIST_JOBS = _DLC.operation("ListJobs", "GET /jobs", paging=Paging(items="Jobs"))
STOP_JOB = _DLC.operation("StopJob", f"POST {_JOB}/stop", is_repeatable=True)
DELETE_JOB = _DLC.operation("DeleteJob", f"DELETE {_JOB}")
GET_JOB_EVENTS = _DLC.operation("GetJobEvents", f"GET {_JOB}/events")
GET_JOB_METRICS = _DLC.operation("GetJobMetrics", f"GET {_JOB}/metrics")
GET_POD_LOGS = _DLC.operation("GetPodLogs", f"GET {_POD}/logs")  # not in pages: MaxLines from StartTime on
GET_POD_EVENTS = _DLC.operation("GetPodEvents", f"GET {_POD}/events")

CREATE_TENSORBOARD = _DLC.operation("CreateTensorboard", "POST /tensorboards")
GET_TENSORBOARD = _DLC.operation("GetTensorboard", f"GET {_BOARD}")
LIST_TENSORBOARDS = _DLC.operation(
    "ListTensorboards", "GET /tensorboards", paging=Paging(items="Tensorboards", size=50)
)
START_TENSORBOARD = _DLC.operation("StartTensorboard", f"PUT {_BOARD}/start")
STOP_TENSORBOARD = _DLC.operation("StopTensorboard", f"PUT {_BOARD}/stop")
DELETE_TENSORBOARD = _DLC.operation("DeleteTensorboard", f"DELETE {_BOARD}")

LIST_ECS_SPECS = _DLC.operation("ListEcsSpecs", "GET /ecsspecs", paging=Paging(items="EcsSpecs"))
