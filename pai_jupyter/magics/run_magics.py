"""`%pai_runs`: the runs of pipelines as a table, one of them shown, stopped, run again or deleted; and the table of jobs."""

import re
import time
from argparse import Namespace
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from IPython.core.magic import Magics, line_magic, magics_class, no_var_expand
from IPython.core.magic_arguments import argument, magic_arguments
from IPython.display import display

from pai_jupyter.errors import NotFoundError, PaiJupyterError, SpecError
from pai_jupyter.events import for_terminal
from pai_jupyter.jobs import list_rows
from pai_jupyter.magics.lines import expand, parse
from pai_jupyter.magics.runs_table import OPTIONS, show_jobs, show_own_jobs
from pai_jupyter.magics.table import Table, clipped
from pai_jupyter.runs import Run, RunRow, attach_run, delete_run, list_runs
from pai_jupyter.runs.listing import keep_driven
from pai_jupyter.runs.parameter_types import read_value
from pai_jupyter.runs.run_folder import open_run_folder
from pai_jupyter.runs.sources import RunSource, RunSummary, source_of, sources
from pai_jupyter.runs.state import RunStatus, StepStatus
from pai_jupyter.spec import Json
from pai_jupyter.training import pairs, variable
from pai_jupyter.view import age, environment_language, front_end, is_stable, said
from pai_jupyter.view.run import ShownRun, show_run
from pai_jupyter.view.run.words import counts_text, status_word
from pai_jupyter.view.words import clock
from pai_jupyter.workflow.remote_folder import is_remote_id

_NONE = "no jobs and no runs yet. Start a job with %%pai_train NAME, a pipeline with %%pai_pipeline NAME --run"
_VERBS = ("stop", "rerun", "delete")
_FILTER = re.compile(r".*[<>=:].*", re.DOTALL)  # what no id and no name of a run is
_ID = re.compile(r"r[0-9a-hjkmnp-tv-z]{12}")  # of a run of this machine, as a whole


@magics_class
class RunMagics(Magics):
    """`%pai_runs`, for all runs of this user."""

    shell: Any  # IPython sets it

    @no_var_expand
    @magic_arguments()
    @argument(
        "words",
        nargs="*",
        metavar="RUN|WORD",
        help="id of a run of a pipeline, the beginning of it, or a name: the newest run of it. Any other words filter the table of "
        "jobs: lr<0.1 accuracy>0.9. Without words runs of pipelines and all other jobs are listed",
    )
    @argument("-n", type=int, default=20, metavar="N", help="maximum number of runs or jobs (default: 20)")
    @argument(
        "--columns",
        metavar="NAMES",
        help="columns of the table of jobs, with commas between them, or all: lr,loss,max(acc)",
    )
    @argument(
        "--sort",
        metavar="COLUMN",
        help="sort jobs by this column; with - before it (--sort=-loss) the largest come first",
    )
    @argument("--group-by", metavar="COLUMN", help="group jobs by this column: mean ± standard deviation of the others")
    @argument("--csv", metavar="FILE", help="write the table of all jobs that the words find to this file")
    @argument(
        "--remote",
        action="store_true",
        help="list the newest runs of the workspace at PAI, too; those that were started elsewhere are only listed",
    )
    @argument("--stop", action="store_true", help="stop the run and its jobs")
    @argument(
        "--rerun", action="store_true", help="run it again (a run of this machine); what is unchanged is taken over"
    )
    @argument("--from-step", metavar="STEP", help="with --rerun: run this step and all that depends on it anew")
    @argument("-p", "--param", action="append", metavar="NAME=VALUE", help="with --rerun: change a value of an input")
    @argument("--delete", action="store_true", help="delete the record of an ended run; its jobs stay")
    @argument("-y", "--yes", action="store_true", help="do not ask for confirmation")
    @argument(
        "--wait",
        action="store_true",
        default=None,
        help="return at the end of the run (the default without a front end)",
    )
    @argument("--no-wait", action="store_false", dest="wait", help="return at once (the default in a notebook)")
    @argument("--as", dest="variable", metavar="VAR", default="_pai", help="store the Run under this name")
    @line_magic
    def pai_runs(self, line: str) -> None:
        """List runs of pipelines and jobs, with their values and metrics; show, stop, run again or delete a run of a pipeline.

        Examples::

            %pai_runs
            %pai_runs lr<0.1 max(accuracy)>0.9 --sort=-accuracy
            %pai_runs --group-by optimizer --columns lr,loss
            %pai_runs state:succeeded --csv jobs.csv
            %pai_runs iris
            %pai_runs r1mq8 --rerun --from-step train -p lr=0.01
            %pai_runs r1mq8 --stop
        """
        given = parse(self.pai_runs, expand(line, self.shell.user_ns, attributes=True), is_mixed=True, of_pipeline=True)
        _check(given)
        if given.remote or (given.run is not None and is_remote_id(given.run)):
            from pai_jupyter.workflow.remote_source import show_remote_runs  # late: it needs the cloud's clients

            show_remote_runs()
        if not given.words and not _is_table(given):
            _overview(given)
            return
        if given.run is None:
            show_jobs(given, given.words)
            return
        if (unknown := _unknown(given)) is not None:
            show_jobs(given, given.words, unknown)
            return
        if given.delete:
            self._delete(given)
            return
        run = _found(given.run)
        if given.stop:
            _stop(run)
            return
        if given.rerun:
            run = _again(run, given)
        self.shell.user_ns[given.variable] = run
        wait = given.wait if given.wait is not None else given.rerun and not front_end().is_attended
        show_run(run, wait=wait)
        if wait:
            run.wait()

    def _delete(self, given: Namespace) -> None:
        is_here = source_of(given.run) is None
        run_id = (
            open_run_folder(given.run).id if is_here else _found(given.run).id
        )  # one that is damaged can be deleted
        if not given.yes and not _confirmed(f"Delete the record of run {run_id}? [y/N] "):
            print(said("Nothing was deleted."))  # noqa: T201  for the user
            return
        if is_here:
            delete_run(run_id)
        else:
            from pai_jupyter.workflow.remote import delete_remote_run  # late: it needs the cloud's clients

            delete_remote_run(run_id)
        print(said(f"the record of run {run_id} is deleted. Its jobs stay."))  # noqa: T201


def _check(given: Namespace) -> None:
    """Check that the options fit each other.

    Raises:
        SpecError: they do not.
    """
    variable(given.variable)
    verbs = [f"--{verb}" for verb in _VERBS if getattr(given, verb)]
    if len(verbs) > 1:
        raise SpecError(f"`{verbs[0]}` and `{verbs[1]}` do not go together. Give one of them.", field=verbs[1])
    if verbs and _is_table(given):
        option = next(f"--{name.replace('_', '-')}" for name in OPTIONS if getattr(given, name) is not None)
        raise SpecError(f"`{option}` is for the table of jobs, `{verbs[0]}` for a run. Give one of them.", field=option)
    given.run = given.words[0] if len(given.words) == 1 and not _is_table(given) else None
    if given.run is not None and not verbs and _FILTER.fullmatch(given.run):
        given.run = None
    if verbs and given.run is None:
        raise SpecError(f"`{verbs[0]}` needs the id or the name of a run; %pai_runs shows them.", field="run")
    if (given.from_step or given.param) and not given.rerun:
        name = "--from-step" if given.from_step else "-p"
        raise SpecError(f"`{name}` is for running again. Add --rerun", field=name)
    if given.n < 1:
        raise SpecError(f"`-n {given.n}` must be a whole number from 1.", field="-n")


def _is_table(given: Namespace) -> bool:
    """Return whether an option asks for the table of jobs."""
    return any(getattr(given, name) is not None for name in OPTIONS)


def _overview(given: Namespace) -> None:
    """List the runs of pipelines, if there are any, then the jobs that are none of their steps."""
    runs, jobs = _rows(given), [row for row in list_rows() if not row.run]
    if runs and jobs:
        print(said("Runs of pipelines:"))  # noqa: T201  for the user
    if runs or not jobs:
        display(runs_table(runs, now=time.time(), has_places=given.remote))
    if runs and jobs:
        print(said("Jobs:"))  # noqa: T201  as above
    if jobs:
        show_own_jobs(jobs, given.n)


def _unknown(given: Namespace) -> NotFoundError | None:
    """Return why there is no such run if its name may be a word of a filter instead: with no verb, and no whole id of a run."""
    if source_of(given.run) is not None or any(getattr(given, verb) for verb in _VERBS) or _ID.fullmatch(given.run):
        return None
    try:
        open_run_folder(given.run)
    except NotFoundError as exc:
        return exc
    return None


def _found(run_id: str) -> Any:  # Any: a `Run`, or one of PAIFlow
    if source_of(run_id) is None:
        return attach_run(run_id)
    from pai_jupyter.workflow.remote import attach_remote_run  # late: as above

    return attach_remote_run(run_id)


def _stop(run: Any) -> None:  # Any: as above
    if run.state.status.is_terminal:
        print(said(f"run {run.id} has ended already."))  # noqa: T201  for the user
        return
    run.stop()
    print(said(f"run {run.id} is being stopped."))  # noqa: T201  for the user


def _again(run: Any, given: Namespace) -> ShownRun:  # Any: as above
    texts = pairs("-p", given.param, example="lr=0.1", is_job=False)
    declared = (
        {it.name: it for it in run.plan.graph.parameters} if isinstance(run, Run) else {}
    )  # the others read texts
    values: dict[str, Json] = {}
    for name, text in texts.items():
        values[name] = read_value(text, declared[name].type, what=f"`-p {name}`") if name in declared else text
    again: ShownRun = run.rerun(from_step=given.from_step, **values)
    return again


def _rows(given: Namespace) -> list[RunRow]:
    rows = list_runs()
    keep_driven(rows)
    if given.remote:
        rows += [row for source in sources() for row in _remote_rows(source)]
    return sorted(rows, key=lambda row: row.created, reverse=True)[: given.n]


def _remote_rows(source: RunSource) -> Iterator[RunRow]:
    """Yield the runs of a service; if it does not answer, say so: those that are known here are still shown."""
    troubles: list[str] = []
    for place, summaries in (("PAI", source.summaries), (said("PAI, started elsewhere"), source.others)):
        try:
            found = summaries()
        except PaiJupyterError as exc:
            troubles.append(str(exc))
            continue
        troubles += [it.trouble for it in found if it.trouble]
        yield from (_remote_row(summary, place) for summary in found)
    for trouble in dict.fromkeys(troubles):
        print(for_terminal(said(trouble)))  # noqa: T201  for the user


def _remote_row(summary: RunSummary, place: str) -> RunRow:
    return RunRow(
        id=summary.id,
        name=summary.name,
        status=summary.status.value,
        reason=summary.trouble or summary.reason,
        created=summary.created,
        ended=summary.ended,
        counts={status.value: count for status, count in summary.counts.items()},
        inputs=summary.inputs,
        place=place,
    )


def runs_table(rows: Sequence[RunRow], *, now: float, has_places: bool = False) -> Table:
    """Build the table of runs; without ids and times if outputs must be reproducible."""
    places = ["run on"] if has_places else []
    headers = [
        "state",
        "name",
        *places,
        "jobs",
        *([] if is_stable() else ["inputs", "started", "time", "notebook", "id"]),
    ]
    cells = [_cells(row, now, has_places=has_places)[: len(headers)] for row in rows]
    return Table(headers=headers, rows=cells, empty=_NONE)


def _cells(row: RunRow, now: float, *, has_places: bool) -> list[str]:
    language = environment_language()
    status = status_word(RunStatus(row.status), language) if row.status in {*RunStatus} else row.reason
    counts = counts_text({StepStatus(name): count for name, count in row.counts.items() if name in {*StepStatus}})
    took = _time(row, now) if row.created else ""  # of one that cannot be read nothing is known
    place = [row.place or said("this machine")] if has_places else []
    inputs = ", ".join(f"{name} = {value}" for name, value in row.inputs.items())
    started = datetime.fromtimestamp(row.created).isoformat(" ", "seconds") if row.created else ""  # noqa: DTZ006  as on the reader's clock
    texts = (status, row.name, *place, counts, inputs, started, took, row.notebook, row.id)
    return [clipped(for_terminal(text)) for text in texts]


def _time(row: RunRow, now: float) -> str:
    return said(f"{age(now - row.ended)} ago") if row.ended is not None else clock(max(0.0, now - row.created))


def _confirmed(question: str) -> bool:
    """Ask the user; an interrupt counts as no."""
    try:
        return input(said(question)).strip().lower() in ("y", "yes")
    except KeyboardInterrupt:
        return False
    except (EOFError, NotImplementedError) as exc:
        raise SpecError(
            "nothing was deleted: you cannot be asked here. To delete without confirmation, add -y", field="-y"
        ) from exc
