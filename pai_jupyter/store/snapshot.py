"""state.json: the last commit of a job's record, which decides what is valid.

All other files of a job folder may be ahead of it: bytes after the lengths recorded here were written by a follower that died
before its commit, and are ignored. So every event is recorded exactly once, even if the follower is killed.
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
    """A job as of the last commit. `ref` is None before submission; `Backend.follow` continues at `positions`."""

    ref: JobRef | None = None
    state: JobState = field(default_factory=JobState)
    positions: Position = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Checkpoint:
    """The content of state.json: the snapshot, the valid lengths, the state of the metric parser and of the alerts.

    `logs` has the length of each replica's log, `events` that of events.jsonl, in bytes. The index has none: it is derived from
    the log (index.py).
    """

    snapshot: Snapshot = field(default_factory=Snapshot)
    logs: Mapping[str, int] = field(default_factory=dict)
    events: int = 0
    parser: Mapping[str, Any] | None = None  # Any: the parser's JSON values
    alerts: Mapping[str, Any] | None = None  # Any: as above; of `events.alerts`, None = recorded by an older version

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
            **({} if self.alerts is None else {"alerts": self.alerts}),
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
            alerts = given.inside("alerts").values if given.has("alerts") else None
            check_depth(alerts, "alerts")
            return cls(snapshot=snapshot, logs=logs, events=given.whole("events"), parser=parser, alerts=alerts)
        except FieldError as exc:
            raise damaged("state.json", exc, value) from exc
