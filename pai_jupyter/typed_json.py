"""Read fields of parsed JSON with type and size checks, since a file may hold anything.

Rule 1: a value that is read has the requested type and a bounded size. Anything else is a `FieldError` naming the field.
Rule 2: in an optional field null counts as missing; in an object or a list it does not.
Rule 3: an error shows numbers, but only the type of other values: texts may be secrets.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Self

MAX_TEXT = 16_000_000  # characters; a cell or a reason may be long
MAX_LINE = 10_000  # characters of a one-line text: a name, a path, an address
MAX_ITEMS = 10_000
MAX_DEPTH = 50
MAX_TIME = 250_000_000_000.0  # seconds since the epoch: the year 9892, a little below the limit of `datetime`
MAX_WHOLE = 2**62
_LARGEST = 2**1000  # a little less than the largest float
_HALVES = re.compile(r"[\ud800-\udc7f\udd00-\udfff]")  # the gap is Python's escape of non-UTF-8 bytes
_CONTROLS = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")


class FieldError(ValueError):
    """The value in `field` ("spec.instance_count") is invalid ("": the whole value); `str()` is a sentence."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"`{field}` {problem}." if field else f"it {problem}.")
        self.field = field


@dataclass(frozen=True)
class Fields:
    """A JSON object at `path` of its file. A missing field gives `default`, or an error without one."""

    values: Mapping[str, object]
    path: str = ""

    @classmethod
    def of(cls, value: object, path: str = "") -> Self:
        if not isinstance(value, Mapping):
            raise FieldError(path, f"is {_shown(value)}; it must be an object")
        if len(value) > MAX_ITEMS:
            raise FieldError(path, f"has {len(value)} entries; there may be {MAX_ITEMS}")
        return cls(value, path)

    def has(self, name: str) -> bool:
        return self.values.get(name) is not None

    def text(self, name: str, default: str | None = None, *, limit: int = MAX_TEXT) -> str:
        return text_of(self._get(name, default), self._path(name), limit=limit)

    def line(self, name: str, default: str | None = None, *, limit: int = MAX_LINE) -> str:
        """Read a text without control characters."""
        return line_of(self._get(name, default), self._path(name), limit=limit)

    def optional_line(self, name: str) -> str | None:
        return self.line(name) if self.has(name) else None

    def whole(self, name: str, default: int | None = None, *, least: int = 0, most: int = MAX_WHOLE) -> int:
        return whole_of(self._get(name, default), self._path(name), least=least, most=most)

    def flag(self, name: str, *, default: bool = False) -> bool:
        value = self._get(name, default)
        if not isinstance(value, bool):
            raise FieldError(self._path(name), "must be true or false")
        return value

    def time(self, name: str, default: float | None = None) -> float:
        return time_of(self._get(name, default), self._path(name))

    def inside(self, name: str) -> "Fields":
        """Return the object in this field; an empty one if it is missing."""
        return Fields.of(self.values.get(name, {}), self._path(name))

    def items(self, name: str) -> list[tuple[object, str]]:
        """Return the items of a list, each with its path; [] if the field is missing."""
        value = self.values.get(name, [])
        if not isinstance(value, list | tuple) or len(value) > MAX_ITEMS:
            what = f"has {len(value)} items" if isinstance(value, list | tuple) else f"is {_shown(value)}"
            raise FieldError(self._path(name), f"{what}; it must be a list of at most {MAX_ITEMS}")
        return [(item, f"{self._path(name)}[{number}]") for number, item in enumerate(value)]

    def texts(self, name: str) -> dict[str, str]:
        """Read an object of texts."""
        return {key: _encodable(text_of(value, path), path) for key, value, path in self.inside(name).all()}

    def all(self) -> Iterator[tuple[str, object, str]]:
        """Yield every name with its value and path."""
        for key, value in self.values.items():
            path = self._path(line_of(key, self.path or "a name"))
            yield key, value, path

    def _get(self, name: str, default: object) -> object:
        value = self.values.get(name)
        value = default if value is None else value
        if value is None:
            raise FieldError(self._path(name), "is missing")
        return value

    def _path(self, name: str) -> str:
        return f"{self.path}.{name[:100]}" if self.path else name[:100]


def text_of(value: object, path: str, *, limit: int = MAX_TEXT) -> str:
    if not isinstance(value, str) or len(value) > limit:
        raise FieldError(path, f"is {_shown(value)}; it must be text of at most {limit} characters")
    return value


def line_of(value: object, path: str, *, limit: int = MAX_LINE) -> str:
    text = text_of(value, path, limit=limit)
    if _CONTROLS.search(text):
        raise FieldError(path, "has control characters")
    return _encodable(text, path)


def _encodable(text: str, path: str) -> str:
    """Return the text if it can be a file name; lone surrogates cannot."""
    if _HALVES.search(text):
        raise FieldError(path, "has incomplete characters")
    return text


def whole_of(value: object, path: str, *, least: int = 0, most: int = MAX_WHOLE) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise FieldError(path, f"is {_shown(value)}; it must be a whole number from {least} to {most}")
    return value


def time_of(value: object, path: str) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0 <= value <= MAX_TIME:  # type: ignore[operator]  # a number, as checked above
        raise FieldError(path, f"is {_shown(value)}; it must be a time in seconds since 1970")
    return float(value)  # type: ignore[arg-type]  # likewise


def number_of(value: object, path: str) -> float:
    """Return a number; the words "nan", "inf" and "-inf" are accepted."""
    if isinstance(value, str) and value in ("nan", "inf", "-inf"):
        return float(value)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or (isinstance(value, int) and abs(value) > _LARGEST):
        raise FieldError(path, f"is {_shown(value)}; it must be a number")
    return float(value)  # type: ignore[arg-type]  # a number, as checked above


def check_depth(value: object, path: str, *, most: int = MAX_DEPTH) -> None:
    """Reject a value nested deeper than `most`: recursion over it would exhaust the stack."""
    level = [value]
    for _ in range(most):
        level = [inside for item in level for inside in _insides(item)]
        if not level:
            return
    raise FieldError(path, f"is nested more than {most} deep")


def _insides(value: object) -> list[object]:
    if isinstance(value, Mapping):
        return [item for item in value.values() if isinstance(item, dict | list)]
    return [item for item in value if isinstance(item, dict | list)] if isinstance(value, list) else []


def _shown(value: object) -> str:
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    if isinstance(value, int | float):
        return str(value) if len(str(value)) <= 30 else f"{str(value)[:30]}…"
    if isinstance(value, str):
        return f"text of {len(value)} characters"
    return "an object" if isinstance(value, Mapping) else "a list" if isinstance(value, list) else type(value).__name__
