"""Datasets: ids `d-...` for addresses of data, usable in jobs instead of the address."""

import re

from pai_jupyter.cloud.client import aiworkspace
from pai_jupyter.emulator.calls.calls import ApiCall
from pai_jupyter.emulator.calls.checks import found, one_of, text, workspace
from pai_jupyter.emulator.calls.pagination import chosen, in_pages, rows_ordered, words
from pai_jupyter.emulator.calls.tables import WORKSPACE
from pai_jupyter.emulator.protocol.refusal import ApiRefusal, Fields, invalid
from pai_jupyter.emulator.protocol.times import stamp
from pai_jupyter.emulator.state.records import new_id

_KIND = "datasets"
_NAME = re.compile(r"[^\W_][\w-]{0,126}")
_SOURCES = ("OSS", "NAS", "EXTREMENAS", "CPFS", "BMCPFS", "MAXCOMPUTE", "URL")
_PROPERTIES = ("FILE", "DIRECTORY", "TABULAR")
_TYPES = ("COMMON", "PIC", "TEXT", "VIDEO", "AUDIO")
_KEPT = ("Description", "Options", "SourceType", "SourceId", "Labels", "MountAccess", "ProviderType")
_SORTS = {"gmtcreatetime": "GmtCreateTime", "gmtmodifiedtime": "GmtModifiedTime"}


@WORKSPACE.serves(aiworkspace.CREATE_DATASET)
async def create_dataset(call: ApiCall) -> Fields:
    name, uri, now = text(call, "Name"), text(call, "Uri"), stamp()
    if not _NAME.fullmatch(name):
        raise invalid("Name", name, "1 to 127 letters, digits, _ and -, beginning with a letter or a digit")
    if call.world.records(_KIND).rows({"Name": name}):
        raise ApiRefusal(409, "DatasetNameExists", f"there is a dataset {name!r} already")
    dataset_id = new_id("d-")
    call.world.records(_KIND).put(
        dataset_id,
        {
            **{key: value for key, value in call.body.items() if key in _KEPT},
            "DatasetId": dataset_id,
            "Name": name,
            "Uri": uri,
            "DataSourceType": one_of(call, "DataSourceType", _SOURCES),
            "Property": one_of(call, "Property", _PROPERTIES),
            "DataType": one_of(call, "DataType", _TYPES, default="COMMON"),
            "Accessibility": one_of(call, "Accessibility", ("PRIVATE", "PUBLIC", "ROLE_PUBLIC"), default="PRIVATE"),
            "WorkspaceId": workspace(call, call.body.get("WorkspaceId")),
            "OwnerId": call.account,
            "UserId": call.account,
            "GmtCreateTime": now,
            "GmtModifiedTime": now,
        },
    )
    return {"DatasetId": dataset_id}


@WORKSPACE.serves(aiworkspace.GET_DATASET)
async def get_dataset(call: ApiCall) -> Fields:
    return found(call, _KIND, call.path["dataset_id"], what="Dataset")


@WORKSPACE.serves(aiworkspace.LIST_DATASETS)
async def list_datasets(call: ApiCall) -> Fields:
    workspace(call, call.query.get("WorkspaceId"))
    ids, sources = {*words(call, "DatasetIds")}, {*words(call, "DataSourceTypes")}
    name = call.query.get("Name", "").lower()
    datasets = chosen(call, call.world.records(_KIND), "Accessibility", "SourceId")
    if ids or sources or name:
        datasets = datasets.fitting(
            lambda each: (
                (not ids or each["DatasetId"] in ids)
                and (not sources or each["DataSourceType"] in sources)
                and name in str(each["Name"]).lower()
            )
        )
    return in_pages(call, "Datasets", rows_ordered(call, datasets, _SORTS))


@WORKSPACE.serves(aiworkspace.DELETE_DATASET)
async def delete_dataset(call: ApiCall) -> Fields:
    found(call, _KIND, call.path["dataset_id"], what="Dataset")
    call.world.records(_KIND).remove(call.path["dataset_id"])
    return {}
