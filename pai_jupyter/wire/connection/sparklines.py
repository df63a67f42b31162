"""The `sparks` request: the course of the metric that a row names, for the rows that are in sight.

Rule 1: a course is at most `MAX_VALUES` values, spread evenly from the first to the last. Of a record of any length, a bounded
    part is read.
Rule 2: what was read is kept until there is more to read: rows come into sight again and again.
Rule 3: a job that has no metric has no course, and neither has one that is not here or cannot be read.
"""

import json
import sys
from array import array
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from pai_jupyter.config import wanted_metric
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.events import Metric, event_from_json, headline_metric
from pai_jupyter.jobs.job_index.row import metric_of
from pai_jupyter.store import JobFolder, JobStore
from pai_jupyter.store.disk import to_bytes
from pai_jupyter.wire.protocol.messages import Message

if TYPE_CHECKING:
    from pai_jupyter.wire.schema.listing import SparkNamed, SparksAnswer

MAX_VALUES = 40
WHOLE = 256 * 1024  # bytes of events; of more than that, pieces are read
PIECE = 4 * 1024  # bytes, from each of `MAX_VALUES` places
KEPT = 500  # jobs
_END = 1 << 62  # behind all events
_DAMAGED = (
    ValueError,
    TypeError,
    AttributeError,
    ArithmeticError,
    RecursionError,
)  # what a line raises that is no event


def sparks(job_ids: Sequence[str]) -> Message:
    """Answer a `sparks` request. Blocking."""
    store, told, buffers = JobStore(), list["SparkNamed"](), list[bytes]()
    wanted = wanted_metric()
    for job_id in dict.fromkeys(job_ids):
        with suppress(PaiJupyterError):
            spark = _spark(store.open(job_id), wanted)
            if spark is not None:
                told.append({"job": job_id, "name": spark[0]})
                buffers.append(spark[1])
    answer: SparksAnswer = {"sparks": told}
    return Message(body=answer, buffers=tuple(buffers))


def _spark(folder: JobFolder, wanted: str | None) -> tuple[str, bytes] | None:
    """Return the metric's name and its sampled values as bytes; None if there is no metric."""
    state = folder.read().state
    name = headline_metric(state.metrics, wanted)
    metric = metric_of(state, wanted)
    if metric is None or name is None:  # the row may have the name shortened
        return None
    _, size = folder.events(_END)
    values = array("d", [*_course(folder.path, name, size)[-MAX_VALUES + 1 :], metric[1]])
    if sys.byteorder == "big":
        values.byteswap()
    return metric[0], values.tobytes()


@lru_cache(maxsize=KEPT)
def _course(path: Path, name: str, size: int) -> tuple[float, ...]:
    """Return values of the metric `name` before its last, from the first `size` bytes of events."""
    folder, most = JobFolder(path), MAX_VALUES - 1
    if size <= WHOLE:
        lines = _lines_of(name, folder.event_lines()[0])[:-1]
        chosen = _evenly(lines, most)
    else:
        places = (place * (size - PIECE) // most for place in range(most))
        pieces = (_lines_of(name, folder.event_lines(place, limit=PIECE)[0][bool(place) :]) for place in places)
        chosen = [piece[0] for piece in pieces if piece]
    return tuple(value for line in chosen if (value := _value(line, name)) is not None)


def _lines_of(name: str, lines: Sequence[bytes]) -> list[bytes]:
    """Filter the lines that may hold the metric, which is cheaper than parsing each."""
    mark = b'"name":' + to_bytes(name)
    return [line for line in lines if mark in line]


def _value(line: bytes, name: str) -> float | None:
    with suppress(*_DAMAGED):
        event = event_from_json(json.loads(line))
        if isinstance(event, Metric) and event.name == name:
            return event.value
    return None


def _evenly(lines: Sequence[bytes], most: int) -> list[bytes]:
    """At most so many of them, the first among them."""
    return [lines[place * len(lines) // most] for place in range(most)] if len(lines) > most else [*lines]
