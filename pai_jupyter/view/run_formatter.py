"""How a cell shows a run that it returns, or waits for. Nothing of runs is imported before there is one."""

from typing import Any

from pai_jupyter import callbacks

_RUNS = {
    "pai_jupyter.runs.run": "Run",
    "pai_jupyter.runs.state": "RunState",
    "pai_jupyter.workflow.remote": "RemoteRun",
}


def install_run_formatter(shell: Any) -> None:  # Any: IPython is untyped
    """Install the formatter of runs in this shell, and what shows a run while a cell waits for it."""
    callbacks.run_viewer = _show
    for module, name in _RUNS.items():
        shell.display_formatter.mimebundle_formatter.for_type_by_name(module, name, _draw)


def _draw(run: Any, include: object = None, exclude: object = None) -> dict[str, object]:  # Any: a run
    from pai_jupyter.view.run import draw_run

    return draw_run(run, include, exclude)


def _show(run: Any) -> bool:  # Any: a run
    from pai_jupyter.view.run import show_while_waiting

    return show_while_waiting(run)
