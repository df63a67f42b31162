"""Pushes to one mounted view of the list of all jobs: `JobsPush` of `schema.listing`.

Rule 1: the first pushes send all rows, newest jobs first; the very first is small, since a user waits for it. Later pushes
    send changed rows and the ids of removed ones.
Rule 2: as in the view of one job, at most `PER_SECOND` pushes a second, each of at most `PUSH_BYTES` and built just before
    it is sent. While a client takes none, no queue grows: the next push has the rows as they are then.
Rule 3: which rows are shown, and in which order, is sent apart from the rows, as ids: the selection may change while the
    rows stay. It names only rows already sent; each push replaces one contiguous range of it.
Rule 4: all views share one list, which is read once for all of them (`jobs.job_index`).
"""

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, cast

from pai_jupyter.backends import plugin_titles
from pai_jupyter.events import number_to_json
from pai_jupyter.jobs import JobIndex, JobRow, JobSelection, watching_all
from pai_jupyter.jobs.job_index.search import problem_of
from pai_jupyter.spec import Json
from pai_jupyter.wire.job_view.job_events import PUSH_BYTES
from pai_jupyter.wire.job_view.pushes import PER_SECOND, Send
from pai_jupyter.wire.protocol.messages import Message, encode, sendable
from pai_jupyter.wire.protocol.prices import price_body

if TYPE_CHECKING:
    from pai_jupyter.wire.schema.listing import JobRowJson, JobsNews, JobsOrder, JobsPush

FIRST = 100  # rows of the very first push: more than a screen shows
MAX_NOTES = 20
MAX_NOTE = 500  # characters
MAX_PROBLEM = 1_000  # characters
NOTE_SHOWN = 300  # characters of a job's note in its row; it is searched here
_FRAME = MAX_NOTES * 4 * MAX_NOTE + 4 * MAX_PROBLEM + 1_000  # bytes of a push without rows and ids


_LOCAL_ONLY = ("stem", "facts", "searched")  # fields that only local tables need
# left out when empty: few rows have them, and older pages do not know them
_OMITTED_IF_EMPTY = (
    *("values", "in_line", "roles", "failed_replica", "run", "step", "alert"),
    *("recorded_name", "is_starred", "tags", "note", "cost"),
)
_FIELDS = tuple(field.name for field in fields(JobRow) if field.name not in _LOCAL_ONLY)


def row_body(row: JobRow) -> "JobRowJson":
    """Convert a row for the wire; a field added to `JobRow` needs no change here."""
    body: dict[str, Json] = {name: getattr(row, name) for name in _FIELDS}
    body["status"] = str(row.status)
    body["metric"] = {"name": row.metric[0], "value": number_to_json(row.metric[1])} if row.metric else None
    body["values"], body["tags"] = [*row.values], [*row.tags]
    body["note"] = row.note[:NOTE_SHOWN]
    body["alert"] = asdict(row.alert) if row.alert else None
    body["cost"] = cast(Json, price_body(row.cost)) if row.cost is not None else None
    for name in _OMITTED_IF_EMPTY:
        if not body[name]:
            del body[name]
    if title := plugin_titles().get(row.backend):
        body["title"] = title
    return cast("JobRowJson", body)


class ListView:
    """A view of all jobs; it receives pushes while `run` runs."""

    def __init__(self, name: str, send: Send, selection: JobSelection) -> None:
        self._name = name
        self._send = send
        self._story = ListStory(selection)
        self._news = asyncio.Event()
        self._seq = 0

    def select(self, selection: JobSelection) -> None:
        """Change which jobs are shown."""
        self._story.selection = selection
        self._news.set()

    async def run(self) -> None:
        """Push until cancelled."""
        async with watching_all(self._news) as catalogue:
            while True:
                await self._news.wait()
                self._news.clear()
                while catalogue.is_current and (push := self._story.news(catalogue)):
                    await self._push(push)
                    await asyncio.sleep(1 / PER_SECOND)

    async def _push(self, news: "JobsNews") -> None:
        push: JobsPush = {"kind": "jobs", "seq": self._seq, "now": time.time(), **news}
        self._seq += 1
        await self._send(Message(body={**push, "view": self._name}))


class ListStory:
    """What one view knows of the list: rows, order and notes as they were sent."""

    def __init__(self, selection: JobSelection | None = None) -> None:
        self.selection = selection or JobSelection()
        self._told: dict[str, JobRow] = {}
        self._order: list[str] = []  # ids of the shown rows, as they were sent
        self._shown: tuple[JobSelection, Sequence[str]] | None = None  # the order wanted now; None after rows change
        self._problem = ""  # of the filter, as it was sent
        self._problems: tuple[Sequence[str], str] | None = None  # of the order that it is about
        self._notes: list[str] = []
        self._was_whole = False
        self._is_first = True

    def news(self, catalogue: JobIndex) -> "JobsNews | None":
        """Return the next push, or None if nothing is new."""
        changed, gone = self._difference(catalogue.rows)
        rows, ids, room = self._take(changed[:FIRST] if self._is_first else changed, gone)
        if rows or ids:
            self._shown = None
        order = self._reorder(room)
        is_whole = catalogue.is_whole and len(rows) == len(changed) and len(ids) == len(gone)
        notes = [note[:MAX_NOTE] for note in catalogue.notes[:MAX_NOTES]]
        problem = self._problem_of_filter() if is_whole else self._problem
        told, known = (notes, is_whole, problem), (self._notes, self._was_whole, self._problem)
        if not (self._is_first or rows or ids or order) and told == known:
            return None
        body: JobsNews = {
            "rows": rows,
            "gone": ids,
            "is_first": self._is_first,
            "is_whole": is_whole,
            "notes": notes,
        }
        if order:
            body["order"] = order
        if problem:
            body["problem"] = problem
        self._notes, self._was_whole, self._problem, self._is_first = notes, is_whole, problem, False
        return body

    def _problem_of_filter(self) -> str:
        """Return what is wrong with a filter; one that matches something is left alone, so that a long list costs nothing."""
        if self._shown is None or self._shown[1] or not self.selection.typed:
            return ""
        if self._problems is None or self._problems[0] is not self._shown[1]:
            self._problems = self._shown[1], problem_of(self.selection.typed, [*self._told.values()])[:MAX_PROBLEM]
        return self._problems[1]

    def _difference(self, rows: Mapping[str, JobRow]) -> tuple[list[JobRow], list[str]]:
        """Return the rows that are new or changed for the view, newest first, and the ids of removed jobs."""
        changed = [row for job_id, row in rows.items() if self._told.get(job_id) is not row]
        changed.sort(key=lambda row: (row.created, row.id), reverse=True)
        return changed, [job_id for job_id in self._told if job_id not in rows]

    def _reorder(self, room: int) -> "JobsOrder | None":
        """Return the next change of the shown order, of at most `room` bytes, and record it as sent."""
        if self._shown is None or self._shown[0] != self.selection:
            self._shown = self.selection, [row.id for row in self.selection.of(self._told.values())]
        told, wanted = self._order, self._shown[1]
        at, behind = _common_ends(told, wanted)
        ids: list[str] = []
        for job_id in wanted[at : len(wanted) - behind]:
            room -= _size_of(job_id)
            if room < 0:  # the rest waits for the next push
                behind = 0
                break
            ids.append(job_id)
        drop = len(told) - behind - at
        self._order = [*told[:at], *wanted[at : at + len(ids)], *(told[len(told) - behind :] if behind else [])]
        return {"at": at, "drop": drop, "ids": ids} if ids or drop else None

    def _take(self, changed: list[JobRow], gone: list[str]) -> "tuple[list[JobRowJson], list[str], int]":
        """Return the rows and ids that fit into a push, and the bytes left; record them as sent."""
        room, kept, bodies, ids = PUSH_BYTES - _FRAME, 0, [], []
        for job_id in gone:
            room -= _size_of(job_id)
            if room < 0:
                break
            ids.append(job_id)
            del self._told[job_id]
        for row in changed:
            body = row_body(row)
            place = _size_of(row.id)  # reserved: the same push may have the id in `order`
            room -= len(encode(sendable(body))) + 1 + place
            if room < 0:
                break
            kept += place
            bodies.append(body)
            self._told[row.id] = row
        return bodies, ids, max(0, room) + kept


def _size_of(job_id: str) -> int:
    """Return the size of an id in a push, in bytes."""
    return len(job_id) + 3


def _common_ends(one: Sequence[str], other: Sequence[str]) -> tuple[int, int]:
    """Return how many items both have in common at the beginning, and at the end."""
    least = min(len(one), len(other))
    first = next((place for place in range(least) if one[place] != other[place]), least)
    last = next((back for back in range(least - first) if one[-1 - back] != other[-1 - back]), least - first)
    return first, last
