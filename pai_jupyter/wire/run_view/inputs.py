"""The inputs of a run or a component as a form shows them, and what was typed there as values. No I/O."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from pai_jupyter.contract import is_secret
from pai_jupyter.runs.plan import DeclaredArtifact, DeclaredParameter
from pai_jupyter.runs.references import as_text
from pai_jupyter.spec import Json
from pai_jupyter.store import MASKED

if TYPE_CHECKING:
    from pai_jupyter.wire.schema.run import InputProblem, RunInput

MAX_EDITED = 10_000  # characters of a value
MOST_INPUTS = 200


def input_rows(
    parameters: Iterable[DeclaredParameter], artifacts: Iterable[DeclaredArtifact], values: Mapping[str, Json]
) -> "list[RunInput]":
    """Return the inputs with their values, by default the declared ones."""
    rows = [_parameter(it, values.get(it.name)) for it in parameters]
    rows += [_artifact(it, values.get(it.name)) for it in artifacts]
    return rows[:MOST_INPUTS]


def _parameter(declared: DeclaredParameter, value: Json) -> "RunInput":
    return {
        **_row(declared.name, as_text(declared.default if value is None else value), is_required=declared.required),
        "type": declared.type,
        "choices": [as_text(choice) for choice in declared.choices],
        "range": declared.feasible or "",
    }


def _artifact(declared: DeclaredArtifact, value: Json) -> "RunInput":
    places = value if isinstance(value, list) else [value]
    row = _row(declared.name, "\n".join(as_text(place) for place in places), is_required=declared.required)
    return {**row, "is_list": declared.repeated}


def _row(name: str, text: str, *, is_required: bool) -> "RunInput":
    is_hidden = is_secret(name, text)
    return {
        "name": name,
        "type": "",
        "value": MASKED if is_hidden else text[:MAX_EDITED],
        "choices": [],
        "range": "",
        "is_required": is_required,
        "is_list": False,
        "is_fixed": is_hidden or len(text) > MAX_EDITED,
    }


def given_texts(
    parameters: Iterable[DeclaredParameter], artifacts: Iterable[DeclaredArtifact], given: Mapping[str, Json]
) -> dict[str, Json]:
    """Return what was typed as values: nothing typed is the default, but for text; each line of a list is a place."""
    texts = {it.name for it in parameters if it.type == "String"}
    lists = {it.name for it in artifacts if it.repeated}
    found: dict[str, Json] = {}
    for name, value in given.items():
        if isinstance(value, str) and name in lists:
            found[name] = [line.strip() for line in value.splitlines() if line.strip()] or None
        else:
            found[name] = None if value == "" and name not in texts else value
    return found


def problem_rows(problems: Mapping[str, str]) -> "list[InputProblem]":
    return [{"name": name, "text": text} for name, text in problems.items()]
