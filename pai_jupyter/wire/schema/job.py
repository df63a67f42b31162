"""A job as a view is told of it: what does not change, how it stands, its log, and the pushes as it goes on."""

from typing import Annotated, Literal, NotRequired, TypeAlias, TypedDict

from pai_jupyter.wire.schema.limits import MOST_LINES, Items, Named
from pai_jupyter.wire.schema.values import Count, Group, JsonNumber, PhaseWord, Scalar, Source, StatusWord


class StatusEvent(TypedDict):
    """As `events.StatusChanged` is stored; in events, a field that has its default is left out."""

    kind: Literal["StatusChanged"]
    status: StatusWord
    time: float
    reason: NotRequired[str]
    exit_code: NotRequired[int | None]


class PhaseEvent(TypedDict):
    """As `events.PhaseChanged` is stored."""

    kind: Literal["PhaseChanged"]
    phase: PhaseWord
    time: float
    replica: NotRequired[str]
    offset: NotRequired[int | None]  # where its part of the log begins, in bytes


class MetricEvent(TypedDict):
    """As `events.Metric` is stored."""

    kind: Literal["Metric"]
    name: str
    value: JsonNumber
    time: float
    step: NotRequired[JsonNumber | None]
    replica: NotRequired[str]


class ProgressEvent(TypedDict):
    """As `events.Progress` is stored."""

    kind: Literal["Progress"]
    done: JsonNumber
    time: float
    total: NotRequired[JsonNumber | None]  # null where nobody knows
    unit: NotRequired[str]


class UsageEvent(TypedDict):
    """As `events.Usage` is stored: what one replica uses."""

    kind: Literal["Usage"]
    replica: str
    time: float
    cpu: NotRequired[float | None]  # cores
    cpu_time: NotRequired[float | None]  # seconds
    memory: NotRequired[int | None]  # bytes
    peak_memory: NotRequired[int | None]  # bytes
    gpu: NotRequired[float | None]  # 0..1
    gpu_memory: NotRequired[int | None]  # bytes


class LinkEvent(TypedDict):
    """As `events.Link` is stored."""

    kind: Literal["Link"]
    name: str
    url: str
    time: NotRequired[float]


class NoticeEvent(TypedDict):
    """As `events.Notice` is stored: a sentence for the user that is no part of the log."""

    kind: Literal["Notice"]
    text: str
    time: float
    level: NotRequired[str]


JobEvent: TypeAlias = Annotated[
    StatusEvent | PhaseEvent | MetricEvent | ProgressEvent | UsageEvent | LinkEvent | NoticeEvent,
    Named("JobEvent", "A stored event of `pai_jupyter.events`."),
]


class JobStateJson(TypedDict):
    """`JobState.to_json()`."""

    status: StatusWord
    reason: str
    exit_code: int | None
    entered: dict[str, float]  # when each status was entered first
    phases: list[JobEvent]
    metrics: dict[
        str, tuple[JsonNumber, JsonNumber | None, JsonNumber, JsonNumber, int]
    ]  # value, step, extremes, count
    first_progress: JobEvent | None
    progress: JobEvent | None
    usage: dict[str, JobEvent]  # by replica
    links: dict[str, str]
    notices: list[JobEvent]


class JobFacts(TypedDict):
    """What does not change while a job lives."""

    id: str
    name: str
    backend: str
    place: str
    instance_type: str
    instance_count: Count
    max_run_time: Count | None  # seconds
    notebook: str | None
    created: float
    folder: str  # on the machine that keeps the job; "~" for the home
    replicas: list[str]
    values: dict[str, Scalar]
    line: str  # the magic's line with these values, to copy
    entry_point: str  # the file that the cell was sent as; '' where the job came from no cell
    title: NotRequired[str]  # of a backend that others have made


class Failure(TypedDict):
    """Why a job has failed."""

    cause: str
    hint: str
    line: Count | None  # of the cell, from 1
    tail: list[str]


class LogWindow(TypedDict):
    """A window of lines, which count from 0; a line is clipped at 1,000 characters, unless it is asked for alone."""

    replica: str
    start: Count
    lines: Annotated[list[str], Items(most=MOST_LINES)]
    times: list[float]  # arrival to about a second, 0 where nobody noted it
    clipped: dict[str, Count]  # the whole length of those that were clipped, by index in `lines`
    count: Count  # lines of the whole log, an unfinished last one included
    finished: Count  # lines that will not change any more


class JobStanding(TypedDict):
    """How a job stands, and why it has failed, if it has."""

    state: JobStateJson
    failure: Failure | None


class LogTail(TypedDict):
    """The end of the log."""

    counts: dict[str, Count]  # lines by replica
    tail: LogWindow  # of the replica that is watched


class JobSnapshot(JobStanding, LogTail):
    """The job as it stands."""

    now: float  # on the machine that keeps the job
    job: JobFacts


class SnapshotJson(JobSnapshot):
    """The first push to a view, which needs no request."""

    kind: Literal["snapshot"]


class StateChange(TypedDict):
    """Either the events since the last push, or, where they were many, the whole state."""

    events: NotRequired[list[JobEvent]]
    state: NotRequired[JobStateJson]
    failure: NotRequired[Failure]


class StateNews(StateChange):
    """A push of how the job has gone on."""

    kind: Literal["state"]
    now: float


class TailNews(LogTail):
    """New lines; `start` may lie before the end of what was sent (an unfinished line) or behind it (a flood)."""

    kind: Literal["tail"]
    now: float


class Series(TypedDict):
    """One series of points. Its buffer: float64 steps, then times, then values."""

    name: str
    replica: str
    source: Source
    unit: str  # '', 'B', 'cores', 'ratio', 's'
    length: Count  # points in the buffer
    count: Count  # points there were


class PointsAnswer(TypedDict):
    """A buffer a series: float64 steps, then times, then values."""

    series: list[Series]
    notes: list[str]  # what is not in them, a sentence each


class PointsNews(PointsAnswer):
    """Series that changed, whole; one buffer each, and all notes, as in the answer."""

    kind: Literal["points"]
    group: Group


class SavedJob(TypedDict):
    """`application/vnd.pai-jupyter.job.v1+json`: all that a saved notebook has. Hostile: any field may be anything."""

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
