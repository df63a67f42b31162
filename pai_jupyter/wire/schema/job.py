"""One job: facts that do not change, its state, its log, and the pushes of changes."""

from typing import Annotated, Literal, NotRequired, TypeAlias, TypedDict

from pai_jupyter.wire.schema.limits import MOST_LINES, Items, Named
from pai_jupyter.wire.schema.values import Count, Group, JsonNumber, PhaseWord, PriceJson, Scalar, Source, StatusWord


class StatusEvent(TypedDict):
    """A stored `events.StatusChanged`; stored events omit fields that have their default."""

    kind: Literal["StatusChanged"]
    status: StatusWord
    time: float
    reason: NotRequired[str]
    exit_code: NotRequired[int | None]


class PhaseEvent(TypedDict):
    """A stored `events.PhaseChanged`."""

    kind: Literal["PhaseChanged"]
    phase: PhaseWord
    time: float
    replica: NotRequired[str]
    offset: NotRequired[int | None]  # where the phase begins in the log, in bytes


class ReplicaEvent(TypedDict):
    """A stored `events.ReplicaChanged`: a replica is running or has ended."""

    kind: Literal["ReplicaChanged"]
    replica: str
    status: StatusWord
    time: float
    exit_code: NotRequired[int | None]
    attempt: NotRequired[int]  # from 0


class MetricEvent(TypedDict):
    """A stored `events.Metric`."""

    kind: Literal["Metric"]
    name: str
    value: JsonNumber
    time: float
    step: NotRequired[JsonNumber | None]
    replica: NotRequired[str]


class ProgressEvent(TypedDict):
    """A stored `events.Progress`."""

    kind: Literal["Progress"]
    done: JsonNumber
    time: float
    total: NotRequired[JsonNumber | None]  # null if unknown
    unit: NotRequired[str]


class UsageEvent(TypedDict):
    """A stored `events.Usage`: the resource usage of one replica."""

    kind: Literal["Usage"]
    replica: str
    time: float
    cpu: NotRequired[float | None]  # cores
    cpu_time: NotRequired[float | None]  # seconds
    memory: NotRequired[int | None]  # bytes
    peak_memory: NotRequired[int | None]  # bytes
    gpu: NotRequired[float | None]  # 0..1
    gpu_memory: NotRequired[int | None]  # bytes
    read: NotRequired[int | None]  # bytes from disk so far
    written: NotRequired[int | None]
    received: NotRequired[int | None]  # bytes from the network so far
    sent: NotRequired[int | None]
    read_rate: NotRequired[float | None]  # bytes per second
    write_rate: NotRequired[float | None]
    receive_rate: NotRequired[float | None]
    send_rate: NotRequired[float | None]
    cores: NotRequired[float | None]  # that it may use
    memory_limit: NotRequired[int | None]  # bytes
    gpu_memory_limit: NotRequired[int | None]  # bytes


class LinkEvent(TypedDict):
    """A stored `events.Link`."""

    kind: Literal["Link"]
    name: str
    url: str
    time: NotRequired[float]


class NoticeEvent(TypedDict):
    """A stored `events.Notice`: a sentence for the user, apart from the log."""

    kind: Literal["Notice"]
    text: str
    time: float
    level: NotRequired[str]
    alert: NotRequired[str]  # of an alert, its kind: nan, stalled


JobEvent: TypeAlias = Annotated[
    StatusEvent | PhaseEvent | ReplicaEvent | MetricEvent | ProgressEvent | UsageEvent | LinkEvent | NoticeEvent,
    Named("JobEvent", "A stored event of `pai_jupyter.events`."),
]


class ReplicaState(TypedDict):
    """The last that is known of one replica."""

    status: StatusWord  # running, succeeded, failed or stopped
    exit_code: int | None
    attempt: int  # from 0: how often it was started again
    time: float  # of its last change


class JobStateJson(TypedDict):
    """`JobState.to_json()`."""

    status: StatusWord
    reason: str
    exit_code: int | None
    entered: dict[str, float]  # status -> Unix time at which it was first entered
    phases: list[JobEvent]
    replicas: NotRequired[dict[str, ReplicaState]]  # missing while nothing is known of single replicas
    metrics: dict[
        str, tuple[JsonNumber, JsonNumber | None, JsonNumber, JsonNumber, int]
    ]  # value, step, extremes, count
    metric_replicas: NotRequired[dict[str, str]]  # metric -> the replica that it is of
    first_progress: JobEvent | None
    progress: JobEvent | None
    usage: dict[str, JobEvent]  # by replica
    links: dict[str, str]
    notices: list[JobEvent]


class JobAnnotations(TypedDict):
    """What the user says about a job, as its head and its overview show it."""

    name: str
    is_starred: bool
    tags: list[str]
    note: str


class JobFacts(TypedDict):
    """Facts of a job that do not change while it runs, and what the user says about it."""

    id: str
    name: str  # given by the user, else the recorded one
    backend: str
    place: str
    instance_type: str
    instance_count: Count  # of all roles together
    machines: NotRequired[str]  # of a job with roles: "ecs.c6.large · 1 chief, 2 worker"
    max_run_time: Count | None  # seconds
    notebook: str | None
    created: float
    folder: str  # on the machine that keeps the job; "~" for the home directory
    replicas: list[str]
    values: dict[str, Scalar]
    line: str  # a %pai_rerun line with these values, to copy
    entry_point: str  # the name of the cell's script; '' if the job was not started by a cell
    title: NotRequired[str]  # of a third-party backend
    is_starred: NotRequired[bool]
    tags: NotRequired[list[str]]
    note: NotRequired[str]
    lines_before: NotRequired[Count]  # lines of the script before the cell's own, which are of other cells
    cost: NotRequired[PriceJson]  # missing if its price is not known
    is_measured: NotRequired[bool]  # false: its backend does not sample what it takes of its machine


class Failure(TypedDict):
    """Why a job has failed."""

    cause: str
    hint: str
    line: Count | None  # of the cell, from 1
    tail: list[str]


class LogWindow(TypedDict):
    """Consecutive lines, counted from 0; lines are clipped at 1,000 characters, but not a single requested line."""

    replica: str
    start: Count
    lines: Annotated[list[str], Items(most=MOST_LINES)]
    times: list[float]  # Unix time of arrival, exact to about a second; 0 if unknown
    clipped: dict[str, Count]  # index in `lines` -> full length, for clipped lines
    count: Count  # lines of the whole log, with an unfinished last one
    finished: Count  # lines that will not change any more
    first: NotRequired[Count]  # of the log of all replicas, "*": the oldest line that is kept


class JobStanding(TypedDict):
    """The state of a job, and why it failed, if it did."""

    state: JobStateJson
    failure: Failure | None


class LogTail(TypedDict):
    """The end of the log."""

    counts: dict[str, Count]  # lines by replica
    tail: LogWindow  # of the replica that the view shows


class JobSnapshot(JobStanding, LogTail):
    """The current state of a job."""

    now: float  # clock of the machine that keeps the job
    job: JobFacts


class SnapshotJson(JobSnapshot):
    """The first push to a view."""

    kind: Literal["snapshot"]


class StateChange(TypedDict):
    """The events since the last push or, if there are many, the whole state."""

    events: NotRequired[list[JobEvent]]
    state: NotRequired[JobStateJson]
    failure: NotRequired[Failure]
    labels: NotRequired[JobAnnotations]  # if the user has changed them


class StateNews(StateChange):
    """A push of a changed state."""

    kind: Literal["state"]
    now: float


class TailNews(LogTail):
    """A push of new lines; `start` may be less than what was sent (an unfinished line) or more (lines were skipped)."""

    kind: Literal["tail"]
    now: float


class Series(TypedDict):
    """One series of points. Its buffer: float64 steps, then times, then values."""

    name: str
    replica: str
    source: Source
    unit: str  # '', 'B', 'B/s', 'cores', 'ratio', 's'
    length: Count  # points in the buffer
    count: Count  # points before reduction
    limit: NotRequired[float]  # what the values can reach at most, in the same unit
    total: NotRequired[float]  # over time: bytes, or seconds of a core or of a GPU


class PointsAnswer(TypedDict):
    """Series, with one buffer each: float64 steps, then times, then values."""

    series: list[Series]
    notes: list[str]  # what is missing in the series, a sentence each


class PointsNews(PointsAnswer):
    """A push of changed series, each whole with its buffer, and all notes."""

    kind: Literal["points"]
    group: Group


class SavedJob(TypedDict):
    """`application/vnd.pai-jupyter.job.v1+json`, as saved in a notebook. Untrusted: any field may have any value."""

    schema: int
    id: str
    name: str
    state: StatusWord
    place: str
    at: str
    times: dict[str, str]
    values: dict[str, str]
    metrics: dict[str, JsonNumber]
    is_cut: bool
