"""Build a draft from a cell, or a directory here or in OSS, and the options of its line; everything but showing it.

Form, line and rerun all come here: the form only changes `TrainOptions`, and everything is built again from them.
"""

import os
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pai_jupyter import contract
from pai_jupyter.backends import get_info
from pai_jupyter.cell import (
    NOTHING_TAKEN,
    OWN_LINES,
    Completion,
    Finding,
    LineMap,
    support_files,
)
from pai_jupyter.config import loaded_secrets, settings
from pai_jupyter.contract import SENT
from pai_jupyter.delivery.tracking.wanted import note_about_tracking
from pai_jupyter.errors import BackendError, PackageError, PaiJupyterError, SpecError
from pai_jupyter.events import Status
from pai_jupyter.jobs import (
    ALLOW_LARGE,
    Draft,
    Job,
    Script,
    Target,
    check,
    draft,
    passes_args,
    presenter,
)
from pai_jupyter.jobs.provenance import CodeOrigin
from pai_jupyter.jobs.runtime import job_store
from pai_jupyter.spec import STANDARD_OUTPUTS, JobSpec
from pai_jupyter.store import MASKED
from pai_jupyter.training.local_modules import LocalModules
from pai_jupyter.training.offers import offered_values, variables_to_pass
from pai_jupyter.training.options import TrainOptions
from pai_jupyter.training.values import present
from pai_jupyter.values import SentValues, module_files, send_values, sweep_values

MAX_ERRORS = 5  # findings shown in one message


@dataclass(frozen=True, kw_only=True)
class Training:
    """A job before submission: its script, the linter's findings, its target.

    `completion`: what the cell needs from its notebook; `lines`: where the script's lines are from.
    """

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
    local_modules: LocalModules = field(default_factory=LocalModules)
    completion: Completion = NOTHING_TAKEN
    lines: LineMap = OWN_LINES
    namespace: Mapping[str, object] | None = None  # the kernel's variables; None without a kernel

    @property
    def to_pass(self) -> tuple[str, ...]:
        """The variables of this process that the script reads and the job would not get."""
        return variables_to_pass(self.script.source, self.options, backend=self.place.backend, environ=os.environ)

    @property
    def warnings(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.severity != "error")

    def offered(self) -> dict[str, str]:
        """Describe the variables of the kernel that the cell can be sent."""
        if self.cell is None or self.namespace is None:
            return {}
        undefined = {name: each.line for each in self.findings if (name := undefined_name(each))}
        return offered_values(self.options.sends, undefined, self.namespace)

    def check(self, *, without: Collection[str] = ()) -> None:
        """Raise the linter's errors as one `SpecError`, but for the undefined names `without`."""
        found = [finding for finding in self.findings if finding.severity == "error"]
        errors = [finding for finding in found if undefined_name(finding) not in without]
        if errors:
            shown = [describe(finding, self.cell is not None) for finding in errors[:MAX_ERRORS]]
            if len(errors) > MAX_ERRORS:
                shown.append(f"... and {len(errors) - MAX_ERRORS} more. Type --lint to see them all.")
            shown += self.all_to_send(errors)
            raise SpecError("\n".join(shown), line=errors[0].line if errors[0].cell is None else None)

    def all_to_send(self, errors: Sequence[Finding]) -> list[str]:
        """Return one line that sends all the values that `errors` name, if there are several."""
        missing = dict.fromkeys(undefined_name(finding) for finding in errors)
        values = {value.name for value in self.completion.values}
        names = [name for name in missing if name in values]
        return [f"Send all of them along: --send {','.join(names)}"] if len(names) > 1 else []

    def draft(self, *, progress_callback: Callable[[str], None] | None = None) -> Draft:
        """Check everything and pack; start nothing. `progress_callback` gets progress notes.

        Raises:
            SpecError, PackageError: with the sentence for the user.
        """
        self.check()
        return self._draft(progress_callback or presenter().tell)

    def foresee(self) -> tuple[list[str], list[str]]:
        """Return the errors (beyond the linter's) and notes that `draft` would give, without asking the cloud."""
        try:
            if self.options.source_dir is not None and self.options.directory is None:  # a remote source is not fetched
                spec, _ = self.script.apply(self._spec(), self.options.values)
                return [], check(spec, self.place)
            with self._draft(lambda text: None) as ready:
                return [], list(ready.notes)
        except (SpecError, PackageError, BackendError) as exc:
            return str(exc).splitlines(), []

    def _draft(self, progress_callback: Callable[[str], None]) -> Draft:
        options = self.options
        if options.notify and settings().webhook() is None:
            raise SpecError(
                "`--notify` has nobody to send alerts to. Type first: %pai_config set notify.webhook", field="--notify"
            )
        sent = self._sent()
        spec, changed = self.script.apply(self._spec(sent), options.values)
        ready = draft(
            spec,
            self.place,
            files=self.files(),
            overlay={**changed, **self._requirements_file()},
            include=options.include,
            modules=[(module.root, module.name) for module in self.local_modules.modules],
            allow_large=options.options.get(ALLOW_LARGE) is True,
            cell=without_secrets(self.cell, options) if self.cell is not None else None,
            notebook=self.notebook,
            entry_point=self.script.name,
            asked_by="pai_train",
            given=options.given() if self.cell is not None else None,
            lines=self.lines if self.lines.before else None,
            has_own_name=options.name is not None,
            origin=CodeOrigin(directory=self._code_directory),
            notify=options.notify,
            progress_callback=progress_callback,
        )
        ready.notes = (*ready.notes, *note_about_tracking(settings()))
        if sent is not None:
            ready.sent = tuple(sent.lines())
            ready.notes = (*ready.notes, *sent.notes)
        return ready

    @property
    def _code_directory(self) -> Path | None:
        """The directory of code on disk, for a cell that of its notebook; None for code elsewhere."""
        return self.options.base.absolute() if self.options.source_dir is None else self.options.directory

    def _sent(self) -> SentValues | None:
        """Write the variables that the cell gets into the home; None if it gets none."""
        options = self.options
        if not options.sends:
            return None
        if self.namespace is None:
            raise SpecError("`--send` needs a kernel. Remove it, or run the cell in the notebook.", field="--send")
        if SENT in options.inputs:
            raise SpecError(
                f"the input `{SENT}` is that of --send. Give the other one another name: -i NAME=PATH", field="inputs"
            )
        store = job_store()
        sweep_values(store.home)
        return send_values(options.sends, self.namespace, store.home, secrets=loaded_secrets())

    def start(self, *, progress_callback: Callable[[str], None] | None = None) -> tuple[Job, list[str]]:
        """Submit the job, or find the same one running; return it with notes for the user.

        `progress_callback` gets progress notes, as in `Draft.submit`.

        Raises:
            SpecError, PackageError, BackendError: nothing was started.
        """
        with self.draft(progress_callback=progress_callback) as draft:
            duplicate = None if self.options.force else draft.running_duplicate()
            job = duplicate or draft.submit(progress_callback=progress_callback, is_forced=self.options.force)
        if self.options.max_unknown is not None:
            job.max_unknown = self.options.max_unknown
        sent = [*self._tag(job), *([self.local_modules.note] if self.local_modules.note else [])]
        notes = [
            *sent,
            *draft.notes,
            *self.completion.notes,
            *(describe(finding, self.cell is not None) for finding in self.warnings),
        ]
        if (
            duplicate is not None and duplicate.status is not Status.SUBMITTING
        ):  # the reason of a submitting job says enough
            notes.insert(
                0,
                f"This exact job is running already ({job.id}); nothing new was started. To start a second one add --force.",
            )
        return job, notes

    def _tag(self, job: Job) -> list[str]:
        """Give the job the tags of the line; return a note if that fails: the job is started all the same."""
        try:
            if self.options.tags:
                job.tag(*self.options.tags)
        except PaiJupyterError as exc:
            return [f"the job has not got its tags: {exc}"]
        return []

    def _spec(self, sent: SentValues | None = None) -> JobSpec:
        options = self.options
        values = {SENT: str(sent.place)} if sent is not None else {}
        return JobSpec(
            name=self.name,
            command=self.command,
            source_dir=options.source_dir,
            image_uri=self.image_uri,
            instance_type=self.instance_type,
            instance_count=sum(role.instance_count for role in options.roles) or options.instance_count or 1,
            job_type=options.job_type,
            roles=options.roles,
            inputs={**placed(options.inputs, options.base), **values},
            outputs=placed(options.outputs, options.base),
            environments=options.environments,
            requirements=(*self.requirements, *self._needed(sent)),
            metric_definitions=options.metric_definitions,
            max_run_time=options.max_run_time,
            max_cost=options.max_cost,
            compat=options.compat,
            options={name: value for name, value in options.options.items() if name != ALLOW_LARGE},
            returns=options.returns,
        )

    def _needed(self, sent: SentValues | None) -> tuple[str, ...]:
        """Return the packages that the job needs to read the sent values, beyond its own requirements.

        A job that shares the kernel has those.
        """
        if sent is None or get_info(self.place.backend).shares_kernel or self.options.requirements != "auto":
            return ()
        own = {re.split(r"[^\w.-]", text.strip(), maxsplit=1)[0].lower() for text in self.requirements}
        return tuple(each for each in sent.requirements if each.partition("==")[0] not in own)

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

    def files(self) -> dict[str, bytes]:
        """Return the files of a cell, by path in the package, but for local modules; {} for code on disk."""
        if self.cell is None:
            return {}
        files = {self.script.name: self.script.source.encode(), **support_files(self.script.source)}
        if self.options.sends or self.options.returns:
            above = self.script.name.rpartition("/")
            files |= {f"{above[0]}{above[1]}{name}": content for name, content in module_files().items()}
        return files

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


def without_secrets(source: str, options: TrainOptions) -> str:
    """Mask the values of secret variables on the magic line of a cell."""
    head, line, body = source.partition("%%pai_train")
    magic, newline, code = body.partition("\n")
    for name, value in options.environments.items():
        if contract.is_secret(name, value) and value:
            magic = magic.replace(value, MASKED)
    return "".join((head, line, magic, newline, code))


def undefined_name(finding: Finding) -> str:
    """Return the name that a finding calls undefined; "" for any other finding."""
    quoted = re.match(r"`(\w+)`", finding.message)
    return quoted[1] if quoted and finding.code == "undefined-name" else ""


def describe(finding: Finding, is_cell: bool) -> str:
    """Format a finding as a line of text."""
    if finding.cell is not None:
        return str(finding)
    return f"{'cell ' if is_cell else ''}line {finding.line}: {finding.message}"


def _read_requirements(name: str, base: Path) -> bytes:
    path = present("--requirements", name, base)
    try:
        return path.read_bytes()
    except OSError as exc:
        raise SpecError(
            f"`--requirements {name}` cannot be read: {exc.strerror}. It is auto, none, or a file.",
            field="requirements",
        ) from exc


def placed(places: Mapping[str, str], base: Path) -> Mapping[str, str]:
    """Resolve relative paths of channels against `base`; leave addresses and PAI datasets (`d-...`) unchanged."""

    def placed(place: str) -> str:
        is_path = place and not place.startswith("~") and "://" not in place
        is_dataset = place.startswith("d-") and not (base / place).exists()
        return str(base / place) if is_path and not is_dataset else place

    return {name: placed(place) for name, place in places.items()} if base != Path() else places
