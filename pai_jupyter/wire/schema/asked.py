"""Requests over a WebSocket or a comm.

Rule 1: undeclared fields are ignored, since a newer client may send them.
Rule 2: an optional field that is null counts as missing.
"""

from typing import Annotated, Literal, NotRequired, TypeAlias, TypedDict

from pai_jupyter.events import Status
from pai_jupyter.path_guard import LONGEST
from pai_jupyter.store import Level
from pai_jupyter.wire.schema.limits import (
    LONGEST_PROFILE,
    MAX_CELL,
    MAX_EXACT,
    MAX_ID,
    MAX_OFFSET,
    MAX_PATTERN,
    MAX_PIECE,
    MOST_FOUND,
    MOST_NUMBERS,
    MOST_OPEN,
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


class StacksAsked(TypedDict):
    """The stacks of a job's Python processes, or of those of one replica."""

    replica: NotRequired[Id]


class ProfileAsked(TypedDict):
    """Start to record where a job spends its time, show how far that is or what it gave, or end it.

    A recording that nobody asks for is ended.
    """

    action: Literal["start", "show", "stop"]
    replica: NotRequired[Id]
    seconds: NotRequired[Annotated[int, Number(least=1, most=LONGEST_PROFILE)]]


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
    overview: Nothing
    changes: Nothing
    source: Nothing
    environment: Nothing
    board: BoardActionAsked
    stacks: StacksAsked
    profile: ProfileAsked
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


class RunRerunAsked(TypedDict):
    """A run with other values; steps before `from_step` are taken over where nothing has changed for them."""

    from_step: NotRequired[Path | None]
    parameters: NotRequired[dict[str, object] | None]  # texts are read as the inputs' types


class RunRequests(TypedDict):
    """Requests of a view of a run, by `kind`; `watch_run` mounts one, `bye` unmounts it."""

    watch_run: RunAsked
    open_run: RunAsked  # change which levels this view shows
    stop_run: Nothing
    run_inputs: Nothing
    rerun_run: RunRerunAsked
    bye: Nothing
