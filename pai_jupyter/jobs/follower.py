"""Follow one job: the holder of `follow.lock` (the leader) writes the job folder, all others read it.

    lead: Backend.follow -> JobWriter (log, index, events, state) -> watchers
    tail: state.json, trouble.json, a few times a second          -> watchers

Rule 1: when the leader dies the lock is free, and the next one continues at the recorded positions: every line and event
    exactly once.
Rule 2: the submitter holds the lock until the outcome is recorded. So a leader that finds no outcome knows that the submitter
    died: it asks the backend for the job by its id and records the answer. "Never started" is recorded only on proof (see
    `Backend.status`); until then the job is shown as `unknown` and the backend is asked again.
Rule 3: following ends only with the job or its folder. A job that cannot be reached is shown as `unknown` and tried again; a
    full disk stops the recording, not the job: one notice says so, and recording continues when there is space. Meanwhile both
    are in trouble.json for all readers.
"""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from concurrent.futures import Future
from contextlib import aclosing, closing, suppress
from dataclasses import replace
from functools import partial
from typing import TypeVar

from pai_jupyter.backends import Backend, Recoverable, get_backend
from pai_jupyter.config import wanted_stall_after
from pai_jupyter.errors import (
    BackendError,
    LimitExceededError,
    NotFoundError,
    PaiJupyterError,
    ProtocolError,
    cause_of,
)
from pai_jupyter.events import Event, JobState, Notice, Status, StatusChanged
from pai_jupyter.jobs import pending
from pai_jupyter.jobs.lasting import lasting_notice
from pai_jupyter.jobs.trouble import TroubleNote, trouble_of
from pai_jupyter.spec import JobRef
from pai_jupyter.store import GOES_ON, JobFolder, JobWriter, Trouble
from pai_jupyter.store.disk import translated

COMMIT_PAUSE = 0.5  # seconds between two commits while only log and metrics grow
TAIL_PAUSE = 0.25  # seconds between two reads of a folder that another process writes
MAX_PAUSE = 30.0  # seconds between two tries after a service's error
MAX_DISK_PAUSE = 2.0  # seconds between two tries after a disk error

_log = logging.getLogger(__name__)
T = TypeVar("T")
Watcher = Callable[[JobState], None]


class Following:
    """One followed job in this process: its current state, watchers of changes, a future for its end."""

    def __init__(self, folder: JobFolder) -> None:
        self.folder = folder
        self._state = folder.read().state  # the state without trouble
        self._trouble = TroubleNote(folder.path)
        self.state = folder.standing()
        self.ended: Future[JobState] = Future()
        self.ended.set_running_or_notify_cancel()  # cancelling one waiter (`wait_for`) must not cancel the future for all
        self._watchers: list[Watcher] = []
        self._disk_is_full: Notice | None = None

    @property
    def has_failed(self) -> bool:
        """Whether following has ended before the job did."""
        return self.ended.done() and self.ended.exception() is not None

    @property
    def is_outdated(self) -> bool:
        """Whether the job has an end here that its folder no longer knows: state.json was deleted, or an old one put back."""
        if not self.ended.done() or self.has_failed:
            return False
        with suppress(PaiJupyterError):
            return not self.folder.read().state.status.is_terminal and not is_removed(self.folder)
        return False

    def watch(self, watcher: Watcher) -> Callable[[], None]:
        """Call `watcher` on the runtime thread after each change; return a function that ends this."""
        self._watchers.append(watcher)

        def unwatch() -> None:
            if watcher in self._watchers:
                self._watchers.remove(watcher)

        return unwatch

    @property
    def trouble(self) -> Trouble | None:
        """Why the job cannot be reached or recorded now; None if there is no known trouble."""
        return None if self.state.status.is_terminal else self._trouble.now

    async def run(self) -> None:
        """Follow until the job has ended."""
        try:
            await self._until_the_end()
            self.ended.set_result(self.state)
        except NotFoundError as exc:
            self.ended.set_exception(exc)
        except Exception as exc:  # noqa: BLE001  end of the task: waiters must get the error
            _log.exception("following job %s ended", self.folder.id)
            self.ended.set_exception(BackendError(f"job {self.folder.id} cannot be followed: {cause_of(exc)}"))
        finally:
            self._trouble.leave()

    def abandon(self) -> None:
        """Tell all waiters that this process no longer follows the job."""
        if not self.ended.done():
            self.ended.set_exception(
                BackendError(
                    f"job {self.folder.id} goes on, but nobody follows it here. Type: %pai_attach {self.folder.id}"
                )
            )

    async def _until_the_end(self) -> None:
        pause = TAIL_PAUSE
        while not self.state.status.is_terminal:
            try:
                with translated(self.folder.path):  # a failing disk, too many open files: keep trying
                    await self._step()
                if self.trouble is None:  # pause, or several processes in trouble would alternate without end
                    pause = TAIL_PAUSE
            except PaiJupyterError as exc:
                if is_removed(self.folder):
                    raise NotFoundError(
                        f"job {self.folder.id} was removed: its folder is gone. If it runs still, end it: %pai_stop {self.folder.id}"
                    ) from exc
                self._trouble.note(trouble_of(exc, self.folder))
                self._publish(self._state)
                await asyncio.sleep(pause)
                pause = min(2 * pause, MAX_PAUSE)

    async def _step(self) -> None:
        """Lead if the lock is free; else read once what the leader has written."""
        lock = self.folder.try_lock()
        if lock is not None:
            with lock:
                self._trouble.lead()
                await self._lead()
            return
        self._trouble.look()
        self._publish(self.folder.read().state)
        if not self.state.status.is_terminal:
            await asyncio.sleep(TAIL_PAUSE)

    async def _lead(self) -> None:
        backend = get_backend(self.folder.record.backend)
        snapshot = self.folder.read()
        if snapshot.ref is None and not snapshot.state.status.is_terminal:
            await _note_submission(self.folder, backend)
            snapshot = self.folder.read()
        if snapshot.ref is None or snapshot.state.status.is_terminal:
            self._publish(snapshot.state)
            return
        await pending.stop_if_wanted(self.folder, backend, snapshot.ref)
        make_writer = partial(self.folder.writer, backend.log_home, stall_after=wanted_stall_after())
        writer = await self._patiently(make_writer)
        with closing(writer):
            await self._record_all(writer, _until_gone(backend.follow(snapshot.ref, writer.snapshot.positions)))

    async def _record_all(self, writer: JobWriter, stream: AsyncGenerator[Event, None]) -> None:
        """Record every event; commit at each change of status, and periodically while only log and metrics grow."""
        committed = time.monotonic()
        async with aclosing(_with_idle_marks(stream, COMMIT_PAUSE)) as events:
            async for event in events:
                self._trouble.hear(event)
                if isinstance(event, StatusChanged):
                    event = self._explained(event, writer.snapshot.state)
                if event is not None:
                    await self._patiently(partial(writer.record, event))
                if isinstance(event, StatusChanged) or time.monotonic() - committed >= COMMIT_PAUSE:
                    await self._note_lasting(writer)
                    await self._patiently(partial(writer.record_alerts, time.time(), is_reached=self.trouble is None))
                    await self._commit(writer)
                    committed = time.monotonic()
                self._publish(writer.snapshot.state)
        if not self.state.status.is_terminal:
            raise ProtocolError(
                f"backend {self.folder.record.backend!r} did not say how job {self.folder.id} has ended."
            )

    def _explained(self, event: StatusChanged, state: JobState) -> StatusChanged:
        """Say that a job was ended by its cost limit, which its backend only knows as a time limit."""
        price = self.folder.record.price
        if price is None or event.status not in (Status.FAILED, Status.STOPPED):
            return event
        from pai_jupyter.cost import reason_by_cost  # late: few jobs have a price

        started = state.entered.get(Status.RUNNING)
        ran = None if started is None else event.time - started
        return replace(
            event, reason=reason_by_cost(price, event.reason, ran=ran, has_exit_code=event.exit_code is not None)
        )

    async def _note_lasting(self, writer: JobWriter) -> None:
        """Record what keeps the job running although it has succeeded, if anything does."""
        spec, state = self.folder.record.spec, writer.snapshot.state
        notice = lasting_notice(self.folder.id, spec, state, time.time())
        if notice is not None:
            await self._patiently(partial(writer.record, notice))

    async def _commit(self, writer: JobWriter) -> None:
        await self._patiently(writer.commit)
        self._trouble.has_room()
        if self._disk_is_full is not None:
            writer.record(self._disk_is_full)
            self._disk_is_full = None

    async def _patiently(self, action: Callable[[], T]) -> T:
        """Repeat `action` until the disk has space; a failed try leaves no trace."""
        pause = TAIL_PAUSE
        while True:
            try:
                return action()
            except LimitExceededError as exc:
                self._announce_full_disk(exc)
                await asyncio.sleep(pause)
                pause = min(2 * pause, MAX_DISK_PAUSE)

    def _announce_full_disk(self, exc: LimitExceededError) -> None:
        text = f"{exc} {GOES_ON}"
        if self._disk_is_full is None:
            self._disk_is_full = Notice(text=text, time=time.time(), level="warning")
        self._trouble.note(Trouble(kind="disk", reason=text, since=self._disk_is_full.time))
        self._publish(self._state)

    def _publish(self, known: JobState) -> None:
        self._state = known
        state = self._trouble.shown_on(known)
        if state == self.state:
            return
        self.state = state
        for watcher in tuple(self._watchers):
            try:
                watcher(state)
            except Exception:  # noqa: BLE001  another package's code: a failing view must not stop the recording
                _log.exception("a watcher of job %s failed", self.folder.id)


async def _note_submission(folder: JobFolder, backend: Backend) -> None:
    """Record the outcome of a submission whose submitter died: started, not started, or still unknown."""
    try:
        pending.note_found(folder, await _find(folder, backend))
    except NotFoundError:
        pending.note_never_started(folder)
    except PaiJupyterError:
        pending.note_failed_look(folder, backend)
        raise


async def _find(folder: JobFolder, backend: Backend) -> JobRef:
    """Find the job by its id at `backend`; return its reference."""
    if isinstance(backend, Recoverable):
        return await backend.find(folder.id)
    ref = JobRef(backend=folder.record.backend, job_id=folder.id)
    await backend.status(ref)
    return ref


async def _until_gone(stream: AsyncIterator[Event]) -> AsyncGenerator[Event, None]:
    """Yield the events of `stream`; yield a failure if the backend no longer knows the job."""
    try:
        async for event in stream:
            yield event
    except NotFoundError as exc:
        yield StatusChanged(status=Status.FAILED, time=time.time(), reason=str(exc))
    finally:
        if isinstance(stream, AsyncGenerator):
            await stream.aclose()


async def _with_idle_marks(stream: AsyncGenerator[Event, None], pause: float) -> AsyncGenerator[Event | None, None]:
    """Yield the events of `stream`, and None after every `pause` seconds without one; close it at the end."""
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
        await stream.aclose()


def is_removed(folder: JobFolder) -> bool:
    """Return whether the job was deleted; False if the disk does not answer."""
    try:
        (folder.path / "job.json").stat()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return False
