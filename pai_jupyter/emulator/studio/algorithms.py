"""Registered algorithms and their versions: named AlgorithmSpecs, which jobs may use instead of a spec of their own.

Algorithms of other providers (`pai`) come from `server.seeding`: everybody sees them, and calls cannot change them.
"""

import json
import re

from pai_jupyter.cloud.client import paistudio
from pai_jupyter.emulator.calls.calls import ApiCall
from pai_jupyter.emulator.calls.checks import found, text, workspace
from pai_jupyter.emulator.calls.pagination import in_pages, rows_ordered
from pai_jupyter.emulator.calls.tables import STUDIO
from pai_jupyter.emulator.protocol.fields import items_of
from pai_jupyter.emulator.protocol.refusal import ApiRefusal, Fields, invalid, missing
from pai_jupyter.emulator.protocol.times import stamp
from pai_jupyter.emulator.state.records import new_id
from pai_jupyter.emulator.studio.validation import check_algorithm
from pai_jupyter.spec import Json

_SERVICE = paistudio.SERVICE
_ALGORITHM = "/algorithms/{algorithm_id}"
_VERSION = _ALGORITHM + "/versions/{algorithm_version}"
ALGORITHMS, VERSIONS = "algorithms", "algorithmversions"
_SORTS = {"gmtcreatetime": "GmtCreateTime", "gmtmodifiedtime": "GmtModifiedTime"}
_NAME = re.compile(r"[A-Za-z0-9][\w-]{0,127}", re.ASCII)
_VERSION_NUMBER = re.compile(r"\d+(\.\d+){0,2}")


@STUDIO.serves(paistudio.CREATE_ALGORITHM)
async def create_algorithm(call: ApiCall) -> Fields:
    name, now, algorithm_id = text(call, "AlgorithmName"), stamp(), new_id("algo-")
    if not _NAME.fullmatch(name):
        raise invalid("AlgorithmName", name, "letters, digits, _ and -, beginning with a letter or a digit")
    if call.world.records(ALGORITHMS).rows({"AlgorithmName": name}):
        raise ApiRefusal(409, "AlgorithmNameExists", f"there is an algorithm {name!r} already")
    call.world.records(ALGORITHMS).put(
        algorithm_id,
        {
            "AlgorithmId": algorithm_id,
            "AlgorithmName": name,
            "AlgorithmProvider": call.account,
            "AlgorithmDescription": text(call, "AlgorithmDescription", default=""),
            "DisplayName": text(call, "DisplayName", default=name),
            "WorkspaceId": workspace(call, call.body.get("WorkspaceId")),
            "UserId": call.account,
            "TenantId": call.account,
            "GmtCreateTime": now,
            "GmtModifiedTime": now,
        },
    )
    return {"AlgorithmId": algorithm_id}


@STUDIO.serves(_SERVICE.operation("GetAlgorithm", f"GET {_ALGORITHM}"))
async def get_algorithm(call: ApiCall) -> Fields:
    return _algorithm(call)


@STUDIO.serves(paistudio.UPDATE_ALGORITHM)
async def update_algorithm(call: ApiCall) -> Fields:
    algorithm = _own(call)
    changes = {name: text(call, name, default=str(algorithm[name])) for name in ("AlgorithmDescription", "DisplayName")}
    call.world.records(ALGORITHMS).change(call.path["algorithm_id"], **changes, GmtModifiedTime=stamp())
    return {"AlgorithmId": algorithm["AlgorithmId"]}


@STUDIO.serves(paistudio.DELETE_ALGORITHM)
async def delete_algorithm(call: ApiCall) -> Fields:
    for version in _versions(call, str(_own(call)["AlgorithmId"])):
        call.world.records(VERSIONS).remove(version_id(version))
    call.world.records(ALGORITHMS).remove(call.path["algorithm_id"])
    return {}


@STUDIO.serves(paistudio.LIST_ALGORITHMS)
async def list_algorithms(call: ApiCall) -> Fields:
    workspace(call, call.query.get("WorkspaceId"))
    given = {name: call.query.get(name, "") for name in ("AlgorithmId", "AlgorithmName", "AlgorithmProvider")}
    wanted = {"AlgorithmProvider": call.account, **{name: value for name, value in given.items() if value}}
    algorithms = call.world.records(ALGORITHMS).rows(wanted)
    return in_pages(call, "Algorithms", rows_ordered(call, algorithms, {}, default="DESC"))


@STUDIO.serves(
    paistudio.CREATE_ALGORITHM_VERSION, _SERVICE.operation("UpdateAlgorithmVersion", f"PUT {_VERSION}", style="form")
)
async def put_algorithm_version(call: ApiCall) -> Fields:
    algorithm, version, now = _own(call), call.path["algorithm_version"], stamp()
    if not _VERSION_NUMBER.fullmatch(version):
        raise invalid("AlgorithmVersion", version, "a version such as 0.1.0")
    fields: Fields = {
        **{name: algorithm[name] for name in ("AlgorithmId", "AlgorithmName", "AlgorithmProvider")},
        **{name: algorithm[name] for name in ("UserId", "TenantId")},
        "AlgorithmVersion": version,
        "AlgorithmSpec": _spec(call),
    }
    known = call.world.records(VERSIONS).get(version_id(fields))
    if (known is not None) == (call.operation is paistudio.CREATE_ALGORITHM_VERSION):
        raise _version_refusal(version, is_there=known is not None)
    fields |= {"GmtCreateTime": known["GmtCreateTime"] if known else now, "GmtModifiedTime": now}
    call.world.records(VERSIONS).put(version_id(fields), fields)
    return {"AlgorithmId": algorithm["AlgorithmId"], "AlgorithmVersion": version}


@STUDIO.serves(paistudio.GET_ALGORITHM_VERSION)
async def get_algorithm_version(call: ApiCall) -> Fields:
    return _version(call)


@STUDIO.serves(paistudio.DELETE_ALGORITHM_VERSION)
async def delete_algorithm_version(call: ApiCall) -> Fields:
    _own(call)
    call.world.records(VERSIONS).remove(version_id(_version(call)))
    return {}


@STUDIO.serves(paistudio.LIST_ALGORITHM_VERSIONS)
async def list_algorithm_versions(call: ApiCall) -> Fields:
    """List the versions of an algorithm, oldest first; `AlgorithmVersion` selects one."""
    wanted = {"AlgorithmId": str(_algorithm(call)["AlgorithmId"])}
    if number := call.query.get("AlgorithmVersion"):
        wanted["AlgorithmVersion"] = number
    page = in_pages(call, "AlgorithmVersions", rows_ordered(call, call.world.records(VERSIONS).rows(wanted), _SORTS))
    shown: list[Json] = [
        {name: value for name, value in each.items() if name != "AlgorithmSpec"}
        for each in items_of(page, "AlgorithmVersions")
    ]
    return {**page, "AlgorithmVersions": shown}


def algorithm_of(call: ApiCall, body: Fields) -> Fields:
    """Return the fields of a job's record about its algorithm: the spec of the body, or of the named algorithm."""
    if body.get("AlgorithmSpec"):
        return {"Algorithm": body["AlgorithmSpec"], "IsTempAlgo": True}
    name, provider = str(body["AlgorithmName"]), body.get("AlgorithmProvider")
    versions = [
        version
        for version in call.world.records(VERSIONS).rows({"AlgorithmName": name})
        if provider in (None, "", version["AlgorithmProvider"])
        and body.get("AlgorithmVersion") in (None, "", version["AlgorithmVersion"])
    ]
    if not versions:
        raise ApiRefusal(404, "AlgorithmNotFound", f"there is no algorithm {name[:100]!r} of that provider and version")
    newest = versions[-1]
    kept = ("AlgorithmId", "AlgorithmName", "AlgorithmProvider", "AlgorithmVersion")
    return {**{key: newest[key] for key in kept}, "Algorithm": newest["AlgorithmSpec"], "IsTempAlgo": False}


def _algorithm(call: ApiCall) -> Fields:
    return found(call, ALGORITHMS, call.path["algorithm_id"], what="Algorithm")


def _own(call: ApiCall) -> Fields:
    """Return the algorithm if the account may change it.

    Raises:
        ApiRefusal: it does not exist, or belongs to another provider.
    """
    algorithm = _algorithm(call)
    if algorithm["AlgorithmProvider"] != call.account:
        raise ApiRefusal(403, "NoPermission", f"the algorithm belongs to {algorithm['AlgorithmProvider']}")
    return algorithm


def _version(call: ApiCall) -> Fields:
    return found(
        call,
        VERSIONS,
        f"{call.path['algorithm_id']}/{call.path['algorithm_version']}",
        what="AlgorithmVersion",
    )


def _versions(call: ApiCall, algorithm_id: str) -> list[Fields]:
    return [*call.world.records(VERSIONS).rows({"AlgorithmId": algorithm_id})]


def version_id(version: Fields) -> str:
    return f"{version['AlgorithmId']}/{version['AlgorithmVersion']}"


def _version_refusal(version: str, *, is_there: bool) -> ApiRefusal:
    if is_there:
        return ApiRefusal(409, "AlgorithmVersionExists", f"there is a version {version} already")
    return ApiRefusal(404, "AlgorithmVersionNotFound", f"there is no version {version}")


def _spec(call: ApiCall) -> dict[str, Json]:
    """Read and check the AlgorithmSpec of the body; in a form it is JSON text."""
    given = call.body.get("AlgorithmSpec")
    if not given:
        raise missing("AlgorithmSpec")
    try:
        spec = json.loads(given) if isinstance(given, str) else given
    except (ValueError, RecursionError):
        spec = None
    if not isinstance(spec, dict):
        raise invalid("AlgorithmSpec", given, "an object as JSON text")
    check_algorithm(spec)
    return spec
