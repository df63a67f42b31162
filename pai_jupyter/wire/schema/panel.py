"""What the panel is answered: backends, images, machines, TensorBoards, storage, the form of a cell."""

from typing import Annotated, Literal, TypeAlias, TypedDict

from pai_jupyter.wire.schema.limits import MAX_SENTENCE, MOST_ENTRIES, MOST_FINDINGS, Items, Named, Text
from pai_jupyter.wire.schema.tabs import FileEntry
from pai_jupyter.wire.schema.values import Count, FileShown, LineNumber, Scalar


class BackendRow(TypedDict):
    """A backend, and whether jobs can run there."""

    name: str
    title: str  # for people
    is_ready: bool | None  # null: nobody asked, since the asking costs a request; `?check=pai` asks
    note: str  # what it is, or what is missing and what to type, a sentence
    is_emulator: bool
    instances: list[str]  # machines of its own that it names one by one


class SettingRow(TypedDict):
    """A setting, and where it comes from; never a key."""

    name: str
    value: str
    origin: str


class BackendSettings(TypedDict):
    """What is set of where jobs run."""

    profile: str  # '' where none is used
    settings: list[SettingRow]


class BackendsAnswer(BackendSettings):
    """Where jobs can run."""

    backends: list[BackendRow]


class ImageRow(TypedDict):
    """An official image; `short_name` is what `--image` takes."""

    short_name: str
    uri: str
    framework: str
    python: str
    cuda: str


class ImagesAnswer(TypedDict):
    """Official images for training."""

    images: list[ImageRow]


class InstanceRow(TypedDict):
    """A type of machine."""

    name: str
    cpu: float
    memory: float  # GiB
    gpu: str
    is_available: bool


class InstancesAnswer(TypedDict):
    """Machines for training."""

    instances: list[InstanceRow]


BoardState: TypeAlias = Literal["starting", "running", "stopped"]


class BoardRow(TypedDict):
    """A TensorBoard."""

    id: str  # of one on this machine, or of an app
    name: str
    state: BoardState
    where: str  # 'here', or the name of the backend whose service runs it
    url: str  # from where the browser sits; '' unless running
    shows: str  # folders or address, for people


class BoardLimit(TypedDict):
    """Where TensorBoards run that are not on this machine."""

    limit: Count | None  # of those on PAI; null where this server works in no cloud
    is_emulator: bool  # what is called PAI here only rehearses it


class BoardsAnswer(BoardLimit):
    """All TensorBoards."""

    boards: list[BoardRow]
    notes: list[str]


class StoredEntry(FileEntry):
    """A file or a directory; the address of a directory ends with a slash."""

    uri: str


class StorageAnswer(TypedDict):
    """A directory, or the places; the address of what is made in it is `uri` and the name."""

    uri: str  # '' for the places
    parent: str | None
    can_write: bool  # upload and make folders here
    can_delete: bool  # what is in it; never the place itself
    entries: Annotated[list[StoredEntry], Items(most=MOST_ENTRIES)]
    after: str | None  # where a long listing goes on
    notes: list[str]


class PreviewAnswer(FileShown):
    """The beginning of a file."""

    uri: str


class Deleted(TypedDict):
    """How many files were deleted."""

    count: Count


Default: TypeAlias = Annotated[
    str | float | bool | list[object] | dict[str, object] | None,
    Named("Default", "A value; a list or an object where the kind is json."),
]


HyperparameterKind: TypeAlias = Literal["bool", "int", "float", "str", "json"]


class HyperparameterRow(TypedDict):
    """A hyperparameter that a cell declares."""

    name: str
    kind: HyperparameterKind
    default: Default
    minimum: float | None
    maximum: float | None
    open_minimum: bool  # the bound itself is not allowed
    open_maximum: bool
    nullable: bool  # None is a value
    step: float | None
    is_log: bool
    choices: list[Scalar]
    help: str
    line: LineNumber  # of the cell


class FindingRow(TypedDict):
    """What is wrong with a cell."""

    level: Literal["error", "warning", "info"]
    line: LineNumber | None
    message: Annotated[str, Text(least=1, most=MAX_SENTENCE)]


class SchemaAnswer(TypedDict):
    """The form of a cell, and what is wrong with it."""

    hyperparameters: list[HyperparameterRow]
    findings: Annotated[list[FindingRow], Items(most=MOST_FINDINGS)]


class SubmitAnswer(TypedDict):
    """The job that was started."""

    job: str
    name: str
    notes: list[str]
