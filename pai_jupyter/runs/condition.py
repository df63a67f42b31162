"""Conditions of steps: `{{pipelines.train.outputs.parameters.accuracy}} <= 0.9`. Parsed, never evaluated as code.

    condition  := conjunction ("or" conjunction)*
    conjunction := term ("and" term)*
    term       := "not" term | "(" condition ")" | operand ("==" | "!=" | "<" | "<=" | ">" | ">=") operand
    operand    := reference | 'quoted' | "quoted" | bare words (a number, or text: PAI's SDK does not quote)

Rule 1: the text is parsed first and references get their values afterwards, so no value is ever syntax.
Rule 2: two numbers are compared as numbers, else both sides as text without the space around it, which has no order. What is
    declared as text is equal only to the same text (version 1.10 is not 1.1); by `<` its numbers are compared, as PAI's SDK does it
    with outputs that it calls text unless told otherwise.
Rule 3: a reference without a value, or an order of text, is an error; it is never False.
"""

import math
import operator
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypeAlias

from pai_jupyter.errors import SpecError
from pai_jupyter.runs.parameter_types import read_number, shown
from pai_jupyter.runs.references import Reference, as_text, read_reference
from pai_jupyter.spec import Json

MAX_LENGTH = 10_000  # characters of a condition
MAX_NESTING = 50
_TOKEN = re.compile(
    r"""\s*(?:
      \{\{(?P<reference>[^{}]*)\}\}
    | '(?P<single>(?:[^'\\]|\\.)*)' | "(?P<double>(?:[^"\\]|\\.)*)"
    | (?P<operator>==|!=|<=|>=|<|>)
    | (?P<bracket>[()])
    | (?P<bare>(?:(?!==|!=)[^\s'"(){}<>])+)
    )""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_LOGIC = ("and", "or", "not")
EQUALITY = ("==", "!=")
_OURS = {"&&": "`and`", "||": "`or`", "!": "`not`"}  # for those of other languages
_FOREIGN = re.compile(r"&&|\|\||^!$")
COMPARISONS: Mapping[str, Callable[[int | float, int | float], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@dataclass(frozen=True)
class _Token:
    kind: str  # reference text bare operator bracket logic
    text: str


@dataclass(frozen=True)
class Comparison:
    """Two operands, each a reference or a text."""

    left: Reference | str
    sign: str
    right: Reference | str


@dataclass(frozen=True)
class Logic:
    """`and`, `or` of several parts, `not` of one."""

    word: str
    parts: tuple["_Part", ...]


_Part: TypeAlias = Comparison | Logic


@dataclass(frozen=True, kw_only=True)
class Condition:
    """A parsed condition. `has_logic`: it has `and`, `or` or `not`, which PAI's own SDK never sends."""

    text: str
    root: Comparison | Logic
    references: tuple[Reference, ...]
    has_logic: bool
    texts: frozenset[str] = frozenset()  # the references that are declared as text

    def with_texts(self, is_text: Callable[[Reference], bool]) -> "Condition":
        """Return the condition knowing which of its references are declared as text."""
        return replace(self, texts=frozenset(it.text for it in self.references if is_text(it)))

    def decide(self, values: Mapping[str, Json]) -> tuple[bool, dict[str, Json]]:
        """Return whether it is met, and the values of its references, which `values` has by `Reference.text`.

        Raises:
            SpecError: a reference has no value, or text is compared by order.
        """
        for reference in self.references:
            if values.get(reference.text) is None:
                raise SpecError(f"the condition cannot be decided: {{{{{reference.text}}}}} has no value.")
        used = {reference.text: values[reference.text] for reference in self.references}
        return _decide(self.root, used, self.texts), used

    def comparisons(self) -> Iterator[Comparison]:
        """Yield its comparisons, from left to right."""
        yield from _comparisons(self.root)


@lru_cache(maxsize=10_000)
def parse_condition(text: str) -> Condition:
    """Parse a condition.

    Raises:
        SpecError: it is none; the sentence says where.
    """
    if len(text) > MAX_LENGTH:
        raise SpecError(f"a condition has {len(text)} characters; there may be {MAX_LENGTH}.")
    parser = _ConditionParser(text)
    root = parser.whole()
    references = tuple(dict.fromkeys(_references(root)))
    return Condition(text=text, root=root, references=references, has_logic=isinstance(root, Logic))


class _ConditionParser:
    """Recursive descent over the tokens of one text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = list(_tokens(text))
        self._next = 0
        self._depth = 0

    def whole(self) -> _Part:
        part = self._either()
        if self._next < len(self._tokens):
            raise self._wrong("`and`", "`or`")
        return part

    def _either(self) -> _Part:
        return self._joined("or", lambda: self._joined("and", self._term))

    def _joined(self, word: str, read: Callable[[], _Part]) -> _Part:
        parts = [read()]
        while self._takes("logic", word):
            parts.append(read())
        return Logic(word, tuple(parts)) if len(parts) > 1 else parts[0]

    def _term(self) -> _Part:
        if self._takes("logic", "not"):
            with_not = self._deeper(self._term)
            return Logic("not", (with_not,))
        if self._takes("bracket", "("):
            inside = self._deeper(self._either)
            if not self._takes("bracket", ")"):
                raise self._wrong("`)`")
            return inside
        left = self._operand()
        sign = self._peek()
        if sign is None or sign.kind != "operator":
            raise self._wrong(*(f"`{each}`" for each in COMPARISONS))
        self._next += 1
        return Comparison(left, sign.text, self._operand())

    def _operand(self) -> Reference | str:
        token = self._peek()
        if token is None or token.kind not in ("reference", "text", "bare"):
            raise self._wrong("a reference or a number or text")
        self._next += 1
        if token.kind == "reference":
            return read_reference(token.text)
        words = [token.text]
        while token.kind == "bare" and (following := self._peek()) is not None and following.kind == "bare":
            words.append(following.text)
            self._next += 1
        return " ".join(words)

    def _deeper(self, read: Callable[[], _Part]) -> _Part:
        self._depth += 1
        if self._depth > MAX_NESTING:
            raise SpecError(f"the condition {shown(self._text)} is nested more than {MAX_NESTING} deep.")
        part = read()
        self._depth -= 1
        return part

    def _peek(self) -> _Token | None:
        return self._tokens[self._next] if self._next < len(self._tokens) else None

    def _takes(self, kind: str, text: str) -> bool:
        is_next = self._peek() == _Token(kind, text)
        self._next += is_next
        return is_next

    def _wrong(self, *expected: str) -> SpecError:
        token = self._peek()
        return _wrong(self._text, token.text if token else "", *expected)


def _wrong(text: str, at: str, *expected: str) -> SpecError:
    where = f"at {shown(at)}" if at else "at its end"
    return SpecError(f"the condition {shown(text)} is wrong {where}: expected {' or '.join(expected)}.")


def _tokens(text: str) -> Iterator[_Token]:
    position, end = 0, len(text.rstrip())
    while position < end:
        found = _TOKEN.match(text, position)
        if not found:
            rest = text[position:].lstrip()
            hint = " Close the quotes." if rest[0] in "'\"" else ""
            raise SpecError(f"the condition {shown(text)} is wrong at {shown(rest)}.{hint}")
        yield _token(found)
        position = found.end()


def _token(found: re.Match[str]) -> _Token:
    kind = found.lastgroup or ""
    text = found[kind]
    if kind == "bare" and (foreign := _FOREIGN.search(text)):
        raise _wrong(found.string, foreign[0], _OURS[foreign[0]])
    if kind in ("single", "double"):
        return _Token("text", _ESCAPED.sub(r"\1", text))
    return _Token("logic" if kind == "bare" and text in _LOGIC else kind, text)


def _comparisons(part: _Part) -> Iterator[Comparison]:
    if isinstance(part, Comparison):
        yield part
    else:
        for inside in part.parts:
            yield from _comparisons(inside)


def _references(part: _Part) -> Iterator[Reference]:
    for each in _comparisons(part):
        yield from (side for side in (each.left, each.right) if isinstance(side, Reference))


def _decide(part: _Part, values: Mapping[str, Json], texts: frozenset[str]) -> bool:
    if isinstance(part, Comparison):
        return _compare(part, values, texts)
    if part.word == "not":
        return not _decide(part.parts[0], values, texts)
    decided = (_decide(inside, values, texts) for inside in part.parts)
    return all(decided) if part.word == "and" else any(decided)


def _compare(part: Comparison, values: Mapping[str, Json], texts: frozenset[str]) -> bool:
    left, right = (values[side.text] if isinstance(side, Reference) else side for side in (part.left, part.right))
    numbers = _number(left), _number(right)
    if numbers[0] is not None and numbers[1] is not None and not (part.sign in EQUALITY and _is_of_text(part, texts)):
        return COMPARISONS[part.sign](numbers[0], numbers[1])
    if part.sign not in EQUALITY:
        wrong = left if numbers[0] is None else right
        raise SpecError(
            f"the condition cannot be decided: {shown(as_text(wrong))} is no number, and `{part.sign}` compares numbers only."
        )
    return (_text(left, right) == _text(right, left)) is (part.sign == "==")


def _is_of_text(part: Comparison, texts: frozenset[str]) -> bool:
    """Return whether a text is compared with a text: what is typed into a condition may be one, another type is none."""
    references = [side.text for side in (part.left, part.right) if isinstance(side, Reference)]
    return bool(references) and all(it in texts for it in references)


def _number(value: Json) -> int | float | None:
    if isinstance(value, str):
        return read_number(value)
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return value if is_number else None  # type: ignore[return-value]  # a number, as checked


def _text(value: Json, other: Json) -> str:
    text = as_text(value).strip()
    return text.lower() if isinstance(value, bool) or isinstance(other, bool) else text  # true, True
