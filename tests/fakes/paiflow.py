"""PAIFlow on loopback whose runs are made of what a test says: statuses, nodes, log lines, outputs. Nothing runs.

Signatures are verified and faults planned as in `openapi`, which this is. It speaks one of the two dialects.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from urllib.parse import unquote

from pai_jupyter.cloud.flow.manifest_text import from_yaml
from pai_jupyter.spec import Json
from tests.fakes.openapi import OpenApi, Received, Reply

ACCOUNT, WORKSPACE = "1157703270994901", "12345"
CREATED = 1767225600.0  # 2026-01-01T00:00:00Z
_PIPELINES, _RUNS, _PIPELINE_RUNS = "/api/v1/pipelines", "/api/v1/runs", "/api/v1/pipelineruns"


@dataclass
class FakeNode:
    """A node of a run. `inputs` and `parameters`: by name; `outputs`: as the service lists archived ones."""

    id: str
    name: str
    status: str = "Running"
    children: list["FakeNode"] = field(default_factory=list)
    is_graph: bool = False
    lines: list[str] = field(default_factory=list)
    inputs: dict[str, Json] = field(default_factory=dict)
    parameters: dict[str, Json] = field(default_factory=dict)
    outputs: list[Json] = field(default_factory=list)
    started: float | None = CREATED + 10
    ended: float | None = None
    message: str = ""

    def all(self) -> Iterator["FakeNode"]:
        yield self
        for child in self.children:
            yield from child.all()

    def told(self, depth: int) -> dict[str, Json]:
        """What GetNode says; children as deep as asked for."""
        return {
            "ApiVersion": "core/v1",
            "Metadata": {
                "Name": self.name,
                "NodeId": self.id,
                "NodeType": "Dag" if self.children or self.is_graph else "Template",
            },
            "Spec": {
                "Inputs": {"Parameters": _pairs(self.inputs), "Artifacts": []},
                "Outputs": {"Parameters": _pairs(self.parameters), "Artifacts": []},
                "HasPipelines": bool(self.children),
                "Pipelines": [child.told(depth - 1) for child in self.children] if depth > 1 else [],
            },
            "StatusInfo": {
                "Status": self.status,
                "StartedAt": _iso(self.started),
                "FinishedAt": _iso(self.ended),
                **({"Message": self.message} if self.message else {}),
            },
        }


@dataclass
class FakeRun:
    """A run. `body` is what it was created with."""

    id: str
    body: dict[str, Any]  # Any: JSON
    root: FakeNode
    has_begun: bool = True
    status: str = "Running"
    message: str = ""
    ended: float | None = None

    def node(self, name: str) -> FakeNode:
        return next(node for node in self.root.all() if name in (node.name, node.id))

    def told(self, id_field: str) -> dict[str, Json]:
        return {
            id_field: self.id,
            "Name": self.body.get("Name"),
            "Status": self.status,
            "NodeId": self.root.id if self.has_begun else None,
            "Message": self.message,
            "GmtCreateTime": _iso(CREATED),
            "StartedAt": int(CREATED * 1000),
            "FinishedAt": int(self.ended * 1000) if self.ended else None,
            "Manifest": self.body.get("PipelineManifest"),
            "PipelineId": self.body.get("PipelineId"),
            "WorkspaceId": WORKSPACE,
        }


class PaiFlow(OpenApi):
    """The service; `is_old`: it speaks the dialect of /pipelineruns alone."""

    def __init__(self) -> None:
        super().__init__()
        self.is_old = False
        self.page = 100  # lines that it gives at once
        self.refused_size = 10**9  # from which on a page is refused
        self.pipelines: dict[str, dict[str, Any]] = {}
        self.runs: dict[str, FakeRun] = {}

    @property
    def run(self) -> FakeRun:
        """The only one."""
        (run,) = self.runs.values()
        return run

    def add(self, *nodes: FakeNode, name: str = "a run") -> FakeRun:
        """A run that was created before."""
        number = len(self.runs) + 1
        root = FakeNode(id=f"node-{number}-root", name=f"run-{number}", children=list(nodes), is_graph=True)
        run = FakeRun(id=f"flow-{number}", body={"Name": name}, root=root)
        self.runs[run.id] = run
        return run

    def count(self, action: str) -> int:
        return self.actions.count(action)

    def carry_out(self, request: Received) -> Reply:
        if refusal := self._refuse(request):
            return _answer(400, {"Code": refusal, "Message": "not believed"})
        path = request.path
        if request.action == "GetCallerIdentity":
            return _answer(200, {"AccountId": ACCOUNT, "IdentityType": "Account", "UserId": ACCOUNT})
        if path.startswith(_PIPELINES):
            return self._of_pipelines(request, unquote(path.removeprefix(_PIPELINES).strip("/").partition("/")[0]))
        is_old = path.startswith(_PIPELINE_RUNS)
        if is_old is not self.is_old and request.action != "DeletePipelineRun":
            return _answer(404, {"Code": "InvalidAction.NotFound", "Message": "Specified api is not found"})
        rest = path.removeprefix(_PIPELINE_RUNS if is_old else _RUNS).strip("/").split("/")
        return self._of_runs(request, [unquote(part) for part in rest], "PipelineRunId" if is_old else "RunId")

    def _of_pipelines(self, request: Received, pipeline: str) -> Reply:
        if request.action == "CreatePipeline":
            body = json.loads(request.body)
            about: dict[str, Any] = from_yaml(body["Manifest"])[-1]["metadata"]  # type: ignore[assignment]  # of a test
            taken = (about["identifier"], about["version"])
            if any((each["Identifier"], each["Version"]) == taken for each in self.pipelines.values()):
                return _answer(400, {"Code": "PipelineExists", "Message": "identifier and version are taken"})
            number = f"flow-{len(self.pipelines) + 1:06}"
            self.pipelines[number] = {
                "PipelineId": number,
                "Identifier": about["identifier"],
                "Provider": about["provider"],
                "Version": about["version"],
                "Manifest": body["Manifest"],
                "GmtCreateTime": _iso(CREATED),
                "WorkspaceId": body["WorkspaceId"],
            }
            return _answer(200, {"PipelineId": number})
        if request.action == "ListPipelines":
            return self._listed(request)
        if pipeline not in self.pipelines:
            return _answer(404, {"Code": "PipelineNotFound", "Message": f"no pipeline {pipeline}"})
        if request.action == "DeletePipeline":
            del self.pipelines[pipeline]
            return _answer(200, {})
        found = self.pipelines[pipeline]
        if request.action == "GetPipeline" and found["Provider"] != ACCOUNT:
            return _answer(403, {"Code": "NoPermission", "Message": "it is not yours"})
        return _answer(200, found)

    def _listed(self, request: Received) -> Reply:
        wanted = {name: request.query.get(f"Pipeline{name}") for name in ("Identifier", "Provider", "Version")}
        found = [
            {name: value for name, value in each.items() if name != "Manifest"}
            for each in self.pipelines.values()
            if all(value in (None, each[name]) for name, value in wanted.items())
        ]
        size, number = int(request.query["PageSize"]), int(request.query["PageNumber"])
        page: list[Json] = [*found[(number - 1) * size : number * size]]
        return _answer(200, {"Pipelines": page, "TotalCount": len(found)})

    def _of_runs(self, request: Received, parts: list[str], id_field: str) -> Reply:
        if request.method == "POST":
            run = self.add()
            run.body = json.loads(request.body)
            return _answer(200, {id_field: run.id})
        if parts == [""]:
            items: list[Json] = [run.told(id_field) for run in reversed(self.runs.values())]
            return _answer(200, {"Runs" if id_field == "RunId" else "PipelineRuns": items, "TotalCount": len(items)})
        run_or_none = self.runs.get(parts[0])
        if run_or_none is None:
            return _answer(404, {"Code": "RunNotFound", "Message": f"no run {parts[0]}"})
        if len(parts) > 2:
            return self._of_node(request, run_or_none, parts)
        if request.method == "DELETE":
            del self.runs[parts[0]]
        elif request.action.startswith("Terminate"):
            self._terminate(run_or_none)
        return _answer(200, run_or_none.told(id_field))

    def _terminate(self, run: FakeRun) -> None:
        run.status = "Terminated"
        for node in run.root.all():
            if node.status == "Running":
                node.status, node.ended = "Terminated", CREATED + 60

    def _of_node(self, request: Received, run: FakeRun, parts: list[str]) -> Reply:
        node = next((each for each in run.root.all() if each.id == parts[2]), None)
        if node is None:
            return _answer(404, {"Code": "NodeNotFound", "Message": f"no node {parts[2]}"})
        match parts[3:]:
            case ["logs"]:
                if int(request.query["PageSize"]) >= self.refused_size:
                    return _answer(400, {"Code": "InvalidParameter", "Message": "PageSize is too large"})
                offset, size = int(request.query["Offset"]), min(self.page, int(request.query["PageSize"]))
                lines: list[Json] = [*node.lines[offset : offset + size]]
                return _answer(200, {"Logs": lines, "TotalCount": len(node.lines)})
            case ["outputs"]:
                return _answer(200, {"Outputs": node.outputs, "TotalCount": len(node.outputs)})
            case _:
                return _answer(200, node.told(int(request.query.get("Depth", "1"))))


def _pairs(values: dict[str, Json]) -> list[Json]:
    return [{"name": name, "value": value} for name, value in values.items()]


def _iso(seconds: float | None) -> str | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _answer(status: int, said: dict[str, Any]) -> Reply:  # Any: JSON
    return Reply(status=status, body=json.dumps({"RequestId": "REQ-1", **said}).encode())
