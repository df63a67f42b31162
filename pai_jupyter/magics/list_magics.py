"""%pai_jobs: the list of jobs as a table, with the rows, search, orders and columns of the panel."""

import json
import time
from argparse import Namespace
from collections.abc import Mapping, Sequence
from typing import Any

from IPython.core.magic import Magics, line_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments
from IPython.display import display

from pai_jupyter.errors import PaiJupyterError, SpecError
from pai_jupyter.events import for_terminal
from pai_jupyter.jobs import Job, JobRow, JobSearch, JobSelection, list_rows
from pai_jupyter.jobs.distinction import distinctions
from pai_jupyter.jobs.job_index.columns import SHOWN, SORTED, CellWords, JobColumn
from pai_jupyter.jobs.job_index.search import HELP, refuse_unknown, states_named
from pai_jupyter.jobs.listing import annotation_damages
from pai_jupyter.jobs.runtime import job_store
from pai_jupyter.jobs.table import JobTable
from pai_jupyter.jobs.table.order import sorted_by
from pai_jupyter.jobs.where import where_of
from pai_jupyter.magics.lines import expand, parse
from pai_jupyter.magics.table import Table, clipped
from pai_jupyter.store import home, home_errors
from pai_jupyter.store.disk import make_folder
from pai_jupyter.view import age, environment_language, is_stable, said, state_word
from pai_jupyter.view.words import Language, backend_title, clock

_NONE = "no jobs yet. Start one with %%pai_train."
_NONE_IN_STATE = "no job is {}. %pai_jobs lists all."
_NONE_FOUND = "no matching jobs. %pai_jobs lists all."
MAX_DAMAGED = 20  # damaged records reported
MAX_TOLD = 20  # jobs whose trouble is reported
_OF_TABLE = ("cost", "star")  # orders by columns of the runs table
ORDERS = (*SORTED, *_OF_TABLE)


@magics_class
class ListMagics(Magics):
    """`%pai_jobs`, for all jobs of this user."""

    shell: Any  # IPython sets it

    @magic_arguments()
    @argument("search", nargs="*", metavar="WORD", help=HELP.replace("%", "%%"))
    @argument("-n", type=int, default=20, metavar="N", help="maximum number of jobs (default: 20)")
    @argument("--state", help="only those in this state: queued, running, succeeded, failed, stopped")
    @argument(
        "--sort", choices=sorted(ORDERS), default="created", help="by this column (default: created, newest first)"
    )
    @argument("--json", action="store_true", help="as JSON, for programs")
    @line_magic
    def pai_jobs(self, line: str) -> None:
        """List the jobs of this user, newest first, or those that a search finds, as the filter box of the panel does."""
        options = parse(self.pai_jobs, expand(line, self.shell.user_ns), is_mixed=True)
        if options.n < 1:
            raise SpecError(f"`-n {options.n}` must be a whole number from 1.", field="-n")
        rows, count = _found(_selection(options), options)
        if not rows:
            with home_errors():  # raises if the directory cannot be used, instead of showing no jobs
                make_folder(home() / "jobs")
        if options.json:
            print(json.dumps(_as_json(rows), indent=1, ensure_ascii=False))  # noqa: T201
            return
        empty = _NONE_FOUND if options.search else _NONE_IN_STATE.format(options.state) if options.state else _NONE
        display(jobs_table(rows, now=time.time(), empty=empty))
        if count > len(rows) and not is_stable():
            print(said(f"{len(rows)} of {count} jobs; -n N shows more."))  # noqa: T201
        told = [] if is_stable() else open_questions(rows)
        for sentence in [*damages(rows)[:MAX_DAMAGED], *told[:MAX_TOLD]]:
            print(for_terminal(said(sentence)))  # noqa: T201


def _selection(options: Namespace) -> JobSelection:
    statuses = frozenset() if options.state is None else states_named(options.state)
    sort = options.sort if options.sort in SORTED else "created"
    return JobSelection(search=JobSearch.of_words(options.search), statuses=statuses, sort=sort)


def _found(selection: JobSelection, options: Namespace) -> tuple[list[JobRow], int]:
    """Return the first jobs of a selection, as many as are asked for, and the number of all of them."""
    most = options.n
    if selection != JobSelection() or options.sort in _OF_TABLE:
        everything = list_rows()
        refuse_unknown(options.search, everything)
        found = _by_table(selection.of(everything), options.sort)
        return found[:most], len(found)
    rows = selection.of(list_rows(newest=most))  # reads only the newest; if there are fewer, these are all
    return rows[:most], len(rows) if len(rows) < most else max(len(rows), job_store().count())


def _by_table(rows: list[JobRow], sort: str) -> list[JobRow]:
    """Sort by what is an order of the runs table alone: the dearest first, those with a star first; others follow as they were."""
    if sort not in _OF_TABLE:
        return rows
    columns = JobTable(rows, now=time.time()).columns
    of_costs = [key for key in columns if key.startswith("cost:")]  # one for each currency
    keys = ["job:star"] if sort == "star" else of_costs
    for key in reversed(keys):
        rows = sorted_by(rows, columns[key].read, is_descending=True)
    return rows


def _as_json(rows: Sequence[JobRow]) -> list[dict[str, Any]]:  # Any: JSON values
    """Return the jobs as JSON; skip unreadable ones."""
    found = []
    for row in rows:
        try:
            found.append(Job(job_store().open(row.id)).to_json())
        except PaiJupyterError:
            continue
    return found


def damages(rows: Sequence[JobRow]) -> list[str]:
    """Return a line for each record that cannot be read, and for the annotations of a job that cannot be."""
    found, unread = [f"job {row.id}: {row.place}" for row in rows if not row.backend], annotation_damages()
    return [*found, *(f"job {row.id}: {unread[row.id]}" for row in rows if row.id in unread)]


def open_questions(rows: Sequence[JobRow]) -> list[str]:
    """Return a line for each job that cannot be reached or recorded, or may not have been started."""
    return [f"{row.id}: {row.trouble}" for row in rows if row.trouble]


def jobs_table(rows: Sequence[JobRow], *, now: float, empty: str = _NONE) -> Table:
    """Build the table of jobs; without ids, notebooks and times if outputs must be reproducible."""
    words = _words(rows, now)
    columns = [column for column in SHOWN if _is_shown(column, rows, words)]
    cells = [[clipped(column.text(row, words)) for column in columns] for row in rows]
    return Table(headers=[column.title for column in columns], rows=cells, empty=empty)


def _is_shown(column: JobColumn, rows: Sequence[JobRow], words: CellWords) -> bool:
    if column.varies and is_stable():
        return False
    return not column.is_rare or any(column.text(row, words) for row in rows)


def _words(rows: Sequence[JobRow], now: float) -> CellWords:
    language = environment_language()
    first = differing(rows)
    return CellWords(
        state=lambda row: state_word(row.status) + ("" if is_stable() else _state_detail(row)),
        backend=lambda row: backend_title(where_of(row.place), language),
        name=lambda row: (row.stem if is_stable() and not row.recorded_name else "") or row.name,
        time=lambda row: time_text(row, now),
        cost=lambda row: row_cost(row, now, language),
        first=lambda row: first[row.id],
    )


def _state_detail(row: JobRow) -> str:
    """Return, in brackets, the place in line of a queued job or the replica that failed a job."""
    detail = str(row.in_line or "") or row.failed_replica
    return f" ({for_terminal(detail)})" if detail else ""


def differing(rows: Sequence[JobRow]) -> Mapping[str, Sequence[str]]:
    """Return, by id, the names of values in which a job differs from neighbouring jobs of the same name."""
    named = [(row.recorded_name or row.name, dict(_pair(text) for text in row.values)) for row in rows]
    return {row.id: names for row, names in zip(rows, distinctions(named), strict=True)}


def _pair(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    return name, value


def row_cost(row: JobRow, now: float, language: Language) -> str:
    """Return what a job has cost so far; "" if its price is not known."""
    if row.cost is None:
        return ""
    from pai_jupyter.cost import cost_of  # late, with `decimal`: most lists have no prices
    from pai_jupyter.view.costs import amount_text

    ended = (row.ended or row.created) if row.status.is_terminal else None
    return amount_text(cost_of(row.cost, started=row.started, ended=ended, now=now), language)


def time_text(row: JobRow, now: float) -> str:
    """Return how long a job has run or waited, or how long ago it ended."""
    if row.status.is_terminal:
        return said(f"{age(now - (row.ended or row.created))} ago")
    return clock(now - (row.started or row.created))
