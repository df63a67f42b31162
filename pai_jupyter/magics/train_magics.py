"""`%%pai_train`: a cell as a training job. `%pai_train`: the same for code on disk."""

import json
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from IPython.core.magic import Magics, line_cell_magic, magics_class, no_var_expand
from IPython.core.magic_arguments import magic_arguments

from pai_jupyter import contract
from pai_jupyter.backends import Previewable, backend_names, get_backend, request_options
from pai_jupyter.cell import read_cell
from pai_jupyter.config import settings
from pai_jupyter.errors import JobFailed, JobStopped, SpecError
from pai_jupyter.hyperparameters import read_schema
from pai_jupyter.jobs import Draft, Job, WaitingJob, detaching
from pai_jupyter.jobs.where import where_of
from pai_jupyter.magics.history import notebook_state
from pai_jupyter.magics.lines import expand, parse
from pai_jupyter.magics.options import train_args
from pai_jupyter.magics.table import counted
from pai_jupyter.training import (
    DEFAULT_VARIABLE,
    LineContext,
    Training,
    TrainOptions,
    assigned_names,
    describe,
    pass_note,
    read_training,
    taken_lines,
    without_secrets,
)
from pai_jupyter.training.foreseen_cost import foreseen_cost
from pai_jupyter.view import (
    check_live,
    environment_language,
    front_end,
    replaceable,
    said,
    show_job,
    show_live,
)
from pai_jupyter.view.words import Language, in_language


@magics_class
class TrainMagics(Magics):
    """`%%pai_train` and `%pai_train`."""

    shell: Any  # IPython sets it

    @no_var_expand
    @magic_arguments()
    @train_args
    @line_cell_magic
    def pai_train(self, line: str, cell: str | None = None) -> None:
        """Run this cell as a training job.

        The cell becomes `train.py`, line for line, below the imports, functions, classes and constants of other cells that
        it uses (`--only-cell`: without them). Its hyperparameters are read from argparse calls, annotated
        assignments, `# hp:` comments and a dict `hp = {...}`; inputs and outputs come by the variables PAI_INPUT_<NAME>
        and PAI_OUTPUT_<NAME>. In a notebook a form is shown first; `--run` submits at once. Without a front end
        (`jupyter execute`, papermill, CI) the job runs at once, the cell waits, and a failed job raises.

        With `--job-type` a job has several replicas, as many as `--instance-count` says, or a `--role` for each role. On this
        machine a replica of a TFJob, PyTorchJob or XGBoostJob that fails is not started again: nothing preempts it here, and a
        broken script would loop. A worker of an ElasticBatchJob is, 3 times at most.

        Examples::

            %%pai_train iris -i train=./iris.csv -p lr=0.01
            %%pai_train iris --image pytorch:latest --backend docker --option docker.memory=4g
            %%pai_train iris --job-type TFJob --role chief=1 --role worker=2
            %pai_train iris --source-dir ./src --entry-point train.py --run
        """
        line_read = parse(self.pai_train, expand(line, self.shell.user_ns), values=lambda: _declared(cell))
        options = TrainOptions.read(line_read)
        check_live(as_widget=options.widget)  # before a job is submitted
        text = None if cell is None else f"{self._blank_lines(cell)}%%pai_train {line}\n{cell}"
        training = self._read(options, text)
        if options.mode == "lint":
            self._lint(training)
        elif options.mode == "dry_run":
            self._dry_run(training)
        elif options.mode != "run" and front_end().shows_form:
            training.check(without=training.offered())
            self._form(training, text, line)
        else:
            self._run(training)

    def _read(self, options: TrainOptions, text: str | None) -> Training:
        names = self.shell.user_ns
        state = None if text is None or options.only_cell else notebook_state(self.shell)
        notebook = notebook_name(names, os.environ)
        return read_training(options, text, settings(), notebook=notebook, state=state, namespace=names)

    def _blank_lines(self, cell: str) -> str:
        """Return the empty lines before the magic, which IPython drops, so that line numbers are right."""
        kernel = getattr(self.shell, "kernel", None)
        parent = kernel.get_parent() if kernel is not None else {}
        code: str = parent.get("content", {}).get("code", "")
        head = code[: code.find("%%pai_train")]
        return "\n" * head.count("\n") if code.endswith(cell) and not head.strip() else ""

    def _lint(self, training: Training) -> None:
        refusals, notes = training.foresee()
        notes = [*training.completion.notes, *notes]
        errors = [finding for finding in training.findings if finding.severity == "error"]
        found = [describe(finding, training.cell is not None) for finding in training.findings]
        lines = [*found, *training.all_to_send(errors), *refusals]
        lines = lines or [f"{training.script.name}: no problems found."]
        print(said("\n".join([*lines, *(f"note: {note}" for note in notes)])))  # noqa: T201

    def _dry_run(self, training: Training) -> None:
        with training.draft() as draft:
            print(said(describe_draft(training, draft)))  # noqa: T201

    def _form(self, training: Training, text: str | None, line: str) -> None:
        """Show the form; its callbacks submit with the form's values, on the thread on which the click arrives."""
        from pai_jupyter.form import (
            FormValues,
            HyperparameterForm,
            service_offers,
            translator,
        )  # late: ipywidgets is slow

        options, of_form = training.options, translator(environment_language())
        schema = training.script.schema

        def with_values(values: FormValues) -> TrainOptions:
            given = {**vars(values)}
            more = options.passing(given.pop("pass_env"))
            return replace(more, **given)

        form = HyperparameterForm(
            schema,
            values=options.values,
            inputs=options.inputs,
            backend=options.backend,
            backends=backend_names(),
            image_uri=options.image_uri,
            configured_image=training.image_uri,
            instance_type=options.instance_type,
            instance_count=options.instance_count,
            job_type=options.job_type,
            roles=options.roles,
            findings=[
                *(said(text) for text in warnings_of(training)),
                *([said(training.local_modules.note)] if training.local_modules.note else []),
            ],
            taken=taken_names(training),
            variables=training.to_pass,
            offered=training.offered(),
            sends=options.sends,
            assigned=assigned_names(
                text or "", without={it.name for it in (*schema.hyperparameters, *schema.suggestions)}
            ),
            returns=options.returns,
            passes_args=training.passes_args,
            runs_alone=training.runs_alone,
            name=options.name,
            line=LineContext(
                magic="%pai_train" if text is None else "%%pai_train",
                before=without_secrets(f"%%pai_train {line}", options).removeprefix("%%pai_train "),
            ),
            offers=service_offers(),
            translate=lambda text: said(of_form(text)),
            cost=lambda values: foreseen_cost(with_values(values)),
        )

        def read(values: FormValues) -> Training:
            return self._read(with_values(values), text)

        form.on_dry_run(lambda values: self._dry_run_text(read(values)))
        # Created now: a display created by a click could appear in another cell.
        place = replaceable(form.widget, as_widget=options.widget)
        waiting = WaitingJob(waiting_sentence(training.name, environment_language()))
        self.shell.user_ns[options.variable] = waiting  # Run All goes on; cells below that use the job get this message

        def submit(values: FormValues) -> None:
            job, notes = self._start(read(values), progress_callback=form.say)
            waiting.become(job)
            show_live(job, [*notes, *later_sentences(job, options.variable)], place=place, as_widget=options.widget)

        form.on_submit(submit)

    def _dry_run_text(self, training: Training) -> str:
        with training.draft() as draft:
            return said(describe_draft(training, draft))

    def _run(self, training: Training) -> None:
        options = training.options
        job, notes = self._start(training, progress_callback=_discard if options.quiet else None)
        wait = options.wait if options.wait is not None else not front_end().is_attended
        later = [] if wait else later_sentences(job, options.variable)
        with detaching(job):
            if not options.quiet:
                show_job(job, [*notes, *later], wait=wait, as_widget=options.widget)
            if wait:
                self._wait(job)
                self._take_back(job, options)

    def _wait(self, job: Job) -> None:
        """Wait for the end; of a job that fails or is stopped, say which variables keep their values."""
        try:
            job.wait()
        except (JobFailed, JobStopped):
            kept = [name for name in job.spec.returns if name in self.shell.user_ns]
            if kept:
                print(said(f"note: nothing came back: {', '.join(kept)} in the notebook are what they were before."))  # noqa: T201
            raise

    def _take_back(self, job: Job, options: TrainOptions) -> None:
        """Set the kernel's variables to those that the job returned."""
        if job.spec.returns:
            values, pickles, failed = job.take_back()
            self.shell.user_ns.update(values)
            for sentence in (*pickles, *(failed if options.quiet else ())):  # else the job's view has shown them
                text = said(f"note: {sentence}")
                print(text.replace("job.returned(", f"{options.variable}.returned("))  # noqa: T201

    def _start(self, training: Training, *, progress_callback: Callable[[str], None] | None) -> tuple[Job, list[str]]:
        """Submit the job, or find the same job running; return it with notes for the user."""
        job, notes = training.start(progress_callback=progress_callback)
        self.shell.user_ns[training.options.variable] = job
        return job, notes


def warnings_of(training: Training) -> list[str]:
    """Return what a form warns of: the linter's findings, and what is noted on the cells that names are taken from."""
    found = (describe(finding, training.cell is not None) for finding in training.warnings)
    return [*found, *training.completion.notes]


def taken_names(training: Training) -> dict[str, int | None]:
    """Return the names taken from other cells with the cell's number, in order; None for those that the line leaves out."""
    names = {name: each.cell for each in training.completion.taken for name in each.names}
    return {**names, **dict.fromkeys(training.options.leave_out)}


def _declared(cell: str | None) -> list[str]:
    """Return the names of a cell's hyperparameters; [] if the cell cannot be read."""
    with suppress(SpecError):
        return [declared.name for declared in read_schema(read_cell(cell or "").source).hyperparameters]
    return []


def later_sentences(job: Job, variable: str) -> list[str]:
    """Say how a job's values are read by who does not wait for its end."""
    if not job.spec.returns:
        return []
    names = ", ".join(job.spec.returns)
    if variable != DEFAULT_VARIABLE:
        return [f"To get {names} after the end of the job, type {variable}.returned()"]
    return [
        f"To get {names} after the end of the job, type {variable}.returned(); once another job was started, first "
        f"%pai_attach {job.id} --as job, then job.returned()"
    ]


def waiting_sentence(name: str, language: Language) -> str:
    """Return the error message for a job that is used before its form was submitted."""
    sentence = (
        f"job {name!r} has not been started: the form above waits for Submit. Press Submit there, or write "
        "%%pai_train --run to start the job without a form."
    )
    return in_language(sentence, language)


def notebook_name(names: Mapping[str, object], environ: Mapping[str, str]) -> str | None:
    """Return the file name of the notebook; None if the front end does not provide it."""
    given = names.get("__vsc_ipynb_file__") or environ.get("JPY_SESSION_NAME") or ""
    name = Path(str(given)).name
    return name if name.endswith(".ipynb") else None


def _discard(_: str) -> None:
    """Discard progress messages."""


def describe_draft(training: Training, draft: Draft) -> str:
    """Describe a dry run (`--dry-run`): backend, command, files and request, with secrets masked."""
    spec = draft.spec
    command = contract.command(spec)
    lines = [
        f"{spec.name} would run on: {where_of(str(draft.place))}",
        *taken_lines(training.completion),
        *(f"note: {note}" for note in (*training.completion.notes, training.local_modules.note, *draft.notes) if note),
        *(f"note: {pass_note(name)}" for name in training.to_pass),
        *(f"warning: {describe(finding, training.cell is not None)}" for finding in training.warnings),
        *([f"roles: {roles}"] if (roles := contract.roles_text(spec)) else []),
        *([f"cost: {draft.cost}"] if draft.cost else []),
        f"command: {command.text}",
        *(f"  argument: {argument!r}" for argument in command.arguments),
        *(f"sent: {each}" for each in draft.sent),
        *([f"returned: {', '.join(spec.returns)}"] if spec.returns else []),
        f"package: {counted(len(draft.package.files), 'file')}, {draft.package.size:,} bytes, sha256 {draft.package.digest}",
        *(f"  {file.name}  {file.size:,}" for file in draft.package.files[:50]),
        "request:",
        _request(draft),
        "Nothing was started.",
    ]
    return "\n".join(lines)


def _request(draft: Draft) -> str:
    """Return the request to the cloud, or the config file of a local job; secrets are masked."""
    backend = get_backend(draft.place.backend)
    if isinstance(backend, Previewable):
        return json.dumps(backend.request(draft.spec, job_id=draft.job_id), indent=2, ensure_ascii=False)
    return contract.files(draft.spec, request_options(draft.spec))["input/config/training_job.json"].decode()
