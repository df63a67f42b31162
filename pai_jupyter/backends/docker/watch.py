"""Wake the follower of a job when one of its containers ends; one stream of engine events for all followers.

A thread reads the stream while there are listeners. A wake-up is only a hint: the follower then checks the job itself. So a
lost connection loses nothing: all are woken when it opens and when it breaks.
"""

import asyncio
import http
import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from urllib.parse import quote

from pai_jupyter.backends.docker.deployment import JOB_LABEL
from pai_jupyter.backends.docker.engine import ANSWER_TIMEOUT, open_connection
from pai_jupyter.backends.docker.faults import engine_errors
from pai_jupyter.errors import BackendError

SHORTEST, LONGEST = 0.1, 5.0  # seconds between two tries to connect
_FILTERS = {"type": ["container"], "event": ["die"], "label": [JOB_LABEL]}
_Listener = tuple[str, asyncio.AbstractEventLoop, asyncio.Event]


class EngineWatch:
    """The events of the engine at `address` for all followers of this process."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._listeners: list[_Listener] = []
        self._lock = threading.Lock()
        self._reader: _EventReader | None = None

    @contextmanager
    def ends_of(self, job_id: str) -> Iterator[asyncio.Event]:
        """Provide an event that is set whenever a container of the job may have ended."""
        listener = (job_id, asyncio.get_running_loop(), asyncio.Event())
        with self._lock:
            self._listeners.append(listener)
            if self._reader is None:
                self._reader = _EventReader(self._address, self._wake)
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
                    with suppress(RuntimeError):  # the loop is closed, so there is no waiter
                        loop.call_soon_threadsafe(event.set)


class _EventReader(threading.Thread):
    """Reads the stream until closed, reconnecting with growing pauses.

    It does not use the SDK, whose stream cannot be closed from another thread without leaking a socket.
    """

    def __init__(self, address: str, wake: Callable[[str | None], None]) -> None:
        super().__init__(name="pai-jupyter-docker-events", daemon=True)
        self._address = address
        self._wake = wake
        self._closed = threading.Event()
        self._socket: socket.socket | None = None

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
        """Wake the followers concerned until the stream is closed or lost."""
        action = "listening to the engine's events"
        with engine_errors(action), closing(open_connection(self._address, ANSWER_TIMEOUT)) as connection:
            self._socket = connection.sock
            connection.request("GET", f"/events?filters={quote(json.dumps(_FILTERS))}")
            answer = connection.getresponse()
            if answer.status != http.HTTPStatus.OK:
                raise ConnectionError(f"status {answer.status}")
            connection.sock.settimeout(None)  # no timeout: it may be quiet for hours
            self._wake(None)
            while not self._closed.is_set() and (line := answer.readline()):
                self._wake(_job_of(line))

    def close(self) -> None:
        """Let the thread end soon; do not wait for it."""
        self._closed.set()
        if self._socket is not None:
            with suppress(OSError):  # the thread has just closed it
                self._socket.shutdown(socket.SHUT_RDWR)


def _job_of(line: bytes) -> str | None:
    """Return the job id in an engine event; None (unreadable event) means all jobs."""
    try:
        return str(json.loads(line)["Actor"]["Attributes"][JOB_LABEL])
    except (ValueError, LookupError, TypeError):
        return None
