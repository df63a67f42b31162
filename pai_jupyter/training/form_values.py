"""The result of a form: as `FormValues`, and as a magic's line.

Rule: what the form has no field for, the line keeps to the letter, a `{name}` of the notebook too; the dialog does the same
(labextension/src/cell/magicline.ts).
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from pai_jupyter import contract
from pai_jupyter.hyperparameters import Schema, as_option, as_options, quoted
from pai_jupyter.spec import JobType, Role, Scalar
from pai_jupyter.training.line import VARIABLE
from pai_jupyter.training.parts import LinePart, parts_of

# The options that the form says itself. Values of a file (`--params`) are fields of the form, too, and said one by one.
OWNED = frozenset(
    {
        *("", "backend", "image", "instance-type", "instance-count", "job-type", "role"),
        *("input", "param", "params", "leave-out", "send", "return"),
    }
)


@dataclass(frozen=True, kw_only=True)
class LineContext:
    """The line that a form is over: its magic, the text behind it, and the options that the form says itself.

    The other options stay as they are.
    """

    magic: str = "%%pai_train"
    before: str = ""
    owned: Collection[str] = OWNED


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
    name: str | None = None


def whole_line(given: FormValues, schema: Schema, line: LineContext) -> str:
    """Format the whole line with the given values.

    Raises:
        SpecError: a text has a line break, or the line before cannot be split.
    """
    name = quoted(given.name) if given.name else ""
    kept = [part.raw for part in parts_of(line.before) if _is_kept(part, line, has_name=bool(name))]
    return " ".join(text for text in (line.magic, name, *kept, as_line(given, schema)) if text)


def _is_kept(part: LinePart, line: LineContext, *, has_name: bool) -> bool:
    """Return whether the form has no field for a part of the line; a variable in the place of the name may be options."""
    return part.option not in line.owned or (not part.option and not has_name and VARIABLE.search(part.raw) is not None)


def as_line(given: FormValues, schema: Schema) -> str:
    """Format the given values as options, e.g. `--backend docker -i train=./data -p lr=0.003`; defaults are left out.

    Raises:
        SpecError: with `field` set: a text has a line break.
    """
    options = list(_place(given))
    options += (as_option("-i", f"{name}={uri}", long="--input") for name, uri in given.inputs.items())
    options.append(as_options(given.values, schema))
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
