"""Following one job: whoever holds `follow.lock` leads and writes the job folder, everybody else reads it.

    lead: Backend.follow -> JobWriter (log, index, events, state) -> watchers
    tail: state.json, a few times a second                        -> watchers

A follower that dies leaves the lock, and the next one goes on from the recorded positions: every line and every
event exactly once. A full disk stops the recording, not the job: it is said once, and all goes on when there is room.
"""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from typing import TypeVar

from pai_jupyter.backends import get_backend
from pai_jupyter.errors import BackendError, LimitExceededError, NotFoundError, PaiJupyterError
from pai_jupyter.events import Event, JobState, Notice, Status, StatusChanged
from pai_jupyter.store import JobFolder, JobWriter

COMMIT_PAUSE = 0.5  # seconds between two commits while only log and metrics grow
TAIL_PAUSE = 0.25  # seconds between two looks at a folder that another process writes
MAX_PAUSE = 30.0  # seconds between two tries when a service or the disk refuses

_log = logging.getLogger(__name__)
T = TypeVar("T")
Watcher = Callable[[JobState], None]


class Following:
    """One job as this process sees it: its current state, who wants to know of changes, a future for its end."""

    def __init__(self, folder: JobFolder) -> None:
        self.folder = folder
        self.state = folder.read().state
        self.ended: Future[JobState] = Future()
        self._watchers: list[Watcher] = []

    def watch(self, watcher: Watcher) -> Callable[[], None]:
        """Call `watcher` on the runtime thread after each change; returns the function that ends this."""
        self._watchers.append(watcher)

        def unwatch() -> None:
            if watcher in self._watchers:
                self._watchers.remove(watcher)

        return unwatch

    async def run(self) -> None:
        """Follow until the job has ended."""
        try:
            await self._until_the_end()
            self.ended.set_result(self.state)
        except Exception as exc:  # noqa: BLE001  the end of a task: whoever waits must hear of it
            _log.exception("following job %s ended", self.folder.id)
            self.ended.set_exception(BackendError(f"job {self.folder.id} cannot be followed: {exc}"))

    async def _until_the_end(self) -> None:
        pause = TAIL_PAUSE
        while not self.state.status.is_terminal:
            try:
                await self._step()
                pause = TAIL_PAUSE
            except PaiJupyterError as exc:
                self._publish(replace(self.state, status=Status.UNKNOWN, reason=str(exc)))
                await asyncio.sleep(pause)
                pause = min(2 * pause, MAX_PAUSE)

    async def _step(self) -> None:
        """Lead if nobody does; else look once at what the leader has written."""
        lock = self.folder.try_lock()
        if lock is not None:
            with lock:
                await self._lead()
            return
        self._publish(self.folder.read().state)
        if not self.state.status.is_terminal:
            await asyncio.sleep(TAIL_PAUSE)

    async def _lead(self) -> None:
        backend = get_backend(self.folder.record.backend)
        writer = self.folder.writer(backend.log_home)
        try:
            ref, positions = writer.snapshot.ref, writer.snapshot.positions
            self._publish(writer.snapshot.state)
            if self.state.status.is_terminal:
                return
            if ref is None:
                raise NotFoundError("its submission was interrupted before it had started. Run the cell again.")
            await self._record_all(writer, backend.follow(ref, positions))
        except NotFoundError as exc:
            writer.record(StatusChanged(status=Status.FAILED, time=time.time(), reason=str(exc)))
            writer.commit()
            self._publish(writer.snapshot.state)
        finally:
            writer.close()

    async def _record_all(self, writer: JobWriter, stream: AsyncIterator[Event]) -> None:
        """Record every event; commit at each change of status, and now and then while only log and metrics grow."""
        committed = time.monotonic()
        async for event in _with_idle_marks(stream, COMMIT_PAUSE):
            if event is not None:
                await self._patiently(partial(writer.record, event))
            if isinstance(event, StatusChanged) or time.monotonic() - committed >= COMMIT_PAUSE:
                await self._patiently(writer.commit)
                committed = time.monotonic()
            self._publish(writer.snapshot.state)

    async def _patiently(self, action: Callable[[], T]) -> T:
        """Do `action` again until the disk has room; a try that failed has left no trace."""
        pause = TAIL_PAUSE
        while True:
            try:
                return action()
            except LimitExceededError as exc:
                notice = Notice(text=f"{exc} The job goes on; its record is completed when there is room.", time=time.time(), level="warning")
                if pause == TAIL_PAUSE:
                    self._publish(self.state.apply(notice))
                await asyncio.sleep(pause)
                pause = min(2 * pause, MAX_PAUSE)

    def _publish(self, state: JobState) -> None:
        if state == self.state:
            return
        self.state = state
        for watcher in tuple(self._watchers):
            watcher(state)


async def _with_idle_marks(stream: AsyncIterator[Event], pause: float) -> AsyncIterator[Event | None]:
    """The events of `stream`, and None whenever none came for `pause` seconds; ends `stream` when it is closed."""
    following = asyncio.ensure_future(anext(stream, None))
    try:
        while True:
            done, _ = await asyncio.wait({following}, timeout=pause)
            if not done:
                yield None
                continue
            event = following.result()
            if event is None:
                return
            following = asyncio.ensure_future(anext(stream, None))
            yield event
    finally:
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)
