"""The search of the list of jobs, the same in `%pai_jobs`, in `GET jobs` and in the panel's filter box. Pure.

    iris              jobs with this text in name, id, notebook, state, backend, metric or values
    state:failed      in this column alone: state, name, notebook, backend, metric, id
    state:active      jobs that have not ended
    backend:docker,pai    one of these
    lr=0.3            jobs with this value in any notation: 0.30 and 3e-1 are the same
    notebook:"my file.ipynb"   quotes keep blanks

Rule 1: every word must match, ignoring case. No text is an error, since the user may still be typing; it may just match
    nothing.
Rule 2: `lr=0.3` matches exactly that value; if no job has it, it is searched as text.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache

from pai_jupyter.jobs.job_index.row import COLUMNS, SEARCHED, JobColumn, JobRow, sorted_rows

HELP = (
    "Words that all must fit, e.g. iris state:failed lr=0.3. Fields: state, name, notebook, backend, metric, id; "
    'state:active are jobs that have not ended; quotes keep blanks: notebook:"my file.ipynb".'
)
_WORD = re.compile(r'(?:[^\s"]|"[^"]*"?)+')
_Fits = Callable[[JobRow], bool]


@dataclass(frozen=True)
class JobSearch:
    """A parsed search."""

    words: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str) -> "JobSearch":
        """Parse a typed search."""
        return cls.of_words(word.replace('"', "") for word in _WORD.findall(text))

    @classmethod
    def of_words(cls, words: Iterable[str]) -> "JobSearch":
        """Build a search from separate words, such as those on a magic's line."""
        return cls(tuple(folded for word in words if (folded := word.casefold().strip())))

    def find(self, rows: Iterable[JobRow]) -> list[JobRow]:
        """Return the matching rows in their order."""
        found = list(rows)
        everything = found
        for word in self.words:
            fits = _fitting(word, everything)
            found = [row for row in found if fits(row)]
        return found


@dataclass(frozen=True, kw_only=True)
class JobSelection:
    """A filter and order of jobs. Empty filters match all; `is_descending` as in `sorted_rows`."""

    search: JobSearch = JobSearch()
    statuses: frozenset[str] = frozenset()
    backend: str = ""
    notebook: str = ""
    sort: str = "created"
    is_descending: bool | None = None

    def of(self, rows: Iterable[JobRow]) -> list[JobRow]:
        """Return the matching rows, sorted."""
        fitting = [row for row in self.in_any_state(rows) if not self.statuses or row.status in self.statuses]
        return sorted_rows(fitting, self.sort, is_descending=self.is_descending)

    def in_any_state(self, rows: Iterable[JobRow]) -> list[JobRow]:
        """Return the rows that match in any state, ignoring `statuses`."""
        kept = [row for row in rows if self.backend in ("", row.backend) and self.notebook in ("", row.notebook)]
        return self.search.find(kept)


def _fitting(word: str, rows: Sequence[JobRow]) -> _Fits:
    """Return the test for rows that match `word`."""
    field, colon, asked = word.partition(":")
    if colon and field in SEARCHED:
        return _in_column(SEARCHED[field], [each for each in asked.split(",") if each])
    if "=" in word and any(_has_value(row, word) for row in rows):
        return lambda row: _has_value(row, word)
    return lambda row: word in _text_of(row)


def _in_column(column: JobColumn, asked: Sequence[str]) -> _Fits:
    def fits(row: JobRow) -> bool:
        own = [text.casefold() for text in column.words(row)]
        return not asked or any(each in text for each in asked for text in own)

    return fits


@lru_cache(maxsize=20_000)  # rows are immutable, and are searched again with every typed letter
def _text_of(row: JobRow) -> str:
    return "\n".join(text for column in COLUMNS for text in column.words(row)).casefold()


def _has_value(row: JobRow, word: str) -> bool:
    return any(_is_value(text.casefold(), word) for text in row.values)


def _is_value(text: str, word: str) -> bool:
    (name, _, value), (wanted_name, _, wanted) = text.partition("="), word.partition("=")
    return name == wanted_name and (value == wanted or _is_same_number(value, wanted))


def _is_same_number(one: str, other: str) -> bool:
    with suppress(ValueError):
        return float(one) == float(other)
    return False
