"""Steps that can never run, since what they wait for excludes each other. Pure; known before anything runs.

Rule: only what is certain is said. Two conditions exclude each other where no values meet both; what is not understood, or has too
many cases, counts as possible.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from typing import TypeAlias

from pai_jupyter.runs.condition import COMPARISONS, Comparison, Condition, Logic
from pai_jupyter.runs.level import Level
from pai_jupyter.runs.parameter_types import read_number
from pai_jupyter.runs.references import Reference

MOST_CONDITIONS = 200  # of one graph; with more nothing is said
MOST_CASES = 64  # of one condition
_OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_TURNED = {"==": "==", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
_Case: TypeAlias = tuple[Comparison, ...]  # all of them are met


def never_run(level: Level, path: str = "") -> Iterator[str]:
    """Yield a sentence for each step that can never run, those in nested pipelines included."""
    conditions = {
        name: it for name, it in level.conditions.items() if not any(reference.is_item for reference in it.references)
    }
    if len(conditions) <= MOST_CONDITIONS:
        pairs = [(a, b) for a, b in combinations(conditions, 2) if _exclude(conditions[a], conditions[b])]
        for name, (first, second) in _joins(level, pairs):
            yield _sentence(f"{path}{name}", name, f"{path}{first}", f"{path}{second}", is_own=name in (first, second))
    for name, inner in level.inner.items():
        yield from never_run(inner, f"{path}{name}/")


def _sentence(step: str, name: str, first: str, second: str, *, is_own: bool) -> str:
    if is_own:
        other = first if second == step else second
        return (
            f"step `{step}` can never run: its condition and that of `{other}`, which it waits for, exclude each other. "
            "Change one of them."
        )
    return (
        f"step `{step}` can never run: it waits for `{first}` and `{second}`, whose conditions exclude each other, and what is behind "
        f"a skipped step is skipped. Put both into a pipeline of their own, and let `{name}` depend on that step."
    )


def _joins(level: Level, pairs: Sequence[tuple[str, str]]) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield the first steps behind both sides of a pair; a step is behind itself, too."""
    bits = {name: 1 << number for number, name in enumerate(dict.fromkeys(name for pair in pairs for name in pair))}
    behind: dict[str, int] = {}
    for name, depends in level.depends.items():  # in order
        behind[name] = bits.get(name, 0)
        for each in depends:
            behind[name] |= behind[each]
        for pair in pairs:
            both = bits[pair[0]] | bits[pair[1]]
            if behind[name] & both == both and not any(behind[each] & both == both for each in depends):
                yield name, pair
                break


def _exclude(one: Condition, other: Condition) -> bool:
    shared = {it.text for it in one.references} & {it.text for it in other.references}
    return bool(shared) and all(
        _contradicts((*a, *b)) for a in _cases(one.root, is_met=True) for b in _cases(other.root, is_met=True)
    )


def _cases(part: Comparison | Logic, *, is_met: bool) -> list[_Case]:
    """Return the cases in which a part of a condition is met, or is not."""
    if isinstance(part, Comparison):
        return [(part if is_met else Comparison(part.left, _OPPOSITE[part.sign], part.right),)]
    if part.word == "not":
        return _cases(part.parts[0], is_met=not is_met)
    inside = [_cases(each, is_met=is_met) for each in part.parts]
    if (part.word == "or") is is_met:
        found = [case for cases in inside for case in cases]
        return found if len(found) <= MOST_CASES else [()]
    whole: list[_Case] = [()]
    for cases in inside:
        if len(whole) * len(cases) > MOST_CASES:
            return [()]
        whole = [(*a, *b) for a in whole for b in cases]
    return whole


def _contradicts(case: _Case) -> bool:
    by_left: dict[str, list[tuple[str, Reference | str]]] = {}
    for each in case:
        one = Comparison(each.right, _TURNED[each.sign], each.left) if _is_turned(each) else each
        if isinstance(one.left, Reference):
            by_left.setdefault(one.left.text, []).append((one.sign, one.right))
    return any(_is_impossible(compared) for compared in by_left.values())


def _is_turned(one: Comparison) -> bool:
    """Return whether the sides are to change places: references come first, by their name."""
    if isinstance(one.right, Reference):
        return not isinstance(one.left, Reference) or one.right.text < one.left.text
    return False


def _is_impossible(compared: Sequence[tuple[str, Reference | str]]) -> bool:
    """Return whether no value of a reference meets all of these comparisons."""
    by_right: dict[str, list[str]] = {}
    for sign, right in compared:
        by_right.setdefault(right.text if isinstance(right, Reference) else f"'{right}", []).append(sign)
    if any(not _has_place(signs) for signs in by_right.values()):
        return True
    numbers = [
        (sign, number)
        for sign, right in compared
        if isinstance(right, str) and (number := read_number(right)) is not None
    ]
    texts = {right.strip().lower() for sign, right in compared if sign == "==" and isinstance(right, str)}
    are_texts = len(texts) > 1 and any(read_number(text) is None for text in texts)
    return are_texts or not _has_number(numbers)


def _has_place(signs: Sequence[str]) -> bool:
    """Return whether a value may stand below, at or above another as all of these signs say."""
    return any(all(COMPARISONS[sign](place, 0) for sign in signs) for place in (-1, 0, 1))


def _has_number(compared: Sequence[tuple[str, int | float]]) -> bool:
    """Return whether a number meets all of these: one of them, one between two, one below or above all."""
    ends = sorted({number for _, number in compared})
    if not ends:
        return True
    between = [(low + high) / 2 for low, high in pairwise(ends)]
    return any(
        all(COMPARISONS[sign](it, number) for sign, number in compared)
        for it in (*ends, *between, ends[0] - 1, ends[-1] + 1)
    )
