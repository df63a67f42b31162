"""The protocol of a recipient, and what may come of sending it a message. No I/O."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

from pai_jupyter.events import JobState, StoredEvent
from pai_jupyter.spec import Json
from pai_jupyter.store import JobFolder

Result: TypeAlias = Literal["sent", "later", "refused", "unknown"]


@dataclass(frozen=True, kw_only=True)
class DueMessage:
    """What is due. `id` follows from the job's record alone; `body` is plain JSON, without secrets."""

    id: str
    time: float  # when it became due, in seconds since the epoch
    body: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class SendOutcome:
    """What came of a try. "later": not taken, try again (after `pause` seconds, if it says so); "refused": never again.

    "unknown": the request was sent whole, and the answer is lost. `why`: a sentence without its end, for the user; of what was
    sent, what the job is to be told nevertheless.
    """

    result: Result
    why: str = ""
    pause: float = 0.0


@dataclass(frozen=True, kw_only=True)
class JobNews:
    """A job and its new events: those of the kinds that a recipient wants, behind the byte `start` of events.jsonl."""

    folder: JobFolder
    wanted: Mapping[str, Json]
    state: JobState
    has_ended: bool  # and these are its last events
    events: Sequence[StoredEvent]
    ends: Sequence[int]  # of each event: the byte behind it
    start: int
    end: int  # how far was read
    created: float  # when the job was submitted
    now: float
    last: Mapping[str, DueMessage] = field(default_factory=dict)  # the messages so far, by their ids


@dataclass(frozen=True, kw_only=True)
class Due:
    """What news make due, and up to which byte they are taken. `waits`: what is not taken will be, if asked again soon."""

    messages: Sequence[DueMessage]
    read: int
    waits: bool = False


class Recipient(Protocol):
    """Somebody who is told of jobs. Its methods may block; they run in the delivery process, on a thread of their own."""

    name: str  # of its directory of outboxes
    kinds: tuple[str, ...]  # of the stored events that `due` looks at: the class names
    least_pause: float  # seconds between two messages
    give_up: float  # seconds for which a message is tried

    def mark(self, folder: JobFolder) -> tuple[int, ...]:
        """Return a cheap value that changes whenever `due` may have more to say, beside what follows from events and state."""

    def due(self, news: JobNews) -> Due:
        """Return what is due of a job; ids that are known already are dropped by the caller."""

    def destination(self, wanted: Mapping[str, Json]) -> str:
        """Return where this process sends the messages of a job to, "" if it does not know. It may be a secret."""

    def takes_again(self, wanted: Mapping[str, Json]) -> bool:
        """Return whether it can tell that a message is the same as one that it has already."""

    def send(
        self,
        folder: JobFolder,
        message: DueMessage,
        wanted: Mapping[str, Json],
        *,
        is_again: bool,
        begins: Callable[[], None],
    ) -> SendOutcome:
        """Send one message; call `begins` right before its first byte leaves. `is_again`: an earlier try may have arrived."""

    def note(
        self,
        message: DueMessage,
        result: Result,
        why: str,
        wanted: Mapping[str, Json],
        *,
        noted: Collection[tuple[str, Result]],
    ) -> str:
        """Return the sentence for the job about a message that did not arrive, or may not have; "" for none.

        `noted`: the ids of messages of the job about which it was told already, each with what it was.
        """

    def closes(self, folder: JobFolder, wanted: Mapping[str, Json], ids: Collection[str]) -> Mapping[str, Json] | None:
        """Return what is wanted of a job whose outbox, with these `ids`, was just deleted, if there is more; else None."""
