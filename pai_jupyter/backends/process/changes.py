"""Read what a supervisor appends to its files while the job runs: usage samples, and the starts and ends of replicas.

How such files are read: `local.replica_history`.
"""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from pai_jupyter.backends.local.replica_history import HISTORY, LineReader, changes_in
from pai_jupyter.backends.process.report import may_have_left_processes, read_replicas
from pai_jupyter.events import ReplicaChanged, Status, Usage
from pai_jupyter.typed_json import MAX_TIME


class UsageReader:
    """Reads the usage samples of the replicas."""

    def __init__(self, folder: Path) -> None:
        self._readers = {name: LineReader(folder / "run" / f"{name}.samples") for name in read_replicas(folder)}

    def read(self) -> Iterator[Usage]:
        for name, reader in self._readers.items():
            for line in reader.read():
                yield from _sample(name, line)


class ReplicaReader:
    """Reads the starts and ends of the replicas."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._names = frozenset(read_replicas(folder))
        self._reader = LineReader(folder / "run" / HISTORY)
        self._last: dict[str, ReplicaChanged] = {}

    def read(self) -> Iterator[ReplicaChanged]:
        for line in self._reader.read():
            for change in changes_in(line):
                if change.replica in self._names:
                    self._last[change.replica] = change
                    yield change

    def lost(self, ended: float) -> Iterator[ReplicaChanged]:
        """Say of replicas whose end nobody recorded, since their supervisor was killed, that they ended with it at `ended`.

        Without a PID namespace they may run on, so nothing is said.
        """
        running = [change for change in self._last.values() if change.status is Status.RUNNING]
        if running and not may_have_left_processes(self._folder):
            for change in running:
                yield ReplicaChanged(
                    replica=change.replica, status=Status.STOPPED, time=max(ended, change.time), attempt=change.attempt
                )


def _sample(replica: str, line: str) -> Iterator[Usage]:
    with suppress(ValueError, OverflowError):  # an invalid line, or one of a newer version
        when, *fields = (None if word == "-" else float(word) for word in line.split())
        cpu, memory, gpu, gpu_memory, *more = fields
        read, written, cores, memory_limit, gpu_limit = more or [None] * 5
        is_known = all(number is None or abs(number) < 2**62 for number in fields)  # skip nan, too
        if when is not None and 0 <= when <= MAX_TIME and is_known:
            yield Usage(
                replica=replica,
                time=when,
                cpu=cpu,
                memory=_whole(memory),
                gpu=gpu,
                gpu_memory=_whole(gpu_memory),
                read=_whole(read),
                written=_whole(written),
                cores=cores or None,
                memory_limit=_whole(memory_limit) or None,
                gpu_memory_limit=_whole(gpu_limit),
            )


def _whole(number: float | None) -> int | None:
    return None if number is None else int(number)
