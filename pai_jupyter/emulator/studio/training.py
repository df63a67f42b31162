"""Training jobs: create, get, list, stop, delete; labels."""

from datetime import UTC, datetime, timedelta

from pai_jupyter.cloud.client import paistudio
from pai_jupyter.emulator.calls.calls import ApiCall
from pai_jupyter.emulator.calls.checks import found, workspace
from pai_jupyter.emulator.calls.pagination import check_status, chosen, flag, in_pages, pairs, rows_ordered, words
from pai_jupyter.emulator.calls.tables import STUDIO
from pai_jupyter.emulator.jobs.lifecycle import create
from pai_jupyter.emulator.jobs.mounts import check_mounted
from pai_jupyter.emulator.jobs.registry import check_image
from pai_jupyter.emulator.protocol.fields import items_of, mapping_of
from pai_jupyter.emulator.protocol.refusal import ApiRefusal, Fields, missing
from pai_jupyter.emulator.protocol.times import moment, seconds_between, stamp
from pai_jupyter.emulator.state.rows import Rows
from pai_jupyter.emulator.studio.algorithms import algorithm_of
from pai_jupyter.emulator.studio.event_log import last_metrics, latest_metrics, latest_progress
from pai_jupyter.emulator.studio.lifecycle import KIND, TrainingLifecycle, instances_of
from pai_jupyter.emulator.studio.locations import experiment_of, outputs_of
from pai_jupyter.emulator.studio.validation import check_job
from pai_jupyter.spec import Json

_WINDOW = timedelta(days=7)  # time range of a list without StartTime
_SORTS = {
    name.lower(): name for name in ("GmtCreateTime", "GmtModifiedTime", "TrainingJobName", "TrainingJobId", "Status")
}
_EXACT = ("Status", "TrainingJobId", "AlgorithmName", "AlgorithmProvider", "WorkspaceId")
_KEPT = (  # fields of the body that the service returns
    *(
        "TrainingJobName",
        "TrainingJobDescription",
        "ComputeResource",
        "InputChannels",
        "OutputChannels",
        "Environments",
    ),
    *("PythonRequirements", "UserVpc", "RoleArn", "ExperimentConfig", "AssignNodeSpec", "CredentialConfig"),
)
_KEPT_ALONE = ("Priority", "Settings")  # not returned in lists
_RECORDED = (
    *("TrainingJobId", "WorkspaceId", "UserId", "Status", "ReasonCode", "ReasonMessage", "StatusTransitions", "Labels"),
    *("GmtCreateTime", "GmtModifiedTime", "IsTempAlgo", "AlgorithmId", "AlgorithmName", "AlgorithmProvider"),
    *("AlgorithmVersion", "HyperParameters"),
)


@STUDIO.serves(paistudio.CREATE_TRAINING_JOB)
async def create_training_job(call: ApiCall) -> Fields:
    body = dict(call.body)
    if not body.get("WorkspaceId"):
        raise missing("WorkspaceId")
    check_job(body)
    check_mounted(call.world, body)
    experiment, algorithm = experiment_of(call, body), algorithm_of(call, body)
    name = str(body["TrainingJobName"])
    check_image(call.world, "AlgorithmSpec.Image", str(mapping_of(algorithm, "Algorithm")["Image"]))
    fields: Fields = {
        "TrainingJobName": name,
        "WorkspaceId": workspace(call, body["WorkspaceId"]),
        **algorithm,
        "HyperParameters": [*items_of(body, "HyperParameters")],
        "Labels": [*items_of(body, "Labels")],
    }
    job_id = create(call, TrainingLifecycle, name, fields)
    if experiment is not None:
        outputs = outputs_of(call, body, mapping_of(algorithm, "Algorithm"), experiment, job_id)
        call.world.records(KIND.records).change(job_id, Body={**body, "OutputChannels": outputs})
    return {"TrainingJobId": job_id}


@STUDIO.serves(paistudio.GET_TRAINING_JOB)
async def get_training_job(call: ApiCall) -> Fields:
    record = _record(call)
    body = mapping_of(record, "Body")
    scheduler = {name: str(value) for name, value in mapping_of(body, "Scheduler").items()}
    job_id = str(record["TrainingJobId"])
    last = last_metrics(call.world, job_id)
    return {
        **_shown(record),
        **{name: body[name] for name in _KEPT_ALONE if name in body},
        "AlgorithmSpec": record["Algorithm"],
        "Scheduler": {**scheduler},
        "Duration": _duration(record),
        "Instances": [*instances_of(call.world, record)],
        "LatestMetrics": [*latest_metrics(last)],
        "LatestProgress": latest_progress(last),
        "OutputModel": _output_model(body),
        "TrainingJobUrl": f"{call.world.address}/#/emulator/trainingjobs/{job_id}",
    }


@STUDIO.serves(paistudio.LIST_TRAINING_JOBS)
async def list_training_jobs(call: ApiCall) -> Fields:
    if call.query.get("WorkspaceId"):
        workspace(call, call.query["WorkspaceId"])
    check_status(call, KIND.statuses)
    every = chosen(call, call.world.records(KIND.records), *_EXACT)
    page = in_pages(call, "TrainingJobs", rows_ordered(call, _fitting(call, every), _SORTS, default="DESC"))
    return {**page, "TrainingJobs": [_listed(record) for record in items_of(page, "TrainingJobs")]}


@STUDIO.serves(paistudio.STOP_TRAINING_JOB)
async def stop_training_job(call: ApiCall) -> Fields:
    record = _record(call)
    job_id = str(record["TrainingJobId"])
    if record["Status"] in KIND.terminal:
        raise ApiRefusal(400, "TRAINING_JOB_STATUS_INVALID", f"training job {job_id} is {record['Status']} already")
    call.world.records(KIND.records).change(job_id, IsStopped=True)
    await call.world.runner.stop(job_id)
    return {}


@STUDIO.serves(paistudio.DELETE_TRAINING_JOB)
async def delete_training_job(call: ApiCall) -> Fields:
    record = _record(call)
    job_id = str(record["TrainingJobId"])
    if record["Status"] not in KIND.terminal:
        raise ApiRefusal(
            400, "TRAINING_JOB_STATUS_INVALID", f"training job {job_id} is {record['Status']}; stop it first"
        )
    call.world.records(KIND.records).remove(job_id)
    await call.world.runner.remove(job_id)
    return {}


@STUDIO.serves(paistudio.UPDATE_TRAINING_JOB_LABELS)
async def update_training_job_labels(call: ApiCall) -> Fields:
    record, added = _record(call), items_of(dict(call.body), "Labels", ("Key",))
    if not added:
        raise missing("Labels")
    _put_labels(call, record, {str(label["Key"]): str(label.get("Value", "")) for label in added})
    return {}


@STUDIO.serves(paistudio.DELETE_TRAINING_JOB_LABELS)
async def delete_training_job_labels(call: ApiCall) -> Fields:
    record, keys = _record(call), words(call, "Keys")
    if not keys:
        raise missing("Keys")
    _put_labels(call, record, dict.fromkeys(keys))
    return {}


def _put_labels(call: ApiCall, record: Fields, changes: dict[str, str | None]) -> None:
    labels = {**_labels(record), **changes}
    kept: list[Json] = [{"Key": key, "Value": value} for key, value in labels.items() if value is not None]
    call.world.records(KIND.records).change(str(record["TrainingJobId"]), Labels=kept)


def _record(call: ApiCall) -> Fields:
    return found(call, KIND.records, call.path["training_job_id"], what="TrainingJob")


def _shown(record: Fields) -> Fields:
    """Return the fields of a job that lists and single answers have in common."""
    body = mapping_of(record, "Body")
    return {
        **{name: body[name] for name in _KEPT if name in body},
        **{name: record[name] for name in _RECORDED if name in record},
    }


def _listed(record: Fields) -> Fields:
    return {
        **_shown(record),
        "Scheduler": mapping_of(mapping_of(record, "Body"), "Scheduler"),
        "DlcJobId": f"dlc{record['TrainingJobId']}",
    }


def _duration(record: Fields) -> int:
    """Return the seconds from the job's start until its end, or until now."""
    times = {str(each["Status"]): str(each["StartTime"]) for each in items_of(record, "StatusTransitions")}
    if "Running" not in times:
        return 0
    end = str(record["GmtModifiedTime"]) if record["Status"] in KIND.terminal else stamp()
    return seconds_between(times["Running"], end)


def _output_model(body: Fields) -> Fields:
    for item in items_of(body, "OutputChannels"):
        if item["Name"] == "model":
            return {"OutputChannelName": "model", "Uri": item.get("OutputUri")}
    return {}


def _fitting(call: ApiCall, jobs: Rows) -> Rows:
    """Filter jobs by the call's time range, name and labels."""
    query, labels = call.query, pairs(call, "Labels")
    start = moment(query["StartTime"], "StartTime") if query.get("StartTime") else datetime.now(UTC) - _WINDOW
    end = moment(query["EndTime"], "EndTime") if query.get("EndTime") else None
    jobs = jobs.between(lambda job: moment(str(job["GmtCreateTime"])), start, end)
    if name := query.get("TrainingJobName"):
        jobs = jobs.fitting(lambda job: name in str(job["TrainingJobName"]))
    if query.get("IsTempAlgo"):
        is_temporary = flag(call, "IsTempAlgo")
        jobs = jobs.fitting(lambda job: job["IsTempAlgo"] == is_temporary)
    return jobs.fitting(lambda job: labels.items() <= _labels(job).items()) if labels else jobs


def _labels(record: Fields) -> dict[str, str]:
    return {str(label["Key"]): str(label.get("Value", "")) for label in items_of(record, "Labels")}
