"""The one workspace, which is everybody's default, and its settings: `modelExportPath` is where results go by default."""

from pai_jupyter.cloud.client import aiworkspace
from pai_jupyter.emulator.api import Call, Fields
from pai_jupyter.emulator.checks import missing, objects, stamp, workspace
from pai_jupyter.emulator.lists import equal_to, in_pages, invalid, words
from pai_jupyter.emulator.workspace.table import TABLE

_MADE = "2026-01-01T00:00:00Z"
_KIND = "workspaceconfigs"


@TABLE.serves(aiworkspace.GET_WORKSPACE)
async def get_workspace(call: Call) -> Fields:
    workspace(call, call.path["workspace_id"])
    return _workspace(call)


@TABLE.serves(aiworkspace.GET_DEFAULT_WORKSPACE)
async def get_default_workspace(call: Call) -> Fields:
    return _workspace(call)


@TABLE.serves(aiworkspace.LIST_WORKSPACES)
async def list_workspaces(call: Call) -> Fields:
    every = [_workspace(call)]
    ids, name = words(call, "WorkspaceIds"), call.query.get("WorkspaceName", "")
    found = [each for each in every if (not ids or each["WorkspaceId"] in ids) and name in str(each["WorkspaceName"])]
    return in_pages(call, "Workspaces", equal_to(call, found, "Status"))


@TABLE.serves(aiworkspace.LIST_CONFIGS)
async def list_configs(call: Call) -> Fields:
    workspace(call, call.path["workspace_id"])
    keys = words(call, "ConfigKeys")
    configs = {str(config["ConfigKey"]): config for config in (_storage(call), *call.world.records(_KIND).all())}
    found = [config for key, config in configs.items() if not keys or key in keys]
    return {"Configs": [*found], "TotalCount": len(found)}


@TABLE.serves(aiworkspace.SERVICE.operation("UpdateConfigs", "PUT /workspaces/{workspace_id}/configs"))
async def update_configs(call: Call) -> Fields:
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


def _storage(call: Call) -> Fields:
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


def _workspace(call: Call) -> Fields:
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
