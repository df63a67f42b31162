"""Check a component by every rule of PAI's "Create custom components". Pure: nothing is opened and nobody is asked.

Rule 1: API, magic, form and server all call `problems`; no other code checks a component.
Rule 2: what only the world can tell comes in as `ImageFacts`, and the region as text.
Rule 3: a sentence about PAI alone (`on_pai`) does not keep a component from running here.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Literal, get_args

from pai_jupyter.backends import ImageFacts
from pai_jupyter.component.addresses import (
    REGIONS,
    image_problems,
    image_region,
    is_own_image,
    source_problems,
)
from pai_jupyter.component.component import ANY_SOURCE, Component, Machine, OutputStorage, secret_parts
from pai_jupyter.component.names import NamedPart, component_name_problem, name_problems, shown, version_problem
from pai_jupyter.component.parameters import parameter_problems
from pai_jupyter.config import refuse_secrets
from pai_jupyter.contract import is_secret
from pai_jupyter.errors import SpecError
from pai_jupyter.spec import SERVICE_TYPES, STANDARD_OUTPUTS, env_name, is_hyperparameter_name

_CHANNEL_VARIABLE = re.compile(r"\$\{?PAI_(?P<kind>INPUT|OUTPUT)_(?P<name>[A-Z0-9_]+)")


@dataclass(frozen=True, kw_only=True)
class ComponentProblem:
    """A sentence about a part of a component (`inputs`, `image_uri`); a warning keeps nothing from being done.

    `index`: of which channel or parameter, from 0, if it is about one.
    """

    field: str
    text: str
    severity: Literal["error", "warning"] = "error"
    on_pai: bool = False
    index: int | None = None


def problems(
    component: Component, *, region: str | None = None, image: ImageFacts | None = None
) -> list[ComponentProblem]:
    """Return what is wrong with a component, in the order of PAI's form; `region` is where it is to be registered."""
    return [
        *_basics(component),
        *_secrets(component),
        *_image(component, region, image),
        *(ComponentProblem(field=field, text=text) for field, text in source_problems(component)),
        *_command(component),
        *(_about(part, text) for part, text in name_problems(component)),
        *_channels(component),
        *_parameters(component),
        *_constraint(component),
        *_region(region),
    ]


def check_component(
    component: Component, *, region: str | None = None, image: ImageFacts | None = None, for_pai: bool
) -> list[str]:
    """Raise the errors as one `SpecError`; return the other sentences, as notes.

    Raises:
        SpecError: one line for each error; those about PAI alone only if `for_pai`. Or: a known secret is in it.
    """
    texts = ("name", "command", "description", "version_description", "image_uri", "source")
    refuse_secrets(
        [
            *((it.name, [it.default, *it.choices]) for it in component.parameters),
            *((it, getattr(component, it)) for it in texts),
        ],
        is_line=True,
    )
    found = problems(component, region=region, image=image)
    errors = [each for each in found if each.severity == "error" and (for_pai or not each.on_pai)]
    if errors:
        raise SpecError("\n".join(each.text for each in errors), field=errors[0].field)
    return [each.text for each in found if for_pai or not each.on_pai]


def _basics(component: Component) -> Iterator[ComponentProblem]:
    if text := component_name_problem(component.name):
        yield ComponentProblem(field="name", text=text)
    if text := version_problem(component.version):
        yield ComponentProblem(field="version", text=text)
    if component.job_type not in SERVICE_TYPES:
        yield ComponentProblem(
            field="job_type",
            text=f"`job_type` is {shown(component.job_type)}; it is one of {', '.join(SERVICE_TYPES)}.",
        )


def _secrets(component: Component) -> Iterator[ComponentProblem]:
    """Yield the texts that hold a login or another secret: they are saved and sent as they are, and others read them."""
    for name in ("description", "version_description", "command"):
        text = str(getattr(component, name))
        if is_secret("", text) or any(part in text for part in secret_parts(component.login)):
            yield ComponentProblem(
                field=name,
                text=f"`{name}` holds a login or another secret, which everybody could read in the component. Take it out, and "
                "give it to a run: --env NAME=VALUE",
            )


def _image(component: Component, region: str | None, facts: ImageFacts | None) -> Iterator[ComponentProblem]:
    image = component.image_uri
    for text, on_pai in image_problems(image):
        yield ComponentProblem(field="image_uri", text=text, on_pai=on_pai)
    if image is None:
        return
    if facts is not None and facts.missing and is_own_image(image):
        yield ComponentProblem(
            field="image_uri",
            text=f"the image {shown(image)} lacks {', '.join(facts.missing)}, which a component needs: its command is run by "
            "sh -c, and its requirements are installed by pip. Add it to the image.",
        )
    if region is not None and (own := image_region(image)) is not None and own != region:
        yield ComponentProblem(
            field="image_uri",
            severity="warning",
            on_pai=True,
            text=f"the image {shown(image)} is in {own}, and the component in {region}: a job begins late, or fails, where "
            "the image comes from another region.",
        )


def _command(component: Component) -> Iterator[ComponentProblem]:
    if not component.command.strip():
        yield ComponentProblem(
            field="command", text="the component has no command. Give one, e.g. python main.py $PAI_USER_ARGS"
        )
    known = {"INPUT": [each.name for each in component.inputs], "OUTPUT": [each.name for each in component.outputs]}
    for found in dict.fromkeys(each.groups() for each in _CHANNEL_VARIABLE.finditer(component.command)):
        kind, name = found
        standard = STANDARD_OUTPUTS if kind == "OUTPUT" else ()
        if name not in map(env_name, (*known[kind], *standard)):
            yield ComponentProblem(field="command", text=_unknown_variable(kind.lower(), name, known[kind]))


def _unknown_variable(kind: str, name: str, known: Collection[str]) -> str:
    listed = ", ".join(known) or "none"
    return (
        f"the command has $PAI_{kind.upper()}_{name}, and there is no such {kind}; it has: {listed}. Correct the command, or add "
        f"the {kind}."
    )


def _about(part: NamedPart, text: str) -> ComponentProblem:
    return ComponentProblem(field=f"{part.kind}s", index=part.index, text=text)


def _channels(component: Component) -> Iterator[ComponentProblem]:
    for index, each in enumerate(component.inputs):
        others = [source for source in each.sources if source not in ANY_SOURCE]
        if others or not each.sources:
            what = f"from {shown(others[0])}" if others else "from nowhere"
            text = f"input {shown(each.name)} reads {what}; give one or more of {', '.join(ANY_SOURCE)}."
            yield ComponentProblem(field="inputs", index=index, text=text)
    for index, output in enumerate(component.outputs):
        if output.storage not in get_args(OutputStorage):
            text = f"output {shown(output.name)} goes to {shown(output.storage)}; it is one of {', '.join(get_args(OutputStorage))}."
            yield ComponentProblem(field="outputs", index=index, text=text)


def _parameters(component: Component) -> Iterator[ComponentProblem]:
    for index, parameter in enumerate(component.parameters):
        if not is_hyperparameter_name(parameter.name):
            continue  # the name is an error of its own
        for text in parameter_problems(parameter):
            yield ComponentProblem(field="parameters", index=index, text=text)
    for index, parameter in enumerate(component.parameters):
        if "." in parameter.name:
            text = f"parameter {shown(parameter.name)} has a dot, which PAI's form of components may refuse. Write _ in its place."
            yield ComponentProblem(field="parameters", index=index, severity="warning", on_pai=True, text=text)


def _constraint(component: Component) -> Iterator[ComponentProblem]:
    constraint = component.constraint
    if constraint is None:
        return
    if constraint.machine not in get_args(Machine):
        text = f"the machine is {shown(constraint.machine)}; it is CPU or GPU."
        yield ComponentProblem(field="constraint", text=text)
    elif constraint.machine == "CPU" and constraint.several_cards:
        text = "a CPU machine has no cards. Leave `several_cards` out, or set the machine to GPU."
        yield ComponentProblem(field="constraint", text=text)


def _region(region: str | None) -> Iterator[ComponentProblem]:
    if region is None or region in REGIONS:
        return
    yield ComponentProblem(
        field="region",
        severity="warning",
        on_pai=True,
        text=f"PAI has custom components in {', '.join(REGIONS)}, and this is {region}: there it may refuse them.",
    )
