"""Retry SDK calls, which the SDK itself does not."""

from collections.abc import Callable
from typing import TypeVar

from pai_jupyter.storage.oss.faults import is_transient
from pai_jupyter.storage.progress import TransferProgress
from pai_jupyter.storage.retry import retrying_when

T = TypeVar("T")


def retrying(action: Callable[[], T], progress: TransferProgress) -> T:
    """Return the result of `action`, trying three times; each try starts anew with a fresh body and signature."""
    return retrying_when(is_transient, action, progress)
