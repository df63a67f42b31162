"""Read the logs of all replicas of a job, each from its follower's position.

The instances of a job are its replicas: `master-0`, `worker-1`, from the role and the number that the service gives them.
"""

import re
import time
from collections.abc import AsyncIterator, Iterable

from pai_jupyter.backends.pai.following.replica_events import doubt
from pai_jupyter.backends.pai.services.job import PaiJob
from pai_jupyter.backends.pai.services.job_service import JobService
from pai_jupyter.backends.pai.services.logs import LogReader
from pai_jupyter.backends.pai.services.status_map import Fields, objects
from pai_jupyter.events import LogChunk, Position

_NUMBER = re.compile(r".*-(\d{1,6})")
_ROLE = re.compile(r"\w{1,40}", re.ASCII)


class LogReaders:
    """The log readers by replica; `replicas` has the service's instance names."""

    def __init__(self, service: JobService, job: PaiJob, after: Position) -> None:
        self.replicas: dict[str, str] = {}
        self.instances: dict[str, Fields] = {}  # replica -> the last that the service said of it
        self._service = service
        self._job = job
        self._after = after
        self._readers: dict[str, LogReader] = {}
        self._turn = 0

    def __len__(self) -> int:
        return len(self._readers)

    def learn(self, fields: Fields) -> None:
        """Add the job's new instances; known ones are kept."""
        instances = objects(fields, "Instances")
        by_name = {str(each.get("Name")): each for each in instances}
        for replica, instance in replicas_of(instances).items():
            self.instances[replica] = by_name[instance]
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
    def exit_codes(self) -> dict[str, int]:
        """The exit codes by replica, from the end marks that were read."""
        return {replica: reader.exit_code for replica, reader in self._readers.items() if reader.exit_code is not None}

    @property
    def left(self) -> dict[str, str]:
        """Names of lost files by replica, from the end marks in the logs."""
        return {replica: reader.left for replica, reader in self._readers.items() if reader.left}

    @property
    def unsaved(self) -> dict[str, str]:
        """Names of files by replica that could not be saved from its working directory, from the end marks."""
        return {replica: reader.unsaved for replica, reader in self._readers.items() if reader.unsaved}

    @property
    def saved(self) -> tuple[int, list[str]]:
        """The number of files saved from working directories, and names of some."""
        every = [reader.saved for reader in self._readers.values()]
        return sum(number for number, _ in every), [name for _, names in every if names for name in names.split(", ")]

    @property
    def failure(self) -> tuple[int, str] | None:
        """The exit code of the failed replica and the plain reason, from the logs; None if unknown.

        After one failure the other replicas are ended by signals, so signals count only if there is no other exit code, and TERM
        only if there is no other signal.
        """
        codes = {replica: reader.exit_code for replica, reader in self._readers.items() if reader.exit_code}
        if not codes:
            return None
        replica = min(codes, key=lambda each: doubt(codes[each]))
        who = f"{replica}: " if len(self._readers) > 1 else ""
        return codes[replica], f"{who}exit code {codes[replica]}"


def replicas_of(instances: Iterable[Fields], *, name: str = "Name", role: str = "Role") -> dict[str, str]:
    """Replica -> the service's name of the instance. The same instances give the same names, in whatever order they come."""
    found: dict[str, str] = {}
    for instance in sorted(str(each[name]) for each in instances if each.get(name)):
        found.setdefault(_replica(instance, _role_of(instance, instances, name, role), found), instance)
    return found


def _role_of(instance: str, instances: Iterable[Fields], name: str, role: str) -> str:
    said = next((str(each.get(role) or "") for each in instances if str(each.get(name)) == instance), "")
    return said.lower() if _ROLE.fullmatch(said) else "worker"


def _replica(instance: str, role: str, taken: dict[str, str]) -> str:
    number = _NUMBER.fullmatch(instance)
    wanted = f"{role}-{int(number[1])}" if number else f"{role}-0"
    while wanted in taken:
        wanted = f"{role}-{int(wanted.rpartition('-')[2]) + 1}"
    return wanted
