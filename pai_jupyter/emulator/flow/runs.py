"""Runs: create, get, list, rename, delete, start, terminate; the statuses of several at once."""

import asyncio
import time

from pai_jupyter.cloud.client import paiflow
from pai_jupyter.cloud.flow import to_yaml
from pai_jupyter.emulator.calls.calls import ApiCall
from pai_jupyter.emulator.calls.checks import found, objects, text, workspace
from pai_jupyter.emulator.calls.pagination import in_pages, rows_ordered, words
from pai_jupyter.emulator.calls.tables import FLOW
from pai_jupyter.emulator.flow.dialects import FlowDialect, dialect_of, run_id_of
from pai_jupyter.emulator.flow.following import RUNS, forget, refresh_all, refreshed, run_record, state_of
from pai_jupyter.emulator.flow.manifests import read_arguments, read_manifest
from pai_jupyter.emulator.flow.node_answers import status_answer
from pai_jupyter.emulator.flow.pipelines import PIPELINES, documents_of
from pai_jupyter.emulator.flow.planning import plan_run
from pai_jupyter.emulator.flow.starting import delete, start, terminate
from pai_jupyter.emulator.flow.statuses import INITIALIZED, KNOWN, TERMINAL
from pai_jupyter.emulator.flow.tree import ROOT, find_node, flow_tree, node_id
from pai_jupyter.emulator.jobs.validation import check_name
from pai_jupyter.emulator.protocol.fields import items_of, list_of
from pai_jupyter.emulator.protocol.refusal import ApiRefusal, Fields, invalid
from pai_jupyter.emulator.protocol.times import stamp
from pai_jupyter.emulator.state.records import new_id
from pai_jupyter.emulator.state.rows import Rows
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.spec import Json

_SERVICE = paiflow.SERVICE
_DELETE_RUN = _SERVICE.operation("DeleteRun", "DELETE /runs/{run_id}")
_UPDATE = _SERVICE.operation("UpdatePipelineRun", "PUT /pipelineruns/{pipeline_run_id}")
_STATUSES = _SERVICE.operation("ListRunsStatus", "PUT /runs")
_PIPELINE_STATUSES = _SERVICE.operation("ListPipelineRunsStatus", "PUT /pipelineruns")
_SORTS = {name.lower(): name for name in ("GmtCreateTime", "GmtModifiedTime", "Name", "Status")}
_GIVEN = ("Accessibility", "Options")  # fields of the body that the service returns
_PLAIN = (
    "Name",
    "WorkspaceId",
    "UserId",
    "Status",
    "Message",
    "GmtCreateTime",
    "GmtModifiedTime",
    "PipelineId",
    *_GIVEN,
)


@FLOW.serves(paiflow.CREATE_RUN, paiflow.CREATE_PIPELINE_RUN)
async def create_run(call: ApiCall) -> Fields:
    dialect, body = dialect_of(call), dict(call.body)
    check_name(body, "Name")
    documents = _documents(call)
    given = text(call, "Arguments", default="")
    await _checked(call, documents, given)
    run_id, now = new_id("flow-"), stamp()
    fields: Fields = {
        "RunId": run_id,
        "Name": text(call, "Name"),
        "WorkspaceId": workspace(call, body.get("WorkspaceId")),
        "UserId": call.account,
        "PipelineId": text(call, "PipelineId", default=""),
        "Source": text(call, dialect.source, default=""),
        "SourceId": text(call, dialect.source_id, default=""),
        **{name: body[name] for name in _GIVEN if name in body},
        "Documents": [*documents],
        "Manifest": text(call, "PipelineManifest", default=""),
        "Arguments": given,
        "Status": INITIALIZED,
        "GmtCreateTime": now,
        "GmtModifiedTime": now,
    }
    call.world.records(RUNS).put(run_id, fields)
    if body.get("NoConfirmRequired"):
        await start(call.world, fields)
    return {dialect.id: run_id}


@FLOW.serves(paiflow.GET_RUN, paiflow.GET_PIPELINE_RUN)
async def get_run(call: ApiCall) -> Fields:
    record = await _record(call)
    manifest = record["Manifest"] or to_yaml(items_of(record, "Documents"))
    return {**_shown(record, dialect_of(call)), "Manifest": manifest, "Arguments": record["Arguments"]}


@FLOW.serves(paiflow.LIST_RUNS, paiflow.LIST_PIPELINE_RUNS)
async def list_runs(call: ApiCall) -> Fields:
    dialect = dialect_of(call)
    workspace(call, call.query.get("WorkspaceId"))
    await refresh_all(call.world)
    page = in_pages(call, dialect.many, rows_ordered(call, _fitting(call, dialect), _SORTS, default="DESC"))
    listed = page[dialect.many]
    assert isinstance(listed, list)
    return {**page, dialect.many: [_shown(record, dialect) for record in listed if isinstance(record, dict)]}


@FLOW.serves(paiflow.UPDATE_RUN, _UPDATE)
async def update_run(call: ApiCall) -> Fields:
    record = await _record(call)
    check_name(dict(call.body), "Name")
    call.world.records(RUNS).change(str(record["RunId"]), Name=text(call, "Name"), GmtModifiedTime=stamp())
    return {}


@FLOW.serves(paiflow.START_RUN, paiflow.START_PIPELINE_RUN)
async def start_run(call: ApiCall) -> Fields:
    record = await _record(call)
    if record["Status"] != INITIALIZED:
        raise _wrong_status(record, "it is not to be started")
    await start(call.world, record)
    return {}


@FLOW.serves(paiflow.TERMINATE_RUN, paiflow.TERMINATE_PIPELINE_RUN)
async def terminate_run(call: ApiCall) -> Fields:
    record = await _record(call)
    if record["Status"] in TERMINAL:
        raise _wrong_status(record, "it has ended")
    await terminate(call.world, record)
    return {}


@FLOW.serves(_DELETE_RUN, paiflow.DELETE_PIPELINE_RUN)
async def delete_run(call: ApiCall) -> Fields:
    record = await _record(call)
    if record["Status"] not in TERMINAL | {INITIALIZED}:
        raise _wrong_status(record, "terminate it first")
    call.world.records(RUNS).remove(str(record["RunId"]))
    forget(str(record.get("Engine") or ""))
    await delete(call.world, record)
    return {}


@FLOW.serves(_STATUSES, _PIPELINE_STATUSES)
async def list_runs_status(call: ApiCall) -> Fields:
    """Return the statuses of the runs and nodes that the body names; those that are unknown are left out."""
    dialect = dialect_of(call)
    wanted = [str(each) for each in list_of(dict(call.body), dialect.many)]
    records = [record for each in wanted if (record := call.world.records(RUNS).get(each)) is not None]
    runs = [_shown(await refreshed(call.world, record), dialect) for record in records]
    nodes = [await _node_status(call, item, dialect) for item in objects(call, "Nodes")]
    return {dialect.many: [*runs], "Nodes": [each for each in nodes if each is not None]}


async def _node_status(call: ApiCall, item: Fields, dialect: FlowDialect) -> Fields | None:
    record = call.world.records(RUNS).get(str(item.get(dialect.id)))
    state = await state_of(record) if record else None
    if record is None or state is None:
        return None
    node = find_node(flow_tree(str(record["RunId"]), str(record["Name"]), state), str(item.get("NodeId")))
    return {dialect.id: record["RunId"], **status_answer(node)} if node else None


async def _record(call: ApiCall) -> Fields:
    return await refreshed(call.world, run_record(call.world, run_id_of(call)))


def _documents(call: ApiCall) -> list[Fields]:
    """Return the documents of what is to run: a manifest, or a saved pipeline."""
    pipeline_id, manifest = text(call, "PipelineId", default=""), text(call, "PipelineManifest", default="")
    if bool(pipeline_id) == bool(manifest):
        raise ApiRefusal(400, "InvalidParameter", "give either PipelineId or PipelineManifest")
    if manifest:
        return read_manifest(manifest, "PipelineManifest")
    return documents_of(found(call, PIPELINES, pipeline_id, what="Pipeline"))


async def _checked(call: ApiCall, documents: list[Fields], given: str) -> None:
    """Refuse what cannot be planned.

    Raises:
        ApiRefusal: InvalidParameter.
    """
    parameters, artifacts = read_arguments(given)
    try:
        await asyncio.to_thread(
            plan_run, call.world, text(call, "Name"), documents, parameters=parameters, artifacts=artifacts
        )
    except PaiJupyterError as exc:
        raise ApiRefusal(400, "InvalidParameter", str(exc)) from exc


def _shown(record: Fields, dialect: FlowDialect) -> Fields:
    """Return the fields of a run that lists and single answers have in common."""
    started, ended = record.get("Started"), record.get("Ended")
    run_id = str(record["RunId"])
    return {
        dialect.id: run_id,
        **{name: record[name] for name in _PLAIN if name in record},
        dialect.source: record["Source"],
        dialect.source_id: record["SourceId"],
        "ParentUserId": record["UserId"],
        "NodeId": node_id(run_id, ROOT) if record["Status"] != INITIALIZED else "",
        "StartedAt": _time(started, dialect),
        "FinishedAt": _time(ended, dialect),
        "Duration": _duration(started, ended),
    }


def _duration(started: Json, ended: Json) -> int:
    if not isinstance(started, float):
        return 0
    return round((ended if isinstance(ended, float) else time.time()) - started)


def _time(seconds: Json, dialect: FlowDialect) -> Json:
    return dialect.time(seconds) if isinstance(seconds, float) else None


def _fitting(call: ApiCall, dialect: FlowDialect) -> Rows:
    """Filter runs by the call's ids, name, status and source."""
    query = call.query
    if (status := query.get("Status")) and status not in KNOWN:
        raise invalid("Status", status, f"one of {', '.join(sorted(KNOWN))}")
    exact = {"RunId": dialect.id, "Status": "Status", "PipelineId": "PipelineId", "Source": dialect.source}
    exact |= {"SourceId": dialect.source_id, "UserId": "UserId"}
    rows = call.world.records(RUNS).rows({field: query[name] for field, name in exact.items() if query.get(name)})
    if ids := {*words(call, "PipelineIds")}:
        rows = rows.fitting(lambda it: it["PipelineId"] in ids)
    name = query.get("Name", "")
    return rows.fitting(lambda it: name in str(it["Name"])) if name else rows


def _wrong_status(record: Fields, what: str) -> ApiRefusal:
    return ApiRefusal(400, "RunStatusInvalid", f"run {record['RunId']} is {record['Status']}; {what}")
