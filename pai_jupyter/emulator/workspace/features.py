"""Features: what of PAI is switched on for an account, by names that its console and its clients ask for."""

from pai_jupyter.cloud.client import aiworkspace
from pai_jupyter.emulator.api import Call, Fields
from pai_jupyter.emulator.lists import words
from pai_jupyter.emulator.workspace.table import TABLE

_FEATURES = ("PaiConsole:IntegrateWithWorkspace",)


@TABLE.serves(aiworkspace.SERVICE.operation("ListFeatures", "GET /features"))
async def list_features(call: Call) -> Fields:
    """List the enabled features, or those of `Names` that are."""
    names = words(call, "Names")
    features = [name for name in _FEATURES if not names or name in names]
    return {"Features": [*features], "TotalCount": len(features)}
