"""Short texts of steps, for pictures and tables: conditions, values, counts. Pure; nothing here is translated."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from pai_jupyter.contract import is_secret
from pai_jupyter.errors import SpecError
from pai_jupyter.runs.condition import parse_condition
from pai_jupyter.runs.references import Reference, read_reference
from pai_jupyter.runs.state import ConditionState, StepState, StepStatus
from pai_jupyter.spec import Json
from pai_jupyter.store import MASKED

MAX_LABEL = 200  # characters
MAX_VALUE = 40  # characters of a value in a label
MOST_INPUTS = 8  # of a run in a list
_SHORTEST = 3  # characters of an item in JSON, with the comma and the space behind it
SEARCHED = 1_000  # characters of a value in which the form of a secret is looked for
_EMPTY = "''"
_REFERENCE = re.compile(r"\{\{([^{}]{1,1000})\}\}")
_SPACE = re.compile(r"\s+")


def input_labels(values: Mapping[str, Json]) -> dict[str, str]:
    """Return the first inputs of a run as short texts, to tell runs of one name apart."""
    return {
        clipped(name, MAX_VALUE): named_label(name, value, MAX_VALUE)
        for name, value in islice(told_inputs(values).items(), MOST_INPUTS)
    }


def told_inputs(values: Mapping[str, Json]) -> dict[str, Json]:
    """Return those inputs that say something: an empty one is as good as none."""
    return {name: value for name, value in values.items() if value not in ("", {}, [])}


def named_label(name: str, value: Json, limit: int = MAX_LABEL) -> str:
    """Return the value of this name as `value_label`; a secret is masked."""
    label = value_label(value, max(limit, SEARCHED))  # what is clipped may hide that the rest is of a secret
    return MASKED if is_secret(name, label) else clipped(label, limit)


def value_label(value: Json, limit: int = MAX_LABEL) -> str:
    """Return a value on one line, clipped; text as it is, everything else as JSON, where secrets are masked."""
    if isinstance(value, str):
        return clipped(" ".join(value[: 4 * limit].split()), limit)
    return clipped(json.dumps(_beginning(value, limit + 1), ensure_ascii=False), limit)


def _beginning(value: Json, most: int) -> Json:
    """Return a value without what `most` characters of it do not show: a loop may have thousands of large ones."""
    if isinstance(value, str):
        return value[:most]
    if isinstance(value, list):
        return [_beginning(each, most) for each in islice(value, most // _SHORTEST + 1)]
    if isinstance(value, dict):
        return {
            name[:most]: MASKED if is_secret(name[:most]) else _beginning(each, most)
            for name, each in islice(value.items(), most)
        }
    return value


def clipped(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def title_label(title: str) -> str:
    """Return the title of a component; "" if nobody named it: PAI's SDK and `pai_jupyter.workflow` make up `tmp-` and a number."""
    return "" if title.startswith("tmp-") else title


def condition_label(condition: ConditionState, *, with_values: bool = True) -> str:
    """Return a condition as a reader says it: `accuracy <= 0.9`; decided `accuracy = 0.85 <= 0.9`.

    References of several steps keep the names of their steps.
    """
    found = _references_of(condition.text)
    is_one = len({reference.step for reference in found.values()}) <= 1

    def replaced(match: re.Match[str]) -> str:
        reference = found.get(match[1])
        if reference is None:
            return match[0]
        name = reference.name or reference.text  # {{item}} has no name
        name = name if is_one or reference.step is None else f"{reference.step}.{name}"
        decided = condition.values.get(reference.text) if with_values else None
        return name if decided is None else f"{name} = {value_label(decided, MAX_VALUE) or _EMPTY}"

    return clipped(_SPACE.sub(" ", _REFERENCE.sub(replaced, condition.text[:10_000])).strip(), MAX_LABEL)


def _references_of(text: str) -> dict[str, Reference]:
    """Return the references in a condition by what stands between the braces; what is none is left out."""
    found = {}
    for inner in _REFERENCE.findall(text[:10_000]):
        try:
            found[inner] = read_reference(inner.strip())
        except SpecError:
            continue
    return found


def condition_sources(condition: ConditionState | None) -> frozenset[str]:
    """Return the names of the steps that a condition refers to; none where it cannot be read."""
    try:
        references = parse_condition(condition.text).references if condition else ()
    except SpecError:
        return frozenset()
    return frozenset(reference.step for reference in references if reference.step is not None)


def count_statuses(steps: Iterable[StepState]) -> dict[StepStatus, int]:
    """Count these steps by status, in the order of `StepStatus`."""
    return _in_order(Counter(step.status for step in steps))


def count_jobs(steps: Iterable[StepState]) -> dict[StepStatus, int]:
    """Count the jobs in these steps by status; what has not begun yet, or was skipped as a whole, counts as one."""
    return _in_order(Counter(step.status for step in _leaves(steps)))


def every_step(steps: Iterable[StepState]) -> Iterator[StepState]:
    """Yield these steps and all that are in them, each before what is in it."""
    waiting = [*steps][::-1]
    while waiting:
        step = waiting.pop()
        yield step
        waiting.extend(reversed(step.children))


def _leaves(steps: Iterable[StepState]) -> Iterator[StepState]:
    return (step for step in every_step(steps) if not step.children)


def _in_order(counts: Mapping[StepStatus, int]) -> dict[StepStatus, int]:
    return {status: counts[status] for status in StepStatus if counts[status]}
