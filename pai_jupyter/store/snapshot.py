"""state.json: how far the record of a job has come. It is the one file that decides what counts.

Everything else in a job folder may be ahead of it: bytes behind the lengths in here were written by a follower that died
before it could commit, and do not exist. So a job is recorded exactly once, whenever its follower is killed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from pai_jupyter.events import JobState, Position
from pai_jupyter.spec import JobRef
from pai_jupyter.store.record import SCHEMA, damaged
from pai_jupyter.typed_json import FieldError, Fields, check_depth


@dataclass(frozen=True, kw_only=True)
class Snapshot:
    """A job as its folder has it. `ref` is None before its submission; `positions` is where `Backend.follow` goes on."""

    ref: JobRef | None = None
    state: JobState = field(default_factory=JobState)
    positions: Position = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Checkpoint:
    """What state.json holds: the snapshot, the lengths that count, and what the metric parser had in its hands.

    `logs` has the bytes of each replica's log, `events` those of events.jsonl. The index has no length: it is derived
    from the log (index.py).
    """

    snapshot: Snapshot = field(default_factory=Snapshot)
    logs: Mapping[str, int] = field(default_factory=dict)
    events: int = 0
    parser: Mapping[str, Any] | None = None  # Any: JSON values of the parser's own

    def to_json(self) -> dict[str, Any]:  # Any: JSON values
        ref = self.snapshot.ref
        return {
            "schema": SCHEMA,
            "ref": ref.to_json() if ref else None,
            "state": self.snapshot.state.to_json(),
            "positions": {
                replica: {"cursor": cursor, "log": self.logs.get(replica, 0)}
                for replica, cursor in self.snapshot.positions.items()
            },
            "events": self.events,
            "parser": self.parser,
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:  # Any: parsed JSON
        """Read what `to_json` wrote.

        Raises:
            PaiJupyterError: it is damaged, or a newer version wrote what this one cannot understand.
        """
        try:
            given = Fields.of(value)
            positions = {name: Fields.of(item, path) for name, item, path in given.inside("positions").all()}
            snapshot = Snapshot(
                ref=JobRef.from_json(given.inside("ref").values) if given.has("ref") else None,
                state=JobState.from_json(given.inside("state").values),
                positions={replica: item.whole("cursor") for replica, item in positions.items()},
            )
            logs = {replica: item.whole("log") for replica, item in positions.items()}
            parser = given.inside("parser").values if given.has("parser") else None
            check_depth(parser, "parser")
            return cls(snapshot=snapshot, logs=logs, events=given.whole("events"), parser=parser)
        except FieldError as exc:
            raise damaged("state.json", exc, value) from exc
