"""The series of a job for one view: asked for once, and then pushed as they change while the view wants that.

Rule 1: a push keeps its budget in bytes; the series that have no room come with the next one, in their newest form.
Rule 2: event files tell nobody that they have grown. They are looked at once in `PAUSE` seconds, and only while live.
"""

import asyncio
import time
from collections.abc import Iterable
from typing import TypeAlias

from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.jobs import Job
from pai_jupyter.wire.messages import Message, encode, sendable
from pai_jupyter.wire.points import Group, Part, PointsReader

PAUSE = 1.0  # seconds between two looks for changes
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

    async def answer(self, group: Group, *, is_live: bool | None) -> Message:
        """All series of `group`, and their changes as well from now on, if `is_live`; False ends that, and brings nothing.

        Raises:
            PaiJupyterError: the job's folder is gone or damaged.
        """
        async with self._reading:
            if is_live is False:
                self._waiting.pop(group, None)
                return points_message([])
            parts = await asyncio.to_thread(self._reader.read, group)
            if is_live:
                self._waiting[group] = {}
                self._is_settled = False
        return points_message(parts)

    def stir(self) -> None:
        """The job has gone on: there may be changes."""
        self._is_settled = False

    def pause(self, *, is_over: bool) -> float | None:
        """Seconds until there may be something to push; None where there will not be."""
        if not self._waiting or (is_over and self._is_settled and not any(self._waiting.values())):
            return None
        return 0.0 if any(self._waiting.values()) else max(0.0, self._due - time.monotonic())

    async def news(self, budget: int) -> Message | None:
        """The next push, without what makes it one of a view, if there is something to push."""
        async with self._reading:
            if self._waiting and time.monotonic() >= self._due:
                await self._look()
            for group, waiting in self._waiting.items():
                if waiting:
                    message = points_message(_take(waiting, budget))
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


def points_message(parts: Iterable[Part]) -> Message:
    """An answer to `points`."""
    parts = list(parts)
    return Message(body={"series": [series for series, _ in parts]}, buffers=tuple(data for _, data in parts))


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
