"""How many jobs of a run are there at the same time: a limit for jobs of services, and one for jobs of this machine. Pure.

The place of a step's job is known when its builder has made the job. So a body whose place is not known yet may be prepared while
few others are; if its place is full then, the job is held until there is room. Held jobs keep no job of the other place waiting.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Literal, TypeAlias

from pai_jupyter.runs.plan import JobBody

REMOTE = 5
LOCAL = 16  # at least; the machine's own queue decides how many of them run; each waits in a process
UNKNOWN = 4  # in preparation, or held
Place: TypeAlias = Literal["local", "remote"]


class PlaceLimits:
    """The jobs that are there, by id, and where. `queue`: how many jobs the queue of this machine lets run."""

    def __init__(self, limits: Mapping[str, int], *, queue: int = 0) -> None:
        self._limits: dict[Place, int] = {
            "local": max(1, limits.get("local", max(LOCAL, queue))),
            "remote": max(1, limits.get("remote", REMOTE)),
        }
        self._taken: dict[str, Place | None] = {}
        self._counts: Counter[Place | None] = Counter()
        self._known: dict[tuple[str, str], Place] = {}

    def has_room(self, body: JobBody) -> bool:
        """Whether a job of `body` may begin."""
        place = self._known.get(body.code)
        return self._counts[place] < (UNKNOWN if place is None else self._limits[place])

    def begin(self, job_id: str, body: JobBody) -> None:
        """Take room for a job of `body`."""
        self._put(job_id, self._known.get(body.code))

    def learn(self, job_id: str, body: JobBody, *, is_remote: bool) -> bool:
        """Note where the job goes; return whether there is room, else the job has to be held."""
        place: Place = "remote" if is_remote else "local"
        self._known[body.code] = place
        if self._taken.get(job_id) == place:
            return True
        has_room = self._counts[place] < self._limits[place]
        self._put(job_id, place if has_room else None)
        return has_room

    def note(self, job_id: str, *, is_remote: bool) -> None:
        """Count a job that is there already."""
        self._put(job_id, "remote" if is_remote else "local")

    def has(self, job_id: str) -> bool:
        return job_id in self._taken

    def end(self, job_id: str) -> None:
        if job_id in self._taken:
            self._counts[self._taken.pop(job_id)] -= 1

    def _put(self, job_id: str, place: Place | None) -> None:
        self.end(job_id)
        self._taken[job_id] = place
        self._counts[place] += 1
