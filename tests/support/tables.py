"""Asking a table of the emulator as its door does, but for HTTP and signatures: `await ask(world, LIST_IMAGES, query={...})`."""

import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

from pai_jupyter.cloud.client import Operation
from pai_jupyter.emulator import dlc, studio, workspace
from pai_jupyter.emulator.calls.calls import ApiCall
from pai_jupyter.emulator.calls.context import EmulatorContext
from pai_jupyter.emulator.protocol.refusal import Fields
from pai_jupyter.emulator.server import sts
from pai_jupyter.emulator.state.access import EmulatorKey, Keys
from pai_jupyter.spec import Json

_TABLES = {table.version: table for table in (dlc.TABLE, sts.TABLE, studio.TABLE, workspace.TABLE)}


def make_world(data: Path) -> EmulatorContext:
    """An emulator's world without its door."""
    keys = Keys([EmulatorKey(access_key_id="LTAI-tables", secret="secret-of-tables")])
    return EmulatorContext(data=data, address="http://127.0.0.1:7777", keys=keys)


async def ask(
    world: EmulatorContext,
    operation: Operation,
    *,
    path: Mapping[str, str] | None = None,
    query: Mapping[str, str] | None = None,
    body: Mapping[str, Json] | None = None,
) -> Fields:
    """The answer of whoever serves this operation there."""
    raw = re.sub(r"\{(\w+)\}", lambda name: quote((path or {})[name[1]], safe="~"), operation.path)
    found = _TABLES[operation.service.version].find(operation.method, raw)
    assert found is not None, f"nobody serves {operation.action}"
    served, parameters, handler = found
    assert served.action == operation.action
    return await handler(
        ApiCall(
            operation=served,
            world=world,
            account=world.account_id,
            path=parameters,
            query=query or {},
            body=body or {},
        )
    )
