"""The series of a job for one view: answered once, then pushed as they change, while the view asks for it.

Rule 1: a push stays within its limit in bytes; series that do not fit follow in the next push, up to date then.
Rule 2: event files are polled, every `PAUSE` seconds, and only while live pushes are on.
Rule 3: notes name what the metrics lack. Every answer and push has them; a new note causes a push.
"""

import asyncio
import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.jobs import Job
from pai_jupyter.wire.job_view.points import Part, PointsReader
from pai_jupyter.wire.protocol.messages import Message, encode, sendable
from pai_jupyter.wire.schema.values import Group

if TYPE_CHECKING:
    from pai_jupyter.wire.schema.job import PointsAnswer

PAUSE = 1.0  # seconds between two polls
MAX_NOTES = 20  # per message
_FRAME = 1_000  # bytes of a push without its series
_Key: TypeAlias = tuple[object, ...]


class LivePoints:
    """The series of `job` for one view, and which of them it still has to receive."""

    def __init__(self, job: Job) -> None:
        self._reader = PointsReader(job)
        self._reading = asyncio.Lock()
        self._waiting: dict[Group, dict[_Key, Part]] = {}  # live group -> series that are still to be pushed
        self._due = 0.0  # monotonic time of the next poll
        self._is_settled = False  # the last poll found nothing
        self._sent_notes = 0  # number of notes sent to the view

    async def answer(self, group: Group, *, is_live: bool | None) -> Message:
        """Return all series of `group`; `is_live` True also starts pushes of changes, False only ends them.

        Raises:
            PaiJupyterError: the job's folder is gone or damaged.
        """
        async with self._reading:
            if is_live is False:
                self._waiting.pop(group, None)
                return points_message([], [])
            parts = await asyncio.to_thread(self._reader.read, group)
            if is_live:
                self._waiting[group] = {}
                self._is_settled = False
            return points_message(parts, self._notes_to_send(group))

    def stir(self) -> None:
        """Note that the job has progressed, so points may have changed."""
        self._is_settled = False

    def pause(self, *, is_over: bool) -> float | None:
        """Return the seconds until there may be something to push; None if there never will be."""
        has_news = any(self._waiting.values()) or any(map(self._has_notes, self._waiting))
        if not self._waiting or (is_over and self._is_settled and not has_news):
            return None
        return 0.0 if has_news else max(0.0, self._due - time.monotonic())

    async def news(self, budget: int) -> Message | None:
        """Return the next push without its view fields, or None; `budget` is in bytes."""
        async with self._reading:
            if self._waiting and time.monotonic() >= self._due:
                await self._look()
            for group, waiting in self._waiting.items():
                if waiting or self._has_notes(group):
                    notes = self._notes_to_send(group)
                    message = points_message(_take(waiting, budget - len(encode(sendable(notes)))), notes)
                    return Message(body={"kind": "points", "group": group, **message.body}, buffers=message.buffers)
        return None

    async def _look(self) -> None:
        self._is_settled = True
        for group, waiting in self._waiting.items():
            try:
                parts = await asyncio.to_thread(self._reader.changed, group)
            except PaiJupyterError:  # the folder is gone, which the state's push reports
                continue
            waiting.update({(part["source"], part["replica"], part["name"]): (part, data) for part, data in parts})
            self._is_settled = self._is_settled and not parts and not self._reader.is_behind
        self._due = time.monotonic() + (0.0 if self._reader.is_behind else PAUSE)

    def _has_notes(self, group: Group) -> bool:
        """Return whether there are notes that the view has not received."""
        return group == "metrics" and len(self._reader.notes) > self._sent_notes

    def _notes_to_send(self, group: Group) -> list[str]:
        """Return the notes for a message about `group` and record them as sent."""
        if group == "metrics":
            self._sent_notes = len(self._reader.notes)
        return notes_of(self._reader, group)


def notes_of(reader: PointsReader, group: Group) -> list[str]:
    """Return the notes about the series; only metrics have any."""
    return reader.notes[:MAX_NOTES] if group == "metrics" else []


def points_message(parts: Iterable[Part], notes: Sequence[str]) -> Message:
    """Build an answer to `points`."""
    parts = list(parts)
    body: PointsAnswer = {"series": [series for series, _ in parts], "notes": list(notes)}
    return Message(body=body, buffers=tuple(data for _, data in parts))


def _take(waiting: dict[_Key, Part], budget: int) -> list[Part]:
    """Remove and return the parts that fit into `budget` bytes, at least one."""
    taken: list[Part] = []
    room = budget - _FRAME
    for key, (series, data) in list(waiting.items()):
        room -= len(encode(sendable(series))) + len(data) + 16
        if taken and room < 0:
            break
        taken.append(waiting.pop(key))
    return taken
