"""The options of `%%pai_component` as a component and a run. Any invalid option is a `SpecError`."""

from argparse import Namespace
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast, get_args

from pai_jupyter.component.component import (
    ANY_SOURCE,
    Component,
    ComponentInput,
    ComponentOutput,
    OutputStorage,
    TrainingConstraint,
)
from pai_jupyter.component.running import ComponentRun
from pai_jupyter.errors import SpecError
from pai_jupyter.hyperparameters import Hyperparameter
from pai_jupyter.spec import JobType
from pai_jupyter.training import TrainOptions, pairs, parse_line, seconds
from pai_jupyter.training.values import count, expanded

_SPELT = {each.lower(): each for each in (*ANY_SOURCE, *get_args(OutputStorage))}


@dataclass(frozen=True, kw_only=True)
class ChannelOption:
    """One `-i NAME[:KINDS][=PLACE]`."""

    name: str
    kinds: tuple[str, ...]
    place: str | None


def component_of(given: Namespace, *, version: str) -> Component:
    """Return the component that the options describe; code, parameters and a default command are added by `cell`."""
    inputs = [read_channel("-i", text) for text in given.input or ()]
    outputs = [read_channel("-o", text) for text in given.output or ()]
    return Component(
        name=given.name,
        version=version,
        description=given.description or "",
        version_description=given.version_description or "",
        command=given.command or "",
        image_uri=given.image,
        job_type=cast(JobType, given.job_type or "PyTorchJob"),  # `problems` says if it is none
        source=given.source_dir,
        branch=given.branch,
        commit=given.commit,
        inputs=tuple(ComponentInput(name=each.name, sources=each.kinds or ANY_SOURCE) for each in inputs),
        outputs=tuple(ComponentOutput(name=each.name, storage=(*each.kinds, "OSS")[0]) for each in outputs),
        constraint=_constraint(given),
    )


def run_of(given: Namespace) -> ComponentRun:
    """Return the run that the options ask for."""
    inputs = [read_channel("-i", text) for text in given.input or ()]
    outputs = [read_channel("-o", text) for text in given.output or ()]
    shared = _shared(given, name="")
    return ComponentRun(
        inputs={each.name: _placed(each.place) for each in inputs if each.place is not None},
        outputs={each.name: _placed(each.place) for each in outputs if each.place is not None},
        values=pairs("-p", given.param, example="lr=0.01"),
        backend=given.backend,
        instance_type=given.instance_type,
        instance_count=count("--instance-count", given.instance_count, example=2) or 1,
        output_path=given.output_path,
        max_run_time=seconds("--max-time", given.max_time) if given.max_time else None,
        environments=pairs("--env", given.env, example="OMP_NUM_THREADS=2"),
        options=shared.options,
        accepts_changes=given.accept_changes,
    )


def cell_options(given: Namespace) -> TrainOptions:
    """Return the options of `%%pai_train` by which the cell is read and completed."""
    options = _shared(given, name=given.name)
    declared = [read_channel("-i", text).name for text in given.input or ()]
    written = [read_channel("-o", text).name for text in given.output or ()]
    return replace(options, inputs=dict.fromkeys(declared, "."), outputs=dict.fromkeys(written, "."))


def read_channel(option: str, text: str) -> ChannelOption:
    """Parse `train`, `train:OSS,NAS`, `train=./data` or `train:OSS=oss://b/data/`.

    Raises:
        SpecError: the name is missing.
    """
    declared, equals, place = text.partition("=")
    name, _, kinds = declared.partition(":")
    if not name.strip() or (equals and not place.strip()):
        raise SpecError(
            f"`{option} {text}` is not of the form NAME[:STORAGE][=PLACE], e.g. {option} train, {option} train:OSS or "
            f"{option} train=./data",
            field=option,
        )
    spelt = tuple(_SPELT.get(kind.strip().lower(), kind.strip()) for kind in kinds.split(",") if kind.strip())
    return ChannelOption(name=name.strip(), kinds=tuple(dict.fromkeys(spelt)), place=place.strip() if equals else None)


def _shared(given: Namespace, *, name: str) -> TrainOptions:
    """Parse what both magics have in common as `%%pai_train` does."""
    options = parse_line("")
    options.name = name or None
    for each in ("entry_point", "include", "requirements", "only_cell", "leave_out", "option"):
        setattr(options, each, getattr(given, each))
    options.source_dir = given.source_dir if name else None
    return TrainOptions.read(options)


def _constraint(given: Namespace) -> TrainingConstraint | None:
    if given.machine is None:
        if given.one_machine or given.several_cards:
            flag = "--one-machine" if given.one_machine else "--several-cards"
            raise SpecError(f"`{flag}` belongs to a constraint. Add --machine CPU or --machine GPU.", field=flag)
        return None
    return TrainingConstraint(
        machine=given.machine.upper(), several_machines=not given.one_machine, several_cards=given.several_cards
    )


def _placed(place: str) -> str:
    return place if "://" in place or place.startswith("d-") else str(expanded("-i", place, Path()))


def described(component: Component, *, code: str) -> list[str]:
    """Return lines that describe a component: what PAI's form shows of it."""
    constraint = component.constraint
    return [
        f"{component.title} ({component.job_type})",
        *(_indented(text) for text in (component.description, component.version_description) if text),
        f"image: {component.image_uri or '-'}",
        code,
        f"command: {_indented(component.command)}",
        *(f"input: {each.name} ({', '.join(each.sources)}){_about(each.description)}" for each in component.inputs),
        *(f"output: {each.name} ({each.storage}){_about(each.description)}" for each in component.outputs),
        *(f"parameter: {each.name} ({each.type}){_allowed(each)}" for each in component.parameters),
        *([_machines(constraint)] if constraint else []),
    ]


def _allowed(parameter: Hyperparameter) -> str:
    """Return the default, the range or the values, and the description of a parameter."""
    default = "" if parameter.default is None else f" = {parameter.default!r}"
    low, high = parameter.minimum, parameter.maximum
    bounds = ""
    if parameter.choices:
        bounds = f"  {{{', '.join(repr(each) for each in parameter.choices)}}}"
    elif low is not None or high is not None:
        ends = ("(" if parameter.open_minimum else "[", ")" if parameter.open_maximum else "]")
        bounds = f"  {ends[0]}{'' if low is None else low}..{'' if high is None else high}{ends[1]}"
    return f"{default}{bounds}{_about(parameter.help)}"


def _about(description: str) -> str:
    return f"  {_indented(description)}" if description else ""


def _indented(text: str) -> str:
    """Keep a text of several lines from looking like lines of ours."""
    return "\n    ".join(text.splitlines())


def _machines(constraint: TrainingConstraint) -> str:
    several, cards = (_word(each) for each in (constraint.several_machines, constraint.several_cards))
    return f"machines: {constraint.machine}; several machines: {several}; several cards: {cards}"


def _word(is_so: bool) -> str:
    return "yes" if is_so else "no"
