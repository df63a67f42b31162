"""PaiStudio on loopback whose jobs are made of what a test says: status, instances, log lines, metrics. Nothing runs.

Signatures are verified and faults planned as in `openapi`, which this is.
"""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from urllib.parse import unquote

from pai_jupyter.spec import Json
from tests.fakes.openapi import OpenApi, Received, Reply

WORKSPACE = "12345"
PAGE = 1000  # lines that a page has at most


@dataclass
class StudioJob:
    """One job; `body` is what it was created with."""

    id: str
    body: dict[str, Any]  # Any: JSON
    status: str = "Creating"
    reason: str = ""
    instances: list[dict[str, str]] = field(default_factory=list)
    logs: dict[str, list[str]] = field(default_factory=dict)  # by instance
    transitions: list[tuple[str, float]] = field(default_factory=list)
    metrics: list[tuple[str, float, float]] = field(default_factory=list)  # name, value, time
    usage: dict[str, list[tuple[float, float]]] = field(default_factory=dict)  # kind -> (time, percent) of master-0
    events: list[str] = field(default_factory=list)
    progress: float | None = None
    created: float = field(default_factory=time.time)

    def enter(self, status: str, reason: str = "", *, at: float | None = None) -> None:
        self.status, self.reason = status, reason
        self.transitions.append((status, at or time.time()))

    def run(self, *roles: str, at: float | None = None) -> None:
        """Begin to run on instances of these roles, `Master` alone if none is named."""
        counts: dict[str, int] = {}
        for role in roles or ("Master",):
            number = counts[role] = counts.get(role, -1) + 1
            self.instances.append({"Name": f"{self.id}-{role.lower()}-{number}", "Role": role, "Status": "Running"})
        self.enter("Running", at=at)

    def print(self, *lines: str, instance: int = 0) -> None:
        self.logs.setdefault(self.instances[instance]["Name"], []).extend(lines)

    def end(self, code: int = 0, *, at: float | None = None, mark: bool = True, reason: str = "") -> None:
        """End as a launcher's command with this exit code; killed ones leave no mark."""
        label = next(each["Value"] for each in self.body["Labels"] if each["Key"] == "pai_jupyter_job_id")
        for number in range(len(self.instances) if mark else 0):
            self.print(f"pai_jupyter: job {label} ended with exit code {code}", instance=number)
        self.enter("Failed" if code else "Succeed", reason, at=at)


class Studio(OpenApi):
    """The service; `page` is how many lines it gives at once, `refused_size` from which it refuses to."""

    def __init__(self) -> None:
        super().__init__()
        self.training: dict[str, StudioJob] = {}
        self.page = PAGE
        self.refused_size = 10**9
        self.understands_labels = True
        self.hidden = 0  # how many lists do not show the newest job yet

    @property
    def job(self) -> StudioJob:
        """The only one."""
        (job,) = self.training.values()
        return job

    def add(self, job_id: str = "j1", **more: Any) -> StudioJob:  # Any: fields of a body
        """A job that was created before."""
        body = {"TrainingJobName": "a", "Labels": [{"Key": "pai_jupyter_job_id", "Value": job_id}], **more}
        job = StudioJob(id=f"train{len(self.training) + 1}", body=body)
        job.enter("Creating")
        self.training[job.id] = job
        return job

    def count(self, action: str) -> int:
        return self.actions.count(action)

    def carry_out(self, request: Received) -> Reply:
        if refusal := self._refuse(request):
            return _answer(400, {"Code": refusal, "Message": "not believed"})
        if request.action == "CreateTrainingJob":
            job = StudioJob(id=f"train{len(self.training) + 1}", body=json.loads(request.body))
            job.enter("Creating")
            self.training[job.id] = job
            return _answer(200, {"TrainingJobId": job.id})
        if request.action == "ListTrainingJobs":
            return _answer(200, self._listed(request))
        if request.action == "ListEcsSpecs":
            spec: Json = {"InstanceType": request.query["InstanceTypes"], "Cpu": 4, "Memory": 8, "GpuMemory": 16}
            return _answer(200, {"EcsSpecs": [spec]})
        name = unquote(request.path.removeprefix("/api/v1/trainingjobs/").partition("/")[0])
        if name not in self.training:
            return _answer(404, {"Code": "TrainingJobNotFound", "Message": f"no job {name}"})
        return self._of_job(request, self.training[name])

    def _of_job(self, request: Received, job: StudioJob) -> Reply:
        match request.action:
            case "GetTrainingJob":
                return _answer(200, {**_told(job), **_details(job)})
            case "StopTrainingJob" if job.status in ("Succeed", "Failed", "Terminated"):
                return _answer(400, {"Code": "TRAINING_JOB_STATUS_INVALID", "Message": "it has ended"})
            case "StopTrainingJob":
                job.enter("Terminated")
            case "ListTrainingJobLogs":
                return self._log(request, job)
            case "ListTrainingJobMetrics":
                return _answer(200, _metrics(job, request))
            case "ListTrainingJobInstanceMetrics":
                points: list[Json] = [
                    {"Time": _time(at), "Value": value} for at, value in job.usage.get(request.query["MetricType"], [])
                ]
                found: list[Json] = [{"InstanceId": each["Name"], "Metrics": points} for each in job.instances[:1]]
                return _answer(200, {"InstanceMetrics": found})
            case "ListTrainingJobEvents":
                return _answer(200, {"Events": [*job.events], "TotalCount": str(len(job.events))})
        return _answer(200, {})

    def _log(self, request: Received, job: StudioJob) -> Reply:
        instance = request.query["InstanceId"]
        if instance not in job.logs:
            return _answer(404, {"Code": "TRAINING_JOB_INSTANCE_NOT_FOUND", "Message": "none yet"})
        number, asked = int(request.query["PageNumber"]), int(request.query["PageSize"])
        if asked >= self.refused_size:
            return _answer(400, {"Code": "InvalidParameter", "Message": "PageSize is too large"})
        size, lines = min(asked, self.page), job.logs[instance]
        return _answer(200, {"Logs": [*lines[(number - 1) * size : number * size]], "TotalCount": str(len(lines))})

    def _listed(self, request: Received) -> dict[str, Json]:
        query = request.query
        wanted = json.loads(query.get("Labels", "{}")) if self.understands_labels else {}
        since = datetime.fromisoformat(query["StartTime"]).timestamp()
        jobs = [job for job in reversed(self.training.values()) if job.created >= since and _has(job, wanted)]
        if self.hidden and jobs:
            self.hidden -= 1
            jobs = jobs[1:]
        size = min(int(query["PageSize"]), 100)
        start = (int(query["PageNumber"]) - 1) * size
        return {"TrainingJobs": [_told(job) for job in jobs[start : start + size]], "TotalCount": len(jobs)}


def _has(job: StudioJob, wanted: dict[str, str]) -> bool:
    labels = {each["Key"]: each["Value"] for each in job.body.get("Labels", [])}
    return wanted.items() <= labels.items()


def _told(job: StudioJob) -> dict[str, Json]:
    return {
        "TrainingJobId": job.id,
        "Status": job.status,
        "ReasonMessage": job.reason,
        "Labels": job.body.get("Labels", []),
        "OutputChannels": job.body.get("OutputChannels", []),
        "ComputeResource": job.body.get("ComputeResource", {}),
        "GmtCreateTime": _time(job.created),
        "GmtModifiedTime": _time(job.transitions[-1][1]),
        "StatusTransitions": [{"Status": status, "StartTime": _time(at)} for status, at in job.transitions],
    }


def _details(job: StudioJob) -> dict[str, Json]:
    latest = {name: (value, at) for name, value, at in job.metrics}
    return {
        "TrainingJobUrl": f"https://console.example/{job.id}",
        "AlgorithmSpec": job.body.get("AlgorithmSpec", {}),
        "Instances": [{**each} for each in job.instances],
        "LatestMetrics": [
            {"Name": name, "Value": value, "Timestamp": _time(at)} for name, (value, at) in latest.items()
        ],
        "LatestProgress": {"OverallProgress": {"Value": job.progress, "Timestamp": _time(job.created)}}
        if job.progress is not None
        else None,
    }


def _metrics(job: StudioJob, request: Received) -> dict[str, Json]:
    since = request.query.get("StartTime")
    start = datetime.fromisoformat(since).timestamp() if since else 0.0
    found: list[Json] = [
        {"Name": name, "Value": value, "Timestamp": _time(at)}
        for name, value, at in job.metrics
        if name == request.query["Name"] and at >= start
    ]
    return {"Metrics": found, "TotalCount": len(found)}


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")


def _answer(status: int, said: dict[str, Json]) -> Reply:
    body = json.dumps({"RequestId": "REQ-2", **said}, ensure_ascii=False).encode()
    return Reply(status=status, body=body)


def lines(start: int, stop: int) -> Sequence[str]:
    return [f"line {number}" for number in range(start, stop)]
