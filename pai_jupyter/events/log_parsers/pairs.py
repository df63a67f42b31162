"""Names and numbers in a line: `loss=0.5`, `val loss: 0.4`, `loss 3.2`, `Loss 6.9 (7.0)`, `Accuracy: 9913/10000 (99%)`.

Rule 1: behind a sign (`=`, `:`, `-->`, `is`) stands the number of any name. Behind blanks alone it stands only for a known
        name, for all text is words and numbers.
Rule 2: a whole number that goes on as a sentence is no value: `saved: 5 files`, but not `hits: 5 val loss: 0.1`.
Rule 3: a name is up to three words and what stands in parentheses behind them; what is no part of it in front (articles,
        levels of a log) is left out.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from pai_jupyter.events.log_parsers.names import KNOWN, SPLITS, NameKind, bare_kind_of, kind_of, parts_of, word_set
from pai_jupyter.events.log_parsers.number import END, INT, NUMBER

_FIRST, _REST = r"[A-Za-z_\u4e00-\u9fff]", r"[\w./@*^-]*+"
_WORD = _FIRST + _REST
# A look-behind behind the first letter, not before it: so the search is for a letter, which is faster.
_NAME = rf"{_FIRST}(?<![\w./@*^&?%-]{_FIRST}){_REST}(?:\x20{_WORD}){{0,2}}(?:\x20?\([^()=:\n]{{1,32}}\))?"
_PAIR = re.compile(
    rf"({_NAME})(?:\x20?\[{INT}\])?"
    r"(\x20(?:is|was|of))?(\s*+(?:[=:：]|-{1,6}>)\s*+|\s++)"
    rf"(\[\s*+|(?:tensor|array|(?:np\.)?float(?:16|32|64))\()?({NUMBER})"
    rf"(?:/([0-9]{{1,15}}(?:\.[0-9]++)?)(?![\w./]))?{END}",
)
# "saved: 5 files", but not "hits: 5 val loss: 0.1".
_PROSE = re.compile(rf"\s++(?!(?:{_WORD}\s++){{0,2}}{_WORD}\s*+(?:[=:]|-?\.?[0-9]))[A-Za-z]")
_LEVELS = frozenset(("INFO", "DEBUG", "WARNING", "WARN", "ERROR", "CRITICAL", "NOTICE"))
_VERBS = (" is", " was", " of")
_TAILS = word_set("max min mean avg average std macro micro weighted total overall final best")  # behind a known word
_FEW = 3  # a known name among more others than so many for each is an option among options
_ARTICLES = word_set("""the a an and with of for at in on is was has had have to from by got after its our your this that then while are
    complete completed finished done losses metrics results""")


class Pair(NamedTuple):
    """`name` as printed, but for articles; `start` and `end` are where name and number stand in the line."""

    name: str
    value: float
    kind: NameKind
    start: int
    end: int


class _Name(NamedTuple):
    """What a name tells, whatever stands behind it."""

    text: str
    kind: NameKind
    bare_kind: NameKind
    is_sentence: bool  # something stood in front
    has_verb: bool
    is_spoken: bool  # its last word is a known one: what follows a blank is its number
    is_split: bool  # no more than a part of the data: `val`
    ends_split: bool  # a known name with a part of the data behind it: `LOSS train`


def find_pairs(text: str, *, is_bare: bool = False) -> list[Pair]:
    """Find the names that are metrics, with their numbers; `is_bare` where the line has no place."""
    found: list[Pair] = []
    before, others = "", 0
    for match in _PAIR.finditer(text):
        printed, verb, sign, opening, number, whole = match.groups()
        name, kind, bare_kind, is_sentence, has_verb, is_spoken, is_split, ends_split = _read_name(printed)
        if is_split and before:  # LOSS train 0.53 valid 0.45
            name, kind, bare_kind, *_, is_spoken, _, ends_split = _read_name(f"{before.rpartition(' ')[0]} {name}")
        before = name if ends_split else ""
        is_blank = sign.isspace() and not verb and not has_verb
        kind = bare_kind if is_bare else kind
        others += not kind
        if not kind or (is_blank and not is_spoken and (is_bare or not is_split)):
            continue
        end = match.end()
        if opening and opening[0] == "[" and text[end : end + 1] != "]":
            continue  # one of several
        if whole is not None:
            if kind is NameKind.KNOWN and float(whole):
                found.append(Pair(name, float(number) / float(whole), kind, match.start(), end))
            continue
        if is_bare or is_split or number.isdigit():
            is_suspect = is_bare and (is_blank or is_sentence)
            needs_fraction = is_split or (is_bare and (is_blank or kind is NameKind.VAGUE))
            if _is_no_value(text, end, number, sign, is_suspect=is_suspect, needs_fraction=needs_fraction):
                continue
        found.append(Pair(name, float(number), kind, match.start(), end))
    return [] if is_bare and others >= _FEW * len(found) else found


def _is_no_value(text: str, end: int, number: str, sign: str, *, is_suspect: bool, needs_fraction: bool) -> bool:
    """Return whether the number is an address, part of a sentence, or a count where only a fraction would do."""
    is_whole = number.strip("+-").isdigit()
    if is_whole and needs_fraction and not text[end : end + 2].lstrip().startswith("%"):
        return True
    if is_whole and ":" in sign and sign[-1] == ":":
        return True  # localhost:8080
    is_suspect = is_suspect or (is_whole and (":" in sign or sign.isspace()))
    return is_suspect and _PROSE.match(text, end) is not None


@lru_cache(maxsize=4_000)
def _read_name(printed: str) -> _Name:
    text, is_sentence = _trimmed(printed)
    has_verb = text.endswith(_VERBS)
    if has_verb:
        text = text[: text.rindex(" ")]
    known, _, last = text.rpartition(" ")
    ends_split = last.lower() in SPLITS and bool(parts_of(known) & KNOWN)
    words = text.partition("(")[0].split()
    return _Name(
        text=text,
        kind=kind_of(text),
        bare_kind=bare_kind_of(text),
        is_sentence=is_sentence,
        has_verb=has_verb,
        is_spoken=ends_split or (bool(words) and bool(parts_of(words[-1]) & KNOWN)) or _has_tail(words),
        is_split=text.lower() in SPLITS,
        ends_split=ends_split,
    )


def _has_tail(words: list[str]) -> bool:
    return len(words) > 1 and words[-1].lower() in _TAILS and bool(parts_of(words[-2]) & KNOWN)


def _trimmed(name: str) -> tuple[str, bool]:
    """Return `name` without what stands before it, and whether that made it part of a sentence."""
    words = name.split(" ")
    inside = [at for at, word in enumerate(words[:-1]) if word.lower() in _ARTICLES or word in _LEVELS]
    if inside:
        words = words[inside[-1] + 1 :]
    if len(words) > 1 and words[0].lower() == words[1].lower():
        del words[0]
    return " ".join(words), bool(inside)
