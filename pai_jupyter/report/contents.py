"""What a report tells of its jobs, as clean text and numbers. Reads the jobs' folders; everything else in this package is pure.

Rule 1: a job whose log or points cannot be read is in the report all the same, with a sentence that says why. One whose record
    cannot be read is left out, with such a sentence.
Rule 2: its tables have every value and metric; what is left out (charts) is counted.
Rule 3: of a metric that several replicas tell, the curve is that of the replica whose last value the job has.
"""

import sys
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.events import in_order
from pai_jupyter.jobs import Job
from pai_jupyter.view import ViewData, view_data
from pai_jupyter.view.chart import thin
from pai_jupyter.view.clean import clean
from pai_jupyter.view.facts import MAX_NAME, Facts, facts
from pai_jupyter.view.words import Language
from pai_jupyter.wire.job_view.points import PointsReader

if TYPE_CHECKING:
    from pai_jupyter.wire.job_view.points import Part

MOST_CHARTS = 40
MOST_ROWS = 2_000  # values of a job, and metrics: as many as a job can have
VALUE = 500  # characters
POINTS = 300  # of a curve
NOTE = 10_000  # characters

Points = Sequence[tuple[float, float]]
"""Step and value; the value may be nan or infinite."""


@dataclass(frozen=True, kw_only=True)
class ReportedJob:
    """One job: its drawing's data and facts, what its user says about it, and its curves by metric."""

    view: ViewData
    facts: Facts
    tags: tuple[str, ...] = ()
    is_starred: bool = False
    note: str = ""
    curves: Mapping[str, Points] = field(default_factory=dict)
    problem: str = ""  # why there are no curves

    @property
    def label(self) -> str:
        return f"{'★ ' if self.is_starred else ''}{self.facts.name}"


@dataclass(frozen=True, kw_only=True)
class Report:
    """Title, time (`2026-11-21T04:00:00Z`) and jobs, in the order in which they are shown."""

    title: str
    at: str
    jobs: Sequence[ReportedJob]
    unread: Sequence[str] = ()  # which jobs are not in it, and why

    @property
    def value_names(self) -> list[str]:
        """The names of all values, those in which the jobs differ first."""
        told = [dict(job.facts.values) for job in self.jobs]
        names = list(dict.fromkeys(name for values in told for name in values))
        return sorted(names, key=lambda name: len({values.get(name) for values in told}) < 2)

    @property
    def metric_names(self) -> list[str]:
        """The names of all metrics, those that say most first."""
        return in_order(dict.fromkeys(row.name for job in self.jobs for row in job.facts.metrics))

    @property
    def curve_names(self) -> list[str]:
        """The metrics that have a chart: the first of those that have a course in some job."""
        return self._courses[:MOST_CHARTS]

    @property
    def left_out(self) -> int:
        """How many metrics have a course and no chart."""
        return len(self._courses[MOST_CHARTS:])

    @cached_property
    def _courses(self) -> list[str]:
        names = dict.fromkeys(name for job in self.jobs for name, points in job.curves.items() if len(points) > 1)
        return in_order(names)


def report_of(jobs: Sequence[Job], title: str, language: Language) -> Report:
    """Read the jobs; what their facts say is in `language`.

    Raises:
        PaiJupyterError: none of them can be read.
    """
    told: list[ReportedJob] = []
    damaged: dict[str, PaiJupyterError] = {}
    for job in jobs:
        try:
            told.append(_reported(job, language))
        except PaiJupyterError as exc:
            damaged[job.id] = exc
    if damaged and not told:
        raise next(iter(damaged.values()))
    at, home = max((job.facts.at for job in told), default=""), str(Path.home())
    unread = [clean(f"job {name} is not in this report: {why}", home=home, limit=NOTE) for name, why in damaged.items()]
    return Report(title=clean(title, home="", limit=MAX_NAME), at=at, jobs=told, unread=unread)


def _reported(job: Job, language: Language) -> ReportedJob:
    view, said = replace(view_data(job), language=language), job.annotations
    curves: Mapping[str, Points] = {}
    problem = ""
    try:
        curves = dict(_curves(job, view))
    except PaiJupyterError as exc:
        problem = clean(str(exc), home=view.home, limit=NOTE)
    return ReportedJob(
        view=view,
        facts=facts(view, rows=MOST_ROWS, value_length=VALUE),
        tags=tuple(clean(tag, home="", limit=MAX_NAME) for tag in said.tags),
        is_starred=said.is_starred,
        note="\n".join(clean(line, home=view.home, limit=NOTE) for line in said.note.splitlines()),
        curves=curves,
        problem=problem,
    )


def _curves(job: Job, view: ViewData) -> Iterator[tuple[str, Points]]:
    """Yield each metric with its points."""
    summaries = view.state.metrics
    chosen: dict[str, Part] = {}
    for series, buffer in PointsReader(job).read("metrics"):
        name = series["name"]
        is_own = name in summaries and summaries[name].replica == series["replica"] and series["source"] == "log"
        if name not in chosen or is_own:
            chosen[name] = series, buffer
    for name, (series, buffer) in chosen.items():
        yield clean(name, home=view.home, limit=MAX_NAME), thin(_points(buffer, series["length"]), POINTS)


def _points(buffer: bytes, length: int) -> list[tuple[float, float]]:
    """Read a buffer of `wire.schema.job.Series`: steps, times, values."""
    numbers = array("d")
    numbers.frombytes(buffer)
    if sys.byteorder == "big":
        numbers.byteswap()
    return list(zip(numbers[:length], numbers[2 * length : 3 * length], strict=True))
