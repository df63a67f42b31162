"""Answers about one job: the tabs (files, source, environment, TensorBoard), search, stop, difference, cell."""

from typing import Annotated, Literal, NotRequired, TypeAlias, TypedDict

from pai_jupyter.wire.schema.job import LogWindow, PointsAnswer
from pai_jupyter.wire.schema.limits import (
    MAX_DIFFERENCE_LINE,
    MOST_DIFFERENCE_LINES,
    MOST_ENTRIES,
    MOST_FILES,
    MOST_PACKAGES,
    Items,
    Named,
    Text,
)
from pai_jupyter.wire.schema.values import Count, FileShown, JobNamed, LineNumber, Nothing, Pair, Scalar


class HelloAnswer(TypedDict):
    """The version of the wire format."""

    api: int


class SearchAnswer(TypedDict):
    """Lines found; the buffer has their numbers as float64."""

    count: Count
    searched: Count
    is_more: bool


class ChannelJson(TypedDict):
    """An output channel of a job."""

    name: str
    uri: str
    is_open: bool  # can be browsed
    note: str  # why it cannot be browsed


class FileEntry(TypedDict):
    """An entry of a directory."""

    name: str
    is_directory: bool
    size: Count
    modified: float | None  # Unix time; null if unknown, as for directories in OSS, which are only prefixes


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
    """A piece of a file; the bytes are the buffer. Only for a comm."""

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
    """The submitted package, as far as it can be read."""

    digest: str
    size: Count
    files: Annotated[list[PackageFile], Items(most=MOST_FILES)]
    is_cut: bool


class WrittenValue(TypedDict):
    """The value in the cell or script, if the job ran with another one."""

    line: LineNumber | None  # null if unknown
    value: Scalar


class RanWith(TypedDict):
    """A hyperparameter with which the job ran."""

    name: str
    value: Scalar
    written: NotRequired[WrittenValue]


class SourceAnswer(TypedDict):
    """The cell, the script, the package and the values."""

    cell: str  # the whole cell with its magic's line; '' if the job was submitted by a program
    script: str  # as submitted
    entry_point: str
    notebook: str
    package: PackageFiles
    values: list[RanWith]
    above: NotRequired[
        list[Count]
    ]  # for each line of the script before the cell: its number in the cell it is from, or 0


class ReplicaEnvironment(TypedDict):
    """Variables and paths of one replica."""

    name: str
    variables: list[Pair]
    paths: list[Pair]  # path and description


class EnvironmentAnswer(TypedDict):
    """The command and the environment variables."""

    command: str  # as it was run, with variables filled in
    replicas: list[ReplicaEnvironment]
    note: str


class GitStateJson(TypedDict):
    """The repository of the code when the job was submitted."""

    root: str  # '' for one that was only fetched
    commit: str  # '' before the first one
    branch: str  # '' if none was checked out
    remote: str  # without a login
    changed: Count  # tracked files that differed from the commit
    untracked: Count  # files and whole directories
    is_tracked: bool  # the repository has files of the code's directory
    diff: Count  # bytes of the recorded difference; `changes` asks for it
    is_diff_cut: bool
    masked: Count  # secrets in the difference
    diff_note: str  # why it was not recorded


class PythonStateJson(TypedDict):
    """The Python that runs the job."""

    version: str
    executable: str
    packages: Annotated[list[str], Items(most=MOST_PACKAGES)]  # as `pip freeze` has them


class ImageStateJson(TypedDict):
    """An image of the job; digest and Python are '' if they are not known."""

    uri: str
    digest: str
    python: str


class OutputSize(TypedDict):
    """An output channel, and what is in it."""

    channel: str
    count: Count  # files
    size: Count  # bytes
    is_more: bool  # only some of its files were counted
    note: str  # why they could not be


class OverviewAnswer(TypedDict):
    """What the job was started from, and the sizes of its outputs."""

    is_recorded: bool  # false for a job of an older version
    note: str  # what could not be read
    code_of: str  # the job whose package it took over
    source: str  # the address of code that was fetched
    git: GitStateJson | None
    git_note: str  # why there is none, if it was looked for
    python: PythonStateJson | None
    requirements: list[str]  # the job's own, on top of the packages
    images: list[ImageStateJson]
    outputs: list[OutputSize]


class ChangesAnswer(TypedDict):
    """The uncommitted changes when the job was submitted; the difference, as `git diff` has it, is the buffer."""

    size: Count


JobBoardState: TypeAlias = Literal["none", "stopped", "starting", "running"]


class BoardAnswer(TypedDict):
    """A TensorBoard over this job's event files."""

    state: JobBoardState
    url: str  # as the browser reaches it; '' unless running
    note: str  # a sentence for the user


class FrameJson(TypedDict):
    """A line of a function; `file` is '' for the job's cell, `cell` the number of another cell that the line is from."""

    function: str
    file: str
    line: Count
    cell: Count | None
    is_own: bool  # of the job's script


class ThreadJson(TypedDict):
    """A thread of a process; its frames begin with the outermost."""

    name: str
    is_idle: bool
    has_gil: bool
    frames: list[FrameJson]
    left_out: Count  # frames missing behind the first ten


class ProcessJson(TypedDict):
    """The threads of a Python process; `trouble` says why they cannot be read."""

    replica: str
    pid: Count
    threads: list[ThreadJson]
    left_out: Count  # threads
    trouble: str


class StacksAnswer(TypedDict):
    """What the processes of a job do right now."""

    processes: list[ProcessJson]


class ProfileAnswer(TypedDict):
    """A recording: how far it is; when it is done, its tree, a node before its children."""

    state: Literal["none", "running", "done"]
    elapsed: float  # seconds
    seconds: Count
    samples: Count
    frames: list[FrameJson]
    nodes: list[tuple[int, int, int]]  # depth, index of the frame (of a process -PID), samples
    notes: list[str]


class StopAnswer(TypedDict):
    """The job is being stopped."""

    note: NotRequired[str]


class Answers(TypedDict):
    """Answers to a view of a job, by `kind` of the request."""

    hello: HelloAnswer
    bye: Nothing
    lines: LogWindow
    search: SearchAnswer
    points: PointsAnswer
    files: FilesAnswer | FilePiece
    overview: OverviewAnswer
    changes: ChangesAnswer
    source: SourceAnswer
    environment: EnvironmentAnswer
    board: BoardAnswer
    stacks: StacksAnswer
    profile: ProfileAnswer
    stop: StopAnswer
    rerun: JobNamed


class DifferenceLine(TypedDict):
    """One line of the difference; of kind `skipped`, the text is the number of skipped lines."""

    kind: Literal["same", "gone", "new", "skipped"]
    text: Annotated[str, Text(most=MAX_DIFFERENCE_LINE)]


class DifferenceAnswer(TypedDict):
    """The changes from one script to the other."""

    lines: Annotated[list[DifferenceLine], Items(most=MOST_DIFFERENCE_LINES)]
    is_cut: bool


class CellAnswer(TypedDict):
    """The cell as written, and the cell changed to run with the values of this job."""

    cell: str
    as_run: str
