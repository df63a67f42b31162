"""Secrets in the documents of a manifest: which are masked where it is kept or shown, and what is refused since nothing masks it.

Rule 1: masked are variables with a secret's name or form, and the login of a container's registry.
Rule 2: a known secret anywhere else is refused before the manifest is written, packed or sent (`config.known_secrets`).
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from pai_jupyter import contract
from pai_jupyter.config import refuse_secrets
from pai_jupyter.errors import SpecError
from pai_jupyter.spec import Json, env_name
from pai_jupyter.store import MASKED
from pai_jupyter.workflow.documents import Document, inside

REGISTRY = "imageRegistryConfig"
_OUR_PREFIX = re.compile(r"CUSTOM_JOB_")
_PLAIN_LOGIN = re.compile(r"user_?name|server|registry", re.IGNORECASE)  # fields of a login that are no secrets
Given = tuple[str, object]  # a name and its value


def is_masked(section: str, name: str, value: Json) -> bool:
    """Return whether a value of this section of a container is a secret. Empty texts are none."""
    if section == REGISTRY:
        return value not in ("", None) and _PLAIN_LOGIN.fullmatch(name) is None
    return section == "envs" and _OUR_PREFIX.match(name) is None and contract.is_secret(name, value)


def masked(documents: Sequence[Document]) -> list[Document]:
    """Return the documents without the values of secrets; a run takes those of variables from the environment."""
    return [_masked(it) for it in documents]


def _masked(document: Document) -> Document:
    spec = inside(document, "spec")
    container = inside(spec, "container")
    shown: dict[str, Json] = {
        section: {
            name: MASKED if is_masked(section, name, it) else it for name, it in inside(container, section).items()
        }
        for section in ("envs", REGISTRY)
        if inside(container, section)
    }
    return {**document, "spec": {**spec, "container": {**container, **shown}}} if shown else document


def refuse_in_documents(documents: Sequence[Mapping[str, Json]], *, more: Collection[str] = ()) -> None:
    """Refuse a manifest with a known secret, or one of `more`, where nothing masks it.

    Raises:
        SpecError: there is one; it names the step or the component, and the value.
    """
    steps = [step for it in documents for step in _steps(it)]
    parts = [*map(_of_component, documents), *map(_of_step, steps)]
    refuse_secrets([("name", title) for title, _, _ in parts], more=more)  # before a sentence shows one
    for title, kind, given in parts:
        try:
            refuse_secrets(given, more=more)
        except SpecError as exc:
            label = f"step `{title}`" if kind == "step" else f"component `{title}`"
            raise SpecError(f"{label}: {exc}", field=exc.field) from None


def exposed_parameters(documents: Sequence[Mapping[str, Json]], values: Mapping[str, Json]) -> list[str]:
    """Return a note for each text parameter with a secret's name, whose value PAIFlow shows; `values`: of the run."""
    given: list[Given] = [*values.items()]
    for it in documents:
        given += [pair for step in _steps(it) for pair in _named(_arguments(step), "parameters")]
        given += _named(inside(inside({**it}, "spec"), "inputs"), "parameters")
    names = {name for name, value in given if contract.is_secret(name) and _is_text(value)}
    return [
        f"`{name}` looks like a secret, and PAIFlow shows the value of a parameter to all who may see the run; it is kept in records "
        f"here, too. Give it as a variable, which is masked here: environments={{'{env_name(name)}': ...}}"
        for name in sorted(names)
    ]


def unset_variables(document: Mapping[str, Json]) -> list[str]:
    """Return the secret variables of a saved component that have no value in it."""
    envs = inside(inside(inside({**document}, "spec"), "container"), "envs")
    return [name for name, value in envs.items() if value in ("", MASKED) and is_masked("envs", name, value)]


def _of_component(document: Mapping[str, Json]) -> tuple[str, str, list[Given]]:
    spec, metadata = inside({**document}, "spec"), inside({**document}, "metadata")
    container = inside(spec, "container")
    variables = [(name, it) for name, it in inside(container, "envs").items() if not is_masked("envs", name, it)]
    others = {name: it for name, it in container.items() if name not in ("envs", REGISTRY)}
    login = {name: it for name, it in inside(container, REGISTRY).items() if not is_masked(REGISTRY, name, it)}
    rest = {name: it for name, it in spec.items() if name not in ("container", "pipelines")}
    inputs = [*_named(inside(spec, "inputs"), "parameters"), *_named(inside(spec, "inputs"), "artifacts")]
    whole: list[Given] = [("container", [others, login]), ("spec", rest), ("metadata", metadata)]
    return str(metadata.get("identifier") or metadata.get("name")), "component", [*variables, *inputs, *whole]


def _of_step(step: Document) -> tuple[str, str, list[Given]]:
    name = inside(step, "metadata").get("name")
    given = [*_named(_arguments(step), "parameters"), *_named(_arguments(step), "artifacts")]
    return str(name), "step", [*given, ("step", step)]


def _steps(document: Mapping[str, Json]) -> Iterator[Document]:
    found = inside({**document}, "spec").get("pipelines")
    yield from (it for it in found if isinstance(it, dict)) if isinstance(found, list) else ()


def _arguments(step: Document) -> Document:
    return inside(inside(step, "spec"), "arguments")


def _named(section: Mapping[str, Json], kind: str) -> list[Given]:
    """Return the values of named parameters or artifacts."""
    found = section.get(kind)
    items = [it for it in found if isinstance(it, dict)] if isinstance(found, list) else []
    return [(str(it.get("name")), it.get("value")) for it in items]


def _is_text(value: object) -> bool:
    """Return whether this is a text, which no step gives."""
    return isinstance(value, str) and bool(value) and "{{" not in value
