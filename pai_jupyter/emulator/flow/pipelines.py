"""Saved pipelines and components: create, get, list, update, delete; their schema; the caller as their provider.

A pipeline is found by identifier, provider and version. Its provider is the account that saved it.
"""

from pai_jupyter.cloud.client import paiflow
from pai_jupyter.cloud.flow import to_yaml
from pai_jupyter.emulator.calls.calls import ApiCall
from pai_jupyter.emulator.calls.checks import found, text, workspace
from pai_jupyter.emulator.calls.context import EmulatorContext
from pai_jupyter.emulator.calls.pagination import flag, in_pages, rows_ordered
from pai_jupyter.emulator.calls.tables import FLOW
from pai_jupyter.emulator.flow.manifests import named, read_manifest
from pai_jupyter.emulator.protocol.fields import items_of, mapping_of
from pai_jupyter.emulator.protocol.refusal import ApiRefusal, Fields
from pai_jupyter.emulator.protocol.times import stamp
from pai_jupyter.emulator.state.records import new_id
from pai_jupyter.errors import SpecError

PIPELINES = "flowpipelines"
_FILTERS = {"PipelineProvider": "Provider", "PipelineVersion": "Version"}
_SORTS = {name.lower(): name for name in ("GmtCreateTime", "GmtModifiedTime", "Identifier", "Version")}


@FLOW.serves(paiflow.GET_CALLER_PROVIDER)
async def get_caller_provider(call: ApiCall) -> Fields:
    return {"Provider": call.account}


@FLOW.serves(paiflow.CREATE_PIPELINE)
async def create_pipeline(call: ApiCall) -> Fields:
    documents = _own(call)
    names = named(documents[-1])
    wanted = {"Identifier": names["identifier"], "Version": names["version"], "Provider": call.account}
    if call.world.records(PIPELINES).rows(wanted):
        what = f"{names['identifier']!r} version {names['version']!r}"
        raise ApiRefusal(409, "PipelineAlreadyExists", f"there is a pipeline {what} already")
    pipeline_id, now = new_id("pipeline-"), stamp()
    call.world.records(PIPELINES).put(
        pipeline_id,
        {
            "PipelineId": pipeline_id,
            **wanted,
            "Uuid": pipeline_id.removeprefix("pipeline-"),
            "WorkspaceId": workspace(call, call.body.get("WorkspaceId")),
            "GmtCreateTime": now,
            "GmtModifiedTime": now,
            "Documents": [*documents],
        },
    )
    return {"PipelineId": pipeline_id}


@FLOW.serves(paiflow.GET_PIPELINE)
async def get_pipeline(call: ApiCall) -> Fields:
    record = _record(call)
    return {**_listed(record), "Manifest": to_yaml(documents_of(record))}


@FLOW.serves(paiflow.GET_PIPELINE_SCHEMA)
async def get_pipeline_schema(call: ApiCall) -> Fields:
    """Return the last document alone: clients read a single one."""
    record = _record(call)
    return {**_listed(record), "Manifest": to_yaml(documents_of(record)[-1:])}


@FLOW.serves(paiflow.LIST_PIPELINES)
async def list_pipelines(call: ApiCall) -> Fields:
    wanted = {field: call.query[name] for name, field in _FILTERS.items() if call.query.get(name)}
    rows = call.world.records(PIPELINES).rows(wanted)
    if identifier := call.query.get("PipelineIdentifier"):
        is_part = flag(call, "FuzzyMatching")
        rows = rows.fitting(
            lambda it: identifier in str(it["Identifier"]) if is_part else it["Identifier"] == identifier
        )
    page = in_pages(call, "Pipelines", rows_ordered(call, rows, _SORTS, default="DESC"))
    return {**page, "Pipelines": [_listed(record) for record in items_of(page, "Pipelines")]}


@FLOW.serves(paiflow.UPDATE_PIPELINE)
async def update_pipeline(call: ApiCall) -> Fields:
    record, documents = _record(call), _own(call)
    names = named(documents[-1])
    if (names["identifier"], names["version"]) != (record["Identifier"], record["Version"]):
        known = f"{record['Identifier']} {record['Version']}"
        raise ApiRefusal(400, "InvalidParameter", f"Manifest.metadata: identifier and version must stay {known}")
    call.world.records(PIPELINES).change(str(record["PipelineId"]), Documents=[*documents], GmtModifiedTime=stamp())
    return {}


@FLOW.serves(paiflow.DELETE_PIPELINE)
async def delete_pipeline(call: ApiCall) -> Fields:
    call.world.records(PIPELINES).remove(str(_record(call)["PipelineId"]))
    return {}


def documents_of(record: Fields) -> list[Fields]:
    """Return the documents of a saved pipeline."""
    return items_of(record, "Documents")


def saved(world: EmulatorContext, identifier: str, provider: str, version: str) -> list[Fields]:
    """Return the documents of the pipeline with these names; a provider "" is the account.

    Raises:
        SpecError: there is none.
    """
    wanted = {"Identifier": identifier, "Provider": provider or world.account_id, "Version": version}
    record = next(iter(world.records(PIPELINES).rows(wanted)), None)
    if record is None:
        what = f"`{identifier[:100]}` version {version[:100]!r} of provider {wanted['Provider'][:100]!r}"
        raise SpecError(f"there is no saved component {what}. Save it, or name another.", field="identifier")
    return documents_of(record)


def _own(call: ApiCall) -> list[Fields]:
    """Read the call's manifest; the account becomes the provider of its last document."""
    *others, last = read_manifest(text(call, "Manifest"), "Manifest")
    return [*others, {**last, "metadata": {**mapping_of(last, "metadata"), "provider": call.account}}]


def _record(call: ApiCall) -> Fields:
    return found(call, PIPELINES, call.path["pipeline_id"], what="Pipeline")


def _listed(record: Fields) -> Fields:
    return {name: value for name, value in record.items() if name != "Documents"}
