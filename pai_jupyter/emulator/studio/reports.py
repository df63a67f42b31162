"""Reports of a training job: log lines, events, metrics, usage of its instances, error info."""

import asyncio
import os
import time
from collections.abc import Iterable, Sequence

from pai_jupyter.cloud.client import paistudio
from pai_jupyter.emulator.calls.calls import ApiCall
from pai_jupyter.emulator.calls.checks import found
from pai_jupyter.emulator.calls.pagination import MAX_PAGE, in_pages, number, order, words
from pai_jupyter.emulator.calls.tables import STUDIO
from pai_jupyter.emulator.execution.log_lines import finished, numbers_between
from pai_jupyter.emulator.protocol.fields import items_of
from pai_jupyter.emulator.protocol.refusal import Fields, invalid, missing
from pai_jupyter.emulator.protocol.times import moment, written
from pai_jupyter.emulator.state.faults import FaultName, late_by
from pai_jupyter.emulator.studio.event_log import event_log, last_metrics, latest_metrics
from pai_jupyter.emulator.studio.lifecycle import KIND, instances_of, replica_of
from pai_jupyter.events import Usage
from pai_jupyter.spec import Json
from pai_jupyter.store import LogFile

_SERVICE = paistudio.SERVICE
_JOB = "/trainingjobs/{training_job_id}"
_PAGE = 100  # default number of lines or events
_STEPS = {"1h": 3600, "30m": 1800, "5m": 300, "10s": 10}
_MEASURED = ("CpuCoreUsage", "MemoryUsage", "GpuCoreUsage", "GpuMemoryUsage")
_RATES = {  # bytes per second
    "NetworkInputRate": "receive_rate",
    "NetworkOutputRate": "send_rate",
    "DiskReadRate": "read_rate",
    "DiskWriteRate": "write_rate",
}


@STUDIO.serves(paistudio.LIST_TRAINING_JOB_LOGS)
async def list_training_job_logs(call: ApiCall) -> Fields:
    record = _record(call)
    replica = replica_of(call.world, record, call.query.get("InstanceId") or call.query.get("WorkerId"))
    job = call.world.runner.job(str(record["TrainingJobId"]))
    assert job is not None, "a job with instances was submitted"
    size = min(number(call, "PageSize", _PAGE), MAX_PAGE)
    start = (number(call, "PageNumber", 1) - 1) * size
    log, is_over = job.folder.log(replica), record["Status"] in KIND.terminal
    since, until = _span(call)
    late = late_by(record, FaultName.LATE_LOGS)
    ends = [each for each in (until, None if late is None else time.time() - late) if each is not None]
    lines, total = await asyncio.to_thread(
        _chosen, log, start, start + size, since=since, until=min(ends, default=None), is_over=is_over
    )
    return {"Logs": [*lines], "TotalCount": str(total)}


@STUDIO.serves(paistudio.LIST_TRAINING_JOB_EVENTS)
async def list_training_job_events(call: ApiCall) -> Fields:
    return _events(call, _record(call))


@STUDIO.serves(_SERVICE.operation("ListTrainingJobInstanceEvents", f"GET {_JOB}/instances/{{instance_id}}/events"))
async def list_training_job_instance_events(call: ApiCall) -> Fields:
    record = _record(call)
    replica_of(call.world, record, call.path["instance_id"])
    return _events(call, record)


@STUDIO.serves(paistudio.LIST_TRAINING_JOB_METRICS)
async def list_training_job_metrics(call: ApiCall) -> Fields:
    log, (since, until) = event_log(call.world, str(_record(call)["TrainingJobId"])), _span(call)
    _, is_falling = order(call, {})
    if log is None:
        return in_pages(call, "Metrics", [])
    rows = log.metrics(call.query.get("Name", ""), since, until)
    return in_pages(call, "Metrics", rows.newest_first() if is_falling else rows)


@STUDIO.serves(_SERVICE.operation("GetTrainingJobLatestMetrics", f"GET {_JOB}/latestmetrics"))
async def get_training_job_latest_metrics(call: ApiCall) -> Fields:
    job_id = str(_record(call)["TrainingJobId"])
    return {"Metrics": [*latest_metrics(last_metrics(call.world, job_id), words(call, "Names"))]}


@STUDIO.serves(paistudio.LIST_TRAINING_JOB_INSTANCE_METRICS)
async def list_training_job_instance_metrics(call: ApiCall) -> Fields:
    """Return the usage of each instance in percent, or in bytes per second, one sample per `TimeStep`."""
    record, kind, (since, until) = _record(call), call.query.get("MetricType"), _span(call)
    if not kind:
        raise missing("MetricType")
    if kind not in (*_MEASURED, *_RATES):
        raise invalid("MetricType", kind, f"one of {', '.join((*_MEASURED, *_RATES))}")
    step = call.query.get("TimeStep") or "5m"
    if step not in _STEPS:
        raise invalid("TimeStep", step, f"one of {', '.join(_STEPS)}")
    wanted = call.query.get("InstanceId")
    replica_of(call.world, record, wanted)
    usages = [
        usage
        for usage in _usages(call, str(record["TrainingJobId"]))
        if (since or 0.0) <= usage.time and (until is None or usage.time <= until)
    ]
    return {
        "InstanceMetrics": [
            {
                "InstanceId": instance["Name"],
                "NodeName": "emulator",
                "Metrics": _samples(kind, str(instance["Name"]), usages, _STEPS[step]),
            }
            for instance in instances_of(call.world, record)
            if wanted in (None, "", instance["Name"])
        ]
    }


@STUDIO.serves(paistudio.GET_TRAINING_JOB_ERROR_INFO)
async def get_training_job_error_info(call: ApiCall) -> Fields:
    record = _record(call)
    if record["Status"] not in KIND.terminal or record["Status"] in ("Succeed", "Terminated"):
        return {"ErrorInfo": {}}
    return {"ErrorInfo": {"Code": record["ReasonCode"], "Message": record["ReasonMessage"], "AdditionalInfo": ""}}


@STUDIO.serves(_SERVICE.operation("ListTrainingJobOutputModels", f"GET {_JOB}/outputmodels"))
async def list_training_job_output_models(call: ApiCall) -> Fields:
    _record(call)
    return {"OutputModels": []}


def _chosen(
    log: LogFile, start: int, stop: int, *, since: float | None, until: float | None, is_over: bool
) -> tuple[list[str], int]:
    """Return the lines `start` to `stop` of those that arrived between two times, and the number of these."""
    numbers = numbers_between(log, finished(log, is_over=is_over), since, until)
    shown = numbers[start:stop]
    return [line.text for line in log.lines(shown.start, shown.stop)] if shown else [], len(numbers)


def _events(call: ApiCall, record: Fields) -> Fields:
    since, until = _span(call)
    events: list[str] = []
    for each in items_of(record, "StatusTransitions"):
        when = moment(str(each["StartTime"])).timestamp()
        if (since or 0.0) <= when and (until is None or when <= until):
            reason = f": {each['ReasonCode']}, {each['ReasonMessage']}" if each["ReasonCode"] else ""
            events.append(f"{each['StartTime']} training job {record['TrainingJobId']} is {each['Status']}{reason}")
    notes = record.get("Notes")
    events += [f"{record['GmtCreateTime']} Warning: {note}" for note in notes] if isinstance(notes, list) else []
    size = min(number(call, "PageSize", _PAGE), MAX_PAGE)
    start = (number(call, "PageNumber", 1) - 1) * size
    return {"Events": [*events[start : start + size]], "TotalCount": str(len(events))}


def _usages(call: ApiCall, job_id: str) -> list[Usage]:
    log = event_log(call.world, job_id)
    return log.usages if log else []


def _samples(kind: str, instance: str, usages: Iterable[Usage], step: int) -> list[Json]:
    """Return the last sample of each period of `step` seconds."""
    found: dict[int, Json] = {}
    for usage in usages:
        value = _value(kind, usage)
        if instance.endswith(f"-{usage.replica}") and value is not None:
            found[int(usage.time // step)] = {"Time": written(usage.time), "Value": value}
    return [*found.values()]


def _value(kind: str, usage: Usage) -> float | None:
    if kind == "CpuCoreUsage" and usage.cpu is not None:
        return round(100 * usage.cpu / (os.cpu_count() or 1), 2)
    if kind == "MemoryUsage" and usage.memory is not None:
        return round(100 * usage.memory / _memory(), 2)
    if kind == "GpuCoreUsage" and usage.gpu is not None:
        return round(100 * usage.gpu, 2)
    if kind == "GpuMemoryUsage" and usage.gpu_memory is not None and usage.gpu_memory_limit:
        return round(100 * usage.gpu_memory / usage.gpu_memory_limit, 2)
    rate: float | None = getattr(usage, _RATES[kind]) if kind in _RATES else None
    return None if rate is None else round(rate, 2)


def _memory() -> int:
    """Return the memory of this machine in bytes."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _span(call: ApiCall) -> Sequence[float | None]:
    return [
        moment(call.query[name], name).timestamp() if call.query.get(name) else None
        for name in ("StartTime", "EndTime")
    ]


def _record(call: ApiCall) -> Fields:
    return found(call, KIND.records, call.path["training_job_id"], what="TrainingJob")
