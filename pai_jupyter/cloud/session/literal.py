"""Warn about an access key in a cell's text, which everybody who gets the notebook can see.

A function cannot know where its argument came from, but if the running cell's text contains the key, it is written there. So
the text of the running cell, if any, is searched.

Rule: the warning goes to the log, not to `warnings`, which would print the line with the key.
"""

import logging
import sys
from collections.abc import Iterable
from typing import Any

from pai_jupyter.config.settings import SHORTEST_SECRET

_log = logging.getLogger(__name__)


def warn_of_literals(secrets: Iterable[str]) -> None:
    """Warn if the running cell contains one of these."""
    ipython = sys.modules.get("IPython")  # not imported here: without IPython there is no cell
    cell = running_cell(ipython.get_ipython()) if ipython is not None else ""
    if any(len(secret) >= SHORTEST_SECRET and secret in cell for secret in secrets):
        _log.warning(
            "an access key stands in this cell, and so in the notebook. Take it out: keep it in a profile (type once: "
            "%pai_config wizard), or ask for it with access_key_secret=getpass.getpass('secret: ')"
        )


def running_cell(shell: Any) -> str:  # Any: IPython's shell, untyped
    """Return the text of the cell that `shell` is running, as typed; "" outside a cell."""
    kernel = getattr(shell, "kernel", None)
    if kernel is not None:
        return str((kernel.get_parent() or {}).get("content", {}).get("code", ""))
    typed = getattr(getattr(shell, "history_manager", None), "input_hist_raw", None)
    return str(typed[-1]) if typed else ""
