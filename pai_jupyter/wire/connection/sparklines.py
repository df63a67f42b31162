"""The `sparks` request: sampled values of the metric that a row shows, for the visible rows.

Rule 1: a sparkline has at most `MAX_VALUES` values, spread evenly from the first to the last. However long the record is,
    only a bounded part is read.
Rule 2: values are cached until the record grows, since rows scroll into sight again and again.
Rule 3: jobs that have no metric, are not on this machine or cannot be read are left out.
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
WHOLE = 256 * 1024  # bytes of events; larger records are read in pieces
PIECE = 4 * 1024  # bytes, at each of `MAX_VALUES` offsets
KEPT = 500  # jobs
_END = 1 << 62  # an offset past all events
_DAMAGED = (
    ValueError,
    TypeError,
    AttributeError,
    ArithmeticError,
    RecursionError,
)  # raised by a line that is not an event


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
    """Return the metric's name and its sampled values as little-endian doubles; None if there is no metric."""
    state = folder.read().state
    name = headline_metric(state.metrics, wanted)
    metric = metric_of(state, wanted)
    if metric is None or name is None:  # metric[0] may be a shortened name, so both are looked up
        return None
    _, size = folder.events(_END)
    replica = state.metrics[name].replica
    values = array("d", [*_sampled_values(folder.path, name, replica, size)[-MAX_VALUES + 1 :], metric[1]])
    if sys.byteorder == "big":
        values.byteswap()
    return metric[0], values.tobytes()


@lru_cache(maxsize=KEPT)
def _sampled_values(path: Path, name: str, replica: str, size: int) -> tuple[float, ...]:
    """Return sampled values of a replica's metric `name`, without the last, from the first `size` bytes of events."""
    folder, most = JobFolder(path), MAX_VALUES - 1
    if size <= WHOLE:
        lines = _lines_of(name, replica, folder.event_lines()[0])[:-1]
        chosen = _sample(lines, most)
    else:
        places = (place * (size - PIECE) // most for place in range(most))
        pieces = (
            _lines_of(name, replica, folder.event_lines(place, limit=PIECE)[0][bool(place) :]) for place in places
        )
        chosen = [piece[0] for piece in pieces if piece]
    return tuple(value for line in chosen if (value := _value(line, name)) is not None)


def _lines_of(name: str, replica: str, lines: Sequence[bytes]) -> list[bytes]:
    """Return the lines that may hold the replica's metric; cheaper than parsing each."""
    mark, teller = b'"name":' + to_bytes(name), b'"replica":' + to_bytes(replica) if replica else b""
    return [line for line in lines if mark in line and teller in line]


def _value(line: bytes, name: str) -> float | None:
    with suppress(*_DAMAGED):
        event = event_from_json(json.loads(line))
        if isinstance(event, Metric) and event.name == name:
            return event.value
    return None


def _sample(lines: Sequence[bytes], most: int) -> list[bytes]:
    """Return at most `most` of the lines, evenly spaced, with the first."""
    return [lines[place * len(lines) // most] for place in range(most)] if len(lines) > most else [*lines]
