"""The warning about a key that stands in a cell, where everybody sees it who gets the notebook.

The one who passes a key to a function cannot know where it came from; but a cell that holds its very text has it written
out. So the text of the cell that runs now is looked at, if there is one.

Rule: the warning goes to the log, never to `warnings`, which would print the line with the key in it.
"""

import logging
import sys
from collections.abc import Iterable
from typing import Any

from pai_jupyter.config.settings import SHORTEST_SECRET

_log = logging.getLogger(__name__)


def warn_of_literals(secrets: Iterable[str]) -> None:
    """Warn if the cell that runs now holds one of these."""
    ipython = sys.modules.get("IPython")  # not imported: without it there is no cell
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
