"""Show a job: in a front end a display that is kept up to date, for a program one final display, in a terminal text.

It connects `jobs` with the drawings. In a kernel its presenter replaces the plain one of `jobs.presenter()`, so that
`Estimator.fit` and `%%pai_train` show the same.
"""

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from pai_jupyter import contract
from pai_jupyter.config import wanted_metric
from pai_jupyter.errors import JobFailed, JobStopped, PaiJupyterError
from pai_jupyter.events import JobState, Metric, Status, for_terminal, in_order, strip_ansi
from pai_jupyter.jobs import (
    Job,
    Presenter,
    WaitingJob,
    follow_log,
    headline,
    presenter,
    print_line,
    runtime,
    tell_terminal,
    use_presenter,
)
from pai_jupyter.jobs.log_secrets import log_masker
from pai_jupyter.store import with_replica
from pai_jupyter.store.provenance import read_provenance
from pai_jupyter.view.bundle import bundle
from pai_jupyter.view.data import ViewData
from pai_jupyter.view.display import Handle, JobView, ipython_display
from pai_jupyter.view.frontend import Render, front_end, is_stable
from pai_jupyter.view.line import StatusLine
from pai_jupyter.view.text import render_text
from pai_jupyter.view.words import said

Display: TypeAlias = Callable[[Mapping[str, object]], Handle | None]

TAIL_LINES = 40  # log lines in a saved notebook, at most
CHARTS = 4  # metrics in its chart
CHART_BYTES = 1024 * 1024  # of events read for the chart: a job may have millions, and the chart shows few


def view_data(job: Job, notes: Sequence[str] = ()) -> ViewData:
    """Read from the job's folder everything that a drawing shows."""
    state, spec = job.state, job.spec
    names = in_order(state.metrics, wanted_metric())
    return ViewData(
        job_id=job.id,
        name=shown_name(job),
        place=job.place,
        instance_type=spec.instance_type,
        instance_count=spec.total_instances,
        machines=contract.machines_text(spec) if spec.roles else "",
        state=replace(state, metrics={name: state.metrics[name] for name in names}),
        values=dict(job.hyperparameters),
        max_run_time=spec.max_run_time,
        cost=job.cost,
        notes=list(notes),
        remark=job.annotations.note,
        series=_series(job, names),
        now=time.time(),
        **_commit(job),
        **_from_log(job, state),
    )


def shown_name(job: Job) -> str:
    """Return the job's name, without its generated number if outputs must be reproducible."""
    return job.annotations.name or (job.folder.record.stem if is_stable() else "") or job.name


def _commit(job: Job) -> dict[str, Any]:  # Any: fields of ViewData
    """Read the commit of the job's code; nothing if it was not recorded, or the record is damaged."""
    with suppress(PaiJupyterError):
        known = read_provenance(job.folder.path, has_diff=False)
        if known is not None and known.git is not None and known.git.commit:
            branch = f" ({known.git.branch})" if known.git.branch else ""
            return {"commit": f"{known.git.commit[:12]}{branch}", "is_dirty": known.git.is_dirty}
    return {}


def _from_log(job: Job, state: JobState) -> dict[str, Any]:  # Any: fields of ViewData
    """Read the end of the log and the cause of a failure; if the log cannot be read, the tail is the error message."""
    try:
        failure = job.failure() if state.status is Status.FAILED else None
        logs = [job.folder.log(replica) for replica in job.folder.replicas()]
        names, mask = job.replicas, log_masker(job.folder)
        read = {
            "tail": [with_replica(line, names, mask) for line in job.tail(TAIL_LINES)],
            "lines": sum(log.count() for log in logs),
        }
    except PaiJupyterError as exc:
        return {"tail": [str(exc)], "lines": 0, "cause": state.reason}
    return {**read, "cause": failure.cause, "hint": failure.hint} if failure else read


def _series(job: Job, names: Sequence[str]) -> dict[str, list[tuple[float, float]]]:
    """Return the points of the first `CHARTS` of these metrics that have more than one."""
    summaries = job.state.metrics
    several = [name for name in names if name in summaries and summaries[name].count > 1][:CHARTS]
    series: dict[str, list[tuple[float, float]]] = {name: [] for name in several}
    if several:
        for event in job.folder.some_events(CHART_BYTES):
            if isinstance(event, Metric) and event.name in series and event.replica == summaries[event.name].replica:
                points = series[event.name]
                points.append((float(len(points)) if event.step is None else event.step, event.value))
    return series


@dataclass(kw_only=True)
class NotebookPresenter:
    """Shows a job as the output of the running cell; `as_widget`: with the widget, even if another live view is possible."""

    as_widget: bool = False
    _line: StatusLine | None = None  # progress before there is a job

    def tell(self, text: str) -> None:
        if not front_end().is_attended:
            return
        line = self._line or StatusLine()
        line.show(text)
        self._line = line if text else None

    def show(self, job: Job, notes: Sequence[str], *, wait: bool) -> None:
        if front_end().is_attended:
            show_live(job, notes, as_widget=self.as_widget)
        elif wait and not (job.state.status.is_terminal or is_stable()):
            print_line(said(headline(job)))  # nothing else is shown of it until its end
        try:
            if wait:
                self._wait(job)
        finally:  # also if waiting was given up because the job cannot be reached
            if not front_end().is_attended:
                JobView(lambda: view_data(job, notes)).show_final()

    def _wait(self, job: Job) -> None:
        with suppress(JobFailed, JobStopped):  # raised again where the caller asks for the result
            job.wait()


@dataclass(frozen=True, kw_only=True)
class JobDisplay:
    """The displays of a job: its bundle and, if needed, the widget below it."""

    bundle: Display = ipython_display
    widget: Display = ipython_display


def check_live(*, as_widget: bool) -> None:
    """Check that a requested widget can be shown to an attending user.

    Raises:
        SpecError: it cannot; the message says what is missing and what to type.
    """
    if as_widget and front_end().is_attended:
        from pai_jupyter.view.widget import check_widget  # late: as below

        check_widget()


def show_live(job: Job, notes: Sequence[str] = (), *, place: JobDisplay | None = None, as_widget: bool = False) -> None:
    """Show `job` and keep the drawing up to date until its end; `as_widget` forces the widget."""
    place = place or JobDisplay()
    is_widget = as_widget or front_end().live == "widget"
    render: Render | None = "widget" if is_widget else None
    live_by = "" if is_widget else front_end().live_by  # read now: later drawings are for the same front end
    view = JobView(lambda: replace(view_data(job, notes), live_by=live_by), display=place.bundle, render=render)
    view.show()
    following = runtime().follow(job.folder)
    following.watch(view.state_changed)
    runtime().call(view.keep_fresh(following))
    if is_widget:
        from pai_jupyter.view.widget import widget_bundle  # late: not needed without a widget

        place.widget(widget_bundle(job))


def replaceable(shown: object, *, as_widget: bool = False) -> JobDisplay:
    """Show something in the running cell that a job's display can replace later, on any thread.

    So a form is not saved with the notebook once its job is shown. The widget's display is created now, too, since a display
    created by a click belongs to no cell.
    """
    main = _reserve(shown)
    if not as_widget and front_end().live != "widget":
        return JobDisplay(bundle=main)
    return JobDisplay(bundle=main, widget=_reserve({"text/plain": ""}, raw=True))


def _reserve(shown: object, *, raw: bool = False) -> Display:
    """Display `shown` and return a function that replaces it."""
    from IPython.display import display

    handle: Handle = display(shown, raw=raw, display_id=True)  # type: ignore[no-untyped-call]  # IPython's

    def draw(drawn: Mapping[str, object]) -> Handle:
        handle.update(drawn, raw=True)
        return handle

    return draw


class TerminalPresenter:
    """Shows a job in a terminal: its log as it grows, then a summary."""

    def tell(self, text: str) -> None:
        tell_terminal(text)

    def show(self, job: Job, notes: Sequence[str], *, wait: bool) -> None:
        print(said(headline(job)))  # noqa: T201  this is what a presenter is for
        for note in notes:
            print(said(f"note: {note}"))  # noqa: T201
        if wait:
            tell = None if is_stable() else lambda line: print_line(said(line))
            write = for_terminal if sys.stdout.isatty() else strip_ansi
            follow_log(job, lambda line: print(write(line)), tell=tell)  # noqa: T201
            job.is_log_shown = True
            print(render_text(replace(view_data(job), tail=()), stable=is_stable()))  # noqa: T201


def show_job(job: Job, notes: Sequence[str] = (), *, wait: bool, as_widget: bool = False) -> None:
    """Show `job` with this process's presenter (see `jobs.Presenter`); `as_widget`: as a widget if a user attends."""
    chosen = NotebookPresenter(as_widget=True) if as_widget and front_end().is_attended else presenter()
    chosen.show(job, notes, wait=wait)


def install_view(shell: Any) -> None:  # Any: IPython is untyped
    """Install the presenter and the formatter of jobs in this shell: cell output in a kernel, text in a terminal."""
    use_presenter(presenter_of(shell))
    shell.display_formatter.mimebundle_formatter.for_type(Job, draw_job)


def presenter_of(shell: Any) -> Presenter:  # Any: IPython is untyped
    """Return the presenter that shows jobs in this shell."""
    return NotebookPresenter() if getattr(shell, "kernel", None) is not None else TerminalPresenter()


def draw_job(job: Job, include: object = None, exclude: object = None) -> dict[str, object]:
    """Return the MIME bundle of a job that a cell returns, for IPython's formatter."""
    if isinstance(job, WaitingJob) and job.is_waiting:
        return {"text/plain": repr(job)}
    return dict(bundle(view_data(job), stable=is_stable()))
