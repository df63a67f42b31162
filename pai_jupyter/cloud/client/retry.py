"""Decide whether and when to repeat a call. Pure.

Rule 1: a call that was surely not carried out (`busy`) may be repeated; one that may have been (`lost`) only if it is
    idempotent.
Rule 2: pauses double, with random jitter, so that clients that failed together do not retry together. A pause requested by the
    service is respected.
Rule 3: where nobody listens on this machine, nobody will in the next seconds: a person has to start an emulator.
"""

from http import HTTPStatus

from pai_jupyter.cloud.client.answer import CallFailure
from pai_jupyter.cloud.client.operation import Operation

TRIES = 6
_FIRST = 0.5  # seconds
_LONGEST = 8.0  # seconds
_SPREAD = 0.1  # seconds; the longest requested pause that is respected


def may_repeat(operation: Operation, trouble: CallFailure) -> bool:
    """Return whether the call may be repeated after this failure."""
    if trouble.is_absent:
        return False
    return trouble.kind == "busy" or (trouble.kind == "lost" and operation.is_repeatable)


def is_gone(operation: Operation, answer: object) -> bool:
    """Return whether a repeated deletion found nothing left to delete."""
    is_told = isinstance(answer, CallFailure) and answer.is_readable and answer.status == HTTPStatus.NOT_FOUND
    return operation.method == "DELETE" and is_told


def pause_before(tries: int, trouble: CallFailure, chance: float) -> float:
    """Return the pause in seconds after `tries` tries; `chance` is a random number from 0 to 1."""
    if trouble.wait is not None:
        return trouble.wait * (1 + _SPREAD * chance)
    return min(_LONGEST, _FIRST * 2.0 ** (tries - 1)) * (1 - chance / 2)
