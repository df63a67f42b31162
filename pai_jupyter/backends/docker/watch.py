"""Waking whoever follows a job when one of its containers ends: one stream of the engine's events for all of them.

A thread reads the stream while anybody listens. Waking is a hint, never the truth: the one woken looks for himself.
So nothing is lost with the connection: when it is made, and when it breaks, everybody is woken.
"""

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from pai_jupyter.backends.docker.deployment import JOB_LABEL
from pai_jupyter.backends.docker.engine import Client
from pai_jupyter.backends.docker.faults import engine_errors
from pai_jupyter.errors import BackendError

SHORTEST, LONGEST = 0.1, 5.0  # seconds between two tries to connect
_Listener = tuple[str, asyncio.AbstractEventLoop, asyncio.Event]


class EngineWatch:
    """The events of one engine, for all followers of this process; `connect` gives a client for it."""

    def __init__(self, connect: Callable[[], Client]) -> None:
        self._connect = connect
        self._listeners: list[_Listener] = []
        self._lock = threading.Lock()
        self._reader: _Reader | None = None

    @contextmanager
    def ends_of(self, job_id: str) -> Iterator[asyncio.Event]:
        """An event that is set whenever a container of the job may have ended."""
        listener = (job_id, asyncio.get_running_loop(), asyncio.Event())
        with self._lock:
            self._listeners.append(listener)
            if self._reader is None:
                self._reader = _Reader(self._connect, self._wake)
                self._reader.start()
        try:
            yield listener[2]
        finally:
            with self._lock:
                self._listeners.remove(listener)
                if not self._listeners and self._reader is not None:
                    self._reader.close()
                    self._reader = None

    def _wake(self, job_id: str | None) -> None:
        with self._lock:
            for owner, loop, event in self._listeners:
                if job_id in (None, owner):
                    with suppress(RuntimeError):  # the loop is closed, nobody waits there any more
                        loop.call_soon_threadsafe(event.set)


class _Reader(threading.Thread):
    """Reads the stream, and connects again with growing pauses, until it is closed."""

    def __init__(self, connect: Callable[[], Client], wake: Callable[[str | None], None]) -> None:
        super().__init__(name="pai-jupyter-docker-events", daemon=True)
        self._connect = connect
        self._wake = wake
        self._closed = threading.Event()
        self._stream: Any = None  # CancellableStream of the SDK

    def run(self) -> None:
        pause = SHORTEST
        while not self._closed.is_set():
            try:
                self._read()
                pause = SHORTEST
                self._wake(None)
            except BackendError:
                pause = min(2 * pause, LONGEST)
            self._closed.wait(pause)

    def _read(self) -> None:
        """Wake whoever is concerned until the stream ends, be it closed or lost."""
        filters = {"type": "container", "event": "die", "label": JOB_LABEL}
        with engine_errors("listening to the engine's events"):
            self._stream = self._connect().events(filters=filters, decode=True)
            if self._closed.is_set():
                self._stream.close()
                return
            self._wake(None)
            for event in self._stream:
                self._wake(event["Actor"]["Attributes"][JOB_LABEL])

    def close(self) -> None:
        """End the thread soon; does not wait for it."""
        self._closed.set()
        if self._stream is not None:
            with suppress(Exception):  # the SDK closes the socket under the reading thread, and stumbles if it is gone
                self._stream.close()
