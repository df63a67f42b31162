"""Answers about the runs table: a window of its lines, and all matching jobs as CSV. The requests are in rest."""

from typing import Annotated, Literal, NotRequired, TypeAlias, TypedDict

from pai_jupyter.store.annotations import MOST_TAGS
from pai_jupyter.wire.schema.limits import MOST_TABLE_ROWS, Items
from pai_jupyter.wire.schema.values import Count, JsonNumber, Scalar, StatusWord


class TableColumnJson(TypedDict):
    """A column; `is_shown`: unless columns are chosen."""

    key: str
    title: str
    part: Literal["job", "value", "metric"]
    kind: Literal["text", "number", "bool", "time", "seconds"]
    is_shown: bool


class TableSummary(TypedDict):
    """Mean and standard deviation of the numbers of a group; of one number there is no deviation."""

    mean: JsonNumber
    deviation: float | None
    count: Count


TableCell: TypeAlias = TableSummary | Scalar


class TableLineJson(TypedDict):
    """A job or a group; cells in the order of the columns that were asked for, numbers that JSON lacks as words."""

    id: NotRequired[str]  # of a job
    name: NotRequired[str]
    status: NotRequired[StatusWord]
    is_here: NotRequired[bool]
    is_starred: NotRequired[bool]
    tags: NotRequired[Annotated[list[str], Items(most=MOST_TAGS)]]
    group: NotRequired[str]  # the key of a group
    cell: NotRequired[Scalar]  # what its jobs have in common
    count: NotRequired[Count]  # its jobs
    cells: list[TableCell]


class TableAnswer(TypedDict):
    """The window; everything but `version` is missing if nothing has changed since the version that the client has."""

    version: str
    lines: NotRequired[Annotated[list[TableLineJson], Items(most=MOST_TABLE_ROWS)]]
    count: NotRequired[Count]  # lines
    jobs: NotRequired[Count]  # that match
    total: NotRequired[Count]  # all jobs
    problem: NotRequired[str]  # what is wrong with the filter, "" if nothing is
    shape: NotRequired[str]
    columns: NotRequired[list[TableColumnJson]]  # all there are, unless the client knows them


class TableText(TypedDict):
    """The matching jobs as CSV."""

    text: str
    count: Count
