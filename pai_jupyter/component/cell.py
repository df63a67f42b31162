"""Make a component of a cell, or of the script in a directory: its code, its parameters and its command.

A cell is completed and checked as `%%pai_train` does it, and its package becomes the component's files. PAI gives a component its
values by arguments and by variables `PAI_HPS_<NAME>` alone: so a literal that declares a hyperparameter is made to read its variable.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pai_jupyter.component.addresses import check_source, source_kind
from pai_jupyter.component.code import fetch_file, opened
from pai_jupyter.component.component import Component, default_command
from pai_jupyter.config import loaded_secrets
from pai_jupyter.contract import is_secret
from pai_jupyter.errors import PackageError, SpecError
from pai_jupyter.hyperparameters import Hyperparameter, Schema, read_from_variables
from pai_jupyter.jobs import Script, read_script_file
from pai_jupyter.package import build, unpack
from pai_jupyter.spec import STANDARD_OUTPUTS, env_name
from pai_jupyter.store import JobStore, Scratch
from pai_jupyter.training import Training, describe

_LARGEST = 5_000_000  # bytes of code inside a saved component
_CHANNEL = re.compile(r"PAI_(?P<kind>INPUT|OUTPUT)_(?P<name>[A-Z0-9_]+)")
_NOT_DECLARED = frozenset({"OUTPUT_LOGS", "OUTPUT_TENSORBOARD", "OUTPUT_CHECKPOINTS", "OUTPUT_OUTPUT_PARAMETERS"})
_REQUIREMENTS = "requirements.txt"


@dataclass(frozen=True, kw_only=True)
class ReadComponent:
    """A component that was read from code, and notes on that."""

    component: Component
    notes: tuple[str, ...] = ()


def of_cell(component: Component, training: Training) -> ReadComponent:
    """Complete `component` (name, image, channels, ...) by the code, parameters and command of a cell.

    Raises:
        SpecError: the cell has an error, or declares what a component cannot have. PackageError: it cannot be packed.
    """
    training.check()
    directory = training.options.directory
    if training.options.source_dir is not None and directory is None:
        raise SpecError(
            "the code of a cell is added to a directory of this machine only: --source-dir ./src. For code elsewhere use "
            "%pai_component with one %, and --entry-point.",
            field="--source-dir",
        )
    script = _reading_variables(training.script)
    files = {**_files(training, script), **_requirements(training, directory)}
    complete = _completed(component, script, files, str(directory) if directory is not None else None)
    _check_channels(complete, script.source)
    found = [describe(each, is_cell=True) for each in training.findings if each.code == "hyperparameter"]
    return ReadComponent(component=complete, notes=(*training.completion.notes, *found, *_secret_notes(script)))


def of_source(component: Component, entry_point: str) -> ReadComponent:
    """Complete `component` by the parameters and the command of the script at its source.

    Raises:
        SpecError: there is no such script, or it declares what a component cannot have. PackageError: the source is not there.
    """
    check_source(component)
    kind = source_kind(str(component.source))
    if kind == "oss":
        return _of_bucket(component, entry_point)
    with opened(component) as code:
        directory = code.directory
        assert directory is not None
        read = _of_directory(component, directory, entry_point)
    if code.commit is None:
        return read
    return replace(read, component=replace(read.component, commit=code.commit, branch=None))


def _of_directory(component: Component, directory: Path, entry_point: str) -> ReadComponent:
    inputs, outputs = [each.name for each in component.inputs], [each.name for each in component.outputs]
    script = read_script_file(directory, entry_point, inputs=inputs, outputs=[*STANDARD_OUTPUTS, *outputs])
    changed = _reading_variables(script)
    files = {entry_point: changed.content} if changed.source != script.source else {}
    return ReadComponent(
        component=_completed(component, changed, files, component.source),
        notes=(*_notes(script), *_secret_notes(script)),
    )


def _of_bucket(component: Component, entry_point: str) -> ReadComponent:
    """Read the script in OSS; that of an archive is not read, so no parameters of it are known.

    A component has no files beside code in OSS, so that a literal cannot be made to read its variable.
    """
    source, script = str(component.source), Script(name=entry_point, source="", schema=Schema())
    note = f"the code at {source} is not read here, so its parameters are not known. Declare them in Python: Component(...)."
    if source.endswith("/"):
        inputs, outputs = [each.name for each in component.inputs], [each.name for each in component.outputs]
        with Scratch(JobStore().home) as scratch:
            fetch_file(source, entry_point, scratch.path)
            script = read_script_file(
                scratch.path, entry_point, inputs=inputs, outputs=[*STANDARD_OUTPUTS, *outputs], is_alone=True
            )
        note = (
            f"values of lines such as `lr: float = 0.1` at {source} cannot be given: the code is not copied. Declare them with "
            "argparse, or give a directory of this machine."
        )
    assigned = [it for it in script.schema.hyperparameters if it.places]
    declared = tuple(it for it in script.schema.hyperparameters if not it.places)
    read = replace(script, schema=replace(script.schema, hyperparameters=declared))
    notes = (note,) if not component.parameters and (assigned or not source.endswith("/")) else ()
    return ReadComponent(component=_completed(component, read, {}, source), notes=(*notes, *_notes(script)))


def _notes(script: Script) -> Iterator[str]:
    """Yield what the reading of the script's declarations found, e.g. a default outside its range."""
    for note in script.schema.notes:
        yield f"line {note.line}: {note.text}"


def _secret_notes(script: Script) -> Iterator[str]:
    """Yield a note for each line whose text looks like a secret: it is kept with the component, for all who can read it."""
    for number, line in enumerate(script.source.splitlines(), 1):
        if is_secret("", line):
            yield (
                f"line {number}: this looks like a secret, and is kept in the component, where others read it. Take "
                "it out, and give it to a run: --env NAME=VALUE"
            )


def _completed(component: Component, script: Script, files: Mapping[str, bytes], source: str | None) -> Component:
    parameters = component.parameters or tuple(_parameters(script.schema))
    command = component.command or _command(component, script)
    return replace(component, files=files, source=source, parameters=parameters, command=command)


def _reading_variables(script: Script) -> Script:
    """Return the script with every declared literal reading its variable."""
    assigned = [it for it in script.schema.hyperparameters if it.places]
    if assigned and script.schema.strict:
        names = ", ".join(f"`{it.name}`" for it in assigned)
        raise SpecError(
            f"{names} would be given to the script's parse_args(), which does not know it: PAI passes every parameter as an option. "
            "Write parse_known_args(), or add_argument for it.",
            field=assigned[0].name,
        )
    return replace(script, source=read_from_variables(script.source, assigned))


def _parameters(schema: Schema) -> Iterator[Hyperparameter]:
    """Yield the declared hyperparameters as parameters: without their places in the code."""
    for it in schema.hyperparameters:
        yield Hyperparameter(
            name=it.name,
            type=it.type,
            default=it.default,
            choices=it.choices,
            minimum=it.minimum,
            maximum=it.maximum,
            open_minimum=it.open_minimum,
            open_maximum=it.open_maximum,
            required=it.required and it.default is None,
            help=it.help,
            style=None if it.places else it.style,
        )


def _command(component: Component, script: Script) -> str:
    """Return PAI's default command; a script that stops at unknown options gets only the channels that it knows."""
    inputs, outputs = tuple(each.name for each in component.inputs), tuple(each.name for each in component.outputs)
    if script.schema.strict:
        return script.default_command(inputs=inputs, outputs=outputs)
    return default_command(script.name, inputs=inputs, outputs=outputs)


def _files(training: Training, script: Script) -> dict[str, bytes]:
    """Return the files of the cell, of the modules that it imports and of `--include`, by their path."""
    files = {**training.files(), script.name: script.source.encode()}
    home = JobStore().home
    with Scratch(home) as scratch:
        package = build(
            None,
            to=scratch.path / "code.tar.gz",
            files=files,
            include=training.options.include,
            modules=[(module.root, module.name) for module in training.local_modules.modules],
            without=home,
            secrets=loaded_secrets(),
        )
        if package.size > _LARGEST:
            raise PackageError(
                f"the code of the cell has {package.size:,} bytes with what it takes along, and a component holds {_LARGEST:,}. Give "
                "large files as an input, or the directory with --source-dir."
            )
        unpack(package.path, scratch.path / "code")
        code = scratch.path / "code"
        return {each.name: (code / each.name).read_bytes() for each in package.files}


def _requirements(training: Training, directory: Path | None) -> dict[str, bytes]:
    """Return the requirements.txt that PAI installs: the source's own lines and those of the cell."""
    lines: Sequence[str] = training.requirements
    if not lines:
        return {}
    own = directory / _REQUIREMENTS if directory is not None else None
    before = own.read_text(encoding="utf-8").splitlines() if own is not None and own.is_file() else []
    return {_REQUIREMENTS: ("\n".join(dict.fromkeys([*before, *lines])) + "\n").encode()}


def _check_channels(component: Component, source: str) -> None:
    """Reject channels that the code uses and the component lacks: a component's job has no others."""
    known = {
        *(f"INPUT_{env_name(each.name)}" for each in component.inputs),
        *(f"OUTPUT_{env_name(each.name)}" for each in component.outputs),
    }
    for found in _CHANNEL.finditer(source):
        used = f"{found['kind']}_{found['name']}"
        if used not in known | _NOT_DECLARED:
            flag, name = ("-i", found["name"]) if found["kind"] == "INPUT" else ("-o", found["name"])
            raise SpecError(
                f"the cell uses PAI_{used}, and the component has no such channel. Declare it: {flag} {name.lower()}",
                field="-i" if flag == "-i" else "-o",
            )
