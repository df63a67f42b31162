"""The rules for names of channels and parameters, as PAI's "Create custom components" has them, and versions. Pure."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from pai_jupyter.component.component import Component
from pai_jupyter.contract import OUR_CHANNELS
from pai_jupyter.events import strip_ansi
from pai_jupyter.spec import RESERVED_CHANNELS, env_name

_NAME = re.compile(r"[A-Za-z0-9-][A-Za-z0-9_-]*")
_COMPONENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,127}")
_VERSION = re.compile(r"(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})", re.ASCII)
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_SHOWN = 60  # characters of a name in a sentence
FIRST = "1.0.0"

Kind = str


@dataclass(frozen=True, kw_only=True)
class NamedPart:
    """A channel or a parameter: its kind (`input`), its place among those of its kind, from 0, and its name."""

    kind: Kind
    index: int
    name: str


def named_parts(component: Component) -> list[NamedPart]:
    """Return each channel and parameter."""
    names = {
        "input": [each.name for each in component.inputs],
        "output": [each.name for each in component.outputs],
        "parameter": [each.name for each in component.parameters],
    }
    return [
        NamedPart(kind=kind, index=index, name=name)
        for kind, of_kind in names.items()
        for index, name in enumerate(of_kind)
    ]


def component_name_problem(name: str) -> str | None:
    """Return what is wrong with the name of a component."""
    if not name.strip():
        return "the component has no name. Give one, e.g. iris-train."
    if not _COMPONENT.fullmatch(name):
        return (
            f"the component cannot be called {shown(name)}: use letters, digits, _ and -, a letter or a digit first, "
            "and at most 128 characters."
        )
    return None


def version_problem(version: str) -> str | None:
    """Return what is wrong with a version."""
    if _VERSION.fullmatch(version):
        return None
    return f"the version {shown(version)} is not of the form x.y.z. Give three numbers, e.g. {FIRST}."


def next_of(versions: Iterable[str]) -> str:
    """Propose the version after the highest: the last number plus one; `1.0.0` for the first.

    Example:
        >>> next_of(["1.0.9", "1.0.10", "0.9.0"]), next_of([])
        ('1.0.11', '1.0.0')
    """
    known = sorted(tuple(map(int, version.split("."))) for version in versions if _VERSION.fullmatch(version))
    return ".".join(map(str, (*known[-1][:2], known[-1][2] + 1))) if known else FIRST


def in_order(versions: Iterable[str]) -> list[str]:
    """Return the versions from the lowest to the highest; those that are not `x.y.z` come first."""
    return sorted(versions, key=lambda each: (bool(_VERSION.fullmatch(each)), _numbers(each)))


def newest_of(versions: Iterable[str]) -> str | None:
    """Return the highest version; one that is not `x.y.z` only if there is no other."""
    ordered = in_order(versions)
    return ordered[-1] if ordered else None


def name_problems(component: Component) -> Iterator[tuple[NamedPart, str]]:
    """Yield the part and the sentence for each invalid name of a channel or parameter."""
    parts = named_parts(component)
    for each in parts:
        if sentence := _spelling(each.kind, each.name):
            yield each, sentence
    valid = [each for each in parts if not _spelling(each.kind, each.name)]
    yield from _collisions(valid)
    for each in valid:
        if each.kind != "parameter" and each.name in RESERVED_CHANNELS | OUR_CHANNELS:
            yield each, f"the {each.kind} {each.name!r} has a name that every job uses itself. Choose another."


def _spelling(kind: Kind, name: str) -> str | None:
    if not name.strip():
        return f"the {kind} has no name. Give one, e.g. {_EXAMPLES[kind]}."
    if name.startswith("_"):
        return f"the {kind} {shown(name)} begins with _. Remove it: {shown(name.lstrip('_') or 'name')}."
    allowed = name.replace(".", "") if kind == "parameter" else name  # PAI's own examples have train.learning_rate
    if not _NAME.fullmatch(allowed):
        return f"the {kind} {shown(name)} has other characters than letters, digits, _ and -. Rename it."
    return None


def _collisions(parts: Sequence[NamedPart]) -> Iterator[tuple[NamedPart, str]]:
    """Yield the later one of two parts that collide."""
    for one, other in combinations(parts, 2):
        kind, name = one.kind, one.name
        if name == other.name and kind == other.kind:
            yield other, f"the {kind} {name!r} is there twice. Rename or remove one of them."
        elif name == other.name:
            yield (
                other,
                f"the name {name!r} is used for {kind} and {other.kind}; every channel and parameter needs one of its own. "
                "Rename one of them.",
            )
        elif kind == other.kind and env_name(name) == env_name(other.name):
            yield (
                other,
                f"the {kind} names {name!r} and {other.name!r} become the same variable {_PREFIXES[kind]}{env_name(name)}. "
                "Rename one of them.",
            )


_EXAMPLES = {"input": "train", "output": "model", "parameter": "lr"}
_PREFIXES = {"input": "PAI_INPUT_", "output": "PAI_OUTPUT_", "parameter": "PAI_HPS_"}


def _numbers(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d{1,18}", version)]


def visible(text: str) -> str:
    """Remove what a terminal would obey, and what turns the order of letters round: others may have written the text."""
    return _CONTROLS.sub(" ", strip_ansi(text))


def shown(text: str) -> str:
    """Quote a name for a sentence: one line, shortened."""
    return repr(text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…")
