"""`GET jobs`: of all jobs those that fit, in an order, a page of them. Pure; `JobsAnswer` of `schema.listing`.

Rule 1: `states` counts what fits but for the state that was asked for, so that each filter by state can say how many it has.
Rule 2: rows that lack what they are sorted by come last, whichever way. Among equals the newest comes first.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pai_jupyter.errors import SpecError
from pai_jupyter.events import Status
from pai_jupyter.jobs import JobRow
from pai_jupyter.wire.connection.listing import row_body
from pai_jupyter.wire.protocol.requests import Fields
from pai_jupyter.wire.schema.asked import Column, JobsAsked

if TYPE_CHECKING:
    from pai_jupyter.wire.schema.listing import JobsAnswer

_PAGE = 100
_Key = Callable[[JobRow], Any]  # Any: what each column sorts by

_COLUMNS: Mapping[Column, _Key] = {
    "created": lambda row: row.created,
    "started": lambda row: row.started,
    "ended": lambda row: row.ended,
    "name": lambda row: row.name.casefold(),
    "status": lambda row: row.status,
    "backend": lambda row: row.backend,
    "notebook": lambda row: row.notebook and row.notebook.casefold(),
    "progress": lambda row: row.progress,
}


@dataclass(frozen=True, kw_only=True)
class Selection:
    """Which jobs are asked for. An empty filter lets all pass."""

    text: str
    statuses: frozenset[str]
    backend: str
    notebook: str
    sort: Column
    is_descending: bool
    start: int
    limit: int

    @classmethod
    def parse(cls, request: Mapping[str, object]) -> "Selection":
        """Read what a request asks for.

        Raises:
            SpecError: something in it cannot be meant.
        """
        fields = Fields(request, JobsAsked)
        sort: Column = fields.word("sort") if fields.has("sort") else "created"
        return cls(
            text=fields.text("text", default="").casefold(),
            statuses=_statuses(fields.text("status", default="")),
            backend=fields.text("backend", default=""),
            notebook=fields.text("notebook", default=""),
            sort=sort,
            is_descending=fields.flag("descending") if fields.has("descending") else sort == "created",
            start=fields.number("start", default=0),
            limit=fields.number("limit", default=_PAGE),
        )

    def answer(self, rows: Sequence[JobRow]) -> "JobsAnswer":
        """The page of `rows` that this asks for, and what can be asked for."""
        fitting = [row for row in rows if self._fits(row)]
        states = Counter(str(row.status) for row in fitting)
        chosen = self._sorted([row for row in fitting if not self.statuses or row.status in self.statuses])
        return {
            "rows": [row_body(row) for row in chosen[self.start : self.start + self.limit]],
            "count": len(chosen),
            "states": {**states},
            "backends": [*sorted({row.backend for row in rows})],
            "notebooks": [*sorted({row.notebook for row in rows if row.notebook})],
        }

    def _fits(self, row: JobRow) -> bool:
        words = (row.name, row.id, row.notebook or "", str(row.status), *row.values)
        return (
            (not self.text or any(self.text in word.casefold() for word in words))
            and self.backend in ("", row.backend)
            and self.notebook in ("", row.notebook)
        )

    def _sorted(self, rows: list[JobRow]) -> list[JobRow]:
        key = _COLUMNS[self.sort]
        newest = sorted(rows, key=lambda row: (row.created, row.id), reverse=True)
        known = [row for row in newest if key(row) is not None]
        # `reverse` keeps equals in their order, as a sort does
        known.sort(key=key, reverse=self.is_descending)
        return [*known, *(row for row in newest if key(row) is None)]


def _statuses(text: str) -> frozenset[str]:
    names = frozenset(filter(None, text.split(",")))
    unknown = names - {str(status) for status in Status}
    if unknown:
        raise SpecError(
            f"`status` has {min(unknown)!r}, which is no state; there are {', '.join(Status)}.", field="status"
        )
    return names
