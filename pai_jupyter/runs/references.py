"""References in templates: find them, and put values in their place. Pure; the spelling is in `plan`.

Rule 1: text in braces that does not begin like a reference (`{{.Names}}`, `{{ title }}`) is text; what begins like one must be one.
Rule 2: what a value holds is never read again: a value that looks like a reference stays a value.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

from pai_jupyter.errors import SpecError
from pai_jupyter.spec import Json

Kind: TypeAlias = Literal["parameters", "artifacts"]
_BRACES = re.compile(r"\{\{([^{}]*)\}\}")
_LIKE_ONE = re.compile(r"\s*(inputs\.|pipelines\.|item\b)")
_INPUT = re.compile(r"inputs\.(parameters|artifacts)\.([^{}]+)")
_OUTPUT = re.compile(r"pipelines\.(.+?)\.outputs\.(parameters|artifacts)\.([^{}]+)")
_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True, kw_only=True)
class Reference:
    """`text`: as it is spelled, without braces. `step` None: an input of the graph, or the item of the loop."""

    text: str
    kind: Kind = "parameters"
    name: str = ""
    step: str | None = None

    @property
    def is_item(self) -> bool:
        return self.text == "item"


Lookup: TypeAlias = Callable[[Reference], Json]
"""Give the value of a reference, or raise a SpecError that says why there is none."""


@lru_cache(maxsize=10_000)
def read_reference(text: str) -> Reference:
    """Read what stands between the braces.

    Raises:
        SpecError: it is no reference.
    """
    text = text.strip()
    if text == "item":
        return Reference(text=text)
    if found := _INPUT.fullmatch(text):
        return Reference(text=text, kind=_kind(found[1]), name=found[2])
    if found := _OUTPUT.fullmatch(text):
        return Reference(text=text, kind=_kind(found[2]), name=found[3], step=found[1])
    raise SpecError(
        f"{{{{{text[:100]}}}}} is no reference. Write {{{{inputs.parameters.NAME}}}}, "
        "{{pipelines.STEP.outputs.parameters.NAME}}, the same with `artifacts`, or {{item}}."
    )


def _kind(word: str) -> Kind:
    return "artifacts" if word == "artifacts" else "parameters"


def references_in(template: Json) -> Iterator[Reference]:
    """Yield the references in a template, in order; one that is there twice comes twice.

    Raises:
        SpecError: what begins like a reference is none.
    """
    if isinstance(template, str):
        if "{{" in template:
            yield from (reference for found in _BRACES.finditer(template) if (reference := _reference_of(found)))
    elif isinstance(template, list | tuple):
        for item in template:
            yield from references_in(item)
    elif isinstance(template, dict):
        for item in template.values():
            yield from references_in(item)


def _reference_of(found: re.Match[str]) -> Reference | None:
    return read_reference(found[1]) if _LIKE_ONE.match(found[1]) else None


def resolve(template: Json, lookup: Lookup) -> Json:
    """Put values in the place of references. A text that is one reference and nothing else becomes the value, with its type."""
    if isinstance(template, str):
        return _resolve_text(template, lookup) if "{{" in template else template
    if isinstance(template, list | tuple):
        return [resolve(item, lookup) for item in template]
    if isinstance(template, dict):
        return {key: resolve(item, lookup) for key, item in template.items()}
    return template


def _resolve_text(text: str, lookup: Lookup) -> Json:
    whole = _BRACES.fullmatch(text.strip())
    if whole and (reference := _reference_of(whole)):
        return lookup(reference)

    def replaced(found: re.Match[str]) -> str:
        inside = _reference_of(found)
        return as_text(lookup(inside)) if inside else found[0]

    return _BRACES.sub(replaced, text)


def as_text(value: Json) -> str:
    """Write a value as text, as PAIFlow does within text: texts as they are, anything else as JSON; null is nothing."""
    if isinstance(value, str):
        return value
    return "" if value is None else _JSON.encode(value)
