"""From code that cannot wait (a cell, a property, a loop's own thread) to a coroutine: on a thread with a loop of its own.

The loop lives as long as the question. It works where a loop runs already, as in every Jupyter kernel, and an interrupt of
the one who waits ends the question too.
"""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, wait
from typing import Any, TypeVar

_SLICE = 0.2  # seconds; an interrupt that reaches another thread is seen between two of them
T = TypeVar("T")


def ask(
    question: Callable[[], Coroutine[Any, Any, T]],
) -> T:  # Any: what a coroutine sends and yields is its own affair
    """Wait for what `question` gives, or raises."""
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
        except BaseException as exc:  # noqa: BLE001  the thread ends here; who waits shall have it
            answer.set_exception(exc)

    try:
        threading.Thread(target=run, name="pai-jupyter question", daemon=True).start()
        while not wait([answer], timeout=_SLICE).done:
            pass
        return answer.result()
    except KeyboardInterrupt:
        started.add_done_callback(lambda cancel: cancel.result()())  # it may not have begun yet
        raise


def _cancel(loop: asyncio.AbstractEventLoop, task: asyncio.Task[Any]) -> None:  # Any: see `ask`
    if not loop.is_closed():
        loop.call_soon_threadsafe(task.cancel)
