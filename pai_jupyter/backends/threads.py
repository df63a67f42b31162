"""Blocking work of a backend in a thread, ended with the task that waits for it."""

import asyncio
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


async def in_thread(work: Callable[[threading.Event], T]) -> T:
    """Run the blocking `work` in a thread; on cancellation, set its event and wait for it to end."""
    cancel = threading.Event()
    running = asyncio.ensure_future(asyncio.to_thread(work, cancel))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        cancel.set()
        await asyncio.wait({running})
        running.exception()  # cancelled, so its error does not matter
        raise
