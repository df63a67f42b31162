"""What the tabs of a view are answered: files, source, environment, TensorBoard; and what else is asked about one job."""

from typing import Annotated, Literal, NotRequired, TypeAlias, TypedDict

from pai_jupyter.wire.schema.job import LogWindow, PointsAnswer
from pai_jupyter.wire.schema.limits import (
    MAX_DIFFERENCE_LINE,
    MOST_DIFFERENCE_LINES,
    MOST_ENTRIES,
    MOST_FILES,
    Items,
    Named,
    Text,
)
from pai_jupyter.wire.schema.values import Count, FileShown, JobNamed, LineNumber, Nothing, Pair, Scalar


class HelloAnswer(TypedDict):
    """The version of the wire format."""

    api: int


class SearchAnswer(TypedDict):
    """The buffer: float64 numbers of lines."""

    count: Count
    searched: Count
    is_more: bool


class ChannelJson(TypedDict):
    """An output channel of a job."""

    name: str
    uri: str
    is_open: bool  # can be browsed from here
    note: str  # why not


class FileEntry(TypedDict):
    """One line of a directory."""

    name: str
    is_directory: bool
    size: Count
    modified: float | None  # null where nobody knows: directories of OSS are only the beginnings of names


class FileChannels(TypedDict):
    """The output channels of a job."""

    kind: Literal["channels"]
    channels: list[ChannelJson]


class FileNamed(TypedDict):
    """A file or a directory of an output channel."""

    channel: str
    path: str


class FileDirectory(FileNamed):
    """A directory of an output channel."""

    kind: Literal["directory"]
    entries: Annotated[list[FileEntry], Items(most=MOST_ENTRIES)]
    is_cut: bool


class FilePreview(FileNamed, FileShown):
    """The beginning of a file."""

    kind: Literal["preview"]


class FilePiece(FileNamed):
    """A piece of a file; the bytes are the buffer. Asked for over a comm alone."""

    kind: Literal["bytes"]
    offset: Count
    size: Count  # of the whole file


FilesAnswer: TypeAlias = Annotated[FileChannels | FileDirectory | FilePreview, Named("FilesAnswer")]


class PackageFile(TypedDict):
    """A file of a job's package."""

    name: str
    size: Count
    digest: str


class PackageFiles(TypedDict):
    """What was sent, as far as it can be read."""

    digest: str
    size: Count
    files: Annotated[list[PackageFile], Items(most=MOST_FILES)]
    is_cut: bool


class WrittenValue(TypedDict):
    """What the cell, else the script, says where the job ran with something else."""

    line: LineNumber | None  # null where it is not known
    value: Scalar


class RanWith(TypedDict):
    """A value that the job ran with."""

    name: str
    value: Scalar
    written: NotRequired[WrittenValue]


class SourceAnswer(TypedDict):
    """The cell, the script, the package and the values."""

    cell: str  # the exact cell, the magic's line included; '' where the job came from a program
    script: str  # as it was sent
    entry_point: str
    notebook: str
    package: PackageFiles
    values: list[RanWith]


class ReplicaEnvironment(TypedDict):
    """What one replica was given."""

    name: str
    variables: list[Pair]
    paths: list[Pair]  # path -> what lies there


class EnvironmentAnswer(TypedDict):
    """The command and the variables."""

    command: str  # as it was run, variables filled in
    replicas: list[ReplicaEnvironment]
    note: str


JobBoardState: TypeAlias = Literal["none", "stopped", "starting", "running"]


class BoardAnswer(TypedDict):
    """A TensorBoard over this job's event files."""

    state: JobBoardState
    url: str  # from where the browser sits; '' unless running
    note: str  # what to know or do, a sentence


class StopAnswer(TypedDict):
    """It is being stopped."""

    note: NotRequired[str]


class Answers(TypedDict):
    """What a view of a job is answered, by `kind` of the request."""

    hello: HelloAnswer
    bye: Nothing
    lines: LogWindow
    search: SearchAnswer
    points: PointsAnswer
    files: FilesAnswer | FilePiece
    source: SourceAnswer
    environment: EnvironmentAnswer
    board: BoardAnswer
    stop: StopAnswer
    rerun: JobNamed


class DifferenceLine(TypedDict):
    """One line of two scripts; of what is skipped, the text is how many lines."""

    kind: Literal["same", "gone", "new", "skipped"]
    text: Annotated[str, Text(most=MAX_DIFFERENCE_LINE)]


class DifferenceAnswer(TypedDict):
    """What leads from one script to the other."""

    lines: Annotated[list[DifferenceLine], Items(most=MOST_DIFFERENCE_LINES)]
    is_cut: bool


class CellAnswer(TypedDict):
    """The cell as written, and as it runs again with the values of this job."""

    cell: str
    as_run: str
