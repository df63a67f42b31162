"""Faults on demand, between a client and the services and of jobs, for tests.

A test requests them in two ways:

    POST /emulator/faults   {"name": "throttling", "action": "GetTrainingJob", "times": 2, "seconds": 1.5}
                            in the next two of these calls; without `action` in any call, with `times` null until DELETE
    an id or a name         that contains `fault-<name>`, as in the object `data/fault-truncated.bin` or the training job
                            `a fault-lost-answer b`: in the first call of each method and path, so that a retry succeeds

An action has the cloud's name (`ListTrainingJobLogs`); for OSS it is the request's method, `OSS:GET`. The control endpoint
needs the token of DIR/control.token in the header `x-emulator-token`. Its path could also name a bucket `emulator`, whose
clients never send that header.

The faults of a job follow from its name and the rules when it is created, and are stored in its record.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from urllib.parse import unquote

from pai_jupyter.emulator.protocol.refusal import ApiRefusal, Fields
from pai_jupyter.spec import Json


class FaultName(StrEnum):
    THROTTLING = "throttling"  # 429 Throttling.User
    SERVER_ERROR = "server-error"  # 503
    HTML = "html"  # 502 with the HTML page of a proxy
    LOST_ANSWER = "lost-answer"  # the call is executed, then the connection ends without an answer
    DROPPED = "dropped"  # the connection ends before the call is executed
    SLOW = "slow"  # the first byte of the answer takes `seconds`
    TRUNCATED = "truncated"  # the connection ends after half of the body
    CORRUPTED = "corrupted"  # one bit of the body is flipped; length and checksum headers are those of the original
    EXPIRED_TOKEN = "expired-token"  # noqa: S105  InvalidSecurityToken.Expired
    NO_PERMISSION = "no-permission"  # 403 NoPermission; of OSS AccessDenied
    LOWER_KEYS = "lower-keys"  # 400 InvalidParameter with `code`, `message`, `requestId`, as some gateways write them
    SKEWED_CLOCK = "skewed-clock"  # the services' clock is `seconds` ahead, until DELETE
    NO_CHECKSUM = "no-checksum"  # OSS sends no CRC-64
    NO_ETAG = "no-etag"  # OSS sends no ETag
    LOWER_ETAG = "lower-etag"  # OSS sends the ETag in lower case, as S3 does
    REPLACED = "replaced"  # 412, as when an object is replaced during its download
    DATA_NODE_AWAY = "data-node-away"  # HDFS names a data node that cannot be reached
    CUT = "cut"  # an upload to HDFS: the connection ends in the middle of the request
    LATE_INSTANCES = "late-instances"  # a job's instances appear `seconds` after their start
    LATE_LOGS = "late-logs"  # log lines appear `seconds` after they were printed
    CREATE_FAILED = "create-failed"
    INITIALIZE_FAILED = "initialize-failed"


OF_JOBS = frozenset(
    {FaultName.LATE_INSTANCES, FaultName.LATE_LOGS, FaultName.CREATE_FAILED, FaultName.INITIALIZE_FAILED}
)
_SECONDS = 2.0
_SKEW = 3600.0
# Longer names first: `fault-slow` must not be found in `fault-slowest`, should there ever be one.
_NAMED = re.compile(rf"(?<![A-Za-z])fault-({'|'.join(sorted(map(str, FaultName), key=len, reverse=True))})(?![a-z])")


@dataclass(kw_only=True)
class Rule:
    """A fault that occurs in the next `times` calls of `action`; None = always, and any action."""

    name: FaultName
    action: str | None = None
    times: int | None = 1
    seconds: float = _SECONDS

    @classmethod
    def read(cls, fields: Fields) -> "Rule":
        """Parse a rule from a body of the control endpoint."""
        try:
            name = FaultName(str(fields.get("name")))
            times, action = fields.get("times", 1), fields.get("action")
            return cls(
                name=name,
                action=None if action is None else str(action),
                times=None if times is None else int(str(times)),
                seconds=float(str(fields.get("seconds", _SKEW if name is FaultName.SKEWED_CLOCK else _SECONDS))),
            )
        except ValueError as exc:
            raise ApiRefusal(400, "InvalidParameter", f"{exc}; faults are {', '.join(FaultName)}") from exc

    def to_json(self) -> dict[str, Json]:
        return {"name": str(self.name), "action": self.action, "times": self.times, "seconds": self.seconds}


@dataclass
class Faults:
    """The active rules, and the named faults that have occurred."""

    rules: list[Rule] = field(default_factory=list)
    _had: set[tuple[str, ...]] = field(default_factory=set)

    @property
    def skew(self) -> float:
        """Seconds by which the services' clock is ahead."""
        return sum(rule.seconds for rule in self.rules if rule.name is FaultName.SKEWED_CLOCK)

    def clear(self) -> None:
        self.rules.clear()
        self._had.clear()

    def strike(self, action: str, method: str, path: str, named: str = "") -> Rule | None:
        """Return the fault of this call, if any, and count it; `named` is the name in the call's body."""
        for rule in self._due(action):
            if rule.name not in OF_JOBS and rule.name is not FaultName.SKEWED_CLOCK:
                _use(rule)
                return rule
        for name in _names_in(f"{unquote(path)} {named}"):
            if name not in OF_JOBS and (mark := (name, method, path, named)) not in self._had:
                self._had.add(mark)
                return Rule(name=name)
        return None

    def strike_job(self, action: str, name: str) -> dict[str, Json]:
        """Return the faults that a new job of this name gets, with their seconds, and count them."""
        rules = [rule for rule in self._due(action) if rule.name in OF_JOBS]
        for rule in rules:
            _use(rule)
        found = {str(each): _SECONDS for each in _names_in(name) if each in OF_JOBS}
        return {**found, **{str(rule.name): rule.seconds for rule in rules}}

    def _due(self, action: str) -> list[Rule]:
        return [rule for rule in self.rules if rule.action in (None, action) and rule.times != 0]


def fault_words(name: str) -> str:
    """Return the faults in a name as a suffix for an id, e.g. `-fault-slow-fault-html`; "" if there are none."""
    return "".join(f"-fault-{each}" for each in dict.fromkeys(_names_in(name)))


def late_by(record: Fields, fault: FaultName) -> float | None:
    """Return the delay of this job by a fault in seconds; None without that fault."""
    faults = record.get("Faults")
    late = faults.get(fault) if isinstance(faults, dict) else None
    return None if late is None else float(str(late))


def _names_in(text: str) -> Iterator[FaultName]:
    return (FaultName(found[1]) for found in _NAMED.finditer(text))


def _use(rule: Rule) -> None:
    if rule.times is not None:
        rule.times -= 1


def listed(rules: Iterable[Rule]) -> list[Json]:
    return [rule.to_json() for rule in rules]
