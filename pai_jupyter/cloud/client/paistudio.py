"""PaiStudio 2022-01-12: training jobs and the registered algorithms that they may run.

There is no idempotency token: after an uncertain CREATE_TRAINING_JOB, find the job by its unique label.
"""

from pai_jupyter.cloud.client.operation import Paging, Service

SERVICE = Service(name="PaiStudio", origin="https://pai", version="2022-01-12")
_JOB = "/trainingjobs/{training_job_id}"
_ALGORITHM = "/algorithms/{algorithm_id}"
_ONE_VERSION = _ALGORITHM + "/versions/{algorithm_version}"

CREATE_TRAINING_JOB = SERVICE.operation("CreateTrainingJob", "POST /trainingjobs")
GET_TRAINING_JOB = SERVICE.operation("GetTrainingJob", f"GET {_JOB}")
# Without a StartTime only jobs of the last seven days are listed.
LIST_TRAINING_JOBS = SERVICE.operation("ListTrainingJobs", "GET /trainingjobs", paging=Paging(items="TrainingJobs"))
STOP_TRAINING_JOB = SERVICE.operation("StopTrainingJob", f"PUT {_JOB}/stop")
DELETE_TRAINING_JOB = SERVICE.operation("DeleteTrainingJob", f"DELETE {_JOB}")
# Fails with TRAINING_JOB_INSTANCE_NOT_FOUND until the job has instances.
LIST_TRAINING_JOB_LOGS = SERVICE.operation(
    "ListTrainingJobLogs", f"GET {_JOB}/logs", paging=Paging(items="Logs", size=1000)
)
LIST_TRAINING_JOB_EVENTS = SERVICE.operation(
    "ListTrainingJobEvents", f"GET {_JOB}/events", paging=Paging(items="Events")
)
LIST_TRAINING_JOB_METRICS = SERVICE.operation(
    "ListTrainingJobMetrics", f"GET {_JOB}/metrics", paging=Paging(items="Metrics")
)
LIST_TRAINING_JOB_INSTANCE_METRICS = SERVICE.operation("ListTrainingJobInstanceMetrics", f"GET {_JOB}/instancemetrics")
GET_TRAINING_JOB_ERROR_INFO = SERVICE.operation("GetTrainingJobErrorInfo", f"GET {_JOB}/errorinfo")
UPDATE_TRAINING_JOB_LABELS = SERVICE.operation("UpdateTrainingJobLabels", f"POST {_JOB}/labels", is_repeatable=True)
DELETE_TRAINING_JOB_LABELS = SERVICE.operation("DeleteTrainingJobLabels", f"DELETE {_JOB}/labels")

CREATE_ALGORITHM = SERVICE.operation("CreateAlgorithm", "POST /algorithms", style="form")
UPDATE_ALGORITHM = SERVICE.operation("UpdateAlgorithm", f"PUT {_ALGORITHM}", style="form")
CREATE_ALGORITHM_VERSION = SERVICE.operation("CreateAlgorithmVersion", f"POST {_ONE_VERSION}", style="form")
GET_ALGORITHM_VERSION = SERVICE.operation("GetAlgorithmVersion", f"GET {_ONE_VERSION}")
DELETE_ALGORITHM_VERSION = SERVICE.operation("DeleteAlgorithmVersion", f"DELETE {_ONE_VERSION}")
DELETE_ALGORITHM = SERVICE.operation("DeleteAlgorithm", f"DELETE {_ALGORITHM}")
LIST_ALGORITHM_VERSIONS = SERVICE.operation(
    "ListAlgorithmVersions", f"GET {_ALGORITHM}/versions", paging=Paging(items="AlgorithmVersions")
)
LIST_ALGORITHMS = SERVICE.operation("ListAlgorithms", "GET /algorithms", paging=Paging(items="Algorithms"))
