"""The result of a form: as `FormValues`, and as options of a magic's line."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pai_jupyter.hyperparameters import Schema, as_option, as_options
from pai_jupyter.spec import Scalar


@dataclass(frozen=True, kw_only=True)
class FormValues:
    """The values of a form; None = not given.

    `values` has only values that differ from the script's defaults; a value of None removes a default.
    """

    values: Mapping[str, Scalar]
    backend: str | None
    image_uri: str | None
    instance_type: str | None
    instance_count: int
    inputs: Mapping[str, str]


def as_line(given: FormValues, schema: Schema) -> str:
    """Format the given values as options, e.g. `-p lr=0.003 --backend docker -i train=./data`; defaults are left out.

    Raises:
        SpecError: with `field` set: a text has a line break.
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
