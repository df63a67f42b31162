"""A run of PAIFlow and its tree of nodes as plain values, from the service's answers. Pure.

The answers may lack fields or have others than documented: what is no text is "", what is no time is None.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from pai_jupyter.cloud.flow.status import ENDS
from pai_jupyter.spec import Json

Fields = Mapping[str, Any]  # Any: JSON of the service
_LONGEST = 500  # characters of a message
_MILLISECONDS = 1e11  # a larger number of seconds would be in the year 5138


@dataclass(frozen=True, kw_only=True)
class FlowRun:
    """A run. Times are in seconds since the epoch; `node_id` is that of its root, "" before it has begun."""

    id: str
    name: str
    status: str
    node_id: str = ""
    message: str = ""
    created: float | None = None
    started: float | None = None
    ended: float | None = None
    manifest: str = ""  # as YAML; "" in lists
    pipeline_id: str = ""
    workspace_id: str = ""

    @property
    def is_over(self) -> bool:
        return self.status in ENDS


@dataclass(frozen=True, kw_only=True)
class FlowNode:
    """A node of a run: a step, or an execution of a pipeline or a loop (`is_graph`), whose `children` are its nodes."""

    id: str
    name: str
    status: str
    is_graph: bool = False
    title: str = ""  # of its component
    message: str = ""
    started: float | None = None
    ended: float | None = None
    inputs: Mapping[str, Json] = field(default_factory=dict)  # parameters
    parameters: Mapping[str, Json] = field(default_factory=dict)  # of its outputs
    artifacts: Mapping[str, Json] = field(default_factory=dict)
    has_children: bool = False  # they may have to be asked for
    children: tuple["FlowNode", ...] = ()

    @property
    def is_over(self) -> bool:
        return self.status in ENDS


def run_of(fields: Fields, *, id_field: str) -> FlowRun:
    """Read the description of a run, or an item of a list."""
    return FlowRun(
        id=text_of(fields.get(id_field)),
        name=text_of(fields.get("Name")),
        status=text_of(fields.get("Status")),
        node_id=text_of(fields.get("NodeId")),
        message=line_of(fields.get("Message")),
        created=time_of(fields.get("GmtCreateTime")),
        started=time_of(fields.get("StartedAt")),
        ended=time_of(fields.get("FinishedAt")),
        manifest=text_of(fields.get("Manifest")),
        pipeline_id=text_of(fields.get("PipelineId")),
        workspace_id=text_of(fields.get("WorkspaceId")),
    )


def node_of(fields: Fields) -> FlowNode:
    """Read the description of a node with the children that it has in it."""
    about, spec, standing = (_inside(fields, name) for name in ("Metadata", "Spec", "StatusInfo"))
    outputs = _inside(spec, "Outputs")
    children = tuple(node_of(each) for each in objects(spec.get("Pipelines")))
    is_graph = text_of(about.get("NodeType")).lower() == "dag"
    return FlowNode(
        id=text_of(about.get("NodeId")),
        name=text_of(about.get("Name")),
        status=text_of(standing.get("Status")),
        is_graph=is_graph,
        title=text_of(about.get("Identifier")) or text_of(about.get("DisplayName")),
        message=line_of(_message(standing)),
        started=time_of(standing.get("StartedAt")),
        ended=time_of(standing.get("FinishedAt")),
        inputs=_values(_inside(spec, "Inputs").get("Parameters")),
        parameters=_values(outputs.get("Parameters")),
        artifacts=_values(outputs.get("Artifacts")),
        has_children=bool(children) or is_graph or spec.get("HasPipelines") is True,
        children=children,
    )


def objects(value: object) -> Sequence[Fields]:
    """Return the objects in a list; [] for anything else."""
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []


def text_of(value: object) -> str:
    return value if isinstance(value, str) else str(value) if isinstance(value, int) else ""


def line_of(value: object) -> str:
    """Clean the service's text into one short line without unprintable characters."""
    said = text_of(value)
    line = " ".join("".join(char if char.isprintable() else " " for char in said).split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


def time_of(value: object) -> float | None:
    """Read a time as seconds since the epoch: ISO 8601, seconds or milliseconds, as number or text; None if it is none."""
    try:
        number = float(str(value))
    except ValueError:
        try:
            return datetime.fromisoformat(str(value)).timestamp()
        except (ValueError, OverflowError):
            return None
    if isinstance(value, bool) or not 0 < number < 1e15:
        return None
    return number / 1000 if number > _MILLISECONDS else number


def _values(items: object) -> dict[str, Json]:
    """Return the values of a list of `{name, value}`, in either spelling; those without a value are left out."""
    found = {}
    for each in objects(items):
        name = text_of(each.get("name") or each.get("Name"))
        value = each.get("value", each.get("Value"))
        if name and value is not None:
            found[name] = value
    return found


def _message(standing: Fields) -> object:
    """Return why a node stands so: its own message, or that of the last condition that has one."""
    if standing.get("Message"):
        return standing["Message"]
    said = [each.get("Message") for each in objects(standing.get("Conditions"))]
    return next(filter(None, reversed(said)), "")


def _inside(fields: Fields, name: str) -> Fields:
    value = fields.get(name)
    return value if isinstance(value, Mapping) else {}
