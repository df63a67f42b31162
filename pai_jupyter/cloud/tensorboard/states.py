"""How an app stands, in the words of a local board and a few more. Pure.

The service's reference and the official SDK list different words; both are known here, in any case and spelling.
"""

from collections.abc import Mapping
from typing import Literal

AppStatus = Literal["starting", "running", "stopping", "stopped", "failed", "deleted", "unknown"]

_WORDS: Mapping[str, AppStatus] = {
    "pending": "starting",
    "creating": "starting",
    "running": "running",
    "stopping": "stopping",
    "stopped": "stopped",
    "succeeded": "stopped",
    "failed": "failed",
    "creatingfailed": "failed",
    "deleting": "deleted",
    "deleted": "deleted",
}
ALIVE: tuple[AppStatus, ...] = ("starting", "running", "stopping", "unknown")
"""Those that count for the limit; a word that nobody knows may be one of them."""


def status_of(word: object) -> AppStatus:
    """Map the service's status to ours."""
    return _WORDS.get(str(word).lower().replace("_", ""), "unknown")
