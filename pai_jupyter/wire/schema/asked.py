"""Requests over a WebSocket or a comm; queries and bodies over REST.

Rule 1: undeclared fields are ignored, since a newer client may send them.
Rule 2: an optional field that is null counts as missing.
"""

from collections.abc import Mapping
from typing import Annotated, Literal, NotRequired, TypeAlias, TypedDict

from pai_jupyter.events import Status
from pai_jupyter.path_guard import LONGEST
from pai_jupyter.store import Level
from pai_jupyter.wire.schema.limits import (
    MAX_CELL,
    MAX_EXACT,
    MAX_ID,
    MAX_OFFSET,
    MAX_PATTERN,
    MAX_PIECE,
    MOST_ABOVE,
    MOST_BOARD_JOBS,
    MOST_FOUND,
    MOST_NUMBERS,
    MOST_OPEN,
    MOST_ROWS,
    MOST_SPARKS,
    Items,
    Named,
    Number,
    Text,
)
from pai_jupyter.wire.schema.values import Group, Nothing

Id: TypeAlias = Annotated[str, Text(most=MAX_ID)]
Path: TypeAlias = Annotated[str, Text(most=LONGEST)]
Cell: TypeAlias = Annotated[str, Text(most=MAX_CELL)]
Line: TypeAlias = Annotated[int, Number(most=MAX_EXACT)]
"""The number of a line, from 0."""
Uri: TypeAlias = Annotated[
    str, Text(least=1, most=LONGEST), Named("Uri", "job:<id>/<channel>/<path>, oss://bucket/key.")
]
LogLevel: TypeAlias = Annotated[Level, Named("Level", "The lowest log level of the lines to find.")]
Column: TypeAlias = Literal["created", "started", "ended", "name", "status", "backend", "notebook", "progress"]
_STATES = f"^(({'|'.join(Status)})(,|$))*$"


class Envelope(TypedDict):
    """The common fields of every request over a WebSocket or a comm."""

    kind: Id
    job: Id
    view: NotRequired[Id]  # the client's own name for the view that asks


class HelloAsked(TypedDict):
    """Mount a view of this job: answered at once, followed by a snapshot and pushes. Sent again, it starts over."""

    replica: NotRequired[Id]


class LinesAsked(TypedDict):
    """The lines of a log from `start` up to but not including `stop`."""

    replica: Id
    start: Line
    stop: Line


class PickedLinesAsked(TypedDict):
    """The lines of a log with these numbers."""

    replica: Id
    numbers: Annotated[list[Line], Items(most=MOST_NUMBERS)]


class SearchAsked(TypedDict):
    """Search a log for a pattern; answered with line numbers."""

    replica: Id
    pattern: Annotated[str, Text(most=MAX_PATTERN)]
    regex: NotRequired[bool]
    ignore_case: NotRequired[bool]
    level: NotRequired[LogLevel]
    after: NotRequired[Line]  # the first line to search
    limit: NotRequired[Annotated[int, Number(least=1, most=MOST_FOUND)]]


class PointsAsked(TypedDict):
    """Series of metrics, or of the replicas' resource usage."""

    group: Group


class LivePointsAsked(PointsAsked):
    """Series; with `live`, changes are pushed to this view until it sends false."""

    live: NotRequired[bool]


class ChannelsAsked(TypedDict):
    """The output channels of a job."""

    channel: NotRequired[None]


class ChannelAsked(TypedDict):
    """A directory of a channel, or a preview of a file."""

    channel: Path
    path: NotRequired[Path]
    preview: NotRequired[bool]


class PieceAsked(TypedDict):
    """A piece of a file."""

    channel: Path
    path: Path
    offset: Annotated[int, Number(most=MAX_OFFSET)]
    length: Annotated[int, Number(most=MAX_PIECE)]


class FilesAsked(TypedDict):
    """The channels of a job, a directory of a channel, or a preview of a file."""

    channel: NotRequired[Path]
    path: NotRequired[Path]
    preview: NotRequired[bool]


class BoardActionAsked(TypedDict):
    """Show, start or stop the TensorBoard of a job."""

    action: Literal["show", "start", "stop"]


class SparksAsked(TypedDict):
    """Sampled values of the metric that a row shows, for the visible rows."""

    jobs: Annotated[list[Id], Items(most=MOST_SPARKS)]


class Requests(TypedDict):
    """Requests of a view of a job, by `kind`."""

    hello: HelloAsked
    bye: Nothing
    lines: LinesAsked | PickedLinesAsked
    search: SearchAsked
    points: LivePointsAsked
    files: ChannelsAsked | ChannelAsked | PieceAsked
    source: Nothing
    environment: Nothing
    board: BoardActionAsked
    stop: Nothing
    rerun: Nothing


class JobsSelection(TypedDict):
    """Which jobs are shown, and in which order; a missing filter matches all jobs."""

    text: NotRequired[Id]
    status: NotRequired[Annotated[str, Text(most=MAX_ID, pattern=_STATES)]]  # states with commas between them
    backend: NotRequired[Id]
    notebook: NotRequired[Id]
    sort: NotRequired[Column]
    descending: NotRequired[bool]


class PanelRequests(TypedDict):
    """Requests of a view of the list of jobs, by `kind`; `watch_jobs` mounts one, `bye` unmounts it."""

    watch_jobs: JobsSelection
    select_jobs: JobsSelection  # change which jobs this view shows
    bye: Nothing
    sparks: SparksAsked


class RunAsked(TypedDict):
    """A view of a run, which `job` names: the levels that are open, by path; small runs are sent whole."""

    open: NotRequired[Annotated[list[Path], Items(most=MOST_OPEN)]]


class RunRequests(TypedDict):
    """Requests of a view of a run, by `kind`; `watch_run` mounts one, `bye` unmounts it."""

    watch_run: RunAsked
    open_run: RunAsked  # change which levels this view shows
    bye: Nothing


class JobsAsked(JobsSelection):
    """A page of the matching jobs."""

    start: NotRequired[Line]
    limit: NotRequired[Annotated[int, Number(least=1, most=MOST_ROWS)]]


class DifferenceAsked(TypedDict):
    """The other job; its script counts as the newer one."""

    to: Id


class LogAsked(TypedDict):
    """The log of a replica; by default the first replica."""

    replica: NotRequired[str]


class BackendsAsked(TypedDict):
    """All backends; also check whether the backend named by `check` works."""

    check: NotRequired[str]


class ImagesAsked(TypedDict):
    """The official images for training."""

    framework: NotRequired[str]
    gpu: NotRequired[bool]


class InstancesAsked(TypedDict):
    """The machines for training."""

    gpu: NotRequired[bool]


class PlaceAsked(TypedDict):
    """A directory; without an address, the places to start at."""

    uri: NotRequired[Path]
    after: NotRequired[str]  # continues a long listing


class StoredAsked(TypedDict):
    """The address of a file or a directory."""

    uri: Uri


class ComponentsAsked(TypedDict):
    """All components."""

    saved: NotRequired[bool]  # only those that are saved here: no service is asked


class RunsAsked(TypedDict):
    """The runs of this machine; with `remote` also those of the workspace."""

    remote: NotRequired[bool]


class ComponentAsked(TypedDict):
    """A version of a component that is saved here, or registered in the workspace; by default the newest, or all to be deleted."""

    name: str
    version: NotRequired[str]
    registered: NotRequired[bool]


QUERIES: Mapping[str, type] = {
    "jobs": JobsAsked,
    "lines": LinesAsked,
    "search": SearchAsked,
    "points": PointsAsked,
    "files": FilesAsked,
    "difference": DifferenceAsked,
    "log": LogAsked,
    "backends": BackendsAsked,
    "images": ImagesAsked,
    "instances": InstancesAsked,
    "places": PlaceAsked,
    "stored": StoredAsked,
    "components": ComponentsAsked,
    "component": ComponentAsked,
    "runs": RunsAsked,
    **dict.fromkeys(("job", "stop", "rerun", "adopt", "source", "environment", "cell", "output", "package"), Nothing),
    **dict.fromkeys(("tensorboards", "schema", "submit", "metric"), Nothing),
    **dict.fromkeys(("component_save", "component_problems", "component_register", "component_run"), Nothing),
    **dict.fromkeys(("run", "run_stop", "run_rerun"), Nothing),
}
"""Kind of a REST request -> the type of its query."""


class MetricNamed(TypedDict):
    """The metric that the list shows; empty: chosen automatically."""

    name: Id


class JobsBoardAsked(TypedDict):
    """A TensorBoard over jobs."""

    jobs: Annotated[list[Id], Items(least=1, most=MOST_BOARD_JOBS)]
    uri: NotRequired[None]


class FolderBoardAsked(TypedDict):
    """A TensorBoard over a folder in OSS."""

    uri: Annotated[str, Text(most=2 * MAX_ID, pattern="^oss://")]
    jobs: NotRequired[None]


BoardAsked: TypeAlias = Annotated[
    JobsBoardAsked | FolderBoardAsked, Named("BoardAsked", "What a TensorBoard is opened over.")
]


Above: TypeAlias = Annotated[list[Cell], Items(most=MOST_ABOVE)]
"""The code cells above a cell, the first one first."""
CellNumbers: TypeAlias = Annotated[list[Annotated[int, Number(most=MAX_EXACT)]], Items(most=MOST_ABOVE)]
"""What is shown in front of each of them: the number of its execution; 0 if it did not run."""


class CellAsked(TypedDict):
    """A cell, with or without the line of its magic; `above` are the cells that it may take names from."""

    cell: Cell
    above: NotRequired[Above | None]
    numbers: NotRequired[CellNumbers | None]
    notebook: NotRequired[Path | None]  # path relative to the server's root directory


class SubmitAsked(TypedDict):
    """A cell with the line of its magic, to be run as a job."""

    cell: Cell
    above: NotRequired[Above | None]
    numbers: NotRequired[CellNumbers | None]
    notebook: NotRequired[Path | None]  # path relative to the server's root directory
    values: NotRequired[dict[str, object] | None]


class ComponentNamed(TypedDict):
    """A version of a saved component, by default the newest."""

    name: Id
    version: NotRequired[Id | None]


class ComponentFormAsked(TypedDict):
    """A component in a form, as `ComponentForm`; `files_of` is the saved version whose own files it keeps."""

    form: dict[str, object]
    files_of: NotRequired[ComponentNamed | None]


class ComponentSaveAsked(ComponentFormAsked):
    """A version to be saved."""

    register: NotRequired[bool | None]  # register it first


class ComponentRunAsked(TypedDict):
    """A job of a component."""

    name: Id
    version: NotRequired[Id | None]
    registered: NotRequired[bool | None]  # the one of the workspace
    job_name: NotRequired[Id | None]
    inputs: NotRequired[dict[str, str] | None]  # places of channels
    outputs: NotRequired[dict[str, str] | None]
    values: NotRequired[dict[str, object] | None]  # of parameters
    backend: NotRequired[Id | None]
    instance_type: NotRequired[Id | None]
    instance_count: NotRequired[Annotated[int, Number(least=1, most=MAX_EXACT)] | None]
    accepts_changes: NotRequired[bool | None]  # run although code or image is another one than when it was saved


class RunRerunAsked(TypedDict):
    """A run with other values; steps before `from_step` are taken over where nothing has changed for them."""

    from_step: NotRequired[Id | None]
    parameters: NotRequired[dict[str, object] | None]
