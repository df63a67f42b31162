"""Pushes to one mounted view of a job.

    snapshot   once, first
    state      when the job's state has changed
    tail       new lines of the replica that is shown
    points     changed series, while the view asks for them

Rule 1: at most `PER_SECOND` pushes a second, each limited in bytes. A push is built just before it is sent.
Rule 2: no queue grows. `send` returns when the client has taken the message; changes meanwhile go into the next push, which
    is no larger for that.
Rule 3: `seq` counts the pushes of this view from 0, so a client notices a missing one.
Rule 4: after the job's end all remaining changes are sent, then polling stops.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import TypeAlias

from pai_jupyter.jobs import Job
from pai_jupyter.wire.job_view.job_events import PUSH_BYTES, JobEvents
from pai_jupyter.wire.job_view.live import LivePoints
from pai_jupyter.wire.job_view.poller import PolledState, watching
from pai_jupyter.wire.protocol.messages import Message
from pai_jupyter.wire.schema.values import Group

PER_SECOND = 5
Send: TypeAlias = Callable[[Message], Awaitable[None]]


class View:
    """A view of `job`; it receives pushes while `run` runs."""

    def __init__(self, name: str, job: Job, replica: str, send: Send) -> None:
        self.job = job
        self._name = name
        self._send = send
        self._story = JobEvents(job, replica)
        self._points = LivePoints(job)
        self._news = asyncio.Event()
        self._seq = 0
        self._free = 0.0  # monotonic time from which the next push may be sent

    async def points(self, group: Group, *, is_live: bool | None) -> Message:
        """Answer a request for series; see `LivePoints.answer`."""
        answer = await self._points.answer(group, is_live=is_live)
        self._news.set()
        return answer

    async def run(self) -> None:
        """Push until cancelled."""
        async with watching(self.job, self._news) as watch:
            look = watch.look
            await self._push({"kind": "snapshot", **await asyncio.to_thread(self._story.snapshot, look.trouble)})
            while True:
                await self._wait_for_change(is_over=look.is_over)
                if look is not watch.look:
                    look = watch.look
                    await self._push_changes(look)
                await self._push_points()

    async def _wait_for_change(self, *, is_over: bool) -> None:
        """Wait for a change, or until points are to be polled."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self._points.pause(is_over=is_over)):
                await self._news.wait()
        self._news.clear()

    async def _push_changes(self, look: PolledState) -> None:
        self._points.stir()
        await self._wait_for_slot()
        state = await asyncio.to_thread(self._story.state_news, look.trouble, is_last=look.is_over)
        if state is not None:
            await self._push(state)
        await self._wait_for_slot()
        tail = await asyncio.to_thread(self._story.tail_news)
        if tail is not None:
            await self._push(tail)

    async def _push_points(self) -> None:
        if self._points.pause(is_over=False) == 0:
            await self._wait_for_slot()
            message = await self._points.news(PUSH_BYTES)
            if message is not None:
                await self._push(message.body, message.buffers)

    async def _wait_for_slot(self) -> None:
        """Wait until the next push may be sent."""
        await asyncio.sleep(max(0.0, self._free - time.monotonic()))

    async def _push(self, body: Mapping[str, object], buffers: tuple[bytes, ...] = ()) -> None:
        message = Message(body={**body, "view": self._name, "seq": self._seq}, buffers=buffers)
        self._seq += 1
        self._free = time.monotonic() + 1 / PER_SECOND
        await self._send(message)
