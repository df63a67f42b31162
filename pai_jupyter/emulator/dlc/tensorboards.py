"""TensorBoard apps: records whose processes `board_processes` manages. An account may have five that are not stopped."""

from datetime import UTC, datetime, timedelta

from pai_jupyter.cloud.client import dlc
from pai_jupyter.emulator.calls.calls import ApiCall
from pai_jupyter.emulator.calls.checks import found, text, workspace
from pai_jupyter.emulator.calls.pagination import chosen, in_pages, number, rows_ordered
from pai_jupyter.emulator.calls.tables import DLC
from pai_jupyter.emulator.execution.board_processes import ALIVE, KIND
from pai_jupyter.emulator.protocol.fields import items_of
from pai_jupyter.emulator.protocol.refusal import ApiRefusal, Fields, invalid, missing
from pai_jupyter.emulator.protocol.times import stamp
from pai_jupyter.emulator.state.records import new_id
from pai_jupyter.errors import SpecError
from pai_jupyter.spec import Json
from pai_jupyter.storage import OssUrl, parse_oss_url

LIMIT = 5  # apps that are not stopped
_LISTED_FOR = timedelta(days=7)
_SORTS = {"displayname": "DisplayName", "gmtcreatetime": "GmtCreateTime"}
_KEPT = ("SourceId", "SourceType", "JobId", "DataSourceType", "DataSourceId", "QuotaId", "Priority", "Cpu", "Memory")
_BOARD = "/tensorboards/{tensorboard_id}"


@DLC.serves(dlc.CREATE_TENSORBOARD)
async def create_tensorboard(call: ApiCall) -> Fields:
    shown, now = _shown(call), stamp()
    _check_limit(call)
    app = new_id("tensorboard-")
    call.world.records(KIND).put(
        app,
        {
            **{key: value for key, value in call.body.items() if key in _KEPT},
            "TensorboardId": app,
            "DisplayName": text(call, "DisplayName", default=app),
            "Status": "Creating",
            "SummaryPath": str(shown),
            "SummaryRelativePath": text(call, "SummaryRelativePath", default="/"),
            "MaxRunningTimeMinutes": _minutes(call.body.get("MaxRunningTimeMinutes")),
            "Accessibility": text(call, "Accessibility", default="PRIVATE"),
            "WorkspaceId": workspace(call, call.body.get("WorkspaceId")),
            "UserId": call.account,
            "Username": "emulator",
            "GmtCreateTime": now,
            "GmtModifyTime": now,
            "_shown": str(shown),
            "_pid": None,
        },
    )
    call.world.boards.launch(app)
    return {"TensorboardId": app, "JobId": call.body.get("JobId") or "", "DataSourceId": ""}


@DLC.serves(dlc.GET_TENSORBOARD)
async def get_tensorboard(call: ApiCall) -> Fields:
    return _public(_one(call))


@DLC.serves(dlc.LIST_TENSORBOARDS)
async def list_tensorboards(call: ApiCall) -> Fields:
    """List the apps created within the last seven days, or since `StartTime`."""
    workspace(call, call.query.get("WorkspaceId"))
    since = call.query.get("StartTime") or (datetime.now(UTC) - _LISTED_FOR).strftime("%Y-%m-%dT%H:%M:%SZ")
    until, name = call.query.get("EndTime") or "9", call.query.get("DisplayName", "")
    every = chosen(
        call, call.world.records(KIND), "SourceId", "SourceType", "Status", "TensorboardId", "JobId", "QuotaId"
    )
    apps = every.between(lambda app: str(app["GmtCreateTime"]), since, until)
    if name:
        apps = apps.fitting(lambda app: name in str(app["DisplayName"]))
    page = in_pages(call, "Tensorboards", rows_ordered(call, apps, _SORTS))
    return {**page, "Tensorboards": [_public(app) for app in items_of(page, "Tensorboards")]}


@DLC.serves(dlc.START_TENSORBOARD)
async def start_tensorboard(call: ApiCall) -> Fields:
    record = _one(call)
    if record["Status"] not in ALIVE:
        _check_limit(call)
        _change(
            call, Status="Creating", ReasonCode="", ReasonMessage="", GmtFinishTime="", TensorboardUrl="", _pid=None
        )
        call.world.boards.launch(call.path["tensorboard_id"])
    return {"TensorboardId": call.path["tensorboard_id"]}


@DLC.serves(dlc.STOP_TENSORBOARD)
async def stop_tensorboard(call: ApiCall) -> Fields:
    if _one(call)["Status"] in ALIVE:
        _change(call, Status="Stopped", GmtFinishTime=stamp())
        await call.world.boards.end(call.path["tensorboard_id"])
    return {"TensorboardId": call.path["tensorboard_id"]}


@DLC.serves(dlc.SERVICE.operation("UpdateTensorboard", f"PUT {_BOARD}"))
async def update_tensorboard(call: ApiCall) -> Fields:
    _one(call)
    changes: dict[str, Json] = {name: call.query[name] for name in ("Accessibility", "Priority") if name in call.query}
    if "MaxRunningTimeMinutes" in call.query:
        changes["MaxRunningTimeMinutes"] = number(call, "MaxRunningTimeMinutes", 0, least=0)
    _change(call, **changes)
    return {"TensorboardId": call.path["tensorboard_id"]}


@DLC.serves(dlc.DELETE_TENSORBOARD)
async def delete_tensorboard(call: ApiCall) -> Fields:
    app = call.path["tensorboard_id"]
    _one(call)
    _change(call, Status="Deleting")
    await call.world.boards.forget(app)
    call.world.records(KIND).remove(app)
    return {"TensorboardId": app}


@DLC.serves(dlc.SERVICE.operation("GetTensorboardSharedUrl", f"GET {_BOARD}/sharedurl"))
async def get_tensorboard_shared_url(call: ApiCall) -> Fields:
    return {"TensorboardSharedUrl": _one(call).get("TensorboardUrl") or ""}


def _shown(call: ApiCall) -> OssUrl:
    """Return the address that the app shows: `Uri` or that of a dataset, joined with `SummaryRelativePath`."""
    uri = text(call, "Uri", default="")
    if not uri and call.body.get("DataSourceId"):
        uri = str(found(call, "datasets", text(call, "DataSourceId"), what="Dataset")["Uri"])
    if not uri:
        raise missing("Uri")
    try:
        url = parse_oss_url(uri)
    except SpecError as exc:
        raise invalid(
            "Uri", uri, "an address such as oss://BUCKET.ENDPOINT/PATH; the emulator supports only OSS"
        ) from exc
    if not call.world.objects.exists(url.bucket_name):
        raise invalid("Uri", uri, "in an existing bucket")
    below = text(call, "SummaryRelativePath", default="/").strip("/")
    key = "/".join(filter(None, (url.object_key.strip("/"), below)))
    return OssUrl(bucket_name=url.bucket_name, object_key=f"{key}/" if key else "", endpoint=url.endpoint)


def _check_limit(call: ApiCall) -> None:
    alive = sum(len(call.world.records(KIND).rows({"Status": status})) for status in ALIVE)
    if alive >= LIMIT:
        raise ApiRefusal(400, "TensorboardLimitExceeded", f"there are {alive} TensorBoards, and {LIMIT} is the limit")


def _minutes(value: Json) -> int:
    if value is None:
        return 0
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise invalid("MaxRunningTimeMinutes", value, "a whole number from 0")
    return value


def _one(call: ApiCall) -> Fields:
    return found(call, KIND, call.path["tensorboard_id"], what="Tensorboard")


def _change(call: ApiCall, **fields: Json) -> None:
    call.world.records(KIND).change(call.path["tensorboard_id"], **fields, GmtModifyTime=stamp())


def _public(record: Fields) -> Fields:
    return {name: value for name, value in record.items() if not name.startswith("_")}
