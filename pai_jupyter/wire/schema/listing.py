"""The list of all jobs: a row, a page of rows, pushes of changes, sparklines."""

from typing import Annotated, Literal, NotRequired, TypedDict

from pai_jupyter.jobs.job_index.row import MAX_VALUES
from pai_jupyter.store.annotations import MOST_TAGS
from pai_jupyter.wire.schema.limits import MOST_ROWS, Items, Number
from pai_jupyter.wire.schema.values import Count, JsonNumber, Nothing, PriceJson, StatusWord


class RowMetric(TypedDict):
    """The metric shown for a job: the user's choice, else chosen automatically."""

    name: str
    value: JsonNumber


class RowAlertJson(TypedDict):
    """What the user of a job must hear of, besides its end; `kind` is nan, stalled, or one of a newer version."""

    kind: str
    text: str
    time: float


class JobRowJson(TypedDict):
    """One job in a list."""

    id: str
    name: str
    backend: str  # process, docker, pai, ...
    place: str  # as in the header of a job view: "emulator (…)", "cn-hangzhou"
    status: StatusWord
    notebook: str | None
    created: float
    started: float | None  # when it began to run
    ended: float | None
    progress: Annotated[float, Number(most=1)] | None  # 0..1, of a running job
    metric: RowMetric | None
    is_here: bool  # false: submitted from another machine; only the remote backend knows it
    url: str  # of the console; '' if there is none
    trouble: str  # why the job cannot be reached or recorded now, or what keeps it running; '' if nothing does
    values: NotRequired[Annotated[list[str], Items(most=MAX_VALUES)]]  # hyperparameters, `lr=0.3`, secrets masked
    in_line: NotRequired[Annotated[int, Number(least=1)]]  # position in this machine's queue; 1 is next
    roles: NotRequired[str]  # of a job with roles: "1 chief, 2 worker"
    failed_replica: NotRequired[str]  # of a failed job with several replicas, the one that is its cause
    run: NotRequired[str]  # of a job of a run, the run's id
    step: NotRequired[str]  # and the path of its step
    recorded_name: NotRequired[str]  # the name in its record, if `name` is another that the user gave it
    is_starred: NotRequired[bool]
    tags: NotRequired[Annotated[list[str], Items(most=MOST_TAGS)]]
    note: NotRequired[str]  # its first 300 characters
    title: NotRequired[str]  # of a third-party backend
    alert: NotRequired[RowAlertJson]  # the last one
    cost: NotRequired[PriceJson]  # missing if its price is not known


class AnnotationsAnswer(TypedDict):
    """What the user says about a job."""

    name: str  # given by the user; "": none
    recorded_name: str
    is_starred: bool
    tags: Annotated[list[str], Items(most=MOST_TAGS)]
    note: str


class JobsAnswer(TypedDict):
    """A page of the matching jobs."""

    rows: Annotated[list[JobRowJson], Items(most=MOST_ROWS)]
    count: Count  # of all matching jobs
    states: dict[StatusWord, Count]  # matching jobs by state, ignoring the filter by state
    backends: list[str]
    notebooks: list[str]


class JobsOrder(TypedDict):
    """A change of the shown order: from index `at`, `ids` replace `drop` ids; before the first push it is empty."""

    at: Count
    drop: Count
    ids: list[str]


class JobsNews(TypedDict):
    """Changes since the previous push. The first pushes send all rows, newest first."""

    rows: list[JobRowJson]  # new or changed
    gone: list[str]  # ids of removed jobs
    is_first: bool  # the client discards earlier rows
    is_whole: bool  # the client has all rows now
    notes: list[str]  # what could not be listed, a sentence each
    order: NotRequired[JobsOrder]  # of the matching rows; missing if unchanged
    problem: NotRequired[str]  # what is wrong with a filter that nothing matches; missing if nothing is


class JobsPush(JobsNews):
    """A push of the list of jobs. On a gap in `seq` the client sends `watch_jobs` again."""

    kind: Literal["jobs"]
    seq: Count
    now: float  # clock of the machine that keeps the jobs


class WatchedJobs(TypedDict):
    """The approximate number of jobs."""

    count: Count


class SparkNamed(TypedDict):
    """A job and a metric; the buffer has at most 40 of its values as float64."""

    job: str
    name: str


class SparksAnswer(TypedDict):
    """Sparklines, with one buffer each. Jobs without a metric are left out."""

    sparks: list[SparkNamed]


class PanelAnswers(TypedDict):
    """Answers to a view of the list of jobs, by `kind` of the request."""

    watch_jobs: WatchedJobs
    select_jobs: Nothing
    bye: Nothing
    sparks: SparksAnswer
