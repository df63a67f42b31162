"""Queries and bodies over REST; rules as in asked."""

from collections.abc import Mapping
from typing import Annotated, NotRequired, TypeAlias, TypedDict

from pai_jupyter.store.annotations import MAX_NOTE, MOST_TAGS
from pai_jupyter.wire.schema.asked import (
    Cell,
    FilesAsked,
    Id,
    JobsSelection,
    Line,
    LinesAsked,
    Path,
    PointsAsked,
    SearchAsked,
    Uri,
)
from pai_jupyter.wire.schema.limits import (
    MAX_EXACT,
    MAX_ID,
    MAX_NAME,
    MAX_PATTERN,
    MOST_ABOVE,
    MOST_BOARD_JOBS,
    MOST_COLUMNS,
    MOST_REPORTED,
    MOST_ROWS,
    MOST_TABLE_ROWS,
    Items,
    Named,
    Number,
    Text,
)
from pai_jupyter.wire.schema.values import Nothing


class JobsAsked(JobsSelection):
    """A page of the matching jobs."""

    start: NotRequired[Line]
    limit: NotRequired[Annotated[int, Number(least=1, most=MOST_ROWS)]]


class DifferenceAsked(TypedDict):
    """The other job; its script counts as the newer one."""

    to: Id


class LogAsked(TypedDict):
    """The log of a replica; by default the first replica."""

    replica: NotRequired[str]


class BackendsAsked(TypedDict):
    """All backends; also check whether the backend named by `check` works."""

    check: NotRequired[str]


class ImagesAsked(TypedDict):
    """The official images for training."""

    framework: NotRequired[str]
    gpu: NotRequired[bool]


class InstancesAsked(TypedDict):
    """The machines for training."""

    gpu: NotRequired[bool]


class PlaceAsked(TypedDict):
    """A directory; without an address, the places to start at."""

    uri: NotRequired[Path]
    after: NotRequired[str]  # continues a long listing


class StoredAsked(TypedDict):
    """The address of a file or a directory."""

    uri: Uri


class ComponentsAsked(TypedDict):
    """All components."""

    saved: NotRequired[bool]  # only those that are saved here: no service is asked


class JobFileAsked(TypedDict):
    """A job file."""

    path: Path  # relative to the server's root directory


class ClusterAsked(TypedDict):
    """A known cluster."""

    name: str


class RunsAsked(TypedDict):
    """The runs of this machine; with `remote` also those of the workspace."""

    remote: NotRequired[bool]


class ComponentAsked(TypedDict):
    """A version of a component that is saved here, or registered in the workspace; by default the newest, or all to be deleted."""

    name: str
    version: NotRequired[str]
    registered: NotRequired[bool]


class StepComponentAsked(TypedDict):
    """A version of a component of pipelines that is saved here."""

    name: str
    version: str


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
    "components": ComponentsAsked,
    "component": ComponentAsked,
    "jobfile": JobFileAsked,
    "cluster": ClusterAsked,
    "cluster_check": ClusterAsked,
    "step_component": StepComponentAsked,
    "runs": RunsAsked,
    **dict.fromkeys(
        ("job", "stop", "rerun", "form", "adopt", "source", "environment", "cell", "output", "package"), Nothing
    ),
    **dict.fromkeys(("overview", "changes"), Nothing),
    "annotations": Nothing,
    **dict.fromkeys(("tensorboards", "schema", "submit", "metric", "cost"), Nothing),
    **dict.fromkeys(("component_save", "component_problems", "component_register", "component_run"), Nothing),
    "step_component_run": Nothing,
    **dict.fromkeys(("jobfile_submit", "jobfile_simulate"), Nothing),
    **dict.fromkeys(("clusters", "cluster_use", "cluster_login"), Nothing),
    **dict.fromkeys(("table", "table_csv", "report"), Nothing),
    **dict.fromkeys(("run", "run_stop", "run_inputs", "run_rerun"), Nothing),
}
"""Kind of a REST request -> the type of its query."""


class MetricNamed(TypedDict):
    """The metric that the list shows; empty: chosen automatically."""

    name: Id


# What a tag may be its own check says, in words about tags.
Tags: TypeAlias = Annotated[list[Annotated[str, Text(most=MAX_PATTERN)]], Items(most=MOST_TAGS)]


class AnnotationsChanged(TypedDict):
    """A change of what the user says about a job: tags are added, then removed; what is missing stays."""

    name: NotRequired[Annotated[str, Text(most=MAX_NAME)] | None]  # "": the recorded name
    is_starred: NotRequired[bool | None]
    note: NotRequired[Annotated[str, Text(most=2 * MAX_NOTE)] | None]
    add: NotRequired[Tags | None]
    remove: NotRequired[Tags | None]


class JobsBoardAsked(TypedDict):
    """A TensorBoard over jobs."""

    jobs: Annotated[list[Id], Items(least=1, most=MOST_BOARD_JOBS)]
    uri: NotRequired[None]


class ReportAsked(TypedDict):
    """A report of jobs, as a file that ends in .html or .ipynb."""

    jobs: Annotated[list[Id], Items(least=1, most=MOST_REPORTED)]
    path: Path  # relative to the server's root directory
    title: NotRequired[Annotated[str, Text(most=MAX_NAME)] | None]
    replace: NotRequired[bool | None]  # a file that is there


class FolderBoardAsked(TypedDict):
    """A TensorBoard over a folder in OSS."""

    uri: Annotated[str, Text(most=2 * MAX_ID, pattern="^oss://")]
    jobs: NotRequired[None]


BoardAsked: TypeAlias = Annotated[
    JobsBoardAsked | FolderBoardAsked, Named("BoardAsked", "What a TensorBoard is opened over.")
]


Above: TypeAlias = Annotated[list[Cell], Items(most=MOST_ABOVE)]
"""The code cells above a cell, the first one first."""
CellNumbers: TypeAlias = Annotated[list[Annotated[int, Number(most=MAX_EXACT)]], Items(most=MOST_ABOVE)]
"""What is shown in front of each of them: the number of its execution; 0 if it did not run."""


class CellAsked(TypedDict):
    """A cell, with or without the line of its magic; `above` are the cells that it may take names from."""

    cell: Cell
    above: NotRequired[Above | None]
    numbers: NotRequired[CellNumbers | None]
    notebook: NotRequired[Path | None]  # path relative to the server's root directory


class LineAsked(TypedDict):
    """The line of a `%%pai_train` magic."""

    line: Cell


class SubmitAsked(TypedDict):
    """A cell with the line of its magic, to be run as a job."""

    cell: Cell
    above: NotRequired[Above | None]
    numbers: NotRequired[CellNumbers | None]
    notebook: NotRequired[Path | None]  # path relative to the server's root directory
    values: NotRequired[dict[str, object] | None]


class RerunAsked(TypedDict):
    """A rerun; with `line`, that of the job's form, it has what the line says, else it is as the job was."""

    line: NotRequired[Cell | None]


class ComponentNamed(TypedDict):
    """A version of a saved component, by default the newest."""

    name: Id
    version: NotRequired[Id | None]


class ComponentFormAsked(TypedDict):
    """A component in a form, as `ComponentForm`; `files_of` is the saved version whose own files it keeps."""

    form: dict[str, object]
    files_of: NotRequired[ComponentNamed | None]


class ComponentSaveAsked(ComponentFormAsked):
    """A version to be saved."""

    register: NotRequired[bool | None]  # register it first


class ComponentRunAsked(TypedDict):
    """A job of a component."""

    name: Id
    version: NotRequired[Id | None]
    registered: NotRequired[bool | None]  # the one of the workspace
    job_name: NotRequired[Id | None]
    inputs: NotRequired[dict[str, str] | None]  # places of channels
    outputs: NotRequired[dict[str, str] | None]
    values: NotRequired[dict[str, object] | None]  # of parameters
    backend: NotRequired[Id | None]
    instance_type: NotRequired[Id | None]
    instance_count: NotRequired[Annotated[int, Number(least=1, most=MAX_EXACT)] | None]
    accepts_changes: NotRequired[bool | None]  # run although code or image is another one than when it was saved


class JobFileSubmitted(TypedDict):
    """A job file to be submitted, to this cluster or the chosen one."""

    path: Path  # relative to the server's root directory
    cluster: NotRequired[Id | None]


class JobFileSimulated(TypedDict):
    """A job file to be simulated."""

    path: Path  # relative to the server's root directory
    images: NotRequired[dict[str, str] | None]  # of the job file, and local ones in their place


class ClusterNamed(TypedDict):
    """A known cluster."""

    name: Id


class ClusterLogin(ClusterNamed):
    """Another password for it."""

    password: Id
    keep: NotRequired[bool | None]  # in a file that only this user can read; else the server holds it until it ends


class ClusterAdded(ClusterLogin):
    """A cluster, or another one in place of that of its name."""

    address: Id  # host or http(s)://HOST[:PORT]
    user: Id


class StepComponentRunAsked(TypedDict):
    """A run of a component of pipelines on this machine."""

    name: Annotated[str, Text(most=MAX_NAME)]
    version: Annotated[str, Text(most=MAX_NAME)]
    parameters: NotRequired[dict[str, object] | None]  # texts are read as the inputs' types


ColumnKey: TypeAlias = Annotated[str, Text(most=MAX_NAME)]
"""A column of the runs table: `job:name`, `value:lr`, `last:loss`, `min:loss`, ..."""


class TableSelection(TypedDict):
    """Jobs of the runs table: filter (as of the list of jobs), order, and columns by key."""

    text: NotRequired[Annotated[str, Text(most=MAX_PATTERN)] | None]
    sort: NotRequired[ColumnKey | None]
    descending: NotRequired[bool | None]
    columns: Annotated[list[ColumnKey], Items(most=MOST_COLUMNS)]  # whose cells are sent


class TableAsked(TableSelection):
    """A window of the lines; with `group` a line for each group, and for the jobs of those that are `opened`."""

    group: NotRequired[ColumnKey | None]
    opened: NotRequired[Annotated[list[Annotated[str, Text(most=MAX_NAME)]], Items(most=MOST_COLUMNS)] | None]
    start: NotRequired[Line | None]
    limit: NotRequired[Annotated[int, Number(least=1, most=MOST_TABLE_ROWS)] | None]
    ids: NotRequired[Annotated[list[Id], Items(most=MOST_TABLE_ROWS)] | None]  # of these jobs alone
    version: NotRequired[Id | None]  # what the client has: where nothing has changed since, nothing is sent
    of_version: NotRequired[Id | None]  # one that will do: where the server still has it, it looks for no change
    shape: NotRequired[Id | None]  # of the columns that the client knows
