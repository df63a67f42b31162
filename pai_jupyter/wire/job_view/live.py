"""The series of a job for one view: asked for once, and then pushed as they change while the view wants that.

Rule 1: a push keeps its budget in bytes; the series that have no room come with the next one, in their newest form.
Rule 2: event files tell nobody that they have grown. They are looked at once in `PAUSE` seconds, and only while live.
Rule 3: what is not in the metrics is said in notes: with every answer and push, and by a push of its own where it is new.
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

PAUSE = 1.0  # seconds between two looks for changes
MAX_NOTES = 20  # of a message
_FRAME = 1_000  # bytes of a push beside its series
_Key: TypeAlias = tuple[object, ...]


class LivePoints:
    """What one view knows of the series of `job`."""

    def __init__(self, job: Job) -> None:
        self._reader = PointsReader(job)
        self._reading = asyncio.Lock()
        self._waiting: dict[Group, dict[_Key, Part]] = {}  # of each group that is live: what is still to be pushed
        self._due = 0.0  # when to look again
        self._is_settled = False  # the last look has found nothing
        self._told = 0  # how many notes the view has heard

    async def answer(self, group: Group, *, is_live: bool | None) -> Message:
        """Return all series of `group`; `is_live`: True also starts pushes of changes, False only ends them.

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
            return points_message(parts, self._tell(group))

    def stir(self) -> None:
        """Mark that the job has progressed, so that points may have changed."""
        self._is_settled = False

    def pause(self, *, is_over: bool) -> float | None:
        """Seconds until there may be something to push; None where there will not be."""
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
                    notes = self._tell(group)
                    message = points_message(_take(waiting, budget - len(encode(sendable(notes)))), notes)
                    return Message(body={"kind": "points", "group": group, **message.body}, buffers=message.buffers)
        return None

    async def _look(self) -> None:
        self._is_settled = True
        for group, waiting in self._waiting.items():
            try:
                parts = await asyncio.to_thread(self._reader.changed, group)
            except PaiJupyterError:  # the folder is gone: what is told of the state says so
                continue
            waiting.update({(part["source"], part["replica"], part["name"]): (part, data) for part, data in parts})
            self._is_settled = self._is_settled and not parts and not self._reader.is_behind
        self._due = time.monotonic() + (0.0 if self._reader.is_behind else PAUSE)

    def _has_notes(self, group: Group) -> bool:
        """Return whether there are notes that the view has not received."""
        return group == "metrics" and len(self._reader.notes) > self._told

    def _tell(self, group: Group) -> list[str]:
        """Return the notes for a message about `group`, and mark them as sent."""
        if group == "metrics":
            self._told = len(self._reader.notes)
        return notes_of(self._reader, group)


def notes_of(reader: PointsReader, group: Group) -> list[str]:
    """Return the view's notes beside the series; only metrics have any."""
    return reader.notes[:MAX_NOTES] if group == "metrics" else []


def points_message(parts: Iterable[Part], notes: Sequence[str]) -> Message:
    """Build an answer to `points`."""
    parts = list(parts)
    body: PointsAnswer = {"series": [series for series, _ in parts], "notes": list(notes)}
    return Message(body=body, buffers=tuple(data for _, data in parts))


def _take(waiting: dict[_Key, Part], budget: int) -> list[Part]:
    """Take out the parts that fit into `budget` bytes, one at least."""
    taken: list[Part] = []
    room = budget - _FRAME
    for key, (series, data) in list(waiting.items()):
        room -= len(encode(sendable(series))) + len(data) + 16
        if taken and room < 0:
            break
        taken.append(waiting.pop(key))
    return taken
