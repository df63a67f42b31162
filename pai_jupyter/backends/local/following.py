"""Follow a job whose logs are files: read new data, wait a little, end with the job.

Two streams are merged: the log files (and `run/<replica>.phases`), polled by cursor at an adaptive pace, and `life`, the
backend's stream of all other events: running, notices, usage, and finally the terminal status.
Rule 1: the end of `life` is the job's end; everything written before is read before the terminal status is yielded.
Rule 2: only the job's key is deleted here, before its end is yielded; nothing else is written, so there may be any number of
    followers.

A line of a phases file is `<phase> <offset in the log, or -> [<time>]`, written by whoever runs the job.
"""

import asyncio
import os
import time
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from pai_jupyter.backends.local.inputs import read_notices
from pai_jupyter.backends.local.tables import remove_credential
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.events import Event, LogChunk, Phase, PhaseChanged, Position, StatusChanged
from pai_jupyter.store.attention import is_looked_at
from pai_jupyter.store.disk import open_plain

CHUNK = 256 * 1024
SHORTEST, LONGEST = 0.004, 0.25  # seconds between two polls of the files
UNSEEN = 1.0  # seconds, for a job that is not viewed: a server may follow hundreds


class _Tail:
    """Reads one growing file from a byte offset."""

    def __init__(self, path: Path, cursor: int = 0) -> None:
        self.cursor = cursor
        self._path = path
        self._file: int | None = None

    def read(self) -> tuple[bytes, float]:
        """Read new bytes and their latest write time; b"" if there are none."""
        if self._file is None:
            try:
                self._file = open_plain(self._path)
            except (FileNotFoundError, PaiJupyterError):  # missing, or the job has replaced the log
                return b"", 0.0
        data = os.pread(self._file, CHUNK, self.cursor)
        self.cursor += len(data)
        return data, min(time.time(), os.fstat(self._file).st_mtime) if data else 0.0

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None


class _ReplicaFiles:
    """Reads the log and the phases of one replica as events."""

    def __init__(self, folder: Path, replica: str, cursor: int) -> None:
        self._replica = replica
        self._log = _Tail(folder / "logs" / f"{replica}.log", cursor)
        self._phases = _Tail(folder / "run" / f"{replica}.phases")

    def read(self) -> Iterator[Event]:
        phases, written = self._phases.read()
        self._phases.cursor -= len(phases) - phases.rfind(b"\n") - 1  # an incomplete line is read again later
        for line in phases[: phases.rfind(b"\n") + 1].decode(errors="replace").splitlines():
            yield from _phase_changed(self._replica, line, written)
        data, arrived = self._log.read()
        if data:
            yield LogChunk(replica=self._replica, data=data, cursor=self._log.cursor, time=arrived)

    def close(self) -> None:
        self._log.close()
        self._phases.close()


async def follow_logs(
    folder: Path, replicas: Sequence[str], after: Position, life: AsyncIterator[Event]
) -> AsyncGenerator[Event, None]:
    """Yield the logs and phases of `replicas` after the position, merged with `life`, until that ends.

    Events of `life` are yielded at once, except the terminal status, which is last. Errors of `life` escape. The first events
    are the notices about fetched inputs.
    """
    facts: deque[Event] = deque()
    wake = asyncio.Event()
    pump = asyncio.create_task(_pump(life, facts, wake))
    files = [_ReplicaFiles(folder, replica, after.get(replica, 0)) for replica in replicas]
    pause = SHORTEST
    end: StatusChanged | None = None
    try:
        for notice in read_notices(folder):
            yield notice
        while True:
            ended = pump.done()  # checked before reading, so that everything written before the end is read
            busy = False
            while facts:
                match facts.popleft():
                    case StatusChanged(status=status) as event if status.is_terminal:
                        end = event
                    case event:
                        yield event
            for event in [event for item in files for event in item.read()]:
                busy = True
                yield event
            if ended and not busy:
                break
            pause = SHORTEST if busy else min(pause * 1.5, LONGEST if is_looked_at(folder) else UNSEEN)
            wake.clear()
            if not busy and not facts and not pump.done():
                with suppress(TimeoutError):
                    await asyncio.wait_for(wake.wait(), pause)
            else:
                await asyncio.sleep(0)  # a job that prints without end must not block the loop
        pump.result()
        if end is not None:
            remove_credential(folder)
            yield end
    finally:
        for item in files:
            item.close()
        pump.cancel()
        await asyncio.gather(pump, return_exceptions=True)


async def _pump(life: AsyncIterator[Event], facts: deque[Event], wake: asyncio.Event) -> None:
    try:
        async for event in life:
            facts.append(event)
            wake.set()
    finally:
        wake.set()


def _phase_changed(replica: str, line: str, written: float) -> Iterator[PhaseChanged]:
    words = line.split()
    with suppress(ValueError):  # a phase of a newer version, or an invalid line
        phase, offset, *when = words
        yield PhaseChanged(
            phase=Phase(phase),
            replica=replica,
            offset=None if offset == "-" else int(offset),
            time=float(when[0]) if when else written,
        )
