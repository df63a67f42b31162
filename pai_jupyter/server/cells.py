"""A cell sent with a request: return its form, or submit it as a job of this server, without a kernel.

Rule 1: cell and line are parsed as the magic does it, by `training`; options that need a kernel are refused by name.
Rule 2: relative paths are relative to the notebook's directory, which must be inside the server's root directory.
Rule 3: a cell may be anything: its length, and the number and length of findings, are limited.
Rule 4: the settings are this server's, which include what `%pai_config` sets in its kernels, but not a key given to one kernel.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from jupyter_server.auth.decorator import authorized
from tornado import web

from pai_jupyter.cell import CompletedScript, Finding, hooked, lint, magic_line, read_cell
from pai_jupyter.config import settings
from pai_jupyter.errors import SpecError
from pai_jupyter.hyperparameters import Schema
from pai_jupyter.jobs import Script
from pai_jupyter.server.above import sendable_rows, state_above, taken_rows
from pai_jupyter.server.answers import parameters, started
from pai_jupyter.server.below import below
from pai_jupyter.server.http import Handler, on_thread
from pai_jupyter.spec import STANDARD_OUTPUTS
from pai_jupyter.training import (
    DEFAULT_ENTRY_POINT,
    VARIABLE,
    TrainOptions,
    assigned_names,
    compat_findings,
    completed,
    located,
    package_roots,
    pairs,
    parse_line,
    read_training,
    undefined_name,
)
from pai_jupyter.wire import Message
from pai_jupyter.wire.protocol.form_model import form_model
from pai_jupyter.wire.protocol.requests import RequestFields
from pai_jupyter.wire.schema.limits import MAX_ID, MAX_SENTENCE, MOST_FINDINGS, MOST_TAKEN
from pai_jupyter.wire.schema.rest import CellAsked, SubmitAsked

if TYPE_CHECKING:
    from pai_jupyter.wire.schema.panel import (
        FindingRow,
        SchemaAnswer,
        SubmitAnswer,
    )

# Options that need a kernel, by their names in the parser.
_KERNEL_OPTIONS = {
    "variable": "--as",
    "wait": "--wait",
    "form": "--form",
    "widget": "--widget",
    "dry_run": "--dry-run",
    "lint": "--lint",
    "send": "--send",
}


class Describing(Handler):
    """`POST schema {cell, notebook?}`."""

    @web.authenticated
    @authorized
    async def post(self) -> None:
        with self.refusing():
            parameters("schema", self.request.query)
            root = str(self.settings["server_root_dir"])
            self.send(Message(body=await on_thread(partial(schema, self.json_body(), root))))


class SubmitHandler(Handler):
    """`POST submit {cell, above?, numbers?, notebook?, values?}`."""

    @web.authenticated
    @authorized
    async def post(self) -> None:
        with self.refusing():
            parameters("submit", self.request.query)
            root = str(self.settings["server_root_dir"])
            self.send(Message(body=await on_thread(partial(submit, self.json_body(), root))))


def schema(body: Mapping[str, object], root: str) -> "SchemaAnswer":
    """Return the form of a cell and its findings; the cell may lack its magic's line.

    Files beside the notebook are read where the line packs them, and Python modules that the cell imports; none is run.
    """
    fields = RequestFields(body, CellAsked)
    cell, notebook = fields.text("cell"), fields.text("notebook", default="")
    read = read_cell(cell)
    said, wrong = _line(cell)
    state = state_above(fields)
    completion, script = completed(read.source, state if said.takes_others else None)
    declared, doubts = _declared(script, said, _files(cell, notebook, Path(root).expanduser()))
    found = lint(
        hooked(script.source),
        hyperparameter_names=[each.name for each in declared.hyperparameters],
        explanations=completion.sentences(),
    )
    found += tuple(compat_findings(script.source, compat=said.compat, given=said.environments))
    told = {finding.line for finding in found if finding.code == "syntax"}
    doubts = [doubt for doubt in doubts if doubt.line not in told]
    placed = [located(each, script.lines, completion) for each in (*doubts, *found)]
    known = completion if said.takes_others else completed(read.source, state)[0]
    return {
        **form_model(declared, script.lines),
        "taken": taken_rows(completion),
        "values": sendable_rows(known, [undefined_name(each) for each in placed]),
        "assigned": _assigned(cell, declared),
        "findings": _finding_rows([*read.findings, *wrong, *placed]),
    }


def _assigned(cell: str, declared: Schema) -> list[str]:
    """List the variables that the cell assigns and the job can return."""
    values = {each.name for each in (*declared.hyperparameters, *declared.suggestions)}
    return [name for name in assigned_names(cell, without=values) if len(name) <= MAX_ID][:MOST_TAKEN]


def _finding_rows(findings: Sequence[Finding]) -> "list[FindingRow]":
    """Convert findings to rows, sorted by line; if there are too many, warnings are dropped first."""
    worst = sorted(findings, key=lambda finding: finding.severity != "error")[:MOST_FINDINGS]
    return [
        {
            "level": each.severity,
            "line": each.line if each.cell is None else None,
            "message": (each.message if each.cell is None else str(each))[:MAX_SENTENCE],
            "name": name if len(name := undefined_name(each)) <= MAX_ID else "",
        }
        for each in sorted(worst, key=lambda finding: finding.line)
    ]


def submit(body: Mapping[str, object], root: str) -> "SubmitAnswer":
    """Submit the cell as a job, or find the same job running; `root` is the server's root directory.

    Raises:
        SpecError, PackageError, BackendError: nothing was started.
    """
    fields = RequestFields(body, SubmitAsked)
    cell = fields.text("cell")
    notebook = fields.text("notebook", default="")
    options = _options(cell, _directory_of(notebook, Path(root).expanduser()))
    options = replace(options, values={**options.values, **_values(body)})
    training = read_training(options, cell, settings(), notebook=Path(notebook).name or None, state=state_above(fields))
    job, notes = training.start(progress_callback=_ignore_progress)
    return started(job, notes)


def _ignore_progress(_: str) -> None:
    """Ignore progress messages; the panel shows the job as soon as it exists."""


def _options(cell: str, base: Path) -> TrainOptions:
    line = magic_line(cell)
    if line is None:
        raise SpecError("the cell does not begin with %%pai_train. Add that line, with the options it needs.")
    given = parse_line(line)
    for name, option in _KERNEL_OPTIONS.items():
        if getattr(given, name):
            raise SpecError(f"`{option}` needs a kernel. Remove it, or run the cell in the notebook.", field=option)
    for variable in _variables(line):
        raise SpecError(
            f"`{variable}` is a variable of the kernel, which the server cannot read. Write its value, or run the cell "
            "in the notebook.",
            field=variable,
        )
    return TrainOptions.read(given, base=base)


def _variables(line: str) -> Iterator[str]:
    """Yield references to variables of the kernel; `${HOME}` is the shell's."""
    return (found[0] for found in VARIABLE.finditer(line) if not line[: found.start()].endswith("$"))


def _values(body: Mapping[str, object]) -> dict[str, object]:
    values = body.get("values")
    if values is not None and not isinstance(values, dict):
        raise SpecError('`values` must be a JSON object, e.g. {"lr": 0.01}.', field="values")
    return values or {}


def _directory_of(notebook: str, root: Path) -> Path:
    """Return the notebook's directory; `root` itself for a notebook without a name.

    Raises:
        SpecError: it is outside of `root`, or does not exist.
    """
    if notebook.startswith("/") or "\0" in notebook or ".." in notebook.split("/"):
        raise SpecError(
            f"the notebook {notebook[:100]!r} must be a path below the server's directory.", field="notebook"
        )
    directory = below(root, notebook.rpartition("/")[0])
    if directory is None or not directory.is_dir():
        raise SpecError(f"the notebook {notebook[:100]!r} is not in a directory of this server.", field="notebook")
    return directory


@dataclass(frozen=True, kw_only=True)
class _Line:
    """What the magic's line gives, as far as known without reading files; `number` is its line number in the cell."""

    number: int
    inputs: Mapping[str, str] = field(default_factory=dict)
    outputs: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, object] = field(default_factory=dict)
    takes_others: bool = True  # names of other cells
    environments: Mapping[str, str] = field(default_factory=dict)
    compat: str | None = None


def _line(cell: str) -> tuple[_Line, list[Finding]]:
    """Parse the magic's line; return it with its errors."""
    number = next((number for number, text in enumerate(cell.splitlines(), 1) if text.strip()), 1)
    try:
        line = parse_line(magic_line(cell) or "")
        is_alone = not (
            line.source_dir or line.include or line.command
        )  # else other files or the command may use the values
        return _Line(
            number=number,
            inputs=_inputs(line.input),
            outputs=pairs("-o", line.output, example="model=./model"),
            values=pairs("-p", line.param, example="lr=0.01") if is_alone else {},
            takes_others=not line.only_cell,
            environments=pairs("--env", line.env, example="OMP_NUM_THREADS=2"),
            compat=line.compat,
        ), []
    except SpecError as exc:
        return _Line(number=number), [_finding(exc, line=number)]


def _inputs(given: list[str] | None) -> dict[str, str]:
    """Parse the inputs; {} if they are wrong, which the form says beside its fields."""
    with suppress(SpecError):
        return pairs("-i", given, example="train=./data")
    return {}


@dataclass(frozen=True, kw_only=True)
class _Files:
    """Where the files of the package come from, and the modules that a cell may import."""

    roots: tuple[Path, ...] = ()
    nearby: tuple[Path, ...] = ()


def _files(cell: str, notebook: str, root: Path) -> _Files:
    """Find the files of a cell; none if its line or notebook is wrong, which submitting it says."""
    if not notebook:
        return _Files()
    try:
        base = _directory_of(notebook, root)
        options = TrainOptions.read(parse_line(magic_line(cell) or ""), base=base)
    except SpecError:
        return _Files()
    return _Files(roots=package_roots(options), nearby=(base,))


def _declared(script: CompletedScript, said: _Line, files: _Files) -> tuple[Schema, list[Finding]]:
    outputs = (*STANDARD_OUTPUTS, *said.outputs)
    try:
        read = Script.read(
            DEFAULT_ENTRY_POINT,
            script.source,
            inputs=tuple(said.inputs),
            outputs=outputs,
            roots=files.roots,
            nearby=files.nearby,
        ).schema
    except SpecError as exc:
        return Schema(), [_finding(exc, line=exc.line or 1)]
    read = replace(read, where=script.lines.words)
    notes = [
        Finding(line=note.line, code="hyperparameter", severity="warning", message=note.text) for note in read.notes
    ]
    errors = read.errors(said.values, inputs=tuple(said.inputs))  # the form's fields show errors of declared ones
    unknown = {name: text for name, text in errors.items() if name in said.values and read.find(name) is None}
    notes += [
        Finding(line=script.lines.before + said.number, code="refused", message=text) for text in unknown.values()
    ]
    return read, notes


def _finding(exc: SpecError, *, line: int) -> Finding:
    message = str(exc).removeprefix(f"line {exc.line}: ")  # the finding says the line, which may be of another cell
    return Finding(line=line, code="refused", message=message)
