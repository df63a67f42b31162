"""The magics. They parse and delegate, nothing else; each has its text twin, and none needs a front end.

train_magics   %%pai_train, %pai_train: a cell, or a directory, as a training job (options, training)
jobs_magics    %pai_jobs %pai_attach %pai_logs %pai_stop %pai_rerun %pai_download
board_magics   %pai_tensorboard
config_magics  %pai_config, %pai_doctor (doctor)
lines, complete, table   what they share: reading a line, Tab, showing rows
"""

from typing import Any


def load_ipython_extension(shell: Any) -> None:  # Any: IPython is untyped
    """Register the magics and their completion. Silent, no network, nothing started."""
    from pai_jupyter.magics import complete
    from pai_jupyter.magics.board_magics import BoardMagics
    from pai_jupyter.magics.config_magics import ConfigMagics
    from pai_jupyter.magics.jobs_magics import JobMagics
    from pai_jupyter.magics.train_magics import TrainMagics
    from pai_jupyter.view import install_view

    shell.register_magics(TrainMagics, JobMagics, BoardMagics, ConfigMagics)
    install_view(shell)
    complete.install(
        shell,
        {
            "%%pai_train": (TrainMagics.pai_train, False),
            "%pai_train": (TrainMagics.pai_train, False),
            "%pai_jobs": (JobMagics.pai_jobs, False),
            "%pai_attach": (JobMagics.pai_attach, True),
            "%pai_logs": (JobMagics.pai_logs, True),
            "%pai_stop": (JobMagics.pai_stop, True),
            "%pai_rerun": (JobMagics.pai_rerun, True),
            "%pai_download": (JobMagics.pai_download, True),
            "%pai_tensorboard": (BoardMagics.pai_tensorboard, True),
            "%pai_config": (ConfigMagics.pai_config, False),
        },
    )


def unload_ipython_extension(shell: Any) -> None:  # Any: IPython is untyped
    """Take the magics away and stop following; jobs go on."""
    from pai_jupyter.jobs import close_runtime

    close_runtime()
    for kind in ("line", "cell"):
        table = shell.magics_manager.magics[kind]
        for name in [name for name in table if name.startswith("pai_")]:
            del table[name]
