"""The one thread of pai_jupyter: a daemon with one asyncio loop, which follows jobs and talks to backends.

Rule 1: other threads use `Runtime.call(coroutine) -> Future`, or `Runtime.run(coroutine)`, which waits. `Following.watch`
    callbacks run on this thread and must neither block nor print.
Rule 2: nothing here uses the kernel's loop, and the kernel's thread never touches asyncio objects of this loop.
Rule 3: following never affects the job. The process may die at any moment; the job folder has everything, and the next holder
    of `follow.lock` continues.
"""

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future
from concurrent.futures import wait as wait_for_futures
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from pai_jupyter import callbacks
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.jobs.follower import Following
from pai_jupyter.store import JobFolder, JobStore

T = TypeVar("T")
CLOSES_WITHIN = 10  # seconds
MEANWHILE = 0.5  # seconds between two calls of `meanwhile`
KEEP_PAUSE = 10.0  # seconds between two looks, while jobs are followed, whether what is due of them is delivered


@dataclass(kw_only=True)
class _Followed:
    """A followed job: to its end, or while `following` blocks use it."""

    following: Following
    call: "Future[None]"
    guests: int = 0
    is_lasting: bool = False


class Runtime:
    """The loop thread and the jobs that this process follows."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._followed: dict[str, _Followed] = {}  # by the paths of their folders
        self._lock = threading.Lock()
        self._keeping: Future[None] | None = None
        self._thread = threading.Thread(target=self._run_loop, name="pai-jupyter", daemon=True)
        self._thread.start()

    def call(self, coroutine: Coroutine[Any, Any, T]) -> "Future[T]":  # Any: a coroutine's send and yield types
        """Run `coroutine` on the runtime's loop; any other thread may wait for the future."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop)

    def run(
        self,
        coroutine: Coroutine[Any, Any, T],  # Any: a coroutine's send and yield types
        *,
        meanwhile: Callable[[], None] | None = None,
    ) -> T:
        """Run `coroutine` and wait for it; an interrupt cancels it and is raised after its clean-up.

        `meanwhile` is called periodically on the waiting thread; its exception acts like an interrupt.
        """
        try:
            self.check_may_wait()
        except PaiJupyterError:
            coroutine.close()
            raise
        interrupted = asyncio.Event()
        call = self.call(_until(interrupted, coroutine))
        try:
            while meanwhile is not None and wait_for_futures([call], timeout=MEANWHILE).not_done:
                meanwhile()
            return call.result()
        except BaseException:
            if not call.done():
                self._loop.call_soon_threadsafe(interrupted.set)
                wait_for_futures([call])
            raise

    def check_may_wait(self) -> None:
        """Reject waiting for the runtime's thread on that thread itself.

        Raises:
            PaiJupyterError: the caller runs on it, e.g. in a `watch` callback.
        """
        if threading.current_thread() is self._thread:
            raise PaiJupyterError(
                "this call waits for the thread 'pai-jupyter', and it was made on that very thread, so it would never "
                "return. Use `await job` there, or make the call on another thread."
            )

    def follow(self, folder: JobFolder) -> Following:
        """Follow the job of `folder` to its end, once per process; start again if following has failed or its end is not recorded.

        Raises:
            PaiJupyterError: its record is damaged.
        """
        with self._lock:
            followed = self._follow(folder)
            followed.is_lasting = True
            return followed.following

    @contextmanager
    def following(self, folder: JobFolder) -> Iterator[Following]:
        """Follow the job of `folder` within this block; beyond it only if `follow` was called.

        Raises:
            PaiJupyterError: its record is damaged.
        """
        with self._lock:
            followed = self._follow(folder)
            followed.guests += 1
        try:
            yield followed.following
        finally:
            with self._lock:
                followed.guests -= 1
                if not (followed.guests or followed.is_lasting):
                    self._drop(followed)

    def _follow(self, folder: JobFolder) -> _Followed:
        followed = self._followed.get(str(folder.path))
        if followed is None or followed.following.has_failed or followed.following.is_outdated:
            self._keep_delivering()
            following = Following(folder)
            followed = _Followed(following=following, call=self.call(following.run()))
            self._followed[str(folder.path)] = followed
        return followed

    def _keep_delivering(self) -> None:
        """Look, from now on, whether the process that delivers alerts is needed, and was killed."""
        if self._keeping is None or self._keeping.done():
            self._keeping = self.call(self._keep())

    async def _keep(self) -> None:
        while any(not followed.following.ended.done() for followed in tuple(self._followed.values())):
            await asyncio.sleep(KEEP_PAUSE)
            if callbacks.keep_delivering is not None:
                await asyncio.to_thread(callbacks.keep_delivering, False)

    def _drop(self, followed: _Followed) -> None:
        path = str(followed.following.folder.path)
        if self._followed.get(path) is followed:
            del self._followed[path]
        followed.call.cancel()

    def close(self) -> None:
        """Stop following (jobs go on) and end the thread."""
        self.call(_cancel_all()).result(timeout=CLOSES_WITHIN)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout=CLOSES_WITHIN)
        for followed in self._followed.values():
            followed.following.abandon()

    def _run_loop(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()
        self._loop.close()


async def _until(interrupted: asyncio.Event, coroutine: Coroutine[Any, Any, T]) -> T:  # Any: as above
    """Return the result of `coroutine`; cancel it when `interrupted` is set."""
    work = asyncio.ensure_future(coroutine)
    signal = asyncio.ensure_future(interrupted.wait())
    await asyncio.wait({work, signal}, return_when=asyncio.FIRST_COMPLETED)
    signal.cancel()
    work.cancel()  # no effect if it is done
    return await work


async def _cancel_all() -> None:
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


_runtimes: dict[int, Runtime] = {}
_runtimes_lock = threading.Lock()


def runtime() -> Runtime:
    """Return the runtime of this process; a forked child gets its own, since threads do not survive a fork."""
    with _runtimes_lock:
        pid = os.getpid()
        if pid not in _runtimes:
            _runtimes.clear()
            _runtimes[pid] = Runtime()
        return _runtimes[pid]


def close_runtime() -> None:
    """End the runtime of this process, if there is one; used by tests and `%unload_ext`."""
    with _runtimes_lock:
        current = _runtimes.pop(os.getpid(), None)
    if current is not None:
        current.close()


def job_store() -> JobStore:
    """Open this user's job store; not cached, so that a changed PAI_JUPYTER_HOME counts at once."""
    return JobStore()
