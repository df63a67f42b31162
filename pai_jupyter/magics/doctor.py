"""`%pai_doctor`: what this kernel and machine have and lack for training jobs, with remedies."""

import platform
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version

from pai_jupyter import __version__
from pai_jupyter.diagnostics import Check, machine
from pai_jupyter.diagnostics.alerts import alerts
from pai_jupyter.diagnostics.tracking import tracking
from pai_jupyter.view import front_end


def checkup() -> list[Check]:
    """Run all checks once."""
    return list(_checks())


def _checks() -> Iterator[Check]:
    yield Check(what="pai_jupyter", found=f"{__version__}, Python {platform.python_version()}, {sys.executable}")
    yield _kernel()
    yield _live_view()
    yield from _needless_widget()
    yield machine.job_folders()
    yield from machine.backends(are_local=True)
    yield machine.gpus()
    yield machine.settings_in_force()
    yield machine.settings_file()
    yield machine.keys()
    yield from machine.prices()
    yield from machine.backends(are_local=False)
    yield from machine.hdfs()
    yield from alerts()
    yield from tracking()
    yield from machine.packages()


def _kernel() -> Check:
    try:
        kernel = f"ipykernel {version('ipykernel')}"
    except PackageNotFoundError:
        kernel = "no ipykernel"
    end = (
        "interactive: forms are shown"
        if front_end().is_attended
        else "not interactive: jobs start at once, and the cell waits"
    )
    return Check(what="kernel", found=f"{kernel}, IPython {version('ipython')}; {end}")


def _needless_widget() -> Iterator[Check]:
    """Warn of an anywidget that is not needed for the live view; an older version of ours may have installed it."""
    from pai_jupyter.view.widget import has_anywidget  # late: as in `view.frontend`

    if front_end().live == "server" and has_anywidget():
        yield Check(
            what="anywidget",
            found="installed: with it, JupyterLab runs scripts saved in any notebook",
            remedy="pai_jupyter does not need it here. If nothing else does: %pip uninstall -y anywidget",
        )


def _live_view() -> Check:
    ways = {
        "server": "through the Jupyter server",
        "widget": "as a widget over the kernel; requests wait while a cell runs",
        "none": "none; a cell shows the last known state of its job",
    }
    found = front_end()
    if not found.is_attended or found.live == "server":
        return Check(what="live view", found=ways[found.live])
    remedy = "Install pai_jupyter in the environment of the Jupyter server too, and restart the server."
    if found.live_by:
        remedy += f" In VS Code and Colab: {found.live_by}"
    return Check(what="live view", found=ways[found.live], remedy=remedy, is_good=found.live == "widget")
