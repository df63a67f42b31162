"""Filter and order of the list of jobs, and the page that `GET jobs` asks for: `JobsAnswer` of `schema.listing`. No I/O.

Search and order are those of `jobs.job_index`.
Rule: `states` counts the matching jobs by state, ignoring the filter by state, so that each such filter can show its count.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pai_jupyter.errors import SpecError
from pai_jupyter.events import Status
from pai_jupyter.jobs import JobRow, JobSearch, JobSelection
from pai_jupyter.jobs.job_index.search import parsed_words
from pai_jupyter.wire.connection.listing import row_body
from pai_jupyter.wire.protocol.requests import RequestFields
from pai_jupyter.wire.schema.rest import JobsAsked

if TYPE_CHECKING:
    from pai_jupyter.wire.schema.listing import JobsAnswer

_PAGE = 100


@dataclass(frozen=True, kw_only=True)
class Selection:
    """A page of the matching jobs; `start` counts from 0."""

    jobs: JobSelection
    start: int
    limit: int

    @classmethod
    def parse(cls, request: Mapping[str, object]) -> "Selection":
        """Parse the query of `GET jobs`.

        Raises:
            SpecError: a parameter is invalid.
        """
        fields = RequestFields(request, JobsAsked)
        return cls(
            jobs=read_selection(request),
            start=fields.number("start", default=0),
            limit=fields.number("limit", default=_PAGE),
        )

    def answer(self, rows: Sequence[JobRow]) -> "JobsAnswer":
        """Return the page of `rows` that this selects, with counts and the available filters."""
        states = Counter(str(row.status) for row in self.jobs.in_any_state(rows))
        chosen = self.jobs.of(rows)
        return {
            "rows": [row_body(row) for row in chosen[self.start : self.start + self.limit]],
            "count": len(chosen),
            "states": {**states},
            "backends": [*sorted({row.backend for row in rows})],
            "notebooks": [*sorted({row.notebook for row in rows if row.notebook})],
        }


def read_selection(request: Mapping[str, object]) -> JobSelection:
    """Parse filter and order; default: newest first, ascending where another column is named.

    Raises:
        SpecError: a parameter is invalid.
    """
    fields = RequestFields(request, JobsAsked)
    sort: str = fields.word("sort") if fields.has("sort") else "created"
    words = tuple(parsed_words(fields.text("text", default="")))
    return JobSelection(
        search=JobSearch.of_words(words),
        typed=words,
        statuses=_statuses(fields.text("status", default="")),
        backend=fields.text("backend", default=""),
        notebook=fields.text("notebook", default=""),
        sort=sort,
        is_descending=fields.flag("descending") if fields.has("descending") else sort == "created",
    )


def _statuses(text: str) -> frozenset[str]:
    names = frozenset(filter(None, text.split(",")))
    unknown = names - {str(status) for status in Status}
    if unknown:
        raise SpecError(f"`status` has {min(unknown)!r}; it must be one of {', '.join(Status)}.", field="status")
    return names
