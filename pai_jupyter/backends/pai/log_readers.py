"""Read the logs of all replicas of a job, each from its follower's position."""

import time
from collections.abc import AsyncIterator

from pai_jupyter.backends.pai.instances import replicas_of
from pai_jupyter.backends.pai.job import PaiJob
from pai_jupyter.backends.pai.logs import Reader
from pai_jupyter.backends.pai.service import JobService
from pai_jupyter.backends.pai.status_map import Fields, objects
from pai_jupyter.events import LogChunk, Position

SIGNALLED = 128  # higher exit codes mean that a signal ended the command


class Tails:
    """The log readers by replica; `replicas` has the service's instance names."""

    def __init__(self, service: JobService, job: PaiJob, after: Position) -> None:
        self.replicas: dict[str, str] = {}
        self._service = service
        self._job = job
        self._after = after
        self._readers: dict[str, Reader] = {}
        self._turn = 0

    def __len__(self) -> int:
        return len(self._readers)

    def learn(self, fields: Fields) -> None:
        """Add the job's new instances; known ones are kept."""
        for replica, instance in replicas_of(objects(fields, "Instances")).items():
            if replica not in self.replicas:
                self.replicas[replica] = instance
                self._readers[replica] = self._service.log(
                    self._job.id, instance, job_id=self._job.job_id, cursor=self._after.get(replica, 0)
                )

    async def read(self, count: int) -> AsyncIterator[LogChunk]:
        """Yield the new lines of the next `count` replicas, taking all replicas in turn."""
        names = list(self._readers)
        count = min(count, len(names))
        chosen = [names[(self._turn + number) % len(names)] for number in range(count)]
        self._turn += count
        for replica in chosen:
            async for found in self._readers[replica].read():
                yield LogChunk(replica=replica, data=found.data, cursor=found.cursor, time=time.time())

    @property
    def are_complete(self) -> bool:
        """Whether the last line of every log was read."""
        return bool(self._readers) and all(reader.is_complete for reader in self._readers.values())

    @property
    def left(self) -> dict[str, str]:
        """Names of lost files by replica, from the end marks in the logs."""
        return {replica: reader.left for replica, reader in self._readers.items() if reader.left}

    @property
    def failure(self) -> tuple[int, str] | None:
        """The exit code of the failed replica and the plain reason, from the logs; None if unknown.

        After one failure the other replicas are ended by signals, so signals count only if there is no other exit code.
        """
        codes = {replica: reader.exit_code for replica, reader in self._readers.items() if reader.exit_code}
        if not codes:
            return None
        replica = min(codes, key=lambda each: codes[each] > SIGNALLED)
        who = f"{replica}: " if len(self._readers) > 1 else ""
        return codes[replica], f"{who}exit code {codes[replica]}"
