"""Parse and validate requests: what a client sends becomes a valid request or an error message.

    RequestHead          common to every request: id, kind, job, view
    Hello Search ...     the parameters of one kind each, as `schema.asked` and `schema.rest` declare them

Rule 1: nothing is guessed or converted. A number is an int within its limits, never a bool; a text is within its limit and
    encodable as UTF-8; a missing field is not made up.
Rule 2: unknown fields are ignored, since a newer client may send them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from pai_jupyter.errors import SpecError
from pai_jupyter.store import Level
from pai_jupyter.wire.schema import asked, rest
from pai_jupyter.wire.schema.limits import MAX_EXACT, MAX_ID, Items, Limit, Number, Text, Words, limits_of
from pai_jupyter.wire.schema.values import Group

Id: TypeAlias = str | int | None
L = TypeVar("L", bound=Limit)


@dataclass(frozen=True, kw_only=True)
class RequestHead:
    """The common fields of a request: its id, kind, job and view."""

    id: Id
    kind: str
    job: str
    view: str

    @classmethod
    def parse(cls, request: Mapping[str, object]) -> "RequestHead":
        """Parse the common fields of a request.

        Raises:
            SpecError: a field is missing or invalid.
        """
        fields = RequestFields(request, asked.Envelope)
        return cls(
            id=id_of(request), kind=fields.text("kind"), job=fields.text("job"), view=fields.text("view", default="")
        )


def id_of(request: object) -> Id:
    """Return the id of a request, even of an invalid one; None if the id is unusable."""
    given = request.get("id") if isinstance(request, Mapping) else None
    if isinstance(given, str) and len(given) <= MAX_ID:
        return given
    return given if type(given) is int and abs(given) <= MAX_EXACT else None


@dataclass(frozen=True, kw_only=True)
class Hello:
    replica: str | None

    @classmethod
    def parse(cls, request: Mapping[str, object]) -> "Hello":
        return cls(replica=RequestFields(request, asked.HelloAsked).text("replica", default="") or None)


@dataclass(frozen=True, kw_only=True)
class LinesRequest:
    """The lines from `start` up to but not including `stop`, or those with the `numbers`."""

    replica: str
    start: int = 0
    stop: int = 0
    numbers: Sequence[int] | None = None

    @classmethod
    def parse(cls, request: Mapping[str, object]) -> "LinesRequest":
        fields = RequestFields(request, asked.PickedLinesAsked)
        replica = fields.text("replica")
        if fields.has("numbers"):
            return cls(replica=replica, numbers=fields.numbers("numbers"))
        fields = RequestFields(request, asked.LinesAsked)
        start, stop = fields.number("start"), fields.number("stop")
        if stop < start:
            raise SpecError(f"`stop` is {stop}; it must not be less than `start`, {start}.", field="stop")
        return cls(replica=replica, start=start, stop=stop)


@dataclass(frozen=True, kw_only=True)
class Search:
    replica: str
    pattern: str
    regex: bool
    ignore_case: bool
    level: Level | None
    after: int
    limit: int

    @classmethod
    def parse(cls, request: Mapping[str, object]) -> "Search":
        fields = RequestFields(request, asked.SearchAsked)
        return cls(
            replica=fields.text("replica"),
            pattern=fields.text("pattern"),
            regex=fields.flag("regex"),
            ignore_case=fields.flag("ignore_case"),
            level=fields.word("level") if fields.has("level") else None,
            after=fields.number("after", default=0),
            limit=fields.number("limit", default=1000),
        )


@dataclass(frozen=True, kw_only=True)
class Points:
    """A request for series; `is_live` is None if the request does not say."""

    group: Group
    is_live: bool | None

    @classmethod
    def parse(cls, request: Mapping[str, object]) -> "Points":
        fields = RequestFields(request, asked.LivePointsAsked)
        is_live = fields.flag("live") if fields.has("live") else None
        return cls(group=fields.word("group"), is_live=is_live)


@dataclass(frozen=True, kw_only=True)
class Difference:
    """The other job, whose script is the newer one."""

    to: str

    @classmethod
    def parse(cls, request: Mapping[str, object]) -> "Difference":
        return cls(to=RequestFields(request, rest.DifferenceAsked).text("to"))


@dataclass(frozen=True, kw_only=True)
class Sparks:
    """The jobs, by id, whose metrics are to be drawn."""

    jobs: Sequence[str]

    @classmethod
    def parse(cls, request: Mapping[str, object]) -> "Sparks":
        return cls(jobs=RequestFields(request, asked.SparksAsked).texts("jobs"))


@dataclass(frozen=True, kw_only=True)
class RunRequest:
    """The levels of a run that a view shows."""

    open_levels: Sequence[str]

    @classmethod
    def parse(cls, request: Mapping[str, object]) -> "RunRequest":
        fields = RequestFields(request, asked.RunAsked)
        return cls(open_levels=fields.texts("open") if fields.has("open") else ())


class RequestFields:
    """Reads and validates the fields of a request one by one, by its declared type. A null field counts as missing.

    Every method raises SpecError, with `field` set, if the field is missing or invalid.
    """

    def __init__(self, request: Mapping[str, object], declared: type) -> None:
        self._request = request
        self._limits = limits_of(declared)

    def has(self, name: str) -> bool:
        return self._request.get(name) is not None

    def text(self, name: str, *, default: str | None = None) -> str:
        value = self._request.get(name)
        if value is None and default is not None:
            return default
        return self._checked_text(name, value)

    def word(self, name: str) -> Any:  # Any: one of the declared words; callers assign it to a Literal
        words = self._limit(name, Words).words
        for word in words:
            if word == self._request.get(name):
                return word
        raise self._wrong(name, f"one of {', '.join(words)}", self._request.get(name))

    def flag(self, name: str) -> bool:
        value = self._request.get(name)
        if value is not None and not isinstance(value, bool):
            raise self._wrong(name, "true or false", value)
        return bool(value)

    def number(self, name: str, *, default: int | None = None) -> int:
        value = self._request.get(name)
        if value is None and default is not None:
            return default
        return self._checked_number(name, value)

    def numbers(self, name: str) -> list[int]:
        return [self._checked_number(name, value) for value in self._items(name, "line numbers")]

    def texts(self, name: str) -> list[str]:
        return [self._checked_text(name, value) for value in self._items(name, "texts")]

    def _items(self, name: str, what: str) -> list[object]:
        values, limit = self._request.get(name), self._limit(name, Items)
        if not isinstance(values, list) or len(values) > _bound(limit.most):
            raise self._wrong(name, f"a list of at most {limit.most} {what}", values)
        return values

    def _checked_text(self, name: str, value: object) -> str:
        most = _bound(self._limit(name, Text).most)
        if not isinstance(value, str) or len(value) > most or not _is_encodable(value):
            raise self._wrong(name, f"a text of at most {most:,} characters", value)
        return value

    def _checked_number(self, name: str, value: object) -> int:
        limit = self._limit(name, Number)
        if isinstance(value, float) and value.is_integer():
            value = int(value)  # JSON does not tell 5.0 from 5
        least, most = limit.least or 0, _bound(limit.most)
        if type(value) is not int or not least <= value <= most:
            raise self._wrong(name, f"a whole number from {least} to {most:,}", value)
        return value

    def _limit(self, name: str, kind: type[L]) -> L:
        """Return the declared limit of a field; StopIteration without one would be a bug of ours."""
        return next(limit for limit in self._limits[name] if isinstance(limit, kind))

    def _wrong(self, name: str, wanted: str, value: object) -> SpecError:
        if value is None:
            return SpecError(f"the request has no `{name}`; it must be {wanted}.", field=name)
        return SpecError(f"`{name}` is {_shown(value)}; it must be {wanted}.", field=name)


def _bound(most: int | None) -> int:
    assert most is not None, "every field of a request has a limit"
    return most


def _shown(value: object) -> str:
    """Format a value for an error message; of a long or complex one only its type."""
    if isinstance(value, bool | float) or (isinstance(value, str) and len(value) <= MAX_ID):
        return repr(value)
    if isinstance(value, int) and abs(value) < 2**64:
        return str(value)
    return f"an invalid {type(value).__name__}"


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
