"""The runs table: all jobs with a column for each value and each metric. What `%pai_runs`, `pai_jupyter.runs()` and the tab show.

    columns    the columns that there are, what kind each is, and how a cell of one is read
    order      sorting by a column
    groups     jobs grouped by a column: mean and standard deviation of the others
    table      `JobTable`: filter, sort and group one state of the list; the lines of a window
    export     matching jobs as CSV, and as a DataFrame of pandas
    current    the table of this process's list of jobs, and whether it has changed
    frame      `pai_jupyter.runs()`

All but `current` is pure, and pandas is imported late. Rows come from `job_index`: this package reads no folder.
Rule 1: the filter is the search of the list of jobs.
Rule 2: jobs without a cell come last in both directions, those with nan before them; ties: the newest first.
"""

from pai_jupyter.jobs.table.columns import TableColumn
from pai_jupyter.jobs.table.current import current_table, read_table
from pai_jupyter.jobs.table.export import as_csv, as_frame
from pai_jupyter.jobs.table.frame import runs
from pai_jupyter.jobs.table.groups import JobGroup, Summary
from pai_jupyter.jobs.table.table import JobTable, TableLine, TableQuery

__all__ = [
    "JobGroup",
    "JobTable",
    "Summary",
    "TableColumn",
    "TableLine",
    "TableQuery",
    "as_csv",
    "as_frame",
    "current_table",
    "read_table",
    "runs",
]
