"""Jobs: create, get, list, stop, delete; logs of their pods; events."""

import asyncio
import time
from collections.abc import Sequence

from pai_jupyter.cloud.client import dlc
from pai_jupyter.emulator.calls.calls import ApiCall
from pai_jupyter.emulator.calls.checks import found, workspace
from pai_jupyter.emulator.calls.pagination import check_status, chosen, in_pages, number, pairs, rows_ordered, words
from pai_jupyter.emulator.calls.tables import DLC
from pai_jupyter.emulator.dlc.lifecycle import KIND, DlcLifecycle
from pai_jupyter.emulator.dlc.mount_paths import check_mount_paths, mount_path
from pai_jupyter.emulator.dlc.pods import pods_of, replica_of
from pai_jupyter.emulator.dlc.validation import check_job
from pai_jupyter.emulator.execution.log_lines import finished, numbers_between
from pai_jupyter.emulator.jobs.lifecycle import create
from pai_jupyter.emulator.jobs.mounts import check_mounted
from pai_jupyter.emulator.jobs.registry import check_image
from pai_jupyter.emulator.protocol.fields import items_of, mapping_of
from pai_jupyter.emulator.protocol.refusal import ApiRefusal, Fields
from pai_jupyter.emulator.protocol.times import moment, seconds_between, stamp
from pai_jupyter.emulator.state.faults import FaultName, late_by
from pai_jupyter.emulator.state.rows import Rows
from pai_jupyter.errors import SpecError
from pai_jupyter.store import LogFile

_WEEK = 7 * 24 * 3600.0  # seconds; default time range of lists and logs
_LINES = 2000  # default maximum of log lines and events
_SORTS = {name.lower(): name for name in ("DisplayName", "JobType", "Status", "GmtCreateTime", "GmtFinishTime")}
_KEPT = (  # fields of the body that the service returns
    *("DisplayName", "JobType", "JobSpecs", "UserCommand", "Envs", "DataSources", "CodeSource", "ThirdpartyLibs"),
    *("ThirdpartyLibDir", "ResourceId", "Priority", "UserVpc", "Settings", "Accessibility", "Description"),
    *("JobMaxRunningTimeMinutes", "CredentialConfig"),
)


@DLC.serves(dlc.CREATE_JOB)
async def create_job(call: ApiCall) -> Fields:
    body = dict(call.body)
    check_job(body)
    check_mounted(call.world, body)
    _check_mount_paths(call, body)
    for spec in items_of(body, "JobSpecs"):
        check_image(call.world, "JobSpecs.Image", str(spec["Image"]))
    fields: Fields = {
        **{key: body[key] for key in _KEPT if key in body},
        "WorkspaceId": workspace(call, body.get("WorkspaceId")),
    }
    return {"JobId": create(call, DlcLifecycle, str(body["DisplayName"]), fields)}


def _check_mount_paths(call: ApiCall, body: Fields) -> None:
    datasets = call.world.records("datasets")
    sources = items_of(body, "DataSources")
    every = [mount_path(source, datasets.get(str(source.get("DataSourceId"))) or {}) for source in sources]
    try:
        check_mount_paths(every, is_container=call.world.backend == "docker")
    except SpecError as exc:
        raise ApiRefusal(400, "InvalidParameter", f"DataSources.MountPath: {exc}") from exc


@DLC.serves(dlc.GET_JOB)
async def get_job(call: ApiCall) -> Fields:
    return _shown(call, _record(call))


@DLC.serves(dlc.LIST_JOBS)
async def list_jobs(call: ApiCall) -> Fields:
    workspace(call, call.query.get("WorkspaceId"))
    check_status(call, KIND.statuses)
    every = chosen(call, call.world.records(KIND.records), "Status", "JobId", "JobType", "ResourceId")
    page = in_pages(call, "Jobs", rows_ordered(call, _fitting(call, every), _SORTS, default="DESC"), size=10)
    return {**page, "Jobs": [_shown(call, record) for record in items_of(page, "Jobs")]}


@DLC.serves(dlc.STOP_JOB)
async def stop_job(call: ApiCall) -> Fields:
    record = _record(call)
    job_id = str(record["JobId"])
    if record["Status"] not in KIND.terminal:
        call.world.records(KIND.records).change(job_id, IsStopped=True)
        if record["Status"] == "Running":
            DlcLifecycle(call.world, job_id).enter("Stopping")
        await call.world.runner.stop(job_id)
    return {"JobId": job_id}


@DLC.serves(dlc.DELETE_JOB)
async def delete_job(call: ApiCall) -> Fields:
    record = _record(call)
    job_id = str(record["JobId"])
    if record["Status"] not in KIND.terminal:
        raise ApiRefusal(400, "JobNotFinished", f"job {job_id} is {record['Status']}; stop it first")
    call.world.records(KIND.records).remove(job_id)
    await call.world.runner.remove(job_id)
    return {"JobId": job_id}


@DLC.serves(dlc.GET_POD_LOGS)
async def get_pod_logs(call: ApiCall) -> Fields:
    """Return the log lines of a time range, oldest first, at most as many as the call asks for."""
    record, pod = _record(call), call.path["pod_id"]
    replica = replica_of(call.world, record, pod, call.query.get("PodUid", ""))
    job = call.world.runner.job(str(record["JobId"]))
    assert job is not None, "a job with pods was submitted"
    since, until = _span(call)
    late = late_by(record, FaultName.LATE_LOGS)
    until = min(until, time.time() - (late or 0.0))
    most, is_over = number(call, "MaxLines", _LINES), record["Status"] in KIND.terminal and not late
    lines = await asyncio.to_thread(_lines, job.folder.log(replica), since, until, most, is_over=is_over)
    return {"JobId": record["JobId"], "PodId": pod, "PodUid": call.query.get("PodUid", ""), "Logs": [*lines]}


@DLC.serves(dlc.GET_JOB_EVENTS)
async def get_job_events(call: ApiCall) -> Fields:
    record = _record(call)
    return {"JobId": record["JobId"], "Events": [*_events(call, record)]}


@DLC.serves(dlc.GET_POD_EVENTS)
async def get_pod_events(call: ApiCall) -> Fields:
    record, pod = _record(call), call.path["pod_id"]
    replica_of(call.world, record, pod)
    return {"JobId": record["JobId"], "PodId": pod, "Events": [*_events(call, record)]}


def _record(call: ApiCall) -> Fields:
    return found(call, KIND.records, call.path["job_id"], what="Job")


def _shown(call: ApiCall, record: Fields) -> Fields:
    public = {name: value for name, value in record.items() if name not in ("Body", "Faults", "IsStopped")}
    pods = pods_of(call.world, record)
    return {**public, "Duration": _duration(record), "Pods": [*pods]}


def _duration(record: Fields) -> int:
    """Return the seconds from the job's start until its end, or until now."""
    began = record.get("GmtRunningTime")
    return seconds_between(str(began), str(record.get("GmtFinishTime") or stamp())) if began else 0


def _fitting(call: ApiCall, jobs: Rows) -> Rows:
    """Filter jobs by the call's time range, ids, name and tags."""
    since, until = _span(call)
    ids, name, tags = {*words(call, "JobIds")}, call.query.get("DisplayName", ""), pairs(call, "Tags")
    jobs = jobs.between(lambda job: moment(str(job["GmtCreateTime"])).timestamp(), since, until)
    if ids:
        jobs = jobs.fitting(lambda job: job["JobId"] in ids)
    if name and _is_exact(call):
        jobs = jobs.fitting(lambda job: name == job["DisplayName"])
    elif name:
        jobs = jobs.fitting(lambda job: name in str(job["DisplayName"]))
    return jobs.fitting(lambda job: tags.items() <= _tags(job).items()) if tags else jobs


def _tags(job: Fields) -> Fields:
    return mapping_of(mapping_of(job, "Settings"), "Tags")


def _is_exact(call: ApiCall) -> bool:
    return call.query.get("DisplayNameSearchMode", "").lower() == "exact"


def _span(call: ApiCall) -> tuple[float, float]:
    since, until = call.query.get("StartTime"), call.query.get("EndTime")
    return (
        moment(since, "StartTime").timestamp() if since else time.time() - _WEEK,
        moment(until, "EndTime").timestamp() if until else time.time() + 1,
    )


def _lines(log: LogFile, since: float, until: float, most: int, *, is_over: bool) -> list[str]:
    """Return the first `most` lines that arrived between two times."""
    numbers = numbers_between(log, finished(log, is_over=is_over), since, until)[:most]
    return [line.text for line in log.lines(numbers.start, numbers.stop)]


def _events(call: ApiCall, record: Fields) -> Sequence[str]:
    since, until = _span(call)
    events = []
    for each in items_of(record, "StatusHistory"):
        if since <= moment(str(each["StartTime"])).timestamp() <= until:
            reason = f": {each['ReasonCode']}, {each['ReasonMessage']}" if each["ReasonMessage"] else ""
            events.append(f"{each['StartTime']} job {record['JobId']} is {each['Status']}{reason}")
    return events[: number(call, "MaxEventsNum", _LINES)]
