"""What a run at PAIFlow may do otherwise than one here, as notes: what PAI leaves out, does not check, or nobody knows. Pure.

PAI's executor of custom jobs is not public: what it does is inferred from the `CustomJob` of PAI's SDK, which passes `--name value`.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from pai_jupyter.errors import SpecError
from pai_jupyter.runs.condition import EQUALITY, Comparison, parse_condition
from pai_jupyter.runs.parameter_types import read_number
from pai_jupyter.runs.references import Reference, references_in
from pai_jupyter.spec import Json
from pai_jupyter.typed_json import FieldError
from pai_jupyter.workflow.documents import inside
from pai_jupyter.workflow.outline import outline
from pai_jupyter.workflow.planning_bodies import REQUIREMENTS
from pai_jupyter.workflow.remote_steps import OutputType, RemoteManifest

OWN_KEYS = ("retries", "cache")  # of steps; PAIFlow has nothing like them
_BY_SCRIPT = ("Bool", "Array")  # a script that declares a flag or a list gets other words here


def notes_for_pai(documents: Sequence[Mapping[str, Json]]) -> list[str]:
    """Return the notes of a manifest, each once."""
    manifest = RemoteManifest(documents)
    graphs = [(document, _objects(_inside(document, "spec", "pipelines"))) for document in documents]
    steps = [step for _, found in graphs for step in found]
    users: dict[object, list[str]] = {}
    for step in steps:
        users.setdefault(_inside(step, "metadata", "guid"), []).append(str(_inside(step, "metadata", "name")))
    found = [note for step in steps for note in _of_step(step)]
    for document, inner in graphs:
        types = manifest.types_in(document) if inner else {}
        found += [note for step in inner for note in _of_texts(step, types)]
    for document in documents:
        names = users.get(_inside(document, "metadata", "guid"))
        label = "step " + ", ".join(f"`{name}`" for name in names) if names else f"component `{_title(document)}`"
        found += _of_component(label, inside({**document}, "spec"))
    with suppress(SpecError, FieldError):  # PAIFlow is the one to refuse it
        found += outline([{**it} for it in documents], name="").notes
    return list(dict.fromkeys(found))


def _of_step(step: Mapping[str, Json]) -> Iterator[str]:
    name, spec = _inside(step, "metadata", "name"), inside({**step}, "spec")
    when = spec.get("when")
    if isinstance(when, str) and _has_logic(when):
        yield (
            f"step `{name}`: PAI's SDK never sends `and`, `or` or `not` in a condition; whether PAIFlow decides it so is not "
            "known. One condition a step is safe."
        )
    if spec.get("withSequence") is not None:
        yield (
            f"step `{name}`: whether PAIFlow counts the end of a range is not known; it is not counted here. Items in a list "
            "are safe."
        )
    for key in OWN_KEYS:
        if spec.get(key):
            yield f"step `{name}`: PAIFlow has no `{key}`, so it is left out."


def _of_texts(step: Mapping[str, Json], types: Mapping[str, OutputType]) -> Iterator[str]:
    when = _inside(step, "spec", "when")
    for each in _comparisons(when if isinstance(when, str) else ""):
        sides = (each.left, each.right)
        references = [it for it in sides if isinstance(it, Reference)]
        could_be_number = all(isinstance(it, Reference) or read_number(it) is not None for it in sides)
        are_texts = bool(references) and all(types.get(it.text) == OutputType("String") for it in references)
        if each.sign in EQUALITY and are_texts and could_be_number:
            yield (
                f"step `{_inside(step, 'metadata', 'name')}`: `{references[0].name}` is declared as text, so here 1.10 is not "
                f"equal to 1.1; whether PAIFlow compares texts or numbers with `{each.sign}` is not known. For a number declare "
                "a number, e.g. typ=float."
            )


def _comparisons(text: str) -> list[Comparison]:
    try:
        return [*parse_condition(text).comparisons()] if text else []
    except SpecError:
        return []


def _of_component(label: str, spec: Mapping[str, Json]) -> Iterator[str]:
    inputs = _objects(_inside(spec, "inputs", "parameters"))
    if chosen := _named(it for it in inputs if _inside(it, "feasible", "enum")):
        yield (
            f"{label}: PAIFlow has no `enum`, which {chosen} declares. What is known now was checked here; what one step gives "
            "another is not checked there."
        )
    container = inside({**spec}, "container")
    envs = inside(container, "envs")
    if envs.get("CUSTOM_JOB_MODE") == "1":
        yield from _of_custom_job(label, inputs, envs)
        return
    texts = [container.get("command"), container.get("args"), [*envs.values()]]
    if flags := _named(it for it in inputs if it.get("type") == "Bool" and it.get("name") in _used(texts)):
        yield (
            f"{label}: whether PAIFlow writes `true` or `True` for the Bool {flags} is not known; here it is `true`. Let the "
            "command take both."
        )


def _used(texts: Json) -> set[str]:
    """Return the names of the parameters that a command or its variables refer to."""
    try:
        return {it.name for it in references_in(texts) if it.kind == "parameters"}
    except SpecError:
        return set()  # PAIFlow is the one to refuse it


def _of_custom_job(label: str, inputs: Sequence[Mapping[str, Json]], envs: Mapping[str, Json]) -> Iterator[str]:
    if lines := envs.get(REQUIREMENTS):
        yield (
            f"{label}: PAI installs no requirements for a custom job, and it has: {', '.join(str(lines).splitlines())}. Give an "
            "image that has them."
        )
    words = _named(it for it in inputs if it.get("type") in _BY_SCRIPT)
    if words and str(envs.get("CUSTOM_JOB_ENTRY_POINT")).endswith(".py"):
        yield (
            f"{label}: PAI passes {words} as one word of text, e.g. `--name True`; here the script gets what it declares: a flag "
            "alone, or the items of a list as words. Let the script read the text, or give a String."
        )


def _named(parameters: Iterator[Mapping[str, Json]]) -> str:
    return ", ".join(f"`{it.get('name')}`" for it in parameters)


def _has_logic(text: str) -> bool:
    try:
        return parse_condition(text).has_logic
    except SpecError:
        return False


def _title(document: Mapping[str, Json]) -> Json:
    return _inside(document, "metadata", "identifier") or _inside(document, "metadata", "name")


def _inside(value: Mapping[str, Any], section: str, name: str) -> Json:  # Any: JSON
    return inside({**value}, section).get(name)


def _objects(value: Json) -> list[dict[str, Json]]:
    return [it for it in value if isinstance(it, dict)] if isinstance(value, list) else []
