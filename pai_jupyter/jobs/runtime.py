"""The one thread of pai_jupyter: a daemon with one asyncio loop, which follows jobs and talks to backends.

Rule 1: two ways in, from any other thread: `Runtime.call(coroutine) -> Future`, and `Runtime.run(coroutine)`, which waits.
The ways out are `Following.watch` callbacks, which run on this thread and must neither block nor print.
Rule 2: nothing here uses the kernel's own loop, and the kernel's thread never touches an asyncio object of this one.
Rule 3: following a job never harms it. The thread may die with its process at any moment; the job folder holds
everything, and whoever takes `follow.lock` next goes on.
"""

import asyncio
import os
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from concurrent.futures import wait as wait_for_futures
from typing import Any, TypeVar

from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.jobs.follower import Following
from pai_jupyter.store import JobFolder, JobStore

T = TypeVar("T")
CLOSES_WITHIN = 10  # seconds


class Runtime:
    """The loop thread and the jobs that this process follows."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._following: dict[str, Following] = {}
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._run_loop, name="pai-jupyter", daemon=True)
        self._thread.start()

    def call(self, coroutine: Coroutine[Any, Any, T]) -> "Future[T]":  # Any: what a coroutine yields and is sent
        """Run `coroutine` on the runtime's loop; the future may be waited for on any other thread."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop)

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:  # Any: what a coroutine yields and is sent
        """Run `coroutine` and wait for it; an interrupt cancels it, and is raised once it has cleaned up behind itself."""
        try:
            self.check_may_wait()
        except PaiJupyterError:
            coroutine.close()
            raise
        interrupted = asyncio.Event()
        call = self.call(_until(interrupted, coroutine))
        try:
            return call.result()
        except KeyboardInterrupt:
            self._loop.call_soon_threadsafe(interrupted.set)
            wait_for_futures([call])
            raise

    def check_may_wait(self) -> None:
        """Refuse to wait for this thread on this very thread.

        Raises:
            PaiJupyterError: the caller runs on it, e.g. in a `watch` callback.
        """
        if threading.current_thread() is self._thread:
            raise PaiJupyterError(
                "this call waits for the thread 'pai-jupyter', and it was made on that very thread, so it would never "
                "return. Use `await job` there, or make the call on another thread."
            )

    def follow(self, folder: JobFolder) -> Following:
        """Follow the job of `folder`, once per process however often it is asked for; anew where that has failed.

        Raises:
            PaiJupyterError: its record is damaged.
        """
        with self._lock:
            following = self._following.get(str(folder.path))
            if following is None or following.has_failed:
                following = self._following[str(folder.path)] = Following(folder)
                self.call(following.run())
            return following

    def close(self) -> None:
        """Stop following (jobs go on) and end the thread."""
        self.call(_cancel_all()).result(timeout=CLOSES_WITHIN)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout=CLOSES_WITHIN)
        for following in self._following.values():
            following.abandon()

    def _run_loop(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()
        self._loop.close()


async def _until(interrupted: asyncio.Event, coroutine: Coroutine[Any, Any, T]) -> T:  # Any: as above
    """The result of `coroutine`, which is cancelled when `interrupted` is set."""
    work = asyncio.ensure_future(coroutine)
    signal = asyncio.ensure_future(interrupted.wait())
    await asyncio.wait({work, signal}, return_when=asyncio.FIRST_COMPLETED)
    signal.cancel()
    work.cancel()  # does nothing to work that is done
    return await work


async def _cancel_all() -> None:
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


_runtimes: dict[int, Runtime] = {}
_runtimes_lock = threading.Lock()


def runtime() -> Runtime:
    """The runtime of this process; a forked child gets its own, for threads do not survive a fork."""
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
    """The store of this user's jobs; made anew each time, so that a changed PAI_JUPYTER_HOME counts at once."""
    return JobStore()
