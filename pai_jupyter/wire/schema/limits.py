"""Limits of declared fields beyond their types, used to validate requests and by the generator.

A limit is an argument of `Annotated`, after the type. This module reads limits back for `RequestFields`
(`pai_jupyter.wire.protocol.requests`) and for the generator.
"""

import types
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Annotated, Any, Literal, NotRequired, TypeAlias, Union, get_args, get_origin

MAX_EXACT = 2**53  # larger whole numbers are not exact in a browser
MAX_ID = 200  # characters of an id or a name
MAX_NAME = 1_000  # characters of a name that is free text
MAX_PATTERN = 10_000  # characters
MAX_CELL = 200_000  # characters
MAX_SENTENCE = 2_000  # characters of a sentence for the user
MAX_DIFFERENCE_LINE = 1_000  # characters
MAX_PIECE = 1024 * 1024  # bytes of a file in one answer
MAX_OFFSET = 1 << 62  # bytes; past the end of every file
MOST_NUMBERS = 500  # lines asked for one by one
MOST_FOUND = 100_000  # line numbers in the answer to a search
MOST_SPARKS = 100  # visible rows
MOST_BOARD_JOBS = 100  # jobs that one TensorBoard shows
MOST_LINES = 2_000  # of a log, in one answer or push
MOST_ROWS = 1_000  # per page of jobs
MOST_REPORTED = 50  # jobs of a report, as `report.writing` has it
MOST_COLUMNS = 2_000  # of the runs table, in one request
MOST_TABLE_ROWS = 500  # lines of the runs table in one answer
MOST_ENTRIES = 1_000  # of a directory, in one answer
MOST_PACKAGES = 5_000  # of a Python, in one answer
MOST_FILES = 2_000  # of a package, in one answer
MOST_DIFFERENCE_LINES = 4_000
MOST_FINDINGS = 200  # per cell
MOST_ABOVE = 5_000  # cells of a notebook above another
MOST_OPEN = 100  # levels of a run
LONGEST_PROFILE = 60  # seconds
MOST_TAKEN = 500  # names that a cell takes from other cells


class Text:
    """A text of `least` to `most` characters that matches `pattern`, a JavaScript regular expression."""

    def __init__(self, *, most: int | None = None, least: int = 0, pattern: str = "") -> None:
        self.most, self.least, self.pattern = most, least, pattern


class Number:
    """A number from `least` to `most`."""

    def __init__(self, *, least: int | None = 0, most: int | None = None) -> None:
        self.least, self.most = least, most


class Items:
    """A list of `least` to `most` items."""

    def __init__(self, *, most: int | None = None, least: int = 0) -> None:
        self.most, self.least = most, least


class Words:
    """One of these words."""

    def __init__(self, *words: str) -> None:
        self.words = words


class Named:
    """Gives a type a name in generated files; `doc` describes it."""

    def __init__(self, name: str, doc: str = "") -> None:
        self.name, self.doc = name, doc


Limit: TypeAlias = Text | Number | Items | Words


@cache
def limits_of(declared: type) -> Mapping[str, tuple[Limit, ...]]:
    """Return the limits of each field of a declared object, those of a list before those of its items."""
    hints = declared.__annotations__  # inherited fields included
    return {name: tuple(_limits(hint)) for name, hint in hints.items()}


def types_of(declared: type) -> Mapping[str, type]:
    """Return the type of each field of a declared query, without its limits; a `Literal` counts as str."""
    return {name: _type(hint) for name, hint in declared.__annotations__.items()}


def _type(hint: Any) -> type:  # Any: a type
    origin = get_origin(hint)
    if origin is Literal:
        return str
    return _type(get_args(hint)[0]) if origin in (Annotated, NotRequired) else hint


def _limits(hint: Any) -> Iterator[Limit]:  # Any: a type
    """Yield the limits in a type, outermost first."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        yield from (each for each in hint.__metadata__ if isinstance(each, Limit))
        yield from _limits(hint.__origin__)
    elif origin is Literal:
        yield Words(*arguments)
    elif origin in (NotRequired, list, Union, types.UnionType):
        for argument in arguments:
            yield from _limits(argument)
