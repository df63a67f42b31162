"""The calls of PAIFlow in one workspace. Every method may raise a `PaiJupyterError`.

Which dialect the service speaks is learned once for each address: a call that it does not know is made in the other.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import replace
from typing import TypeVar

from pai_jupyter.cloud.client import Client, Operation, Query, paiflow
from pai_jupyter.cloud.flow.dialect import PIPELINE_RUNS, RUNS, Dialect, is_foreign
from pai_jupyter.cloud.flow.nodes import Fields, FlowNode, FlowRun, node_of, objects, run_of
from pai_jupyter.errors import PaiJupyterError, ProtocolError, SpecError
from pai_jupyter.spec import Json

DEPTH = 2  # levels of nodes that one call gives: a node and what is in it
MAX_LEVELS = 20  # of pipelines and loops within each other
PAGE, MODEST = 1000, 100  # lines of a log in one call: asked for first, and where that is refused
AT_ONCE = 4  # parallel calls about nodes of a run
DEADLINE = 15.0  # seconds of a call that followers repeat
T = TypeVar("T")

_spoken: dict[str, Dialect] = {}  # by the service's address, where it is not RUNS


class FlowService:
    """PAIFlow at `client`; `address` tells services with different dialects apart."""

    def __init__(self, client: Client, workspace: str, *, address: str = "") -> None:
        self._client = client
        self._workspace = workspace
        self._address = address
        self._free = asyncio.Semaphore(AT_ONCE)
        self._page = PAGE

    # --- components and pipelines ---

    async def create_pipeline(self, manifest: str) -> str:
        """Save a manifest and return the service's id."""
        body: dict[str, Json] = {"Manifest": manifest, "WorkspaceId": self._workspace}
        return _id_of(await self._client.call(paiflow.CREATE_PIPELINE, body=body), "PipelineId")

    async def get_pipeline(self, pipeline: str) -> Fields:
        return await self._client.call(paiflow.GET_PIPELINE, path={"pipeline_id": pipeline})

    async def get_schema(self, pipeline: str) -> Fields:
        """Return a saved pipeline with the manifest's inputs and outputs, which is all that is told of others' components."""
        return await self._client.call(paiflow.GET_PIPELINE_SCHEMA, path={"pipeline_id": pipeline})

    async def find_pipelines(
        self, *, identifier: str = "", provider: str = "", version: str = ""
    ) -> AsyncIterator[Fields]:
        """Yield the saved pipelines that match, as the service lists them. With a provider, those of any workspace."""
        query: Query = {
            "PipelineIdentifier": identifier or None,
            "PipelineProvider": provider or None,
            "PipelineVersion": version or None,
            "WorkspaceId": None if provider else self._workspace,
        }
        async for page in self._client.pages(paiflow.LIST_PIPELINES, query=query):
            for fields in objects(page):
                yield fields

    async def update_pipeline(self, pipeline: str, manifest: str) -> None:
        path = {"pipeline_id": pipeline}
        await self._client.call(paiflow.UPDATE_PIPELINE, path=path, body={"Manifest": manifest})

    async def delete_pipeline(self, pipeline: str) -> None:
        await self._client.call(paiflow.DELETE_PIPELINE, path={"pipeline_id": pipeline})

    # --- runs ---

    async def create_run(self, name: str, *, arguments: str, manifest: str = "", pipeline: str = "") -> str:
        """Start a run of a manifest or of a saved pipeline and return the service's id."""

        async def create(dialect: Dialect) -> str:
            what: dict[str, Json] = {"PipelineId": pipeline} if pipeline else {"PipelineManifest": manifest}
            body: dict[str, Json] = {
                "Name": name,
                **what,
                "Arguments": arguments,
                "NoConfirmRequired": True,
                dialect.source_field: "SDK",
                "WorkspaceId": self._workspace,
            }
            return _id_of(await self._client.call(dialect.create, body=body), dialect.id_field)

        return await self._spoken(create)

    async def get_run(self, run: str) -> FlowRun:
        async def get(dialect: Dialect) -> FlowRun:
            found = run_of(await self._call(dialect.get, dialect, run), id_field=dialect.id_field)
            return replace(found, id=run)

        return await self._spoken(get)

    async def newest_runs(self, *, name: str = "", most: int = 50) -> list[FlowRun]:
        """Return the newest runs of the workspace, newest first, by one call."""

        async def newest(dialect: Dialect) -> list[FlowRun]:
            query: Query = {
                "WorkspaceId": self._workspace,
                "Name": name or None,
                "SortBy": "GmtCreateTime",
                "Order": "DESC",
                "PageNumber": 1,
                "PageSize": most,
            }
            answer = await self._client.call(dialect.list, query=query)
            items = answer.get(dialect.list.paging.items) if dialect.list.paging else None
            return [run_of(fields, id_field=dialect.id_field) for fields in objects(items)]

        return await self._spoken(newest)

    async def start_run(self, run: str) -> None:
        await self._spoken(lambda dialect: self._call(dialect.start, dialect, run))

    async def terminate_run(self, run: str) -> None:
        await self._spoken(lambda dialect: self._call(dialect.terminate, dialect, run))

    async def delete_run(self, run: str) -> None:
        await self._client.call(paiflow.DELETE_PIPELINE_RUN, path={"pipeline_run_id": run})

    # --- nodes ---

    async def get_node(self, run: str, node: str, *, depth: int = DEPTH) -> FlowNode:
        async def get(dialect: Dialect) -> FlowNode:
            return node_of(await self._call(dialect.node, dialect, run, node=node, query={"Depth": depth}))

        return await self._spoken(get)

    async def tree(self, run: str, node: str, *, known: Mapping[str, FlowNode] | None = None) -> FlowNode:
        """Return a node with all that is in it. What had ended in `known`, nodes by id, is not asked for again."""
        return await self._tree(run, node, known or {}, MAX_LEVELS)

    async def _tree(self, run: str, node: str, known: Mapping[str, FlowNode], levels: int) -> FlowNode:
        async with self._free:
            found = await self.get_node(run, node)
        waiting = [self._completed(run, child, known, levels - 1) for child in found.children]
        return replace(found, children=tuple(await asyncio.gather(*waiting)))

    async def _completed(self, run: str, node: FlowNode, known: Mapping[str, FlowNode], levels: int) -> FlowNode:
        """Return a child of a node with what is in it."""
        if not node.has_children or not node.id or levels <= 0:
            return node
        old = known.get(node.id)
        return old if old is not None and old.is_over else await self._tree(run, node.id, known, levels)

    async def logs(self, run: str, node: str, *, offset: int = 0) -> AsyncIterator[list[str]]:
        """Yield the lines of a node's log from line `offset` on that are there now, in pages."""
        while True:
            lines, total = await self._log_page(run, node, offset)
            if lines:
                yield lines
            offset += len(lines)
            if not lines or (len(lines) < self._page if total is None else offset >= total):
                return

    async def _log_page(self, run: str, node: str, offset: int) -> tuple[list[str], int | None]:
        """Return a page of a log, and how many lines the whole has if the service says it."""

        async def page(dialect: Dialect) -> dict[str, Json]:
            query: Query = {"Offset": offset, "PageSize": self._page}
            return await self._call(dialect.logs, dialect, run, node=node, query=query)

        try:
            answer = await self._spoken(page)
        except SpecError:
            if self._page == MODEST:
                raise
            self._page = MODEST
            answer = await self._spoken(page)
        lines, total = answer.get("Logs") or [], str(answer.get("TotalCount"))
        if not isinstance(lines, list):
            raise ProtocolError("`Logs` in the answer is not a list. Update pai_jupyter.")
        return [str(line) for line in lines], int(total) if total.isdecimal() else None

    async def outputs(self, run: str, node: str, *, depth: int = 1) -> list[Fields]:
        """Return the outputs of a node, with `depth` those of the nodes in it too, as the service lists them."""

        async def outputs(dialect: Dialect) -> list[Fields]:
            path = {dialect.id_parameter: run, "node_id": node}
            pages = self._client.pages(dialect.outputs, path=path, query={"Depth": depth})
            return [fields async for page in pages for fields in objects(page)]

        return await self._spoken(outputs)

    async def _call(
        self, operation: Operation, dialect: Dialect, run: str, *, node: str = "", query: Query | None = None
    ) -> dict[str, Json]:
        path = {dialect.id_parameter: run, **({"node_id": node} if node else {})}
        return await self._client.call(operation, path=path, query=query, deadline=DEADLINE)

    async def _spoken(self, call: Callable[[Dialect], Awaitable[T]]) -> T:
        """Make a call in the dialect that the service is known to speak; else in the other."""
        first = _spoken.get(self._address, RUNS)
        try:
            return await call(first)
        except PaiJupyterError as exc:
            if not is_foreign(exc):
                raise
            other = PIPELINE_RUNS if first is RUNS else RUNS
            answer = await call(other)
            _spoken[self._address] = other
            return answer


def _id_of(answer: Mapping[str, Json], name: str) -> str:
    """Return the id in the answer of a call that created something."""
    found = answer.get(name)
    if not isinstance(found, str) or not found:
        raise ProtocolError("PAIFlow created it without returning its id. Look for it in the console.")
    return found
