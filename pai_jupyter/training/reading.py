"""Read a cell, or the script of a directory here or in OSS, with the options of its line, as a `Training`."""

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from pai_jupyter.cell import (
    NOTHING_TAKEN,
    OWN_LINES,
    CompletedScript,
    Completion,
    Finding,
    LineMap,
    after_names,
    complete_script,
    hooked,
    lint,
    read_cell,
)
from pai_jupyter.config import Settings
from pai_jupyter.errors import SpecError
from pai_jupyter.hyperparameters import Schema
from pai_jupyter.jobs import Script, gives_literal_ml, place_for, read_script_file, type_of_roles
from pai_jupyter.spec import STANDARD_OUTPUTS
from pai_jupyter.storage.opening import scheme_of
from pai_jupyter.training.local_modules import LocalModules, find_local_modules
from pai_jupyter.training.notebook_state import NotebookState, check_left_out, completed, located
from pai_jupyter.training.offers import compat_findings, hidden_values
from pai_jupyter.training.options import TrainOptions
from pai_jupyter.training.requirement_files import with_listed
from pai_jupyter.training.training import Training, describe, without_secrets
from pai_jupyter.training.values import is_there
from pai_jupyter.values import loading_line, with_values

DEFAULT_ENTRY_POINT = "train.py"
MAX_LINES = 30  # lines of IPython that a job cannot run, shown in one message


def read_training(
    options: TrainOptions,
    cell: str | None,
    settings: Settings,
    *,
    notebook: str | None,
    state: NotebookState | None = None,
    namespace: Mapping[str, object] | None = None,
) -> Training:
    """Read the cell (with its magic's line) or the script of `--source-dir`, and choose the target of the job.

    `state` is what the cell's notebook has; None: the cell is all there is. `namespace` has the kernel's variables, for those
    that are sent.

    Raises:
        SpecError: an option contradicts another, or there is no script.
    """
    read = _read_source(options, cell, None if options.only_cell else state)
    script, found, local = read.script, [*read.local_modules.findings], read.local_modules
    image = options.image_uri or settings.get("image")
    instance_type = options.instance_type or settings.get("instance_type")
    place = place_for(
        backend=options.backend,
        instance_type=options.instance_type or type_of_roles(options.roles) or instance_type,
        image_uri=image,
        options=options.options,
        settings=settings,
    )
    if script.name.endswith(".py"):  # the linter reads Python, not shell scripts
        found += lint(
            script.source,
            known_files=_known_files(options, script.name) | {module.name for module in local.modules},
            inputs=_paths_of_inputs(options),
            literal_ml=gives_literal_ml(place.backend),
            hyperparameter_names=[
                *(each.name for each in script.schema.hyperparameters),
                *script.schema.new_names(options.values),
            ],
            explanations=read.completion.sentences(),
            given=[script.schema.full_name(name) for name in options.values],
        )
        found += compat_findings(script.source, compat=options.compat, given=options.environments)
    found += (
        Finding(line=note.line, code="hyperparameter", severity="warning", message=note.text)
        for note in script.schema.notes
    )
    magic_line = (cell or "").partition("%%pai_train")[0].count("\n") + 1
    findings = (
        *read.findings,
        *(located(each, read.lines, read.completion) for each in found),
        *hidden_values(script.source, script.schema, read.lines, options, namespace or {}, magic_line=magic_line),
    )
    return Training(
        options=options,
        script=script,
        requirements=with_listed(read.requirements, options.base) if options.requirements == "auto" else (),
        findings=tuple(sorted(findings, key=lambda finding: (finding.cell or 0, finding.line))),
        place=place,
        image_uri=image,
        instance_type=instance_type or "local",
        name=options.name or default_name(cell or script.source or str(options.source_dir), notebook),
        cell=cell,
        notebook=notebook,
        local_modules=local,
        completion=read.completion,
        lines=read.lines,
        namespace=namespace,
    )


def default_name(source: str, notebook: str | None) -> str:
    """Derive a name from the notebook and the first definition or comment; a number is appended later."""
    words = (Path(notebook).stem if notebook else "", read_cell(source).title)
    stem = "-".join(re.sub(r"[^\w.-]+", "-", word).strip("-._") for word in words if word)
    return stem[:60] or "train"


@dataclass(frozen=True, kw_only=True)
class _ReadSource:
    """The script of a job, as read; `findings` are those of the cell's own lines."""

    script: Script
    requirements: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    completion: Completion = NOTHING_TAKEN
    lines: LineMap = OWN_LINES
    local_modules: LocalModules = field(default_factory=LocalModules)


def _read_source(options: TrainOptions, cell: str | None, state: NotebookState | None) -> _ReadSource:
    inputs, outputs = tuple(options.inputs), (*STANDARD_OUTPUTS, *options.outputs)
    name = options.entry_point or DEFAULT_ENTRY_POINT
    if cell is None:
        _check_has_no_values(options)
        if options.source_dir is None:
            raise SpecError(
                "%pai_train needs the code: %pai_train NAME --source-dir DIR. For a cell's own code use %%pai_train."
            )
        if options.directory is None:  # its declarations are unknown, so values are not checked
            return _ReadSource(script=Script(name=name, source="", schema=Schema()))
        return _ReadSource(script=read_script_file(options.directory, name, inputs=inputs, outputs=outputs))
    _check_entry_point(options, name)
    read = read_cell(cell)
    if errors := [finding for finding in read.findings if finding.severity == "error"]:
        shown = [describe(finding, is_cell=True) for finding in errors[:MAX_LINES]]
        raise SpecError("\n".join(shown), line=errors[0].line)
    completion, script_of = _completed(without_secrets(read.source, options), options, state)
    local = _local_modules(script_of.source, options, name)
    # files in a storage are not listed, but may be imported
    beside = None if isinstance(options.source_dir, str) else _known_files(options, name)
    source = hooked(script_of.source, local.sources)
    with _in_cell(script_of.lines):
        script = Script.read(
            name,
            source,
            inputs=inputs,
            outputs=outputs,
            beside=beside,
            roots=package_roots(options),
            nearby=(options.base,),
        )
    script = replace(script, schema=replace(script.schema, where=script_of.lines.words))
    return _ReadSource(
        script=script,
        requirements=read.requirements,
        findings=read.findings,
        completion=completion,
        lines=script_of.lines,
        local_modules=local,
    )


def _completed(source: str, options: TrainOptions, state: NotebookState | None) -> tuple[Completion, CompletedScript]:
    """Complete a cell, with the lines that load and save values.

    Values are loaded below the definitions of other cells, which may be of their types, but above those that need one at once.
    """
    whole = with_values(source, options.sends, options.returns)
    check_left_out(whole, state, options.leave_out, sends=options.sends)
    completion, script = completed(whole, state, options.leave_out)
    ordered, place = after_names(completion, options.sends)
    if place == len(ordered.taken):
        return completion, script
    body = with_values(source, (), options.returns)
    return ordered, complete_script(body, ordered, between=(place, loading_line(options.sends)))


@contextmanager
def _in_cell(lines: LineMap) -> Iterator[None]:
    """Say of an error on a line of the script which cell and line that is, as findings do."""
    try:
        yield
    except SpecError as exc:
        if exc.line is None or not str(exc).startswith("line "):
            raise
        cell, line = lines.origin(exc.line)
        problem = str(exc).partition(": ")[2]
        message = f"cell line {line}: {problem}" if cell is None else f"cell [{cell}], line {line}: {problem}"
        raise SpecError(message, field=exc.field, line=line if cell is None else None) from exc


def _local_modules(source: str, options: TrainOptions, name: str) -> LocalModules:
    """Find the user's own modules that the cell imports; for code in a storage there is no directory to look into."""
    if isinstance(options.source_dir, str):
        return LocalModules()
    return find_local_modules(source, options.base, known=_known_files(options, ""), entry_point=name)


def _check_has_no_values(options: TrainOptions) -> None:
    for option, given in (("--send", options.sends), ("--return", options.returns)):
        if given:
            raise SpecError(
                f"`{option}` belongs to a cell with %%pai_train: the code on disk stays as it is. Give it data as an input, "
                "-i NAME=PATH, and let it write its results to an output.",
                field=option,
            )


def package_roots(options: TrainOptions) -> tuple[Path, ...]:
    """Return the files and directories of which the package of a cell is made."""
    return (*options.include, *((options.directory,) if options.directory is not None else ()))


def _check_entry_point(options: TrainOptions, name: str) -> None:
    if not name.endswith(".py") or Path(name).is_absolute() or ".." in Path(name).parts:
        raise SpecError(
            f"`--entry-point {name}` must be the name of a Python file in the package, e.g. train.py",
            field="entry_point",
        )
    if options.directory is not None and is_there("--entry-point", name, options.directory / name):
        raise SpecError(
            f"{name!r} is already in {str(options.directory)!r}, so the cell cannot be called that. "
            f"Give the cell's file another name: --entry-point cell_{Path(name).name}",
            field="entry_point",
        )


def _paths_of_inputs(options: TrainOptions) -> dict[str, tuple[str, ...]]:
    """Return the inputs that lie on this machine with their paths: from the notebook's directory, as typed, in full."""
    found: dict[str, tuple[str, ...]] = {}
    base = options.base.absolute()
    for name, place in options.inputs.items():
        if place and not scheme_of(place):
            full = os.path.normpath(base / Path(place).expanduser())
            found[name] = (os.path.relpath(full, base), os.path.normpath(place), full)
    return found


def _known_files(options: TrainOptions, entry_point: str) -> frozenset[str]:
    """Return the top-level names of the package, for the linter's check of relative paths."""
    names = {entry_point, *(path.name for path in options.include)}
    if options.directory is not None:
        with suppress(OSError):  # packing will report why it cannot be read
            names.update(path.name for path in options.directory.iterdir())
    return frozenset(names)
