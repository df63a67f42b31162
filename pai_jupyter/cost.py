"""What a job costs: a price an hour for each of its machines, times the hours that it runs. Pure.

    amount = machines x price an hour x time, from the moment at which it runs to its end

Waiting costs nothing, and what has begun is counted by the second: services have their own rules, which are not known here.

Rule 1: a price is somebody's own, written into a price list; none is invented. What has none is unknown, and never 0.
Rule 2: the price of a job is recorded with it when it is submitted. A later change of a list does not change the past.
Rule 3: of a preemptible machine the discount is unknown, so that the price is the most that it costs.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_UP, Decimal
from fnmatch import fnmatchcase
from typing import Self

from pai_jupyter.errors import SpecError
from pai_jupyter.money import MOST, exact, is_currency, money, rate, read_amount
from pai_jupyter.spec import MAX_RUN_TIME, OF_THE_SERVICE, JobSpec, Json
from pai_jupyter.typed_json import FieldError, Fields

HOUR = 3600  # seconds
_DIGITS = 9  # behind the point, of a price
_NUMBER = re.compile(rf"\d{{1,10}}(\.\d{{1,{_DIGITS}}})?", re.ASCII)
_MILLIONTH = Decimal("0.000001")
_NO_TYPE = ("local", "local_gpu")  # the instance type of a machine that is not of this machine, and has none


@dataclass(frozen=True, kw_only=True)
class PriceList:
    """Prices an hour by instance type, or by a pattern (`ecs.gn6i-*`), in one currency. `path`: the file."""

    currency: str
    per_hour: Mapping[str, Decimal]
    path: str = ""

    @classmethod
    def read(cls, value: object, path: str) -> Self:
        """Read a list, `{"currency": "CNY", "per_hour": {"ecs.c6.large": 0.8}}`; its numbers are `Decimal`.

        Raises:
            FieldError: a field is missing, unknown or invalid.
        """
        given = Fields.of(value)
        for name in given.values:
            if name not in ("currency", "per_hour"):
                raise FieldError(name[:100], "is not known; there are `currency` and `per_hour`")
        currency = given.line("currency", limit=10)
        if not is_currency(currency):
            raise FieldError("currency", 'is no currency; it has three capital letters, e.g. "CNY"')
        if not isinstance(given.values.get("per_hour"), Mapping):
            raise FieldError("per_hour", 'must be prices by instance type, e.g. {"ecs.c6.large": 0.8}')
        prices = {kind: _price(price, where) for kind, price, where in given.inside("per_hour").all()}
        return cls(currency=currency, per_hour=prices, path=path)

    def find(self, kind: str) -> Decimal | None:
        """Return the price of an instance type: its own, else that of the longest pattern that fits; None if there is none."""
        if kind in self.per_hour:
            return self.per_hour[kind]
        fitting = [pattern for pattern in self.per_hour if "*" in pattern and fnmatchcase(kind, pattern)]
        return self.per_hour[max(fitting, key=len)] if fitting else None


def _price(value: object, where: str) -> Decimal:
    if not isinstance(value, Decimal) or not 0 <= value <= MOST or not _NUMBER.fullmatch(f"{value:f}"):
        raise FieldError(where, f"must be a price: a number from 0, with at most {_DIGITS} digits behind the point")
    return value


@dataclass(frozen=True, kw_only=True)
class JobPrice:
    """The price of one job, recorded with it.

    Args:
        per_hour: of all machines together.
        time_limit: seconds after which the job is ended wherever it runs; None: it may run for ever.
        asked_time: `max_run_time` as it was asked for, where `max_cost` has made another one of it.
        max_cost: the most that it may cost.
        is_spot: its machines are preemptible. is_rehearsal: it runs at an emulator, so that nothing is charged.
    """

    currency: str
    per_hour: Decimal
    time_limit: int | None = None
    asked_time: int | None = None
    max_cost: Decimal | None = None
    is_spot: bool = False
    is_rehearsal: bool = False

    @property
    def ceiling(self) -> Decimal | None:
        """The most that the job costs, up to its time limit; None if it has none."""
        return None if self.time_limit is None else self.amount(self.time_limit)

    @property
    def ends_by_cost(self) -> bool:
        """Whether the cost limit ends the job, and not a time limit of its own."""
        if self.max_cost is None or self.time_limit is None:
            return False
        return self.asked_time is None or self.time_limit < self.asked_time

    @property
    def limit_text(self) -> str:
        """The cost limit as it was given, "¥30"."""
        return exact(self.max_cost, self.currency) if self.max_cost is not None else ""

    def amount(self, seconds: float) -> Decimal:
        """Return what so many seconds cost."""
        exactly = self.per_hour * Decimal(str(round(max(0.0, seconds), 3))) / HOUR
        return exactly.quantize(_MILLIONTH)

    def to_json(self) -> dict[str, Json]:
        """Return the fields that are set."""
        found: dict[str, Json] = {"currency": self.currency, "per_hour": f"{self.per_hour:f}"}
        for name in ("time_limit", "asked_time"):
            if (seconds := getattr(self, name)) is not None:
                found[name] = seconds
        if self.max_cost is not None:
            found["max_cost"] = f"{self.max_cost:f}"
        return {**found, **{name: True for name in ("is_spot", "is_rehearsal") if getattr(self, name)}}

    @classmethod
    def from_json(cls, given: Fields) -> Self:
        """Read what `to_json` wrote.

        Raises:
            FieldError: a field is missing or invalid.
        """
        currency = given.line("currency", limit=10)
        if not is_currency(currency):
            raise FieldError(f"{given.path}.currency", "is no currency")
        times = {
            name: given.whole(name, least=1, most=MAX_RUN_TIME) if given.has(name) else None
            for name in ("time_limit", "asked_time")
        }
        return cls(
            currency=currency,
            per_hour=_recorded(given, "per_hour"),
            max_cost=_recorded(given, "max_cost") if given.has("max_cost") else None,
            is_spot=given.flag("is_spot"),
            is_rehearsal=given.flag("is_rehearsal"),
            **times,
        )


def _recorded(given: Fields, name: str) -> Decimal:
    text = given.line(name, limit=40)
    if not re.fullmatch(r"\d{1,20}(\.\d{1,20})?", text, re.ASCII):
        raise FieldError(f"{given.path}.{name}", "is no amount of money")
    return Decimal(text)


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What a job has cost so far. `ceiling`: the most that it will, None without a time limit.

    `is_final`: it has ended. `is_spot`: the amounts are the most, since the discount of preemptible machines is not known.
    `is_rehearsal`: it ran at an emulator, so that nothing is charged.
    """

    amount: Decimal
    currency: str
    per_hour: Decimal
    ceiling: Decimal | None = None
    is_final: bool = False
    is_spot: bool = False
    is_rehearsal: bool = False

    def to_json(self) -> dict[str, Json]:
        """Return the amounts as texts, exactly."""
        return {
            "amount": f"{self.amount:f}",
            "currency": self.currency,
            "per_hour": f"{self.per_hour:f}",
            "ceiling": None if self.ceiling is None else f"{self.ceiling:f}",
            "is_final": self.is_final,
            "is_spot": self.is_spot,
            "is_rehearsal": self.is_rehearsal,
        }

    def __str__(self) -> str:
        amount = f"{'≤ ' if self.is_spot else ''}{money(self.amount, self.currency)}"
        if self.is_final:
            return amount
        most = [] if self.ceiling is None else [f"≤ {money(self.ceiling, self.currency, is_most=True)}"]
        return ", ".join([f"{amount} so far", *most])


def cost_of(price: JobPrice, *, started: float | None, ended: float | None, now: float) -> Cost:
    """Return what a job costs that began to run and ended at these times (seconds since the epoch; None: it has not)."""
    seconds = 0.0 if started is None else (now if ended is None else ended) - started
    return Cost(
        amount=price.amount(seconds),
        currency=price.currency,
        per_hour=price.per_hour,
        ceiling=price.ceiling,
        is_final=ended is not None,
        is_spot=price.is_spot,
        is_rehearsal=price.is_rehearsal,
    )


def add_up(costs: Sequence[Cost], *, is_final: bool) -> Cost:
    """Return the sum of costs in one currency; `per_hour` is of those that go on."""
    return Cost(
        amount=sum((each.amount for each in costs), Decimal(0)),
        currency=costs[0].currency,
        per_hour=sum((each.per_hour for each in costs if not each.is_final), Decimal(0)),
        is_final=is_final,
        is_spot=any(each.is_spot for each in costs),
        is_rehearsal=all(each.is_rehearsal for each in costs),
    )


@dataclass(frozen=True, kw_only=True)
class MachineCounts:
    """The machines of a job: how many of each kind. `kind`: the instance type, or the backend of machines without one."""

    counts: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, spec: JobSpec, *, backend: str, is_local: bool) -> Self:
        """Count the machines of `spec`; an AIMaster is the service's own."""
        roles = [role for role in spec.roles if role.name.lower() != OF_THE_SERVICE]
        wanted = [(role.instance_type or spec.instance_type, role.instance_count) for role in roles]
        counts: dict[str, int] = {}
        for kind, count in wanted or [(spec.instance_type, spec.instance_count)]:
            named = backend if kind in _NO_TYPE and not is_local else kind
            counts[named] = counts.get(named, 0) + count
        return cls(counts=counts)


@dataclass(frozen=True, kw_only=True)
class Rate:
    """The price an hour of all machines of a job, in the currency of the list at `path`."""

    currency: str
    per_hour: Decimal
    path: str


@dataclass(frozen=True, kw_only=True)
class Unknown:
    """Why the price of a job is not known, as a sentence. `kind`: the machine without a price, if it is that."""

    reason: str
    kind: str = ""


def find_rate(machines: MachineCounts, lists: Sequence[PriceList]) -> Rate | Unknown:
    """Add up the prices of a job's machines; for each, the first list that has it counts."""
    found: dict[str, Decimal] = {}
    path = ""
    for kind, count in machines.counts.items():
        source = next((each for each in lists if each.find(kind) is not None), None)
        if source is None:
            return Unknown(reason=f"{kind} has no price", kind=kind)
        price = source.find(kind)
        assert price is not None  # as it was looked for
        found[source.currency] = found.get(source.currency, Decimal(0)) + price * count
        path = source.path
    if len(found) > 1:
        return Unknown(reason=f"its machines have prices in several currencies, {' and '.join(found)}")
    (currency, per_hour) = next(iter(found.items()))
    return Rate(currency=currency, per_hour=per_hour, path=path)


def read_max_cost(text: str, rate_of_job: Rate) -> Decimal:
    """Read a cost limit in the currency of the job's price.

    Raises:
        SpecError: it is in another currency.
    """
    amount, currency = read_amount(text)
    if currency not in ("", rate_of_job.currency):
        raise SpecError(
            f"`--max-cost {text}` is in {currency}, and the prices in {rate_of_job.path!r} are in {rate_of_job.currency}. Give the "
            f"limit in {rate_of_job.currency}.",
            field="max_cost",
        )
    return amount


def affordable(max_cost: Decimal, per_hour: Decimal, *, unit: int) -> int | None:
    """Return how many seconds this pays for, in whole `unit`s; None: more than a job can last."""
    if per_hour * MAX_RUN_TIME <= max_cost * HOUR:
        return None
    return int(max_cost * HOUR / per_hour) // unit * unit


def quote(price: JobPrice) -> str:
    """Say what a job will cost: "at most ¥12.40 (2 h limit × ¥6.20)", or "¥6.20 an hour, no time limit"."""
    an_hour = rate(price.per_hour, price.currency)
    if price.time_limit is None:
        text = f"{an_hour} an hour, no time limit"
    else:
        most = money(price.amount(price.time_limit), price.currency, is_most=True)
        text = f"at most {most} ({time_text(price.time_limit)} limit × {an_hour})"
    if price.is_spot:
        text = f"{text}; less for preemptible machines, whose discount is not known"
    return f"{text}; nothing is charged for a rehearsal at the emulator" if price.is_rehearsal else text


def time_text(seconds: int) -> str:
    """Format a time limit exactly: "2 h", "1 h 30 min", "45 s"."""
    minutes, rest = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    parts = [(hours, "h"), (minutes, "min"), (rest, "s")]
    return " ".join(f"{number} {unit}" for number, unit in parts if number) or "0 s"


_TIME_LIMIT = re.compile(
    r"(exit code \d+: )?(Time limit reached|it ran longer than max_run_time) ?\(\d+ s\)"
)  # as backends of this machine say it
_SLACK = 5.0  # seconds between the time limit and the end that it has made, as a service has them


def reason_by_cost(price: JobPrice, reason: str, *, ran: float | None, has_exit_code: bool) -> str:
    """Return why a job ended that failed or was stopped for `reason`: the cost limit, if it was that. `ran`: seconds."""
    if not price.ends_by_cost or price.time_limit is None:
        return reason
    told = f"Cost limit {price.limit_text} reached ({time_text(price.time_limit)})"
    if _TIME_LIMIT.search(reason):
        return _TIME_LIMIT.sub(told, reason)
    # A service says it in words of its own. A script that fails by itself has an exit code.
    was_ended = not has_exit_code and ran is not None and ran >= price.time_limit - _SLACK
    return f"{told}: {reason}" if was_ended and reason else told if was_ended else reason


def rounded_up(amount: Decimal) -> Decimal:
    """Return the amount in whole cents, not less."""
    return amount.quantize(Decimal("0.01"), ROUND_UP)
