"""Build a draft from a cell, or a directory here or in OSS, and the options of its line; everything but showing it.

Form, line and rerun all come here: the form only changes `TrainOptions`, and everything is built again from them.
"""

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pai_jupyter import contract
from pai_jupyter.cell import Finding, lint, read_cell
from pai_jupyter.config import Settings
from pai_jupyter.errors import BackendError, PackageError, SpecError
from pai_jupyter.events import Status
from pai_jupyter.hyperparameters import Schema
from pai_jupyter.jobs import (
    ALLOW_LARGE,
    Draft,
    Job,
    Script,
    Target,
    check,
    draft,
    gives_literal_ml,
    passes_args,
    place_for,
    read_script_file,
)
from pai_jupyter.spec import STANDARD_OUTPUTS, JobSpec
from pai_jupyter.store import MASKED
from pai_jupyter.training.options import TrainOptions
from pai_jupyter.training.values import is_there, present

DEFAULT_ENTRY_POINT = "train.py"
MAX_ERRORS = 5  # findings shown in one message


@dataclass(frozen=True, kw_only=True)
class Training:
    """A job before submission: its script, the linter's findings, its target."""

    options: TrainOptions
    script: Script
    requirements: tuple[str, ...]
    findings: tuple[Finding, ...]
    place: Target
    image_uri: str | None
    instance_type: str
    name: str
    cell: str | None = None
    notebook: str | None = None

    @property
    def warnings(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.severity != "error")

    def check(self) -> None:
        """Raise the linter's errors as one `SpecError`."""
        errors = [finding for finding in self.findings if finding.severity == "error"]
        if errors:
            shown = [describe(finding, self.cell is not None) for finding in errors[:MAX_ERRORS]]
            if len(errors) > MAX_ERRORS:
                shown.append(f"... and {len(errors) - MAX_ERRORS} more. Type --lint to see them all.")
            raise SpecError("\n".join(shown), line=errors[0].line)

    def draft(self) -> Draft:
        """Check everything and pack; start nothing.

        Raises:
            SpecError, PackageError: with the sentence for the user.
        """
        self.check()
        return self._draft()

    def foresee(self) -> tuple[list[str], list[str]]:
        """Return the errors (beyond the linter's) and notes that `draft` would give, without asking the cloud."""
        try:
            if self.options.source_dir is not None and self.options.directory is None:  # a remote source is not fetched
                spec, _ = self.script.apply(self._spec(), self.options.values)
                return [], check(spec, self.place)
            with self._draft() as ready:
                return [], list(ready.notes)
        except (SpecError, PackageError, BackendError) as exc:
            return str(exc).splitlines(), []

    def _draft(self) -> Draft:
        options = self.options
        spec, changed = self.script.apply(self._spec(), options.values)
        return draft(
            spec,
            self.place,
            files=self._files(),
            overlay={**changed, **self._requirements_file()},
            include=options.include,
            allow_large=options.options.get(ALLOW_LARGE) is True,
            cell=_without_secrets(self.cell, options) if self.cell is not None else None,
            notebook=self.notebook,
            entry_point=self.script.name,
            asked_by="pai_train",
            given=options.given() if self.cell is not None else None,
            has_own_name=options.name is not None,
        )

    def start(self, *, progress_callback: Callable[[str], None] | None = None) -> tuple[Job, list[str]]:
        """Submit the job, or find the same one running; return it with notes for the user.

        `progress_callback` gets progress notes, as in `Draft.submit`.

        Raises:
            SpecError, PackageError, BackendError: nothing was started.
        """
        with self.draft() as draft:
            duplicate = None if self.options.force else draft.running_duplicate()
            job = duplicate or draft.submit(progress_callback=progress_callback, is_forced=self.options.force)
        if self.options.max_unknown is not None:
            job.max_unknown = self.options.max_unknown
        notes = [*draft.notes, *(describe(finding, self.cell is not None) for finding in self.warnings)]
        if (
            duplicate is not None and duplicate.status is not Status.SUBMITTING
        ):  # the reason of a submitting job says enough
            notes.insert(
                0,
                f"This exact job is running already ({job.id}); nothing new was started. To start a second one add --force.",
            )
        return job, notes

    def _spec(self) -> JobSpec:
        options = self.options
        return JobSpec(
            name=self.name,
            command=self.command,
            source_dir=options.source_dir,
            image_uri=self.image_uri,
            instance_type=self.instance_type,
            instance_count=options.instance_count or 1,
            job_type=options.job_type,
            inputs=_placed(options.inputs, options.base),
            outputs=_placed(options.outputs, options.base),
            environments=options.environments,
            requirements=self.requirements,
            metric_definitions=options.metric_definitions,
            max_run_time=options.max_run_time,
            options={name: value for name, value in options.options.items() if name != ALLOW_LARGE},
        )

    @property
    def command(self) -> str:
        """The command of the line, else the default one."""
        options = self.options
        if options.command is not None:
            return options.command
        outputs = (*STANDARD_OUTPUTS, *options.outputs)
        return self.script.default_command(inputs=tuple(options.inputs), outputs=outputs, values=tuple(options.values))

    @property
    def passes_args(self) -> bool:
        """Whether the command hands the values to the script."""
        return passes_args(self.command, self.script.name)

    @property
    def runs_alone(self) -> bool:
        """Whether the command only runs the script."""
        return contract.is_default_command(self.command, self.script.name)

    def _files(self) -> dict[str, bytes]:
        return {self.script.name: self.script.source.encode()} if self.cell is not None else {}

    def _requirements_file(self) -> dict[str, bytes]:
        """Return the requirements.txt that replaces the source's own; {} if nothing is replaced."""
        options = self.options
        if options.requirements == "auto":
            return {}
        if options.requirements != "none":
            return {"requirements.txt": _read_requirements(options.requirements, options.base)}
        directory = options.directory  # a source elsewhere was not read yet
        may_have_one = (directory / "requirements.txt").is_file() if directory else options.source_dir is not None
        return {"requirements.txt": b""} if may_have_one else {}


def read_training(options: TrainOptions, cell: str | None, settings: Settings, *, notebook: str | None) -> Training:
    """Read the cell (with its magic's line) or the script of `--source-dir`, and choose the target of the job.

    Raises:
        SpecError: an option contradicts another, or there is no script.
    """
    script, requirements, findings = _read_source(options, cell)
    image = options.image_uri or settings.get("image")
    instance_type = options.instance_type or settings.get("instance_type")
    place = place_for(
        backend=options.backend,
        instance_type=instance_type,
        image_uri=image,
        options=options.options,
        settings=settings,
    )
    if script.name.endswith(".py"):  # the linter reads Python, not shell scripts
        findings += lint(
            script.source,
            known_files=_known_files(options, script.name),
            literal_ml=gives_literal_ml(place.backend),
            hyperparameter_names=[
                *(each.name for each in script.schema.hyperparameters),
                *script.schema.new_names(options.values),
            ],
        )
    findings += tuple(
        Finding(line=note.line, code="hyperparameter", severity="warning", message=note.text)
        for note in script.schema.notes
    )
    return Training(
        options=options,
        script=script,
        requirements=requirements if options.requirements == "auto" else (),
        findings=tuple(sorted(findings, key=lambda finding: finding.line)),
        place=place,
        image_uri=image,
        instance_type=instance_type or "local",
        name=options.name or default_name(cell or script.source or str(options.source_dir), notebook),
        cell=cell,
        notebook=notebook,
    )


def describe(finding: Finding, is_cell: bool) -> str:
    """Format a finding as a line of text."""
    return f"{'cell ' if is_cell else ''}line {finding.line}: {finding.message}"


def default_name(source: str, notebook: str | None) -> str:
    """Derive a name from the notebook and the first definition or comment; a number is appended later."""
    words = (Path(notebook).stem if notebook else "", read_cell(source).title)
    stem = "-".join(re.sub(r"[^\w.-]+", "-", word).strip("-._") for word in words if word)
    return stem[:60] or "train"


def _read_source(options: TrainOptions, cell: str | None) -> tuple[Script, tuple[str, ...], tuple[Finding, ...]]:
    inputs, outputs = tuple(options.inputs), (*STANDARD_OUTPUTS, *options.outputs)
    name = options.entry_point or DEFAULT_ENTRY_POINT
    if cell is None:
        if options.source_dir is None:
            raise SpecError(
                "%pai_train needs the code: %pai_train NAME --source-dir DIR. For a cell's own code use %%pai_train."
            )
        if options.directory is None:  # its declarations are unknown, so values are not checked
            return Script(name=name, source="", schema=Schema()), (), ()
        return read_script_file(options.directory, name, inputs=inputs, outputs=outputs), (), ()
    _check_entry_point(options, name)
    read = read_cell(cell)
    if any(finding.severity == "error" for finding in read.findings):
        first = next(finding for finding in read.findings if finding.severity == "error")
        raise SpecError(describe(first, is_cell=True), line=first.line)
    source = _without_secrets(read.source, options)
    # files in a storage are not listed, but may be imported
    beside = None if isinstance(options.source_dir, str) else _known_files(options, name)
    script = Script.read(name, source, inputs=inputs, outputs=outputs, beside=beside)
    return script, read.requirements, read.findings


def _without_secrets(source: str, options: TrainOptions) -> str:
    """Mask the values of secret variables on the magic line of a cell."""
    head, line, body = source.partition("%%pai_train")
    magic, newline, code = body.partition("\n")
    for name, value in options.environments.items():
        if contract.is_secret(name, value) and value:
            magic = magic.replace(value, MASKED)
    return "".join((head, line, magic, newline, code))


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


def _known_files(options: TrainOptions, entry_point: str) -> frozenset[str]:
    """Return the top-level names of the package, for the linter's check of relative paths."""
    names = {entry_point, *(path.name for path in options.include)}
    if options.directory is not None:
        with suppress(OSError):  # packing will report why it cannot be read
            names.update(path.name for path in options.directory.iterdir())
    return frozenset(names)


def _read_requirements(name: str, base: Path) -> bytes:
    path = present("--requirements", name, base)
    try:
        return path.read_bytes()
    except OSError as exc:
        raise SpecError(
            f"`--requirements {name}` cannot be read: {exc.strerror}. It is auto, none, or a file.",
            field="requirements",
        ) from exc


def _placed(places: Mapping[str, str], base: Path) -> Mapping[str, str]:
    """Resolve relative paths of channels against `base`; leave addresses and PAI datasets (`d-...`) unchanged."""

    def placed(place: str) -> str:
        is_path = place and not place.startswith("~") and "://" not in place
        is_dataset = place.startswith("d-") and not (base / place).exists()
        return str(base / place) if is_path and not is_dataset else place

    return {name: placed(place) for name, place in places.items()} if base != Path() else places
