"""What is asked: requests over a socket or a comm, queries and bodies over REST.

Rule 1: fields that are not declared are ignored, since a newer client may send them.
Rule 2: an optional field that is null is one that is not there.
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
    MOST_BOARD_JOBS,
    MOST_FOUND,
    MOST_NUMBERS,
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
LogLevel: TypeAlias = Annotated[Level, Named("Level", "What a line says it is, at least.")]
Column: TypeAlias = Literal["created", "started", "ended", "name", "status", "backend", "notebook", "progress"]
_STATES = f"^(({'|'.join(Status)})(,|$))*$"


class Envelope(TypedDict):
    """What every request over a socket or a comm has, beside the fields of its kind."""

    kind: Id
    job: Id
    view: NotRequired[Id]  # the client's own name for the view that asks


class HelloAsked(TypedDict):
    """Mount a view of this job: answered at once, then a snapshot and pushes. Again: the same, anew."""

    replica: NotRequired[Id]


class LinesAsked(TypedDict):
    """The lines of a log from `start` to before `stop`."""

    replica: Id
    start: Line
    stop: Line


class PickedLinesAsked(TypedDict):
    """The lines of a log with these numbers."""

    replica: Id
    numbers: Annotated[list[Line], Items(most=MOST_NUMBERS)]


class SearchAsked(TypedDict):
    """The numbers of the lines with a pattern."""

    replica: Id
    pattern: Annotated[str, Text(most=MAX_PATTERN)]
    regex: NotRequired[bool]
    ignore_case: NotRequired[bool]
    level: NotRequired[LogLevel]
    after: NotRequired[Line]  # the first line that counts
    limit: NotRequired[Annotated[int, Number(least=1, most=MOST_FOUND)]]


class PointsAsked(TypedDict):
    """Metrics, or what the replicas use."""

    group: Group


class LivePointsAsked(PointsAsked):
    """`live`: push the changes to this view until it asks with false."""

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
    """Channels; a directory of one; a preview."""

    channel: NotRequired[Path]
    path: NotRequired[Path]
    preview: NotRequired[bool]


class BoardActionAsked(TypedDict):
    """What to do to the TensorBoard of a job."""

    action: Literal["show", "start", "stop"]


class SparksAsked(TypedDict):
    """The course of the metric that a row names, for the rows that are in sight."""

    jobs: Annotated[list[Id], Items(most=MOST_SPARKS)]


class Requests(TypedDict):
    """What a view of a job asks, by `kind`."""

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
    """Which jobs are shown, and in which order; what is absent lets all pass."""

    text: NotRequired[Id]
    status: NotRequired[Annotated[str, Text(most=MAX_ID, pattern=_STATES)]]  # states with commas between them
    backend: NotRequired[Id]
    notebook: NotRequired[Id]
    sort: NotRequired[Column]
    descending: NotRequired[bool]


class PanelRequests(TypedDict):
    """What a view of the list of jobs asks, by `kind`; `watch_jobs` mounts one, `bye` unmounts it."""

    watch_jobs: JobsSelection
    select_jobs: JobsSelection  # show others from now on, over the same watch
    bye: Nothing
    sparks: SparksAsked


class JobsAsked(JobsSelection):
    """A page of the jobs that fit."""

    start: NotRequired[Line]
    limit: NotRequired[Annotated[int, Number(least=1, most=MOST_ROWS)]]


class DifferenceAsked(TypedDict):
    """The other job, whose script is the newer one."""

    to: Id


class LogAsked(TypedDict):
    """The log of a replica, else of the first one."""

    replica: NotRequired[str]


class BackendsAsked(TypedDict):
    """All backends; the one to `check` is asked whether it works."""

    check: NotRequired[str]


class ImagesAsked(TypedDict):
    """The official images for training."""

    framework: NotRequired[str]
    gpu: NotRequired[bool]


class InstancesAsked(TypedDict):
    """The machines for training."""

    gpu: NotRequired[bool]


class PlaceAsked(TypedDict):
    """A directory; without an address the places to begin at."""

    uri: NotRequired[Path]
    after: NotRequired[str]  # where a long listing goes on


class StoredAsked(TypedDict):
    """A file or a directory, by its address."""

    uri: Uri


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
    **dict.fromkeys(("job", "stop", "rerun", "adopt", "source", "environment", "cell", "output", "package"), Nothing),
    **dict.fromkeys(("tensorboards", "schema", "submit", "metric"), Nothing),
}
"""What the query of a request over REST may have, by the kind of what is asked."""


class MetricNamed(TypedDict):
    """The metric that stands for jobs in the list; empty: the best known."""

    name: Id


class JobsBoardAsked(TypedDict):
    """A TensorBoard over jobs."""

    jobs: Annotated[list[Id], Items(least=1, most=MOST_BOARD_JOBS)]
    uri: NotRequired[None]


class FolderBoardAsked(TypedDict):
    """A TensorBoard over a folder in OSS."""

    uri: Annotated[str, Text(most=2 * MAX_ID, pattern="^oss://")]
    jobs: NotRequired[None]


BoardAsked: TypeAlias = Annotated[JobsBoardAsked | FolderBoardAsked, Named("BoardAsked", "Over what to open one.")]


class CellAsked(TypedDict):
    """A cell, with or without its magic's line."""

    cell: Cell


class SubmitAsked(TypedDict):
    """A cell, its magic's line included, to be run as a job of this server."""

    cell: Cell
    notebook: NotRequired[Path | None]  # its path below the directory that the server shows
    values: NotRequired[dict[str, object] | None]
