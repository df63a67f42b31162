"""Series of a job for drawing: metrics from its log and event files, and resource usage of its replicas.

    events.jsonl      Metric -> (log, replica, name); Usage -> (usage, replica, cpu | memory | gpu | disk_read ...), as
                      `events.usage` adds them up, with limits and totals
    event files       of the output channel `tensorboard`, if it is on this machine: (tensorboard, run, tag); those that the
                      script wrote into its working directory, as runs below `workdir`

Rule 1: points are added to decimated series and not kept otherwise. Each call reads a bounded part of the new data;
    `is_behind` says that there is more, so the next call may follow at once.
Rule 2: the step of a metric without one is its index in its series; that of a usage, the seconds since the job's start.
Rule 3: a job may write any number of names: series beyond `MAX_SERIES` are left out, and a note says so.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from pai_jupyter.backends.local import output_folder, packed_files, workdir
from pai_jupyter.contract import WORKDIR, is_cache
from pai_jupyter.errors import NotFoundError
from pai_jupyter.events import StoredEvent, Usage, event_from_json
from pai_jupyter.events.usage import UsageSum
from pai_jupyter.jobs import Job
from pai_jupyter.tfevents import Columns, EventDirectory, EventNews
from pai_jupyter.typed_json import MAX_LINE, line_of, text_of, time_of
from pai_jupyter.wire.job_view.decimate import Decimated
from pai_jupyter.wire.schema.values import Group, Source

if TYPE_CHECKING:
    from pai_jupyter.wire.schema.job import Series

Part: TypeAlias = "tuple[Series, bytes]"
"""A `Series` and its buffer: steps, then times, then values, as little-endian doubles."""

MAX_SERIES = 400  # per group
EVENT_BYTES = 8 * 1024 * 1024  # of events.jsonl per step
PARSED_BYTES = 512 * 1024  # parsed at a time: as objects they take ten times the memory
READ_STEPS = 8  # per `read`: up to 128 MB of event files, nearly 3 million scalars
_LISTING = 0.003  # part of the time that listing a working directory may take
_UNITS = {"cpu": "cores", "memory": "B", "gpu": "ratio", "gpu_memory": "B"}  # of the others B/s
_Key: TypeAlias = "tuple[Source, str, str]"  # source, replica, name


class PointsReader:
    """The series of one job for one view. Blocking; one call at a time."""

    def __init__(self, job: Job) -> None:
        self.is_behind = False
        self.notes: list[str] = []  # what could not be read or shown, a sentence each
        self._folder = job.folder
        self._usage = UsageSum()
        self._groups = {"metrics": _SeriesGroup(self.notes), "usage": _SeriesGroup(self.notes, self._usage)}
        self._cursor = 0  # offset in events.jsonl, in bytes
        self._board: EventDirectory | None = None
        self._beside: EventDirectory | None = None
        self._has_workdir = True  # until it is known

    def read(self, group: Group) -> list[Part]:
        """Read the new data and return all series of `group`.

        Raises:
            PaiJupyterError: the job's folder is gone or damaged.
        """
        for _ in range(READ_STEPS):
            self._step(group)
            if not self.is_behind:
                break
        return self._groups[group].parts()

    def changed(self, group: Group) -> list[Part]:
        """Return the whole series that changed since the last `read` or `changed` of this group.

        Raises:
            PaiJupyterError: as `read`.
        """
        self._step(group)
        return self._groups[group].changed_parts()

    def _step(self, group: Group) -> None:
        """Read a bounded part of the new data."""
        self.is_behind = self._read_events()
        if group == "metrics" and self._read_event_files():
            self.is_behind = True

    def _read_events(self) -> bool:
        """Read the next part of events.jsonl; return whether there may be more."""
        stop = self._cursor + EVENT_BYTES
        while self._cursor < stop:
            lines, self._cursor = self._folder.event_lines(self._cursor, limit=min(PARSED_BYTES, stop - self._cursor))
            if not lines:
                return False
            self._take(lines)
        return True

    def _take(self, lines: Sequence[bytes]) -> None:
        batches: dict[Group, dict[_Key, Columns]] = {"metrics": defaultdict(Columns), "usage": defaultdict(Columns)}
        for item in _parse(lines):
            kind = item.get("kind")
            if kind == "Metric":
                self._take_metric(item, batches["metrics"])
            elif kind in ("Usage", "StatusChanged"):
                self._take_usage(event_from_json(item), batches["usage"])
        for group, batch in batches.items():
            self._groups[group].extend(batch)

    def _take_usage(self, event: StoredEvent | None, batch: dict[_Key, Columns]) -> None:
        for name, value in self._usage.take(event):
            if isinstance(event, Usage):
                start = self._usage.start or event.time
                batch["usage", event.replica, name].append(event.time - start, event.time, value)

    def _take_metric(self, item: Mapping[str, Any], batch: dict[_Key, Columns]) -> None:  # Any: parsed JSON
        """Add the point of a metric event, without building a `Metric`: there may be a million."""
        try:
            replica, name = line_of(item.get("replica", ""), "replica"), text_of(item["name"], "name", limit=MAX_LINE)
            key: _Key = ("log", replica, name)
            value, time, step = float(item["value"]), time_of(item["time"], "time"), item.get("step")
            columns = batch[key]
            number = self._groups["metrics"].count(key) + len(columns.steps)
            columns.append(number if step is None else float(step), time, value)
        except (KeyError, TypeError, ValueError, OverflowError):  # damaged
            return

    def _read_event_files(self) -> bool:
        if self._board is None:
            try:
                self._board = EventDirectory(output_folder(self._folder.path, "tensorboard"))
            except NotFoundError:  # not yet, or not on this machine
                return False
        return self._take_scalars(self._board.read()) | self._read_workdir()

    def _read_workdir(self) -> bool:
        """Read event files in the working directory, which may have any number of other files."""
        if self._beside is None and self._has_workdir:
            packed = packed_files(self._folder.path)
            self._has_workdir = packed is not None
            if packed is not None:
                self._beside = EventDirectory(
                    workdir(self._folder.path),
                    share=_LISTING,
                    enter=lambda name: not is_cache(name),
                    takes=packed.is_written,
                )
        return self._beside is not None and self._take_scalars(self._beside.read(), below=WORKDIR)

    def _take_scalars(self, news: EventNews, below: str = "") -> bool:
        """Add the points of event files, with the runs `below` a name; return whether there are more."""
        self.notes += news.notices
        for run, series in news.runs:
            name = "/".join(filter(None, (below, run)))
            self._groups["metrics"].extend({("tensorboard", name, tag): columns for tag, columns in series.items()})
        return news.is_more


class _SeriesGroup:
    """The series of one group, and which of them have changed since they were last asked for."""

    def __init__(self, notes: list[str], usage: UsageSum | None = None) -> None:
        self._notes = notes
        self._usage = usage
        self._series: dict[_Key, Decimated] = {}
        self._changed: set[_Key] = set()
        self._is_full = False

    def count(self, key: _Key) -> int:
        """Return the number of points of this series before reduction."""
        return self._series[key].count if key in self._series else 0

    def extend(self, batch: Mapping[_Key, Columns]) -> None:
        for key, columns in batch.items():
            if key not in self._series:
                if len(self._series) >= MAX_SERIES:
                    self._note_full()
                    continue
                self._series[key] = Decimated()
            self._series[key].extend(columns.steps, columns.times, columns.values)
            self._changed.add(key)

    def parts(self) -> list[Part]:
        self._changed.clear()
        return [self._part(key, series) for key, series in self._series.items()]

    def changed_parts(self) -> list[Part]:
        changed, self._changed = self._changed, set()
        return [self._part(key, series) for key, series in self._series.items() if key in changed]

    def _part(self, key: _Key, series: Decimated) -> Part:
        source, replica, name = key
        described: Series = {
            "name": name,
            "replica": replica,
            "source": source,
            "unit": _UNITS.get(name, "B/s") if source == "usage" else "",
            "length": len(series),
            "count": series.count,
        }
        if self._usage is not None:
            if (limit := self._usage.limits.get((replica, name))) is not None:
                described["limit"] = limit
            if (total := self._usage.total(replica, name)) is not None:
                described["total"] = total
        return described, series.to_bytes()

    def _note_full(self) -> None:
        if not self._is_full:
            self._notes.append(f"This job has more than {MAX_SERIES} series; only the first are shown.")
        self._is_full = True


def _parse(lines: Sequence[bytes]) -> Iterable[dict[str, Any]]:  # Any: parsed JSON
    """Parse the lines that are JSON objects; skip all others."""
    try:
        items = json.loads(b"[" + b",".join(lines) + b"]")  # one call takes half the time
    except (ValueError, RecursionError):
        items = [item for line in lines for item in _parse([line])] if len(lines) > 1 else []
    return [item for item in items if isinstance(item, dict)]
