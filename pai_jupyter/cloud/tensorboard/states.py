"""Map the service's statuses of an app to ours. Pure.

The service's reference and the official SDK list different words; both are known here, in any case and spelling variant.
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
"""Statuses that count for the limit; an unknown one may count, too."""


def status_of(word: object) -> AppStatus:
    """Map the service's status to ours."""
    return _WORDS.get(str(word).lower().replace("_", ""), "unknown")
