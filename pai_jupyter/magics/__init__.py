"""The magics. They only parse and delegate; each has a text output, so none needs a front end.

train_magics   %%pai_train, %pai_train: a cell, or a directory, as a training job (options, training, history)
list_magics    %pai_jobs
jobs_magics    %pai_attach %pai_stop %pai_rerun
log_magics     %pai_logs
stack_magics   %pai_stack
output_magics  %pai_download
board_magics   %pai_tensorboard
cloud_magics   %pai_images %pai_instances
oss_magics     %pai_oss (transfers, stored_files); hdfs_magics: %pai_hdfs
config_magics  %pai_config, %pai_doctor (doctor, wizard, emulator)
new_key        asks for a new key while a cell waits
registry       the list of magics; each is imported on first use
lines, complete, table   shared: parse a line, Tab completion (bucket_paths), show rows
"""

import sys
from functools import cache
from typing import Any

from pai_jupyter import callbacks
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.magics import registry


def load_ipython_extension(shell: Any) -> None:  # Any: IPython is untyped
    """Register the magics and the display of jobs in this shell; prints, starts and requests nothing, imports little."""
    registry.register(shell)
    callbacks.presenter = cache(lambda: _presenter(shell))
    callbacks.run_viewer = _show_run
    callbacks.asker = lambda trouble: _asker(shell)(trouble)
    formatter = shell.display_formatter.mimebundle_formatter
    formatter.for_type_by_name("pai_jupyter.jobs.job", "Job", _draw)
    formatter.for_type_by_name("pai_jupyter.runs.run", "Run", _draw_run)
    formatter.for_type_by_name("pai_jupyter.runs.state", "RunState", _draw_run)
    formatter.for_type_by_name("pai_jupyter.workflow.remote", "RemoteRun", _draw_run)
    PaiJupyterError.translate = staticmethod(_said)


def unload_ipython_extension(shell: Any) -> None:  # Any: IPython is untyped
    """Remove the magics and stop following jobs; the jobs go on."""
    registry.unregister(shell)
    callbacks.asker = None
    if "pai_jupyter.jobs" in sys.modules:
        from pai_jupyter.jobs import close_runtime

        close_runtime()


def _presenter(shell: Any) -> Any:  # Any: IPython is untyped; a `jobs.Presenter`
    from pai_jupyter.view import presenter_of

    return presenter_of(shell)


def _asker(shell: Any) -> Any:  # Any: IPython is untyped; the function for `callbacks.asker`
    from pai_jupyter.magics.new_key import asker_of

    return asker_of(shell)


def _draw(job: Any, include: object = None, exclude: object = None) -> dict[str, object]:  # Any: a `Job`
    from pai_jupyter.view import draw_job

    return draw_job(job, include, exclude)


def _draw_run(run: Any, include: object = None, exclude: object = None) -> dict[str, object]:  # Any: a `Run`
    from pai_jupyter.view.run import draw_run

    return draw_run(run, include, exclude)


def _show_run(run: Any) -> bool:  # Any: a `Run`
    from pai_jupyter.view.run import show_while_waiting

    return show_while_waiting(run)


def _said(sentence: str) -> str:
    from pai_jupyter.view import said

    return said(sentence)
