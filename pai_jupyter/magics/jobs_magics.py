"""The magics that look after jobs: %pai_jobs, %pai_attach, %pai_logs, %pai_stop, %pai_rerun, %pai_download."""

import json
import os
import time
from argparse import Namespace
from collections.abc import Callable, Sequence
from contextlib import suppress
from keyword import iskeyword
from pathlib import Path
from typing import Any

from IPython.core.magic import Magics, line_magic, magics_class, no_var_expand
from IPython.core.magic_arguments import argument, magic_arguments
from IPython.display import display

from pai_jupyter.errors import IncompleteFetchError, NotFoundError, PaiJupyterError, SpecError
from pai_jupyter.events import Status, for_terminal, in_order, strip_ansi
from pai_jupyter.jobs import Job, attach, detaching, draft_rerun, follow_log, list_jobs, stop_removed
from pai_jupyter.jobs.distinction import distinctions, family
from pai_jupyter.jobs.wanted_metric import wanted_metric
from pai_jupyter.jobs.where import where_of
from pai_jupyter.magics.config_magics import is_attended
from pai_jupyter.magics.lines import expand, parse
from pai_jupyter.magics.table import Table, counted
from pai_jupyter.store import home, home_errors
from pai_jupyter.store.disk import make_folder
from pai_jupyter.training import cell_as_run, pairs
from pai_jupyter.view import (
    age,
    check_live,
    front_end,
    is_stable,
    queued_word,
    said,
    show_job,
    shown_name,
    state_word,
    value_text,
)
from pai_jupyter.view.words import backend_title, environment_language

_NONE = "no jobs yet. Start one with %%pai_train."
_NONE_IN_STATE = "no job is {}. %pai_jobs lists all."
MAX_DAMAGED = 20  # jobs whose records are told to be damaged
MAX_TOLD = 20  # jobs of which is told what is in their way


@magics_class
class JobMagics(Magics):
    """Magics over the jobs of this user, whichever notebook or program started them."""

    shell: Any  # IPython sets it

    @magic_arguments()
    @argument("-n", type=int, default=20, metavar="N", help="at most so many (default: 20)")
    @argument("--state", help="only those in this state: queued, running, succeeded, failed, stopped")
    @argument("--json", action="store_true", help="as JSON, for programs")
    @line_magic
    def pai_jobs(self, line: str) -> None:
        """List the jobs of this user, newest first."""
        options = self._parse(self.pai_jobs, line)
        if options.n < 1:
            raise SpecError(f"`-n {options.n}` must be a whole number from 1.", field="-n")
        damaged: list[str] = []
        found = list_jobs(status=options.state, on_damage=damaged.append)
        jobs = found[: options.n]
        if not jobs:
            with home_errors():  # of one that cannot be used, all that is seen is that there are none
                make_folder(home() / "jobs")
        if options.json:
            print(json.dumps([job.to_json() for job in jobs], indent=1, ensure_ascii=False))  # noqa: T201
        else:
            display(jobs_table(jobs, now=time.time(), asked=options.state or ""))
            if len(found) > len(jobs) and not is_stable():
                print(said(f"{len(jobs)} of {len(found)} jobs; -n N shows more."))  # noqa: T201
            told = [] if is_stable() else open_questions(jobs)
            for sentence in [*damaged[:MAX_DAMAGED], *told[:MAX_TOLD]]:
                print(for_terminal(said(sentence)))  # noqa: T201

    @magic_arguments()
    @argument("job", help="id, unique prefix of an id, or name")
    @argument("--as", dest="variable", metavar="VAR", default="_pai", help="store the Job under this name")
    @argument("--source", action="store_true", help="put the original cell below instead")
    @argument("--widget", action="store_true", help="show the job as a widget, over the kernel instead of the server")
    @line_magic
    def pai_attach(self, line: str) -> None:
        """Show a job here, and follow it; all its lines are there, whoever started it."""
        options = self._parse(self.pai_attach, line)
        if not options.variable.isidentifier() or iskeyword(options.variable):
            raise SpecError(f"`--as {options.variable}` is no name of a variable.", field="--as")
        check_live(as_widget=options.widget)
        job = attach(options.job)
        self.shell.user_ns[options.variable] = job
        if not options.source:
            show_job(job, wait=not front_end().is_attended, as_widget=options.widget)
            return
        if job.folder.record.cell is None:
            raise SpecError(
                f"job {job.id} was not started by a cell; its package is {job.folder.path / 'package.tar.gz'}"
            )
        self.shell.set_next_input(cell_as_run(job.folder.record))

    @magic_arguments()
    @argument("job", help="id, unique prefix of an id, or name")
    @argument("-f", "--follow", action="store_true", help="go on until the job ends; interrupting detaches")
    @argument("--tail", type=int, metavar="N", help="only the last N lines")
    @argument("--grep", metavar="REGEX", help="only lines that match")
    @argument("--replica", metavar="NAME", help="one replica, e.g. worker-0")
    @argument("-o", dest="file", metavar="FILE", help="into a file instead of the output")
    @line_magic
    def pai_logs(self, line: str) -> None:
        """Print the log of a job."""
        options = self._parse(self.pai_logs, line)
        job = attach(options.job)
        wanted = _matcher(options.grep)
        replica = job.check_replica(options.replica) if options.replica or options.follow else None
        if options.file is None:
            _write_log(job, options, replica, wanted, lambda text: print(for_terminal(text)))  # noqa: T201
            return
        path = Path(options.file).expanduser()
        try:
            with path.open("w", encoding="utf-8") as file:
                _write_log(job, options, replica, wanted, lambda text: file.write(strip_ansi(text) + "\n"))
        except OSError as exc:
            raise SpecError(f"`-o {options.file}` cannot be written: {exc.strerror}", field="-o") from exc
        print(said(f"log of {job.name} written to {options.file}"))  # noqa: T201

    @magic_arguments()
    @argument("job", nargs="+", help="ids, unique prefixes, or names")
    @argument("-y", "--yes", action="store_true", help="do not ask")
    @line_magic
    def pai_stop(self, line: str) -> None:
        """Stop jobs; says first exactly which, and asks."""
        options = self._parse(self.pai_stop, line)
        jobs = [job for name in options.job if (job := _attached(name)) is not None]
        alive = [job for job in jobs if not job.status.is_terminal]
        told = _told_apart(jobs)
        is_asked = bool(alive) and not options.yes
        if is_asked and not is_attended(self.shell):
            raise _nobody_to_ask([job.id for job in alive])
        for job in jobs:
            which = f"{job.id} {told.get(job.id, job.name)}"
            alive_word = f"{which}: to be stopped" if is_asked else f"{which}: will be stopped"
            print(said(alive_word if job in alive else f"{which}: has ended ({job.status})"))  # noqa: T201
        if is_asked and not _confirm(f"Stop {counted(len(alive), 'job')}? [y/N] ", [job.id for job in alive]):
            print(said("Nothing was stopped."))  # noqa: T201
            return
        failed: list[PaiJupyterError] = []
        for job in [*alive, *(job for job in jobs if job not in alive and job.was_lost)]:
            try:
                job.stop()
            except PaiJupyterError as exc:  # of the others it was said that they will be stopped, too
                failed.append(exc)
                print(for_terminal(said(f"{job.id} {job.name}: was not stopped: {exc}")))  # noqa: T201
        if failed:
            raise failed[0]

    @no_var_expand  # IPython would take `{x}` and `$x` in a value for variables
    @magic_arguments()
    @argument("job", help="id, unique prefix of an id, or name")
    @argument("-p", "--param", action="append", metavar="NAME=VALUE", help="another value for a hyperparameter")
    @argument("--as", dest="variable", metavar="VAR", default="_pai", help="store the Job under this name")
    @line_magic
    def pai_rerun(self, line: str) -> None:
        """Run a job again with the same code, and other values where they are given."""
        options = parse(self.pai_rerun, expand(line, self.shell.user_ns, attributes=True))
        with draft_rerun(attach(options.job), pairs("-p", options.param, example="lr=0.01")) as ready:
            job = ready.submit()
        self.shell.user_ns[options.variable] = job
        attended = front_end().is_attended
        with detaching(job):
            show_job(job, ready.notes, wait=not attended)
            if not attended:
                job.wait()

    @magic_arguments()
    @argument("source", metavar="JOB[:channel]", help="a job and one of its outputs (default: model)")
    @argument("dest", nargs="?", default=".", help="the directory to put it in (default: here)")
    @line_magic
    def pai_download(self, line: str) -> None:
        """Copy an output of a job into a directory."""
        options = self._parse(self.pai_download, line)
        name, _, channel = options.source.partition(":")
        job = attach(name)
        dest = Path(options.dest).expanduser() / (channel or "model")
        before = _files(dest)
        place, left = _fetched(job, channel or "model", dest)
        now = _files(place)
        is_own = _is_same(place, job.output(channel or "model"))  # it was asked for where it is
        others = [] if is_own else [name for name in now if before.get(name) == now[name]]
        files = [name for name in now if name not in others]
        what = f"{channel or 'model'} of {job.name}"
        print(said(f"{what}: {counted(len(files), 'file')} in {_short(place)}: {_named(files)}"))  # noqa: T201
        if replaced := [] if is_own else [name for name in files if name in before]:
            told = f"{counted(len(replaced), 'file')} there before replaced"
            print(said(f"note: {told}: {_named(replaced)}"))  # noqa: T201
        if others:
            told = f"{counted(len(others), 'file')} there already, and left as before"
            print(said(f"note: {told}: {_named(others)}"))  # noqa: T201
        if left:
            print(for_terminal(said(f"note: {counted(len(left), 'file')} not copied: {_named(left)}")))  # noqa: T201
        if links := sorted(str(path.relative_to(place)) for path in place.rglob("*") if _leads_out(path, place)):
            told = f"{counted(len(links), 'link')} to what is outside of the output, copied as such"
            print(said(f"note: {told}: {_named(links)}. Look where they lead before you open them."))  # noqa: T201

    def _parse(self, magic: Callable[..., object], line: str) -> Namespace:
        return parse(magic, expand(line, self.shell.user_ns))


def _confirm(question: str, ids: Sequence[str]) -> bool:
    """Whether somebody says yes; an interrupt is a no."""
    try:
        return input(said(question)).strip().lower() in ("y", "yes")
    except KeyboardInterrupt:
        return False
    except (EOFError, NotImplementedError) as exc:
        raise _nobody_to_ask(ids) from exc


def _nobody_to_ask(ids: Sequence[str]) -> SpecError:
    return SpecError(
        f"nothing was stopped: nobody can be asked here. To stop without a question, type: %pai_stop -y {' '.join(ids)}",
        field="-y",
    )


def open_questions(jobs: list[Job]) -> list[str]:
    """Why jobs cannot be reached, or recorded, or are not known to have been started; a line each."""
    found = []
    for job in jobs:
        state, trouble = job.state, job.folder.trouble()
        if state.status in (Status.UNKNOWN, Status.SUBMITTING):
            found.append(f"{job.id}: {state.reason}")
        elif trouble is not None and not state.status.is_terminal:
            found.append(f"{job.id}: {trouble.reason}")
    return found


def jobs_table(jobs: list[Job], *, now: float, asked: str = "") -> Table:
    """Jobs as a table; without ids and ages where outputs must not change from run to run.

    `asked` is the state of those that were asked for, "" where it is any.
    """
    stable = is_stable()
    headers = ["state", "name", "run on", "values", "metrics"] + ([] if stable else ["age", "id"])
    rows, language = [], environment_language()
    differing = distinctions(
        [(job.name, {name: str(job.hyperparameters[name]) for name in job.hyperparameters}) for job in jobs]
    )
    wanted = wanted_metric()
    for job, first in zip(jobs, differing, strict=True):
        state = job.state
        row = [
            state_word(state.status) if stable else queued_word(state),
            shown_name(job),
            backend_title(where_of(job.place), language),
            _values(job, first),
            _metrics(job, wanted),
        ]
        rows.append(row + ([] if stable else [age(now - job.folder.record.created), job.id]))
    return Table(headers=headers, rows=rows, empty=_NONE_IN_STATE.format(asked) if asked else _NONE)


def _told_apart(jobs: Sequence[Job]) -> dict[str, str]:
    """By id: the job's name, and what tells it from all others of that name."""
    families = {family(job.name) for job in jobs}
    others = [job for job in list_jobs(refresh=False) if family(job.name) in families]
    values = [{name: str(value) for name, value in job.hyperparameters.items()} for job in others]
    told = distinctions([(job.name, own) for job, own in zip(others, values, strict=True)])
    texts = {}
    for job, names in zip(others, told, strict=True):
        own = _clip(" ".join(f"{name}={value_text(name, job.hyperparameters[name])}" for name in names))
        texts[job.id] = for_terminal(f"{job.name} {own}".rstrip())
    return texts


def _attached(name: str) -> Job | None:
    """The job to stop; None: its record is gone, and what ran of it was ended."""
    try:
        return attach(name)
    except NotFoundError:
        print(said(stop_removed(name)))  # noqa: T201
        return None


def _values(job: Job, first: Sequence[str]) -> str:
    """All values; `first` those that tell the job from its neighbours of the same name."""
    values = job.hyperparameters
    names = [*first, *(name for name in values if name not in first)]
    return _clip(" ".join(f"{name}={value_text(name, values[name])}" for name in names))


def _metrics(job: Job, wanted: str | None) -> str:
    """All metrics, the one that stands for the job first."""
    metrics = job.metrics()
    return _clip(" ".join(f"{name}={metrics[name]:.4g}" for name in in_order(metrics, wanted)))


def _clip(text: str, width: int = 60) -> str:
    text = " ".join(text.split())
    return text if len(text) <= width else text[: width - 1] + "…"


def _fetched(job: Job, channel: str, dest: Path) -> tuple[Path, list[str]]:
    """Where the output is now, and what of it could not be copied."""
    try:
        return job.fetch(channel, dest), []
    except IncompleteFetchError as exc:
        return Path(exc.place), list(exc.left)


def _leads_out(path: Path, folder: Path) -> bool:
    return path.is_symlink() and not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def _files(folder: Path) -> dict[str, tuple[int, int]]:
    """The files below a folder, each with what tells it from the one that takes its place."""
    found = {}
    for path in sorted(folder.rglob("*")):
        with suppress(OSError):
            if path.is_file():
                status = path.lstat()
                found[str(path.relative_to(folder))] = (status.st_ino, status.st_ctime_ns)
    return found


def _is_same(folder: Path, output: str) -> bool:
    with suppress(OSError):
        return folder.samefile(output)
    return False


def _named(files: list[str]) -> str:
    """The first of these names, which are the job's, without what a terminal obeys."""
    return ", ".join(for_terminal(name).replace("\n", "�") for name in files[:10])


def _short(path: Path) -> str:
    """A path below the current directory without its head, which differs from machine to machine."""
    path = path.resolve()
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)


def _matcher(regex: str | None) -> Callable[[str], bool]:
    if regex is None:
        return lambda text: True
    from pai_jupyter.store.patterns import line_matcher  # needs `regex`, 30 ms: only where it is used

    try:
        return line_matcher(regex)
    except SpecError as exc:
        raise SpecError(f"`--grep`: {exc}", field="--grep") from exc


def _write_log(
    job: Job, options: Namespace, replica: str | None, wanted: Callable[[str], bool], write: Callable[[str], object]
) -> None:
    def show(text: str) -> None:
        if wanted(strip_ansi(text)):
            write(text)

    if options.tail is not None and options.tail < 0:
        raise SpecError(f"`--tail {options.tail}` must be a whole number from 0.", field="--tail")
    if options.follow:
        follow_log(job, show, replica=replica, since=_first_line(job, replica, options.tail))
        return
    lines = job.logs(replica=replica)
    if options.tail is not None:
        lines = iter(job.folder.log(replica).tail(options.tail) if replica else job.tail(options.tail))
    for each in lines:
        show(each.text)


def _first_line(job: Job, replica: str | None, tail: int | None) -> int:
    """The number of the line with which following begins, when the last `tail` lines are wanted."""
    return 0 if tail is None else max(0, job.folder.log(job.check_replica(replica)).count() - tail)
