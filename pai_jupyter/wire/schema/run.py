"""A run of steps: its head, its steps, the pictures of its levels; the pushes of changes; the list of runs.

A level is the steps of one graph: of the run itself, of a nested pipeline, of an execution of a loop's body, or the executions
of a loop. Its path is that of the step it belongs to, "" for the run itself. Each has a picture of its own.
"""

from typing import Annotated, Literal, NotRequired, TypeAlias, TypedDict

from pai_jupyter.runs.state import RunStatus, StepStatus
from pai_jupyter.wire.schema.limits import Named, Words
from pai_jupyter.wire.schema.values import Count, Nothing

RunStatusWord: TypeAlias = Annotated[
    str, Words(*RunStatus, "unknown"), Named("RunStatus", "The status of a run; unknown: it cannot be read.")
]
StepStatusWord: TypeAlias = Annotated[str, Words(*StepStatus), Named("StepStatus", "The status of a step of a run.")]
StepKind: TypeAlias = Annotated[Literal["job", "pipeline", "loop"], Named("StepKind", "What a step of a run is.")]
StepCounts: TypeAlias = Annotated[dict[StepStatusWord, Count], Named("StepCounts", "Number of steps by status.")]


class RunRowJson(TypedDict):
    """One run in a list."""

    id: str
    name: str
    status: RunStatusWord
    is_stopping: bool  # in a list only told of runs of the workspace
    reason: str  # why it failed, or what it waits for; '' if there is none
    created: float
    ended: float | None
    counts: StepCounts  # its jobs, by status; {} where it is not known
    inputs: dict[str, str]  # its values and places, as text
    is_here: bool  # false: a run of the workspace, only to be shown and stopped here
    url: str  # of the console; '' if there is none
    trouble: str  # why it cannot be read now; '' if it can


class RunHead(RunRowJson):
    """A run without its steps. All texts are clipped."""

    notes: list[str]
    parameters: dict[str, str]  # its outputs, as text
    artifacts: dict[str, str]  # its outputs, by place


class RunCondition(TypedDict):
    """A condition; without `is_met` it is not decided."""

    text: str  # as it was written
    label: str  # short, with the values that decided: "accuracy = 0.85 <= 0.9"
    is_met: NotRequired[bool]
    values: NotRequired[dict[str, str]]  # those that decided, by reference
    reason: NotRequired[str]  # why it cannot be decided


class RunTry(TypedDict):
    """A try of a step: a job."""

    job: str
    status: str  # of the job; "created" while there is none yet
    reason: NotRequired[str]
    started: NotRequired[float]
    ended: NotRequired[float]


class RunStep(TypedDict):
    """A step; a field that is missing has nothing to say. All texts are clipped."""

    path: str  # "train", "nested/train", "loop[2]" for an execution of a loop's body, "loop[2]/train"
    parent: str  # the level that it is in; '' for the run itself
    name: str
    kind: StepKind
    title: str  # of its component
    status: StepStatusWord
    reason: NotRequired[str]  # why it failed, or was skipped
    depends: NotRequired[list[str]]  # paths of steps beside it
    condition: NotRequired[RunCondition]
    item: NotRequired[str]  # of a loop, as text
    job: NotRequired[str]  # of the latest try
    tries: NotRequired[list[RunTry]]  # the latest ones
    tried: NotRequired[Count]  # the number of all tries
    taken_from: NotRequired[str]  # the run whose result was taken over
    inputs: NotRequired[dict[str, str]]  # the values and places that it began with, as text
    parameters: NotRequired[dict[str, str]]  # its outputs, as text
    artifacts: NotRequired[dict[str, str]]  # its outputs, by place
    started: NotRequired[float]
    ended: NotRequired[float]
    counts: NotRequired[StepCounts]  # of a pipeline or a loop: the steps directly in it
    has_picture: NotRequired[bool]  # it can be opened


class PictureNode(TypedDict):
    """The place of a step; a nested pipeline or a loop is one node.

    It has room for lines of 16 px below each other, 10 px from its edge: symbol (18 px) and name, in a loop with the number of the
    execution; title, or the item; the condition's label, if it has one; counts, if it is a pipeline or a loop.
    """

    path: str
    x: float
    y: float
    w: float
    h: float


class PictureEdge(TypedDict):
    """An edge, from top to bottom; `source` and `target` are indices in `nodes`."""

    source: Count
    target: Count
    points: list[tuple[float, float]]
    is_condition: bool  # the target's condition names the source


class RunPicture(TypedDict):
    """The picture of one level."""

    path: str  # of the step that it is in; '' for the run itself
    w: float
    h: float
    nodes: list[PictureNode]
    edges: list[PictureEdge]


class RunNews(TypedDict):
    """What is new about a run."""

    now: float  # clock of the machine that keeps the run
    run: RunHead
    steps: list[RunStep]
    pictures: list[RunPicture]  # each replaces an earlier one of its path
    gone: list[str]  # paths of steps that are no longer sent, since their level was closed
    is_whole: bool  # the client has all steps and pictures now; else they follow in the next pushes


class RunPush(RunNews):
    """The first push to a view of a run: what was known before counts no longer."""

    kind: Literal["run"]
    view: str
    seq: Count


class RunChangesPush(RunNews):
    """A push of changed or new steps, and of new pictures. On a gap in `seq` the client sends `watch_run` again."""

    kind: Literal["run_changes"]
    view: str
    seq: Count


class RunInput(TypedDict):
    """An input of a run or of a component, with the value that it has, as text."""

    name: str
    type: str  # Int, Double, String, Bool, Map or Array; '' for an artifact, whose value is a place
    value: str  # of an artifact of several places, a line each
    choices: list[str]  # nothing else is accepted; [] where anything is
    range: str  # of a number, e.g. "(0, 1]"; '' without one
    is_required: bool
    is_list: bool  # an artifact of several places
    is_fixed: bool  # a secret, or too long to be edited: it stays as it is


class InputProblem(TypedDict):
    """What is wrong with the value of an input."""

    name: str
    text: str


class RunInputsAnswer(TypedDict):
    """What can be changed when a run is run again: values of its inputs, and the step from which on."""

    inputs: list[RunInput]
    steps: list[str]  # paths


class RunNamed(TypedDict):
    """A run, by its id and its name."""

    run: str
    name: str


class RunAgain(RunNamed):
    """The run that was started; with problems none was, and both texts are ''."""

    problems: list[InputProblem]


class RunViewAnswers(TypedDict):
    """Answers to a view of a run, by `kind` of the request."""

    watch_run: Nothing
    open_run: Nothing
    stop_run: Nothing
    run_inputs: RunInputsAnswer
    rerun_run: RunAgain
    bye: Nothing


class RunsAnswer(TypedDict):
    """Runs, the newest first; `notes`: what could not be listed, a sentence each."""

    runs: list[RunRowJson]
    notes: list[str]


class SavedRun(TypedDict):
    """`application/vnd.pai-jupyter.run.v1+json`, as saved in a notebook. Untrusted: any field may have any value."""

    schema: int
    id: str
    name: str
    status: RunStatusWord
    at: str
    created: str
    ended: str  # '' while it goes on
    counts: StepCounts
    is_here: bool
    is_plan: bool  # it never ran: nothing can be asked for it
