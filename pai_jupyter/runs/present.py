"""Show a run to whoever waits for it. This package knows no front end: one registers itself in `callbacks`."""

from typing import Any

from pai_jupyter import callbacks


def show_while_waiting(run: Any) -> bool:  # Any: a `Run`, or one of a service
    """Show a run that is about to be waited for, if this process has a front end; a terminal is shown it to its end.

    Returns whether it was shown, with its outputs.
    """
    return callbacks.run_viewer is not None and callbacks.run_viewer(run)
