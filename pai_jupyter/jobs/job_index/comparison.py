"""Comparisons of values and metrics in a search: `lr<0.1`, `accuracy>=0.9`, `opt!=adam`, `max(accuracy)>0.9`. Pure, but for the clock.

Rule 1: a name is that of a value and of a metric, ignoring case; of a metric its last value counts. A job that has both matches
    with either. `last(x)`, `min(x)`, `max(x)` and `steps(x)` are those of a metric alone, `value(x)` is a value.
Rule 2: a job that lacks the name never matches, `!=` included.
Rule 3: a word whose name no job has is no comparison, but text. `duration` (seconds, of jobs that have ended) and `cost` (until
    now, in any currency) are those of the job where no job has a value or metric of that name.
"""

import math
import operator
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from pai_jupyter.jobs.job_index.facts import STATS, Cell, RowFacts
from pai_jupyter.jobs.job_index.row import JobRow, cost_until, duration_of

_FORM = re.compile(
    r"(?:(?P<stat>value|last|min|max|steps)\((?P<of>[^<>=!()]+)\)|(?P<name>[^<>=!]+))(?P<sign>[<>]=?|!=|=)(?P<asked>[^<>=!]*)"
)
_TESTS: Mapping[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "!=": operator.ne,
}
Reader = Callable[[RowFacts], Cell]
_DURATION, _COST = "duration", "cost"


@dataclass(frozen=True, kw_only=True)
class CellComparison:
    """A name, a sign and what to compare with, casefolded; `stat`: "value", or which number of a metric; "": either."""

    name: str
    stat: str
    sign: str
    asked: str

    @classmethod
    def read(cls, word: str) -> "CellComparison | None":
        """Parse a word of a search; None if it has another form."""
        found = _FORM.fullmatch(word.casefold().strip())
        if found is None:
            return None
        name = (found["of"] or found["name"]).strip()
        return cls(name=name, stat=found["stat"] or "", sign=found["sign"], asked=found["asked"].strip())

    @property
    def needs_number(self) -> bool:
        """Whether it can only compare with a number, and what it compares with is something else."""
        return self.sign not in ("=", "!=") and self.asked != "" and _number(self.asked) is None

    def is_known(self, rows: Iterable[JobRow]) -> bool:
        return self._is_of_job or bool(self._readers(rows))

    def fitting(self, rows: Sequence[JobRow]) -> Callable[[JobRow], bool] | None:
        """Return the test for one of `rows`; None if none of them has the name."""
        readers, fits = self._readers(rows), self._test()
        if len(readers) == 1:  # which is quicker
            (read,) = readers
            return lambda row: fits(read(row.facts))
        if not readers and self._is_of_job:
            of_job = duration_of if self.name == _DURATION else partial(cost_until, now=time.time())
            return lambda row: fits(of_job(row))
        return (lambda row: any(fits(read(row.facts)) for read in readers)) if readers else None

    @property
    def _is_of_job(self) -> bool:
        return self.stat == "" and self.name in (_DURATION, _COST)

    def _readers(self, rows: Iterable[JobRow]) -> list[Reader]:
        """Return what reads the name from the facts of a job: as a value, as a metric."""
        folded, kinds, found = self.name, [row.facts for row in rows], list[Reader]()
        if self.stat in ("", "value") and any(folded in facts.given.folded for facts in kinds):
            found.append(lambda facts: None if (at := facts.given.folded.get(folded)) is None else facts.values[at])
        if self.stat != "value" and any(folded in facts.metrics.folded for facts in kinds):
            stat, width = STATS.index(self.stat or "last"), len(STATS)
            found.append(
                lambda facts: (
                    None if (at := facts.metrics.folded.get(folded)) is None else facts.numbers[at * width + stat]
                )
            )
        return found

    def _test(self) -> Callable[[Cell], bool]:
        """Return the test for a cell; what does not depend on the cell is worked out once for thousands of them."""
        text, sign, test, asked = self.asked, self.sign, _TESTS[self.sign], _number(self.asked)
        if not text:
            return lambda cell: cell is not None  # of whom is still typing: all that have it

        def fits(cell: Cell) -> bool:
            if cell is None:
                return False
            number = cell if type(cell) is float else _number(cell)
            if number is not None and asked is not None and not (math.isnan(number) and math.isnan(asked)):
                return test(number, asked)
            has_text = str(cell).casefold() == text
            return has_text if sign == "=" else not has_text if sign == "!=" else False

        return fits


def is_equal(cell: Cell, asked: str) -> bool:
    """Return whether the cell is what a casefolded text says, numbers in any notation."""
    if str(cell).casefold() == asked:
        return True
    number = _number(cell)
    return number is not None and number == _number(asked)


def names_in(rows: Iterable[JobRow]) -> list[str]:
    """Return the names of all values, then those of all metrics, each in order of appearance."""
    facts = [row.facts for row in rows]
    given = {id(each.given): each.given for each in facts}.values()
    metrics = {id(each.metrics): each.metrics for each in facts}.values()
    return [*dict.fromkeys(name for names in (*given, *metrics) for name in names.names)]


def _number(cell: Cell) -> float | None:
    if isinstance(cell, bool):
        return None
    with suppress(ValueError, TypeError, OverflowError):
        return float(cell)  # type: ignore[arg-type]  # None is a TypeError
    return None
