"""The only workspace, which is the default one, its settings, and the enabled features.

The setting `modelExportPath` is the default storage for results. Features have names that PAI's console and clients ask for.
"""

from pai_jupyter.cloud.client import aiworkspace
from pai_jupyter.emulator.calls.calls import ApiCall
from pai_jupyter.emulator.calls.checks import objects, workspace
from pai_jupyter.emulator.calls.pagination import equal_to, in_pages, words
from pai_jupyter.emulator.calls.tables import WORKSPACE
from pai_jupyter.emulator.protocol.refusal import Fields, invalid, missing
from pai_jupyter.emulator.protocol.times import stamp

_MADE = "2026-01-01T00:00:00Z"
_KIND = "workspaceconfigs"
_FEATURES = ("PaiConsole:IntegrateWithWorkspace",)


@WORKSPACE.serves(aiworkspace.GET_WORKSPACE)
async def get_workspace(call: ApiCall) -> Fields:
    workspace(call, call.path["workspace_id"])
    return _workspace(call)


@WORKSPACE.serves(aiworkspace.GET_DEFAULT_WORKSPACE)
async def get_default_workspace(call: ApiCall) -> Fields:
    return _workspace(call)


@WORKSPACE.serves(aiworkspace.LIST_WORKSPACES)
async def list_workspaces(call: ApiCall) -> Fields:
    every = [_workspace(call)]
    ids, name = words(call, "WorkspaceIds"), call.query.get("WorkspaceName", "")
    found = [each for each in every if (not ids or each["WorkspaceId"] in ids) and name in str(each["WorkspaceName"])]
    return in_pages(call, "Workspaces", equal_to(call, found, "Status"))


@WORKSPACE.serves(aiworkspace.LIST_CONFIGS)
async def list_configs(call: ApiCall) -> Fields:
    workspace(call, call.path["workspace_id"])
    keys = words(call, "ConfigKeys")
    configs = {str(config["ConfigKey"]): config for config in (_storage(call), *call.world.records(_KIND).all())}
    found = [config for key, config in configs.items() if not keys or key in keys]
    return {"Configs": [*found], "TotalCount": len(found)}


@WORKSPACE.serves(aiworkspace.SERVICE.operation("UpdateConfigs", "PUT /workspaces/{workspace_id}/configs"))
async def update_configs(call: ApiCall) -> Fields:
    workspace(call, call.path["workspace_id"])
    configs = objects(call, "Configs")
    if not configs:
        raise missing("Configs")
    for config in configs:
        key = config.get("ConfigKey")
        if not isinstance(key, str) or not key:
            raise invalid("Configs", config, "a list of {ConfigKey, ConfigValue}")
        call.world.records(_KIND).put(key, _config(key, config.get("ConfigValue"), stamp()))
    return {}


def _storage(call: ApiCall) -> Fields:
    """Return the default storage: the emulator's bucket at the emulator's own address."""
    host = call.world.address.partition("://")[2]
    return _config("modelExportPath", f"oss://{call.world.bucket}.{host}/", _MADE)


def _config(key: str, value: object, made: str) -> Fields:
    return {
        "ConfigId": f"config-{key}",
        "ConfigKey": key,
        "ConfigValue": value if isinstance(value, str) else "",
        "GmtCreateTime": made,
        "GmtModifiedTime": made,
        "Labels": [],
    }


def _workspace(call: ApiCall) -> Fields:
    return {
        "WorkspaceId": call.world.workspace_id,
        "WorkspaceName": "emulator",
        "DisplayName": "emulator",
        "Description": "the workspace of an emulator of PAI",
        "Status": "ENABLED",
        "EnvTypes": ["prod"],
        "IsDefault": True,
        "Creator": call.world.account_id,
        "Owner": {"UserId": call.world.account_id, "UserName": "emulator", "DisplayName": "emulator"},
        "GmtCreateTime": _MADE,
        "GmtModifiedTime": _MADE,
    }


@WORKSPACE.serves(aiworkspace.SERVICE.operation("ListFeatures", "GET /features"))
async def list_features(call: ApiCall) -> Fields:
    """List the enabled features, only those in `Names` if given."""
    names = words(call, "Names")
    features = [name for name in _FEATURES if not names or name in names]
    return {"Features": [*features], "TotalCount": len(features)}
