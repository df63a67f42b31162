"""Components as PAI's AlgorithmSpec (CreateAlgorithmVersion). Pure.

An AlgorithmSpec that PAI or another program made is read as far as it says what a component says.
"""

from collections.abc import Mapping
from typing import cast, get_args

from pai_jupyter.component.component import (
    ANY_SOURCE,
    Component,
    ComponentInput,
    ComponentOutput,
    TrainingConstraint,
)
from pai_jupyter.component.forms import filled
from pai_jupyter.hyperparameters import Hyperparameter, HyperparameterType, as_text
from pai_jupyter.spec import JobType, Json, Scalar
from pai_jupyter.typed_json import Fields, text_of

_CHANNEL_TYPES = {"OSS": "oss", "NAS": "nas", "MaxCompute": "odps"}
_SOURCES = {kind: source for source, kind in _CHANNEL_TYPES.items()}


def to_algorithm(component: Component, *, image: str, code: Json) -> dict[str, Json]:
    """Return the AlgorithmSpec of a component; `code` is its CodeDir, None without code."""
    constraint = component.constraint
    return filled(
        {
            "Command": ["sh", "-c", component.command],
            "Image": image,
            "JobType": component.job_type,
            "CodeDir": code,
            "InputChannels": [
                filled(
                    {
                        "Name": each.name,
                        "Description": each.description,
                        "Required": each.required,
                        "SupportedChannelTypes": [_CHANNEL_TYPES[source] for source in each.sources],
                    }
                )
                for each in component.inputs
            ],
            "OutputChannels": [
                filled(
                    {
                        "Name": each.name,
                        "Description": each.description,
                        "Required": False,
                        "SupportedChannelTypes": [_CHANNEL_TYPES[each.storage]],
                    }
                )
                for each in component.outputs
            ],
            "HyperParameters": [_definition(each) for each in component.parameters],
            "SupportsDistributedTraining": constraint is None or constraint.several_machines,
            "ResourceRequirements": [*_requirements(constraint)],
        }
    )


def from_algorithm(spec: Mapping[str, Json], *, name: str, version: str, description: str = "") -> Component:
    """Return the component that an AlgorithmSpec describes; its code stays in the bucket, and is its `source`.

    Raises:
        FieldError: it is no AlgorithmSpec.
    """
    given = Fields.of(spec, "AlgorithmSpec")
    command = [text_of(item, path) for item, path in given.items("Command")]
    return Component(
        name=name,
        version=version,
        description=description,
        command=command[-1] if command else "",
        image_uri=given.optional_line("Image"),
        job_type=cast(JobType, given.line("JobType", "PyTorchJob")),
        source=_source(given.values.get("CodeDir")),
        inputs=tuple(_read_input(Fields.of(item, path)) for item, path in given.items("InputChannels")),
        outputs=tuple(_read_output(Fields.of(item, path)) for item, path in given.items("OutputChannels")),
        parameters=tuple(_read_definition(Fields.of(item, path)) for item, path in given.items("HyperParameters")),
        constraint=_read_constraint(given),
    )


def _source(code: object) -> str | None:
    """Return the address of a CodeDir in OSS, so that a new version of the component keeps its code."""
    place = code.get("LocationValue") if isinstance(code, Mapping) else None
    if not isinstance(place, Mapping):
        return None
    bucket, key = place.get("Bucket"), place.get("Key")
    if not (isinstance(bucket, str) and isinstance(key, str) and bucket and key.endswith(("/", ".tar.gz", ".tgz"))):
        return None
    return f"oss://{bucket}/{key.lstrip('/')}"


def _definition(parameter: Hyperparameter) -> Json:
    bounds: dict[str, Json] = {}
    if parameter.choices:
        bounds["Enum"] = [as_text(each) for each in parameter.choices]
    elif parameter.type == "String":
        bounds |= {"MinLength": parameter.minimum, "MaxLength": parameter.maximum}
    else:
        bounds |= {
            "Minimum": None if parameter.minimum is None else str(parameter.minimum),
            "Maximum": None if parameter.maximum is None else str(parameter.maximum),
            "ExclusiveMinimum": parameter.open_minimum or None,
            "ExclusiveMaximum": parameter.open_maximum or None,
        }
    return filled(
        {
            "Name": parameter.name,
            "Type": parameter.type,
            "DefaultValue": None if parameter.default is None else as_text(parameter.default),
            "Description": parameter.help,
            "Required": parameter.required,
            "Range": filled(bounds),
        }
    )


def _read_definition(given: Fields) -> Hyperparameter:
    kind = given.line("Type", "String")
    typed = cast(HyperparameterType, kind if kind in get_args(HyperparameterType) else "String")
    bounds, plain = given.inside("Range"), Hyperparameter(name=given.line("Name"), type=typed)
    numbers = {
        name: _number(bounds.values.get(key))
        for name, key in (("minimum", "Minimum"), ("maximum", "Maximum"))
        if bounds.has(key)
    }
    lengths = {"minimum": bounds.values.get("MinLength"), "maximum": bounds.values.get("MaxLength")}
    ends = {name: value for name, value in lengths.items() if isinstance(value, int)} if typed == "String" else numbers
    default = given.values.get("DefaultValue")
    return Hyperparameter(
        name=plain.name,
        type=typed,
        default=_typed(plain, default) if default not in (None, "") else None,
        choices=tuple(_typed(plain, text_of(item, path)) for item, path in bounds.items("Enum")),
        minimum=ends.get("minimum"),
        maximum=ends.get("maximum"),
        open_minimum=bounds.flag("ExclusiveMinimum"),
        open_maximum=bounds.flag("ExclusiveMaximum"),
        required=given.flag("Required"),
        help=given.text("Description", ""),
    )


def _typed(parameter: Hyperparameter, value: object) -> Scalar:
    from pai_jupyter.hyperparameters.values import check

    return check(parameter, value)


def _requirements(constraint: TrainingConstraint | None) -> list[Json]:
    """Return the constraint as requirements of cards: 0, 1, or at least 1."""
    if constraint is None:
        return []
    cards = "0" if constraint.machine == "CPU" else "1"
    operator = "GreaterThanOrEqual" if constraint.machine == "GPU" and constraint.several_cards else "Equal"
    return [{"Key": "GPU", "Operator": operator, "Values": [cards]}]


def _read_constraint(given: Fields) -> TrainingConstraint | None:
    several = given.flag("SupportsDistributedTraining", default=True)
    for item, path in given.items("ResourceRequirements"):
        requirement = Fields.of(item, path)
        if requirement.line("Key", "") == "GPU":
            values = [text_of(each, at) for each, at in requirement.items("Values")]
            machine = "CPU" if values == ["0"] else "GPU"
            cards = machine == "GPU" and requirement.line("Operator", "Equal") != "Equal"
            return TrainingConstraint(machine=machine, several_machines=several, several_cards=cards)
    return None


def _read_input(given: Fields) -> ComponentInput:
    kinds = [text_of(item, path) for item, path in given.items("SupportedChannelTypes")]
    return ComponentInput(
        name=given.line("Name"),
        sources=tuple(_SOURCES[kind] for kind in kinds if kind in _SOURCES) or ANY_SOURCE,
        required=given.flag("Required"),
        description=given.text("Description", ""),
    )


def _read_output(given: Fields) -> ComponentOutput:
    kinds = [text_of(item, path) for item, path in given.items("SupportedChannelTypes")]
    storage = next((_SOURCES[kind] for kind in kinds if kind in _SOURCES), "OSS")
    return ComponentOutput(name=given.line("Name"), storage=storage, description=given.text("Description", ""))


def _number(value: object) -> int | float | None:
    """Read a bound as the service has it, text: `1`, `0.5`."""
    text = str(value)
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return None
