"""One mounted view of the list of all jobs: what it is pushed, and when. `JobsPush` of labextension/src/panel/protocol.ts.

Rule 1: the first pushes bring all rows, the newest jobs first; the very first is small, for somebody waits for it. Later
    ones bring what has changed, and ids of what is gone.
Rule 2: as for the view of one job: at most `PER_SECOND` pushes a second, each within `PUSH_BYTES`, made when it may go. While
    a client takes nothing, nothing piles up: rows are told as they are by then.
Rule 3: the list itself is the same for all views, and is looked at once for all of them (`jobs.catalogue`).
"""

import asyncio
import time
from collections.abc import Mapping

from pai_jupyter.backends import plugin_titles
from pai_jupyter.events import number_to_json
from pai_jupyter.jobs import Catalogue, JobRow, watching_all
from pai_jupyter.wire.messages import Body, Message, encode, sendable
from pai_jupyter.wire.pushes import PER_SECOND, Send
from pai_jupyter.wire.story import PUSH_BYTES

FIRST = 100  # rows of the very first push: more than a page has in sight
MAX_NOTES = 20
MAX_NOTE = 500  # characters
_FRAME = MAX_NOTES * 4 * MAX_NOTE + 1_000  # bytes of a push beside rows and ids


def row_body(row: JobRow) -> Body:
    """`JobRow` of the wire."""
    return {
        "id": row.id,
        "name": row.name,
        "backend": row.backend,
        "place": row.place,
        "status": str(row.status),
        "notebook": row.notebook,
        "created": row.created,
        "started": row.started,
        "ended": row.ended,
        "progress": row.progress,
        "metric": {"name": row.metric[0], "value": number_to_json(row.metric[1])} if row.metric else None,
        "is_here": row.is_here,
        "url": row.url,
        "trouble": row.trouble,
        **({"values": [*row.values]} if row.values else {}),
        **({"in_line": row.in_line} if row.in_line else {}),
        **({"title": title} if (title := plugin_titles().get(row.backend)) else {}),
    }


class ListView:
    """A view of all jobs that is told of them as long as `run` runs."""

    def __init__(self, name: str, send: Send) -> None:
        self._name = name
        self._send = send
        self._story = ListStory()
        self._seq = 0

    async def run(self) -> None:
        """Push until cancelled."""
        news = asyncio.Event()
        async with watching_all(news) as catalogue:
            while True:
                await news.wait()
                news.clear()
                while catalogue.is_current and (push := self._story.news(catalogue)):
                    await self._push(push)
                    await asyncio.sleep(1 / PER_SECOND)

    async def _push(self, body: Body) -> None:
        named: Body = {"kind": "jobs", "view": self._name, "seq": self._seq, "now": time.time()}
        self._seq += 1
        await self._send(Message(body={**named, **body}))


class ListStory:
    """What one view was told of the list."""

    def __init__(self) -> None:
        self._told: dict[str, JobRow] = {}
        self._notes: list[str] = []
        self._was_whole = False
        self._is_first = True

    def news(self, catalogue: Catalogue) -> Body | None:
        """The next push, if there is something to tell."""
        changed, gone = self._difference(catalogue.rows)
        rows, ids = self._take(changed[:FIRST] if self._is_first else changed, gone)
        is_whole = catalogue.is_whole and len(rows) == len(changed) and len(ids) == len(gone)
        notes = [note[:MAX_NOTE] for note in catalogue.notes[:MAX_NOTES]]
        if not (self._is_first or rows or ids) and (notes, is_whole) == (self._notes, self._was_whole):
            return None
        body: Body = {
            "rows": [*rows],
            "gone": [*ids],
            "is_first": self._is_first,
            "is_whole": is_whole,
            "notes": [*notes],
        }
        self._notes, self._was_whole, self._is_first = notes, is_whole, False
        return body

    def _difference(self, rows: Mapping[str, JobRow]) -> tuple[list[JobRow], list[str]]:
        """The rows that the view does not have as they are, newest first, and the ids that are no more."""
        changed = [row for job_id, row in rows.items() if self._told.get(job_id) is not row]
        changed.sort(key=lambda row: (row.created, row.id), reverse=True)
        return changed, [job_id for job_id in self._told if job_id not in rows]

    def _take(self, changed: list[JobRow], gone: list[str]) -> tuple[list[Body], list[str]]:
        """As many of them as a push has room for; they count as told."""
        room, bodies, ids = PUSH_BYTES - _FRAME, [], []
        for job_id in gone:
            room -= len(job_id) + 3
            if room < 0:
                break
            ids.append(job_id)
            del self._told[job_id]
        for row in changed:
            body = row_body(row)
            room -= len(encode(sendable(body))) + 1
            if room < 0:
                break
            bodies.append(body)
            self._told[row.id] = row
        return bodies, ids
