"""The magics. They parse and delegate, nothing else; each has its text twin, and none needs a front end.

train_magics   %%pai_train, %pai_train: a cell, or a directory, as a training job (options, training)
jobs_magics    %pai_jobs %pai_attach %pai_logs %pai_stop %pai_rerun %pai_download
board_magics   %pai_tensorboard
cloud_magics   %pai_images %pai_instances
oss_magics     %pai_oss (transfers)
config_magics  %pai_config, %pai_doctor (doctor, wizard); new_key: the question for one while a cell waits
lines, complete, table   what they share: reading a line, Tab (bucket_paths), showing rows
"""

from typing import Any


def load_ipython_extension(shell: Any) -> None:  # Any: IPython is untyped
    """Register the magics and their completion. Silent, no network, nothing started."""
    from pai_jupyter.errors import PaiJupyterError
    from pai_jupyter.magics import complete
    from pai_jupyter.magics.board_magics import BoardMagics
    from pai_jupyter.magics.cloud_magics import CloudMagics
    from pai_jupyter.magics.config_magics import ConfigMagics
    from pai_jupyter.magics.jobs_magics import JobMagics
    from pai_jupyter.magics.new_key import install_asker
    from pai_jupyter.magics.oss_magics import OssMagics
    from pai_jupyter.magics.train_magics import TrainMagics
    from pai_jupyter.view import install_view, said

    PaiJupyterError.translate = staticmethod(said)
    shell.register_magics(TrainMagics, JobMagics, BoardMagics, CloudMagics, OssMagics, ConfigMagics)
    install_view(shell)
    install_asker(shell)
    complete.install(
        shell,
        {
            "%%pai_train": (TrainMagics.pai_train, None),
            "%pai_train": (TrainMagics.pai_train, None),
            "%pai_jobs": (JobMagics.pai_jobs, None),
            "%pai_attach": (JobMagics.pai_attach, complete.job_names),
            "%pai_logs": (JobMagics.pai_logs, complete.job_names),
            "%pai_stop": (JobMagics.pai_stop, complete.job_names),
            "%pai_rerun": (JobMagics.pai_rerun, complete.job_names),
            "%pai_download": (JobMagics.pai_download, complete.job_names),
            "%pai_tensorboard": (BoardMagics.pai_tensorboard, complete.boards),
            "%pai_images": (CloudMagics.pai_images, complete.frameworks),
            "%pai_instances": (CloudMagics.pai_instances, None),
            "%pai_oss": (OssMagics.pai_oss, complete.oss_words),
            "%pai_config": (ConfigMagics.pai_config, complete.config_words),
        },
    )


def unload_ipython_extension(shell: Any) -> None:  # Any: IPython is untyped
    """Take the magics away and stop following; jobs go on."""
    from pai_jupyter.jobs import close_runtime, use_asker

    close_runtime()
    use_asker(None)
    for kind in ("line", "cell"):
        table = shell.magics_manager.magics[kind]
        for name in [name for name in table if name.startswith("pai_")]:
            del table[name]
