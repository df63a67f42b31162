"""What a request asks of the list of jobs: which fit, in which order, and of `GET jobs` a page of them. Pure.

`JobsAnswer` of `schema.listing`. The search and the orders are those of `jobs.catalogue`.
Rule: `states` counts what fits but for the state that was asked for, so that each filter by state can say how many it has.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pai_jupyter.errors import SpecError
from pai_jupyter.events import Status
from pai_jupyter.jobs import JobRow, JobSearch, JobSelection
from pai_jupyter.wire.connection.listing import row_body
from pai_jupyter.wire.protocol.requests import RequestFields
from pai_jupyter.wire.schema.asked import JobsAsked

if TYPE_CHECKING:
    from pai_jupyter.wire.schema.listing import JobsAnswer

_PAGE = 100


@dataclass(frozen=True, kw_only=True)
class Selection:
    """A page of the jobs that are asked for."""

    jobs: JobSelection
    start: int
    limit: int

    @classmethod
    def parse(cls, request: Mapping[str, object]) -> "Selection":
        """Read what `GET jobs` asks for.

        Raises:
            SpecError: something in it cannot be meant.
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
    """Read which jobs a request asks for, and in which order: by default the newest first, by any other column upwards.

    Raises:
        SpecError: something in it cannot be meant.
    """
    fields = RequestFields(request, JobsAsked)
    sort: str = fields.word("sort") if fields.has("sort") else "created"
    return JobSelection(
        search=JobSearch.parse(fields.text("text", default="")),
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
        raise SpecError(
            f"`status` has {min(unknown)!r}, which is no state; there are {', '.join(Status)}.", field="status"
        )
    return names
