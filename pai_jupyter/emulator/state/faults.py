"""Faults on demand: what goes wrong between a client and the services, and with jobs, when a test asks for it.

Asked for in two ways:

    POST /emulator/faults   {"name": "throttling", "action": "GetTrainingJob", "times": 2, "seconds": 1.5}
                            the next two of these calls; without `action` any call, with `times` null until DELETE
    an id or a name         that holds `fault-<name>`, as in the object `data/fault-truncated.bin` or the training job
                            `a fault-lost-answer b`: the first call of each method and path, so that a second one succeeds

An action is what the cloud calls it (`ListTrainingJobLogs`); of OSS it is the method of the request, `OSS:GET`. The control
endpoint takes the token of DIR/control.token in the header `x-emulator-token`; it shares its path with a bucket
`emulator`, whose clients never send that header.

The faults of jobs are decided when a job is created, and noted in it: its name or a rule may ask for them.
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
    HTML = "html"  # 502 with a page of some proxy
    LOST_ANSWER = "lost-answer"  # the call is carried out, and nobody hears of it
    DROPPED = "dropped"  # the connection ends before anything is done
    SLOW = "slow"  # the first byte of the answer takes `seconds`
    TRUNCATED = "truncated"  # half of the body, then the end of the connection
    CORRUPTED = "corrupted"  # a bit of the body is wrong, its length and its checksum say nothing of it
    EXPIRED_TOKEN = "expired-token"  # noqa: S105  InvalidSecurityToken.Expired
    NO_PERMISSION = "no-permission"  # 403 NoPermission; of OSS AccessDenied
    LOWER_KEYS = "lower-keys"  # 400 InvalidParameter with `code`, `message`, `requestId`, as some gateways write them
    SKEWED_CLOCK = "skewed-clock"  # the services' clock is `seconds` ahead, until DELETE
    NO_CHECKSUM = "no-checksum"  # OSS says no CRC-64
    NO_ETAG = "no-etag"  # nor an ETag
    LOWER_ETAG = "lower-etag"  # or one in lower case, as S3 does
    REPLACED = "replaced"  # 412, as when an object is replaced in the middle of its download
    LATE_INSTANCES = "late-instances"  # a job's instances are seen `seconds` after they have begun
    LATE_LOGS = "late-logs"  # lines of logs are seen `seconds` after they were printed
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
    """One thing that goes wrong, `times` times, in calls of `action`; None means always, and any."""

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
    """The rules that hold now, and which ids have had their fault."""

    rules: list[Rule] = field(default_factory=list)
    _had: set[tuple[str, ...]] = field(default_factory=set)

    @property
    def skew(self) -> float:
        """How far the services' clock is ahead, in seconds."""
        return sum(rule.seconds for rule in self.rules if rule.name is FaultName.SKEWED_CLOCK)

    def clear(self) -> None:
        self.rules.clear()
        self._had.clear()

    def strike(self, action: str, method: str, path: str, named: str = "") -> Rule | None:
        """Return the fault that this call meets, and count it; `named` is a name that the call gives something."""
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
        """Return the faults of jobs that a job of this name gets, with their seconds."""
        rules = [rule for rule in self._due(action) if rule.name in OF_JOBS]
        for rule in rules:
            _use(rule)
        found = {str(each): _SECONDS for each in _names_in(name) if each in OF_JOBS}
        return {**found, **{str(rule.name): rule.seconds for rule in rules}}

    def _due(self, action: str) -> list[Rule]:
        return [rule for rule in self.rules if rule.action in (None, action) and rule.times != 0]


def fault_words(name: str) -> str:
    """Return the part of a name that asks for faults, for use in an id: `-fault-slow-fault-html`; else ""."""
    return "".join(f"-fault-{each}" for each in dict.fromkeys(_names_in(name)))


def late_by(record: Fields, fault: FaultName) -> float | None:
    """Return the delay in seconds that a fault asks for in this job, if any."""
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
