"""Show a run: in a front end a display that is kept up to date, for a program one final display, in a terminal text.

As for jobs (`view.show`): who waits gets the run's errors from `run.wait()`, not from here.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Protocol

from pai_jupyter.errors import RunFailed, RunStopped
from pai_jupyter.jobs import presenter, print_line, runtime
from pai_jupyter.runs.costs import costs_of_run
from pai_jupyter.runs.labels import every_step
from pai_jupyter.runs.sources import source_of
from pai_jupyter.runs.state import RunState, StepStatus
from pai_jupyter.view.clean import clean
from pai_jupyter.view.display import PERIOD, ipython_display
from pai_jupyter.view.frontend import Render, environment_render, front_end, is_stable
from pai_jupyter.view.run.bundle import run_bundle
from pai_jupyter.view.run.data import MAX_LINE, RunData, run_facts
from pai_jupyter.view.run.display import STEP_PAUSE, RunDisplay
from pai_jupyter.view.run.text import render_run_text, row_text
from pai_jupyter.view.show import NotebookPresenter
from pai_jupyter.view.words import said
from pai_jupyter.wire.run_view.runs import watcher_of
from pai_jupyter.workflow.remote_source import show_remote_runs

PAUSE = 0.5  # seconds between two looks, in a terminal
MANY = 10_000  # steps


class ShownRun(Protocol):
    """A run, such as `runs.Run`, or one of a service."""

    @property
    def id(self) -> str: ...

    @property
    def state(self) -> RunState: ...

    def wait(self, timeout: float | None = None) -> RunState: ...


def show_run(run: ShownRun, *, wait: bool = False) -> None:
    """Show a run of this machine or of PAIFlow; `wait`: return when it has ended, however it ends."""
    show_remote_runs()
    if not isinstance(presenter(), NotebookPresenter):
        _print(run, wait=wait)
    elif front_end().is_attended:
        show_run_live(run)
        if wait:
            _wait(run)
    else:
        if wait:
            _tell_begun(run)
        try:
            if wait:
                _wait(run)
        finally:  # also if waiting was given up
            display = _display_of(run)
            display.show()


def show_while_waiting(run: ShownRun) -> bool:
    """Show a run for whose end the caller waits; a program that runs cells gets only what they return, and False is returned."""
    show_remote_runs()
    if not isinstance(presenter(), NotebookPresenter):
        _print(run, wait=True)
    elif front_end().is_attended:
        show_run_live(run)
    else:
        return False
    return True


def show_run_live(run: ShownRun) -> None:
    """Show a run in the running cell and keep the drawing up to date until its end."""
    display = _display_of(run)
    display.show()
    runtime().call(display.keep_fresh())
    if front_end().live == "widget":
        from pai_jupyter.view.widget import run_widget_bundle  # late: not needed without a widget

        ipython_display(run_widget_bundle(run.state))


def _display_of(run: ShownRun) -> RunDisplay:
    front = front_end()
    return RunDisplay(
        watcher=watcher_of(run.id),
        state=run.state,
        is_here=source_of(run.id) is None,
        live_by=front.live_by,
        step_pause=STEP_PAUSE if front.live == "none" else PERIOD,
        render="widget" if front.live == "widget" else None,
        display=ipython_display,
    )


def draw_run(run: ShownRun | RunState, include: object = None, exclude: object = None) -> dict[str, object]:
    """Return the MIME bundle of a run, or of its state, that a cell returns, for IPython's formatter."""
    show_remote_runs()
    state = run if isinstance(run, RunState) else run.state
    render: Render = "html" if environment_render() == "widget" else environment_render()  # nothing is live below it
    is_here = source_of(run.id) is None
    data = RunData(state=state, is_here=is_here, costs=costs_of_run(state, now=time.time()) if is_here else [])
    return run_bundle(data, stable=is_stable(), render=render)


def _wait(run: ShownRun) -> None:
    with suppress(RunFailed, RunStopped):
        run.wait()


def _print(run: ShownRun, *, wait: bool) -> None:
    """Print steps as they begin and end, then the whole."""
    if wait:
        _tell_begun(run)
        news = _news()
        while not _has_ended(run):
            if not is_stable():
                for line in news(run.state):
                    print(line)  # noqa: T201  this is what a terminal is for
    state = run.state
    data = RunData(state=state, costs=costs_of_run(state, now=time.time()))
    print(render_run_text(data, stable=is_stable()))  # noqa: T201


def _tell_begun(run: ShownRun) -> None:
    """Say which run it is that is waited for: nothing else is shown of it until something has happened."""
    state = run.state
    if not (state.status.is_terminal or is_stable()):
        print_line(said(f"run {run.id} ({state.name}) has begun"))


def _has_ended(run: ShownRun) -> bool:
    """Wait a little; return whether the run has ended."""
    try:
        run.wait(PAUSE)
    except TimeoutError:
        return False
    except (RunFailed, RunStopped):
        return True
    return True


def _news() -> Callable[[RunState], Iterator[str]]:
    """Return a function that yields a line for each job that has begun or ended since its last call."""
    told: dict[str, StepStatus] = {}

    def news(state: RunState) -> Iterator[str]:
        rows = run_facts(RunData(state=state), most=MANY).rows
        for step, row in zip(every_step(state.steps), rows, strict=False):
            if step.kind == "job" and told.get(step.path, StepStatus.WAITING) is not step.status:
                told[step.path] = step.status
                yield row_text(row, clean(step.path, home="", limit=MAX_LINE))

    return news
