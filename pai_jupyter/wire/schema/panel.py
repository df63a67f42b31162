"""Answers to the panel: backends, images, machines, TensorBoards, storage, the form of a cell."""

from typing import Annotated, Literal, NotRequired, TypeAlias, TypedDict

from pai_jupyter.wire.schema.limits import (
    MAX_ID,
    MAX_SENTENCE,
    MOST_ENTRIES,
    MOST_FINDINGS,
    MOST_TAKEN,
    Items,
    Named,
    Text,
)
from pai_jupyter.wire.schema.tabs import FileEntry
from pai_jupyter.wire.schema.values import Count, FileShown, LineNumber, PriceJson, Scalar


class BackendRow(TypedDict):
    """A backend, and whether jobs can run there."""

    name: str
    title: str  # shown to users
    is_ready: bool | None  # null: not checked, since checking costs a request; `?check=pai` checks
    note: str  # what it is, or what is missing and what to type
    is_emulator: bool
    instances: list[str]  # its instance types, where it has a fixed list
    takes_job_files: bool  # it has clusters, and job files are submitted there


class ClusterRow(TypedDict):
    """A cluster of this user."""

    name: str
    address: str
    user: str
    password_in: Literal["", "memory", "file"]  # where the server has the password; "" if nobody has given it


class ClustersAnswer(TypedDict):
    """The clusters, the chosen one first."""

    clusters: list[ClusterRow]


class ClusterReportAnswer(TypedDict):
    """What a cluster answered: facts about it, and what is wrong, "" if nothing is."""

    facts: list[str]
    problem: str


class JobFileAnswer(ClustersAnswer):
    """What is wrong with a job file, warnings about it and files that travel with it, and where it can go."""

    errors: list[str]
    warnings: list[str]
    images: list[str]  # of its tasks; none where something is wrong


class SettingRow(TypedDict):
    """A setting and its origin; never a secret."""

    name: str
    value: str
    origin: str


class BackendSettings(TypedDict):
    """The settings of backends."""

    profile: str  # '' if none is used
    settings: list[SettingRow]


class BackendsAnswer(BackendSettings):
    """All backends and their settings."""

    backends: list[BackendRow]


class ImageRow(TypedDict):
    """An official image; `short_name` is what `--image` takes."""

    short_name: str
    uri: str
    framework: str
    python: str
    cuda: str
    details: str  # the same in one text


class ImagesAnswer(TypedDict):
    """Official images for training."""

    images: list[ImageRow]


class InstanceRow(TypedDict):
    """An instance type; `details` is the one text that says what it has, whether it is in stock and what it costs."""

    name: str
    cpu: float
    memory: float  # GiB
    gpu: str
    is_available: bool
    details: str
    cost: NotRequired[PriceJson]  # missing if it has no price


class InstancesAnswer(TypedDict):
    """Instance types for training."""

    instances: list[InstanceRow]


BoardState: TypeAlias = Literal["starting", "running", "stopped"]


class BoardRow(TypedDict):
    """A TensorBoard."""

    id: str  # of a local TensorBoard or of a service's app
    name: str
    state: BoardState
    where: str  # 'here', or the name of the backend whose service runs it
    url: str  # as the browser reaches it; '' unless running
    shows: str  # its folders or address, for users


class BoardLimit(TypedDict):
    """The service that runs TensorBoard apps."""

    limit: Count | None  # maximum number of apps; null if no such service is set up
    is_emulator: bool  # the service is the emulator


class BoardsAnswer(BoardLimit):
    """All TensorBoards."""

    boards: list[BoardRow]
    notes: list[str]


class StoredEntry(FileEntry):
    """A file or a directory; the address of a directory ends with a slash."""

    uri: str


class StorageAnswer(TypedDict):
    """A directory, or the places to start at; a new entry's address is `uri` + its name."""

    uri: str  # '' for the places to start at
    parent: str | None
    can_write: bool  # files and folders may be created in it
    can_delete: bool  # its entries may be deleted
    entries: Annotated[list[StoredEntry], Items(most=MOST_ENTRIES)]
    after: str | None  # continues a long listing
    notes: list[str]


class PreviewAnswer(FileShown):
    """The beginning of a file."""

    uri: str


class Deleted(TypedDict):
    """The number of files deleted."""

    count: Count


Default: TypeAlias = Annotated[
    str | float | bool | list[object] | dict[str, object] | None,
    Named("Default", "A default value; a list or an object if the kind is json."),
]


HyperparameterKind: TypeAlias = Literal["bool", "int", "float", "str", "json"]


class HyperparameterRow(TypedDict):
    """A hyperparameter that a cell declares."""

    name: str
    kind: HyperparameterKind
    default: Default
    minimum: float | None
    maximum: float | None
    open_minimum: bool  # the minimum itself is not allowed
    open_maximum: bool
    nullable: bool  # None is allowed
    step: float | None
    is_log: bool
    choices: list[Scalar]
    help: str
    line: LineNumber  # of the cell
    is_offered: bool  # a value in the code that is not declared: shown folded
    commands: list[str]  # values of `chosen_by` with which there is this option; empty: it is always there
    chosen_by: str  # the name of the hyperparameter that chooses, e.g. a subcommand; '' if none does
    required: bool
    is_given: bool  # only the line names it, the script does not declare it
    range: str  # the bounds for users: "1e-05 – 1"
    default_text: str  # the default for users; '' without one
    rule: str  # what is said of an invalid value: "lr must be a number between 1e-05 and 1"


class ChannelRow(TypedDict):
    """An input that the script declares."""

    name: str
    help: str
    required: bool


class FormModel(TypedDict):
    """The form of a job, but for its sections (`form.SECTIONS`): what the script adds to them."""

    hyperparameters: list[HyperparameterRow]
    inputs: list[ChannelRow]


class FindingRow(TypedDict):
    """One problem of a cell."""

    level: Literal["error", "warning", "info"]
    line: LineNumber | None
    message: Annotated[str, Text(least=1, most=MAX_SENTENCE)]
    name: Annotated[
        str, Text(most=MAX_ID)
    ]  # the name that the job lacks, which `--send` answers; "" for other problems


class TakenRow(TypedDict):
    """A name that a cell takes from another cell, by that cell's number."""

    name: Annotated[str, Text(least=1, most=MAX_ID)]
    cell: LineNumber


class SendableRow(TypedDict):
    """A value of another cell that the cell uses, by that cell's number: `--send` gives it to the job."""

    name: Annotated[str, Text(least=1, most=MAX_ID)]
    cell: LineNumber


class SchemaAnswer(FormModel):
    """The form of a cell, and its problems."""

    taken: Annotated[list[TakenRow], Items(most=MOST_TAKEN)]
    values: Annotated[list[SendableRow], Items(most=MOST_TAKEN)]
    assigned: Annotated[list[Annotated[str, Text(least=1, most=MAX_ID)]], Items(most=MOST_TAKEN)]  # for `--return`
    findings: Annotated[list[FindingRow], Items(most=MOST_FINDINGS)]


class CostAnswer(TypedDict):
    """What a job would cost, a sentence; '' if there is nothing to say."""

    note: str


class RerunFormAnswer(SchemaAnswer):
    """The form of a job that ran; `line` is the whole line of its magic, with what it ran with."""

    line: str


class ReportAnswer(TypedDict):
    """Where a report is, relative to the server's root directory."""

    path: str
    is_written: bool  # false: there is a file already, and it was not to be replaced
    notes: list[str]  # which jobs are not in the report, and why; it says so itself


class SubmitAnswer(TypedDict):
    """The job that was started."""

    job: str
    name: str
    notes: list[str]
