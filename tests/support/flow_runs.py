"""Runs of the emulator's PAIFlow, as a client sees them."""

import asyncio
import time
from typing import Any

import yaml

from pai_jupyter.cloud.client import Client, paiflow
from pai_jupyter.spec import Json
from tests.support.emulators import WORKSPACE
from tests.support.flows import Document, documents, named
from tests.support.patience import DEADLINE

ENDED = ("Succeeded", "Failed", "Terminated")


async def create(client: Client, *given: Document, arguments: Document | None = None, **more: Json) -> str:
    """Start a run; its id."""
    body: dict[str, Json] = {
        "Name": "a run",
        "PipelineManifest": documents(*given),
        "Arguments": yaml.safe_dump({"arguments": {"parameters": named(arguments), "artifacts": []}, "env": None}),
        "NoConfirmRequired": True,
        "Source": "SDK",
        "WorkspaceId": WORKSPACE,
        **more,
    }
    return str((await client.call(paiflow.CREATE_RUN, body=body))["RunId"])


async def until(client: Client, run: str, *statuses: str) -> dict[str, Any]:  # Any: JSON values
    deadline = time.monotonic() + DEADLINE
    while True:
        found: dict[str, Any] = await client.call(paiflow.GET_RUN, path={"run_id": run})
        if found["Status"] in statuses:
            return found
        assert time.monotonic() < deadline, found
        assert found["Status"] not in ENDED, found
        await asyncio.sleep(0.05)


async def ended(client: Client, run: str) -> dict[str, Any]:  # Any: as above
    return await until(client, run, *ENDED)


async def nodes_of(client: Client, found: dict[str, Any]) -> dict[str, Any]:  # Any: as above
    """The nodes in the root of a run, by name."""
    path = {"run_id": found["RunId"], "node_id": found["NodeId"]}
    root: Any = await client.call(paiflow.GET_NODE, path=path)
    return {each["Metadata"]["Name"]: each for each in root["Spec"]["Pipelines"]}


async def logs_of(client: Client, found: dict[str, Any], name: str, **query: Any) -> tuple[list[str], int]:
    node = (await nodes_of(client, found))[name]["Metadata"]["NodeId"]
    path = {"run_id": found["RunId"], "node_id": node}
    answer: Any = await client.call(paiflow.LIST_NODE_LOGS, path=path, query=query)
    return answer["Logs"], answer["TotalCount"]
