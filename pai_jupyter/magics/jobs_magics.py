"""The magics that act on named jobs: %pai_attach, %pai_stop, %pai_rerun."""

from argparse import Namespace
from collections.abc import Callable, Sequence
from typing import Any

from IPython.core.magic import Magics, line_magic, magics_class, no_var_expand
from IPython.core.magic_arguments import argument, magic_arguments

from pai_jupyter.errors import NotFoundError, PaiJupyterError, SpecError
from pai_jupyter.events import for_terminal
from pai_jupyter.jobs import Job, all_rows, attach, detaching, draft_rerun, runtime, stop_removed
from pai_jupyter.jobs.distinction import family
from pai_jupyter.magics.config_magics import is_attended
from pai_jupyter.magics.lines import expand, parse
from pai_jupyter.magics.list_magics import differing
from pai_jupyter.magics.table import clipped, counted
from pai_jupyter.training import cell_as_run, pairs, variable
from pai_jupyter.view import check_live, front_end, said, show_job


@magics_class
class JobMagics(Magics):
    """`%pai_attach`, `%pai_stop` and `%pai_rerun`, for all jobs of this user."""

    shell: Any  # IPython sets it

    @magic_arguments()
    @argument("job", help="id, unique prefix of an id, or name")
    @argument("--as", dest="variable", metavar="VAR", default="_pai", help="store the Job under this name")
    @argument("--source", action="store_true", help="insert the original cell below instead")
    @argument("--widget", action="store_true", help="show the job as a widget, over the kernel instead of the server")
    @line_magic
    def pai_attach(self, line: str) -> None:
        """Show a job here and follow it, whoever started it; its log is complete."""
        options = self._parse(self.pai_attach, line)
        name = variable(options.variable)
        check_live(as_widget=options.widget)
        job = attach(options.job)
        self.shell.user_ns[name] = job
        if not options.source:
            show_job(job, wait=not front_end().is_attended, as_widget=options.widget)
            return
        if job.folder.record.cell is None:
            raise SpecError(
                f"job {job.id} was not started by a cell; its package is {job.folder.path / 'package.tar.gz'}"
            )
        self.shell.set_next_input(cell_as_run(job.folder.record))

    @magic_arguments()
    @argument("job", nargs="+", help="ids, unique prefixes, or names")
    @argument("-y", "--yes", action="store_true", help="do not ask for confirmation")
    @line_magic
    def pai_stop(self, line: str) -> None:
        """Stop jobs, after listing them and asking for confirmation."""
        options = self._parse(self.pai_stop, line)
        unknown: list[PaiJupyterError] = []
        failed: list[PaiJupyterError] = []
        jobs = [job for name in options.job if (job := _attached(name, unknown)) is not None]
        alive = [job for job in jobs if not job.status.is_terminal]
        told = _distinguished(jobs)
        is_asked = bool(alive) and not options.yes
        if is_asked and not is_attended(self.shell):
            raise _nobody_to_ask([job.id for job in alive])
        for job in jobs:
            which = f"{job.id} {told.get(job.id, job.name)}"
            alive_word = f"{which}: to be stopped" if is_asked else f"{which}: will be stopped"
            print(said(alive_word if job in alive else f"{which}: has ended ({job.status})"))  # noqa: T201
        if is_asked and not _confirm(f"Stop {counted(len(alive), 'job')}? [y/N] ", [job.id for job in alive]):
            print(said("Nothing was stopped."))  # noqa: T201
            alive = jobs = []
        for job in [*alive, *(job for job in jobs if job not in alive and job.was_lost)]:
            try:
                job.stop()
            except PaiJupyterError as exc:  # go on: the others were announced to be stopped, too
                failed.append(exc)
                print(for_terminal(said(f"{job.id} {job.name}: was not stopped: {exc}")))  # noqa: T201
        for error in unknown[:-1]:
            print(for_terminal(said(str(error))))  # noqa: T201
        if failed or unknown:
            raise [*unknown[-1:], *failed][0]

    @no_var_expand  # IPython would replace `{x}` and `$x` in values
    @magic_arguments()
    @argument("job", help="id, unique prefix of an id, or name")
    @argument("-p", "--param", action="append", metavar="NAME=VALUE", help="change a hyperparameter")
    @argument("--as", dest="variable", metavar="VAR", default="_pai", help="store the Job under this name")
    @argument("--no-wait", action="store_false", dest="wait", help="return at once (the default in a notebook)")
    @argument("--form", action="store_true", help="show a form with the job's values first")
    @line_magic
    def pai_rerun(self, line: str) -> None:
        """Run a job again with the same code; -p changes hyperparameters, --form also where it runs and its inputs."""
        options = parse(self.pai_rerun, expand(line, self.shell.user_ns, attributes=True))
        name = variable(options.variable)
        values = pairs("-p", options.param, example="lr=0.01")
        if options.form:
            if not front_end().shows_form:
                raise SpecError("`--form` needs a notebook. Change values with -p, e.g. -p lr=0.01", field="--form")
            from pai_jupyter.magics.rerun_form import show_rerun_form  # late: ipywidgets is slow to import

            show_rerun_form(self.shell, attach(options.job), values, variable=name)
            return
        with draft_rerun(attach(options.job), values) as ready:
            job = ready.submit()
        self.shell.user_ns[name] = job
        attended = front_end().is_attended
        with detaching(job):
            show_job(job, ready.notes, wait=options.wait and not attended)
            if options.wait and not attended:
                job.wait()

    def _parse(self, magic: Callable[..., object], line: str) -> Namespace:
        return parse(magic, expand(line, self.shell.user_ns))


def _confirm(question: str, ids: Sequence[str]) -> bool:
    """Ask the user to confirm; an interrupt counts as no."""
    try:
        return input(said(question)).strip().lower() in ("y", "yes")
    except KeyboardInterrupt:
        return False
    except (EOFError, NotImplementedError) as exc:
        raise _nobody_to_ask(ids) from exc


def _nobody_to_ask(ids: Sequence[str]) -> SpecError:
    return SpecError(
        f"nothing was stopped: you cannot be asked here. To stop without confirmation, type: %pai_stop -y {' '.join(ids)}",
        field="-y",
    )


def _distinguished(jobs: Sequence[Job]) -> dict[str, str]:
    """Return, by id, the job's name and the values in which it differs from other jobs of that name."""
    families = {family(job.spec.name) for job in jobs}
    rows = [row for row in runtime().run(all_rows()) if family(row.recorded_name or row.name) in families]
    first = differing(rows)
    texts = {}
    for row in rows:
        own = clipped(" ".join(text for text in row.values if text.partition("=")[0] in first[row.id]))
        texts[row.id] = for_terminal(f"{row.name} {own}".rstrip())
    return texts


def _attached(name: str, unknown: list[PaiJupyterError]) -> Job | None:
    """Return the job to stop. None: a removed job's processes were ended, or there is no such job (added to `unknown`)."""
    try:
        try:
            return attach(name)
        except NotFoundError:
            print(said(stop_removed(name)))  # noqa: T201
    except PaiJupyterError as exc:  # stop the others
        unknown.append(exc)
    return None
