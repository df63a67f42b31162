"""state.json: how far the record of a job has come. It is the one file that decides what counts.

Everything else in a job folder may be ahead of it: bytes behind the lengths in here were written by a follower that died
before it could commit, and do not exist. So a job is recorded exactly once, whenever its follower is killed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.events import JobState, Position
from pai_jupyter.spec import JobRef
from pai_jupyter.store.record import SCHEMA, newer


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
            ref, positions = value["ref"], value["positions"]
            snapshot = Snapshot(
                ref=JobRef.from_json(ref) if ref else None,
                state=JobState.from_json(value["state"]),
                positions={replica: int(item["cursor"]) for replica, item in positions.items()},
            )
            logs = {replica: int(item["log"]) for replica, item in positions.items()}
            return cls(snapshot=snapshot, logs=logs, events=int(value["events"]), parser=value.get("parser"))
        except (LookupError, ArithmeticError, TypeError, ValueError, AttributeError) as exc:
            raise PaiJupyterError(f"state.json cannot be understood: {exc!r}.{newer(value)}") from exc
