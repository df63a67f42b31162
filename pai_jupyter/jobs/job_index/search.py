"""The search of the list of jobs, the same in `%pai_jobs`, in `GET jobs` and in the panel's filter box. Pure.

    iris              jobs with this text in name, id, notebook, state, backend, metric or values
    state:failed      in this column alone: state, name, tag, star, note, notebook, backend, metric, id, run
    state:active      jobs that have not ended
    backend:docker,pai    one of these
    tag:best,paper    one of these tags, each whole; tag:best tag:paper: both
    star:yes          jobs with a star; star:no: the others; starred: as star:yes
    lr=0.3            jobs with this value in any notation: 0.30 and 3e-1 are the same
    lr<0.1 accuracy>=0.9 opt!=adam max(accuracy)>0.9      comparisons of values and metrics (comparison)
    duration>60 cost<10     seconds, and what a job has cost so far, where no job has a value or metric of that name
    notebook:"my file.ipynb"   quotes keep blanks

Rule 1: every word must match, ignoring case. No text is an error, since the user may still be typing; it may just match
    nothing. Only a finished line is refused for what the search does not know (`refuse_unknown`).
Rule 2: `lr=0.3` matches exactly that value or metric; if no job has it, it is searched as text.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain

from pai_jupyter.errors import SpecError
from pai_jupyter.events import Status
from pai_jupyter.jobs.job_index.columns import COLUMNS, NO, SEARCHED, YES, JobColumn, no_words, sorted_rows, state_words
from pai_jupyter.jobs.job_index.comparison import CellComparison, is_equal, names_in
from pai_jupyter.jobs.job_index.facts import NO_FACTS
from pai_jupyter.jobs.job_index.row import JobRow

HELP = (
    "Words that all must fit, e.g. iris state:failed lr=0.3 tag:best. Fields: state, name, tag, star, note, notebook, backend, "
    "metric, id, run; state:active are jobs that have not ended, star:yes those with a star; quotes keep blanks: "
    'notebook:"my file.ipynb". '
    "Compare values and metrics: lr<0.1 accuracy>=0.9 opt!=adam max(accuracy)>0.9; also duration>60 (seconds) and cost<10."
)
STATES = ("active", "queued", "running", "succeeded", "failed", "stopped")  # offered; all others are found, too
_SIGN = re.compile(r"[<>]=?|!=|=")
_NAME = re.compile(r"[^<>=!:]+")
_UNFINISHED = re.compile(r"[^<>=!:]+(?:[<>]=?|!=|=)")  # a comparison that says with what behind a blank
_OPERATORS = ("NOT", "OR", "AND")
MOST_NAMED = 20  # values and metrics in the refusal of an unknown one
_WORD = re.compile(r'(?:[^\s"]|"[^"]*"?)+')
_Fits = Callable[[JobRow], bool]
_OWN_WORDS = [column.words for column in COLUMNS if column.words is not no_words and not column.is_shared]
_SHARED_WORDS = [column.words for column in COLUMNS if column.is_shared]


@dataclass(frozen=True)
class JobSearch:
    """A parsed search."""

    words: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str) -> "JobSearch":
        """Parse a typed search."""
        return cls.of_words(parsed_words(text))

    @classmethod
    def of_words(cls, words: Iterable[str]) -> "JobSearch":
        """Build a search from separate words, such as those on a magic's line."""
        return cls(tuple(folded for word in joined(words) if (folded := word.casefold().strip())))

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
    """A filter and order of jobs. Empty filters match all; `is_descending` as in `sorted_rows`; `typed`: the words of `search` as typed."""

    search: JobSearch = JobSearch()
    typed: tuple[str, ...] = ()
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


def problem_of(words: Sequence[str], rows: Sequence[JobRow]) -> str:
    """Return what is wrong with a filter that is no search, and what to type; "" if nothing is."""
    try:
        refuse_unknown(words, rows)
    except SpecError as exc:
        return str(exc)
    return ""


def parsed_words(text: str) -> list[str]:
    """Return the words of a typed search, without their quotes."""
    return [word.replace('"', "") for word in _WORD.findall(text)]


def joined(words: Iterable[str]) -> list[str]:
    """Join the words of a comparison that is written with blanks: `lr < 0.1`, `lr< 0.1`, `lr <0.1`."""
    found: list[str] = []
    for word in words:
        before = found[-1] if found else ""
        goes_on = word.startswith(("<", ">", "!=")) and _NAME.fullmatch(before)
        if goes_on or (_UNFINISHED.fullmatch(before) and not _SIGN.search(word)):
            word = found.pop() + word
        found.append(word)
    return found


def states_named(text: str) -> frozenset[Status]:
    """Return the states with this name, in either language; several for `active`.

    Raises:
        SpecError: there is no such state.
    """
    folded = text.casefold().strip()
    found = frozenset(status for status in Status if folded in [each.casefold() for each in state_words(status)])
    if not found:
        raise SpecError(f"there is no state {text!r}; there are {', '.join(STATES)}.", field="state")
    return found


def refuse_unknown(words: Iterable[str], rows: Sequence[JobRow]) -> None:
    """Refuse words of a finished line that are no search: unknown fields, states and names, operators, comparisons with texts.

    Texts that some of `rows` has are fine.

    Raises:
        SpecError: the first such word, and what to type.
    """
    words = joined(words)
    are_compared = any(map(CellComparison.read, words))
    for word in words:
        if word in _OPERATORS or (are_compared and word.upper() in _OPERATORS):
            raise SpecError(
                f"the search has no {word}: all words must match. For one of several type e.g. state:failed,stopped",
                field="search",
            )
        field, colon, asked = word.casefold().strip().partition(":")
        if colon and field in SEARCHED:
            if SEARCHED[field].name == "status":
                _check_states(asked)
            elif SEARCHED[field].name == "star":
                _check_star(asked)
        elif (compared := CellComparison.read(word)) and compared.sign != "=" and compared.is_known(rows):
            _check_number(compared, word)
        elif not any(map(_fitting(word.casefold().strip(), rows), rows)):
            _refuse_form(word, rows)


def _check_number(compared: CellComparison, word: str) -> None:
    example = f"{compared.name}{compared.sign}0.1"
    if not compared.asked:
        raise SpecError(f"{word!r} compares with nothing. Type e.g. {example}", field="search")
    if compared.needs_number:
        raise SpecError(
            f"{word!r} compares with {compared.asked!r}, which is no number. Type e.g. {example}", field="search"
        )


def _check_states(asked: str) -> None:
    names = {name.casefold() for status in Status for name in state_words(status)}
    for each in asked.split(","):
        if not any(each in name for name in names):  # a part of a name is enough, as `_in_column` has it
            states_named(each)


def _check_star(asked: str) -> None:
    for each in filter(None, asked.split(",")):
        if each not in (*YES, *NO):
            raise SpecError(f"a job has a star or none, not {each!r}. Type star:yes or star:no.", field="star")


def _refuse_form(word: str, rows: Sequence[JobRow]) -> None:
    """Refuse a word that no job has if it has the form of a condition."""
    compared = CellComparison.read(word)
    field, colon, asked = word.partition(":")
    if compared is None and re.search("[<>]", word):
        raise SpecError(f"{word!r} is no comparison. Type e.g. lr<0.1", field="search")
    if compared and compared.name in SEARCHED:
        name, value = word[: len(compared.name)], compared.asked or "x"
        raise SpecError(f"no job has a value {name!r}. To search this column, write {name}:{value}", field="search")
    if compared and compared.sign != "=":
        named = names_in(rows)
        listed = ", ".join(named[:MOST_NAMED]) + (", …" if len(named) > MOST_NAMED else "")
        if not named:
            raise SpecError(f"there is no value or metric {compared.name!r}; no job has any.", field="search")
        raise SpecError(f"there is no value or metric {compared.name!r}; there are {listed}", field="search")
    if colon and field.isidentifier() and not asked.startswith("//"):  # not an address
        known = ", ".join(SEARCHED)
        raise SpecError(f"there is no field {field!r} to search in; there are {known}.", field="search")


def _fitting(word: str, rows: Sequence[JobRow]) -> _Fits:
    """Return the test for rows that match `word`."""
    field, colon, asked = word.partition(":")
    if colon and field in SEARCHED:
        return _in_column(SEARCHED[field], [each for each in asked.split(",") if each])
    compared = CellComparison.read(word)
    if compared and compared.sign != "=":
        return compared.fitting(rows) or _having(word)
    if "=" in word and any(_has_value(row, word) for row in rows):
        return lambda row: _has_value(row, word)
    if compared and compared.asked and (has_metric := compared.fitting(rows)) and any(map(has_metric, rows)):
        return has_metric
    return _having(word)


def _in_column(column: JobColumn, asked: Sequence[str]) -> _Fits:
    texts = column.asked or column.words

    def fits(row: JobRow) -> bool:
        own = [text.casefold() for text in texts(row)]
        if column.is_exact:
            return not asked or any(each in own for each in asked)
        return not asked or any(each in text for each in asked for text in own)

    return fits


def _having(word: str) -> _Fits:
    """Return the test for rows in which this text is."""
    known: dict[tuple[str, ...], bool] = {}

    def is_in_shared(words: tuple[str, ...]) -> bool:
        if words not in known:
            known[words] = word in "\n".join(words).casefold()
        return known[words]

    return lambda row: word in _own_text(row) or any(is_in_shared(words(row)) for words in _SHARED_WORDS)


def _own_text(row: JobRow) -> str:
    """Return the casefolded words of a row that are its own; they are kept, since it is searched again with every typed letter."""
    if not row.searched:
        text = "\n".join(chain.from_iterable([words(row) for words in _OWN_WORDS])).casefold()
        object.__setattr__(row, "searched", text)
    return row.searched


def _has_value(row: JobRow, word: str) -> bool:
    name, _, wanted = word.partition("=")
    facts = row.facts
    if facts is not NO_FACTS:  # which is faster
        place = facts.given.folded.get(name)
        return place is not None and is_equal(facts.values[place], wanted)
    return any(_is_value(text.casefold(), word) for text in row.values)


def _is_value(text: str, word: str) -> bool:
    (name, _, value), (wanted_name, _, wanted) = text.partition("="), word.partition("=")
    return name == wanted_name and (value == wanted or _is_same_number(value, wanted))


def _is_same_number(one: str, other: str) -> bool:
    with suppress(ValueError):
        return float(one) == float(other)
    return False
