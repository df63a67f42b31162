"""Retry what may soon succeed, with growing pauses."""

import random
from collections.abc import Callable
from typing import TypeVar

from pai_jupyter.storage.progress import TransferProgress

TRIES = 3
FIRST_PAUSE = 0.5  # seconds; doubles each time, with jitter so that threads do not retry together

T = TypeVar("T")


def retrying_when(is_transient: Callable[[Exception], bool], action: Callable[[], T], progress: TransferProgress) -> T:
    """Return the result of `action`, trying three times while its errors are transient; each try starts anew."""
    for number in range(TRIES - 1):
        try:
            return action()
        except Exception as exc:
            if not is_transient(exc):
                raise
        progress.pause(FIRST_PAUSE * 2**number * random.uniform(0.5, 1.5))  # noqa: S311  not a secret
    return action()
