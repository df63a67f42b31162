"""Restore a recorded cell with a line that runs it again as it ran, for "Clone to a new cell" and `%pai_attach --source`.

A job's cell is recorded as written. Values, backend and inputs that came from the form, the panel or a rerun are in the job's
record.

Rule 1: parts of the line that already agree keep their text; a cell that ran as written is returned unchanged.
Rule 2: a value with a line break, or that may be a secret, is left as the line has it.
"""

from collections.abc import Iterator, Mapping, Sequence

from pai_jupyter import contract
from pai_jupyter.cell import magic_line, with_magic_line
from pai_jupyter.errors import SpecError
from pai_jupyter.hyperparameters import Schema, as_option, as_options, same
from pai_jupyter.jobs import dropped_defaults, schema_of_cell
from pai_jupyter.spec import Json, Scalar
from pai_jupyter.store import JobRecord
from pai_jupyter.training.line import VARIABLE
from pai_jupyter.training.parts import LinePart, parts_of

_PLACE = {
    "backend": "backend",
    "image": "image",
    "instance-type": "instance_type",
    "instance-count": "instance_count",
    "job-type": "job_type",
    "send": "send",
    "return": "return",
}


def cell_as_run(record: JobRecord) -> str:
    """Return a job's cell, its magic line set to what the job ran with; "" if the job has no cell."""
    cell = record.cell or ""
    line = magic_line(cell)
    if line is None:
        return cell
    try:
        parts = parts_of(line)
    except SpecError:  # a line of another version
        return cell
    words = list(_with_values(parts, record.spec.hyperparameters, schema_of_cell(cell, record.spec)))
    if record.given is not None:
        roles = {role.name.lower(): contract.role_text(role) for role in record.spec.roles}
        given = {**record.given, "job_type": record.spec.job_type}
        words = list(_with_place(words, {**given, "instance_count": None} if roles else given, roles))
    words += _passed(words, record.spec.options.get("local.pass_env"))
    return cell if words == parts else with_magic_line(cell, " ".join(part.raw for part in words))


def _with_values(parts: Sequence[LinePart], ran: Mapping[str, Scalar], schema: Schema) -> Iterator[LinePart]:
    """Yield the parts, plus `-p` for each value that is not the default; drop a redundant values file."""
    missing, is_whole = _options(ran, schema)
    for part in parts:
        name = _first_name(schema, part.value.partition("=")[0].strip())
        if part.option == "params" and is_whole:
            continue
        if part.option != "param" or contract.is_secret(name, ran.get(name)) or _says(part, name, ran, schema):
            missing.pop(name, None) if part.option == "param" else None
            yield part
        elif name in missing:
            yield missing.pop(name)
    yield from missing.values()


def _options(ran: Mapping[str, Scalar], schema: Schema) -> tuple[dict[str, LinePart], bool]:
    """Return the options that set these values, by name, and whether they set all of them."""
    found, is_whole = {}, True
    for name, value in [*ran.items(), *((name, None) for name in dropped_defaults(schema, ran))]:
        if contract.is_secret(name, value):
            is_whole = False
            continue
        try:
            raw = as_options({name: value}, schema)
        except SpecError:
            is_whole = False
            continue
        if raw:
            found[_first_name(schema, name)] = LinePart(option="param", value="", raw=raw)
    return found, is_whole


def _says(part: LinePart, name: str, ran: Mapping[str, Scalar], schema: Schema) -> bool:
    """Return whether a `-p` gives the value the job ran with, independent of kernel variables."""
    if VARIABLE.search(part.raw):
        return False
    given, _, text = part.value.partition("=")
    known = {_first_name(schema, each): value for each, value in ran.items()}
    try:
        return same(schema.check(schema.full_name(given.strip()), text), known.get(name))
    except SpecError:
        return False


def _first_name(schema: Schema, name: str) -> str:
    full = schema.full_name(name)
    declared = schema.find(full)
    return declared.name if declared else full


def _passed(parts: Sequence[LinePart], names: Json) -> list[LinePart]:
    """Return the options for variables that the form passed on, besides those of the line."""
    given = {part.value for part in parts if part.option == "pass-env"}
    more = [str(name) for name in names if str(name) not in given] if isinstance(names, list) else []
    return [
        LinePart(option="pass-env", value=name, raw=as_option("--pass-env", name, long="--pass-env")) for name in more
    ]


def _with_place(parts: Sequence[LinePart], given: Mapping[str, Json], roles: Mapping[str, str]) -> Iterator[LinePart]:
    """Yield the parts with the requested backend, image, instances, roles and inputs."""
    inputs = given.get("inputs")
    wanted = {(option, ""): given.get(key) for option, key in _PLACE.items()}
    wanted |= {("role", name): text for name, text in roles.items()}
    wanted |= {("input", name): uri for name, uri in (inputs if isinstance(inputs, Mapping) else {}).items()}
    for part in parts:
        key = _key(part)
        text = _text(key, wanted.pop(key, None))
        is_same = text == part.value and not VARIABLE.search(part.raw)
        if part.option not in (*_PLACE, "input", "role") or is_same:
            yield part
        elif text:
            yield _written(key, text)
    for key, value in wanted.items():
        if value is not None and not (key[0] == "instance-count" and value == 1):  # the default
            yield _written(key, _text(key, value))


def _key(part: LinePart) -> tuple[str, str]:
    name = part.value.partition("=")[0].strip() if part.option in ("input", "role") else ""
    return part.option, name.lower() if part.option == "role" else name


def _text(key: tuple[str, str], value: Json) -> str:
    return "" if value is None else f"{key[1]}={value}" if key[0] == "input" else str(value)


def _written(key: tuple[str, str], text: str) -> LinePart:
    option = key[0]
    flag = "-i" if option == "input" else f"--{option}"
    return LinePart(option=option, value=text, raw=as_option(flag, text, long=f"--{option}"))
