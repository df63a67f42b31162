"""Run a coroutine from synchronous code (a cell, a property, an event loop's thread) on a thread with its own loop.

The loop lives as long as the coroutine. This works in a running loop, as in every Jupyter kernel; an interrupt of the caller
cancels the coroutine.
"""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, wait
from typing import Any, TypeVar

_SLICE = 0.2  # seconds; between two waits an interrupt is noticed
T = TypeVar("T")


def ask(
    question: Callable[[], Coroutine[Any, Any, T]],
) -> T:  # Any: a coroutine's send and yield types
    """Return the result of `question`, or raise its exception."""
    answer: Future[T] = Future()
    started: Future[Callable[[], None]] = Future()

    async def main() -> T:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None
        started.set_result(lambda: _cancel(loop, task))
        return await question()

    def run() -> None:
        try:
            answer.set_result(asyncio.run(main()))
        except BaseException as exc:  # noqa: BLE001  end of the thread; raised in the caller
            answer.set_exception(exc)

    try:
        threading.Thread(target=run, name="pai-jupyter question", daemon=True).start()
        while not wait([answer], timeout=_SLICE).done:
            pass
        return answer.result()
    except KeyboardInterrupt:
        started.add_done_callback(lambda cancel: cancel.result()())  # the loop may not have started yet
        raise


def _cancel(loop: asyncio.AbstractEventLoop, task: asyncio.Task[Any]) -> None:  # Any: see `ask`
    if not loop.is_closed():
        loop.call_soon_threadsafe(task.cancel)
