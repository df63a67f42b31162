"""`pai_jupyter.runs()`: jobs as a DataFrame."""

from collections.abc import Sequence
from typing import Any

from pai_jupyter.errors import SpecError
from pai_jupyter.jobs.job_index.search import JobSearch, parsed_words, refuse_unknown
from pai_jupyter.jobs.table.current import read_table
from pai_jupyter.jobs.table.export import as_frame


def runs(
    search: str = "", *, columns: Sequence[str] | None = None, sort: str | None = None, limit: int | None = None
) -> Any:  # Any: a DataFrame; pandas is untyped, and imported late
    """Return this user's jobs as a DataFrame of pandas, newest first: a row for each job, its id as the index.

    There is a column for each value and each metric of these jobs (its last number; `min(loss)`, `max(loss)`, `steps(loss)` are
    the others), beside state, name, times and more. `search` filters as `%pai_runs` does; `columns` chooses, in this order; `sort`
    names a column, with `-` before it the largest come first; `limit` is the most jobs.

    Raises:
        SpecError: the search or a column is refused.
        PaiJupyterError: pandas is not installed, or the list of jobs cannot be read.

    Example:
        >>> import pai_jupyter
        >>> from pai_jupyter import JobSpec, submit
        >>> job = submit(JobSpec(name="demo", command="true", hyperparameters={"lr": 0.1}), backend="process").wait()
        >>> pai_jupyter.runs("lr<0.2", columns=["name", "lr"]).to_dict("records")
        [{'name': 'demo', 'lr': 0.1}]
    """
    if limit is not None and limit < 0:
        raise SpecError(f"`limit` is {limit}; it must be a whole number from 0.", field="limit")
    table = read_table()
    words = parsed_words(search)
    refuse_unknown(words, table.rows)
    found = table.find(table.query(JobSearch.of_words(words), sort=sort))[:limit]
    if columns is not None:
        return as_frame(found, [table.named(title) for title in columns])
    every = table.columns.values()
    return as_frame(found, [it for it in every if it.part == "job" or any(it.read(row) is not None for row in found)])
