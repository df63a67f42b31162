"""What a form says, as values and as text: `FormValues`, and the options of a magic's line that say the same."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pai_jupyter.hyperparameters import Schema, as_option, as_options
from pai_jupyter.spec import Scalar


@dataclass(frozen=True, kw_only=True)
class FormValues:
    """What the form says; None: not given.

    `values` are those that differ from the script's defaults; None takes a default away.
    """

    values: Mapping[str, Scalar]
    backend: str | None
    image_uri: str | None
    instance_type: str | None
    instance_count: int
    inputs: Mapping[str, str]


def as_line(given: FormValues, schema: Schema) -> str:
    """`-p lr=0.003 --backend docker -i train=./data`: all that is given, and nothing that need not be said.

    Raises:
        SpecError: with `field`, when a text holds a line break.
    """
    options = [as_options(given.values, schema), *_place(given)]
    options += (as_option("-i", f"{name}={uri}", long="--input") for name, uri in given.inputs.items())
    return " ".join(option for option in options if option)


def _place(given: FormValues) -> Iterator[str]:
    texts = {
        "--backend": given.backend,
        "--image": given.image_uri,
        "--instance-type": given.instance_type,
        "--instance-count": str(given.instance_count) if given.instance_count > 1 else None,
    }
    for flag, text in texts.items():
        if text is not None:
            yield as_option(flag, text, long=flag)
