"""The typed values and the metrics of a job: what comparisons in a search and the runs table read. Pure.

Rule 1: they are small, since a list holds them of 10,000 jobs: jobs with the same names share one `SharedNames`, numbers of metrics
    lie in one array.
Rule 2: they are never changed; a job that goes on gets new ones.
Rule 3: values of secrets are masked, as the record has them. A value that is a list or an object is its JSON text; one that is
    None was not given.
"""

import json
from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import TypeAlias

from pai_jupyter import contract
from pai_jupyter.events import JobState
from pai_jupyter.spec import Scalar
from pai_jupyter.store import MASKED

Cell: TypeAlias = str | float | bool | None  # float: or int
MAX_VALUES = 200  # of one job
MAX_METRICS = 200
MAX_NAME, MAX_TEXT = 100, 300  # characters
STATS = ("last", "min", "max", "steps")
"""The numbers of a metric, in the order in which `RowFacts.numbers` has them."""


class SharedNames:
    """Names in order, and the place of each; `folded` ignores case (of two that differ by case only, the first)."""

    __slots__ = ("at", "folded", "names")

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names
        self.at: Mapping[str, int] = {name: place for place, name in enumerate(names)}
        folded: dict[str, int] = {}
        for name, place in self.at.items():
            folded.setdefault(name.casefold(), place)
        self.folded: Mapping[str, int] = folded


_MOST_KNOWN = 5_000
_known: dict[tuple[str, ...], SharedNames] = {}


def names_of(names: Iterable[str]) -> SharedNames:
    """Return the `SharedNames` of these, the same object for the same names as long as there are few."""
    key = tuple(names)
    if (known := _known.get(key)) is None:
        if len(_known) >= _MOST_KNOWN:
            _known.clear()  # equal ones may exist twice then, which costs memory only
        known = _known[key] = SharedNames(key)
    return known


@dataclass(frozen=True, slots=True, eq=False)
class RowFacts:
    """The values of a job by `given`, and of each of its `metrics` the four numbers of `STATS`."""

    given: SharedNames = field(default_factory=lambda: names_of(()))
    values: tuple[Cell, ...] = ()
    metrics: SharedNames = field(default_factory=lambda: names_of(()))
    numbers: "array[float]" = field(default_factory=lambda: array("d"))

    def value(self, name: str) -> Cell:
        """Return a value; None if the job has none of this name."""
        place = self.given.at.get(name)
        return None if place is None else self.values[place]

    def metric(self, name: str, stat: int = 0) -> float | None:
        """Return a number of a metric, by its place in `STATS`; None if the job has no such metric."""
        place = self.metrics.at.get(name)
        return None if place is None else self.numbers[place * len(STATS) + stat]

    def is_same(self, other: "RowFacts") -> bool:
        """Return whether both say the same; nan equals nan."""
        return (
            self.given is other.given
            and self.metrics is other.metrics
            and self.values == other.values
            and self.numbers.tobytes() == other.numbers.tobytes()
        )


NO_FACTS = RowFacts()


def facts_of(values: Mapping[str, Scalar]) -> RowFacts:
    """Return the facts of a job that has no metrics yet."""
    cells = {name[:MAX_NAME]: cell for name, value in values.items() if (cell := _cell(name, value)) is not None}
    kept = dict(islice(cells.items(), MAX_VALUES))
    return RowFacts(given=names_of(kept), values=tuple(kept.values()))


def with_metrics(facts: RowFacts, state: JobState) -> RowFacts:
    """Return the facts with the metrics of `state`."""
    numbers = array("d")
    names: dict[str, None] = {}
    for name, told in islice(state.metrics.items(), MAX_METRICS):
        if (short := name[:MAX_NAME]) not in names:  # of two long names with the same beginning, the first
            names[short] = None
            numbers.extend((told.value, told.minimum, told.maximum, float(told.count)))
    return RowFacts(given=facts.given, values=facts.values, metrics=names_of(names), numbers=numbers)


def _cell(name: str, value: Scalar) -> Cell:
    if value is None:
        return None
    if contract.is_secret(name, value):
        return MASKED
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if abs(value) < 2**63 else str(value)[:MAX_TEXT]
    if isinstance(value, float):
        return value
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT - 1]}…"
