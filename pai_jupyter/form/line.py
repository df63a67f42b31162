"""The result of a form: as `FormValues`, and as options of a magic's line."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pai_jupyter import contract
from pai_jupyter.hyperparameters import Schema, as_option, as_options
from pai_jupyter.spec import JobType, Role, Scalar


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
    leave_out: tuple[str, ...] = ()  # names that are not taken from other cells
    pass_env: tuple[str, ...] = ()
    sends: tuple[str, ...] = ()
    returns: tuple[str, ...] = ()
    job_type: JobType | None = None
    roles: tuple[Role, ...] = ()  # they say how many instances there are


def as_line(given: FormValues, schema: Schema) -> str:
    """Format the given values as options, e.g. `-p lr=0.003 --backend docker -i train=./data`; defaults are left out.

    Raises:
        SpecError: with `field` set: a text has a line break.
    """
    options = [as_options(given.values, schema), *_place(given)]
    options += (as_option("-i", f"{name}={uri}", long="--input") for name, uri in given.inputs.items())
    options += [as_option("--leave-out", ",".join(given.leave_out), long="--leave-out")] if given.leave_out else []
    options += (as_option("--pass-env", name, long="--pass-env") for name in given.pass_env)
    options += (
        f"{flag} {','.join(names)}" for flag, names in (("--send", given.sends), ("--return", given.returns)) if names
    )
    return " ".join(option for option in options if option)


def _place(given: FormValues) -> Iterator[str]:
    texts = {
        "--backend": given.backend,
        "--image": given.image_uri,
        "--instance-type": given.instance_type,
        "--instance-count": str(given.instance_count) if given.instance_count > 1 else None,
        "--job-type": given.job_type,
    }
    for flag, text in texts.items():
        if text is not None:
            yield as_option(flag, text, long=flag)
    for role in given.roles:
        yield as_option("--role", contract.role_text(role), long="--role")
