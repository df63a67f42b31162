"""The protocol of a recipient, and what may come of sending it a message. No I/O."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

from pai_jupyter.events import JobState, StoredEvent
from pai_jupyter.spec import Json
from pai_jupyter.store import JobFolder

Result: TypeAlias = Literal["sent", "later", "refused", "unknown"]


@dataclass(frozen=True, kw_only=True)
class Message:
    """What is due. `id` follows from the job's record alone; `body` is plain JSON, without secrets."""

    id: str
    time: float  # when it became due, in seconds since the epoch
    body: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What came of a try. "later": not taken, try again (after `pause` seconds, if it says so); "refused": never again.

    "unknown": the request was sent whole, and the answer is lost. `why`: a sentence without its end, for the user.
    """

    result: Result
    why: str = ""
    pause: float = 0.0


class Recipient(Protocol):
    """Somebody who is told of jobs. Its methods may block; they run in the delivery process, on one thread."""

    name: str  # of its directory of outboxes
    kinds: tuple[str, ...]  # of the stored events that `due` looks at: the class names
    least_pause: float  # seconds between two messages

    def due(
        self, folder: JobFolder, wanted: Mapping[str, Json], events: Sequence[StoredEvent], state: JobState
    ) -> list[Message]:
        """Return what `events` and the job's `state` make due; ids that are known already are dropped by the caller."""

    def has_address(self, wanted: Mapping[str, Json]) -> bool:
        """Return whether this process knows where to send the messages of a job to."""

    def takes_again(self, wanted: Mapping[str, Json]) -> bool:
        """Return whether it can tell that a message is the same as one that it has already."""

    def send(self, message: Message, wanted: Mapping[str, Json], *, begins: Callable[[], None]) -> Outcome:
        """Send one message; call `begins` right before its first byte leaves."""
