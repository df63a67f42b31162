"""The list of all jobs: a row, a page of rows, the pushes of what changes, the lines drawn in rows."""

from typing import Annotated, Literal, NotRequired, TypedDict

from pai_jupyter.jobs.job_index.row import MAX_VALUES
from pai_jupyter.wire.schema.limits import MOST_ROWS, Items, Number
from pai_jupyter.wire.schema.values import Count, JsonNumber, Nothing, StatusWord


class RowMetric(TypedDict):
    """The metric that stands for a job: the user's own, else the best known."""

    name: str
    value: JsonNumber


class JobRowJson(TypedDict):
    """One job in a list."""

    id: str
    name: str
    backend: str  # process, docker, pai, ...
    place: str  # as a view's header has it: "emulator (…)", "cn-hangzhou"
    status: StatusWord
    notebook: str | None
    created: float
    started: float | None  # when it began to run
    ended: float | None
    progress: Annotated[float, Number(most=1)] | None  # of one that runs
    metric: RowMetric | None
    is_here: bool  # false: only the remote backend knows of it; it was recorded on another machine
    url: str  # of the console, '' where there is none
    trouble: str  # why it cannot be reached or recorded now, '' where it can
    values: NotRequired[Annotated[list[str], Items(most=MAX_VALUES)]]  # hyperparameters, `lr=0.3`, secrets masked
    in_line: NotRequired[Annotated[int, Number(least=1)]]  # its place in the queue of this machine, 1 is next
    title: NotRequired[str]  # of a backend that others have made


class JobsAnswer(TypedDict):
    """A page of the jobs that fit."""

    rows: Annotated[list[JobRowJson], Items(most=MOST_ROWS)]
    count: Count  # of all that fit
    states: dict[StatusWord, Count]  # of all that fit but for the state
    backends: list[str]
    notebooks: list[str]


class JobsOrder(TypedDict):
    """What is shown of the rows: from place `at` on, `ids` take the place of `drop` others; a first push begins with none."""

    at: Count
    drop: Count
    ids: list[str]


class JobsNews(TypedDict):
    """What has changed since the push before. The first pushes bring all rows, the newest first."""

    rows: list[JobRowJson]  # new or changed
    gone: list[str]  # ids
    is_first: bool  # forget what was known
    is_whole: bool  # nothing is missing now
    notes: list[str]  # what could not be listed, a sentence each
    order: NotRequired[JobsOrder]  # of those that fit the selection; absent where it is as it was


class JobsPush(JobsNews):
    """A push of the list of jobs. A gap in `seq` asks for `watch_jobs` again."""

    kind: Literal["jobs"]
    seq: Count
    now: float  # on the machine that keeps the jobs


class WatchedJobs(TypedDict):
    """How many jobs there are, about."""

    count: Count


class SparkNamed(TypedDict):
    """A job, and the metric whose course its buffer has: float64 values, at most 40."""

    job: str
    name: str


class SparksAnswer(TypedDict):
    """One buffer a spark. Jobs without a metric have none."""

    sparks: list[SparkNamed]


class PanelAnswers(TypedDict):
    """What a view of the list of jobs is answered, by `kind` of the request."""

    watch_jobs: WatchedJobs
    select_jobs: Nothing
    bye: Nothing
    sparks: SparksAnswer
