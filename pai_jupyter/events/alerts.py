"""Find what the user of a running job must hear of: a metric that became NaN or infinite, and a job that does nothing. Pure.

Whoever records a job's events feeds them to its `AlertWatch`, and stores the notices that are `due` among them.

Rule 1: a metric that becomes nan or infinite is told once per job; several that become the same at one step share a notice.
Rule 2: a job that runs has stalled if it has written no line, and used neither CPU nor GPU, for `stall_after` seconds. That is told
    once, until it goes on. Where its use of the CPU is not known, only lines count, and the notice says so: a service may be
    asked for it only while somebody looks at the job.
Rule 3: a recorder that has just begun to watch, or that has slept, waits a while before it calls a job stalled: it has yet to read
    what the job has done meanwhile.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from pai_jupyter.events.types import Event, LogChunk, Metric, Notice, Status, Usage

NAN, STALLED = "nan", "stalled"  # `Notice.alert`
STALL_AFTER = 30 * 60.0  # seconds, unless the settings say otherwise
BUSY = 0.01  # cores; a process that only waits uses less
GRACE = 60.0  # seconds that a recorder watches, at least, before it calls a job stalled
KNOWN_FOR = 300.0  # seconds after a sample in which its job's use of the CPU is known: backends sample more often
ASLEEP = 30.0  # seconds between two looks, from which on the recorder has slept
MAX_TOLD = 50  # metrics that are told
MAX_NAMED = 5  # in one notice
MAX_NAME = 60  # characters


@dataclass(kw_only=True)
class AlertWatch:
    """What one job's recorder has seen so far. Times are seconds since the epoch; `stall_after`: seconds, 0 = never."""

    stall_after: float = STALL_AFTER
    told: set[str] = field(default_factory=set)  # metrics
    active: float = 0.0  # when the job last did something, as far as seen
    sampled: float = 0.0  # when its use of the CPU was last told
    is_stalled: bool = False
    _news: list[Metric] = field(default_factory=list)
    _since: float | None = None  # when this recorder began to watch, or woke up
    _looked: float = 0.0

    def see(self, event: Event) -> None:
        """Take notice of an event that is recorded."""
        match event:
            case Metric() if not math.isfinite(event.value) and event.name not in self.told:
                if len(self.told) < MAX_TOLD:
                    self.told.add(event.name)
                    self._news.append(event)
            case LogChunk() if event.data:
                self._act(event.time)
            case Usage() if event.cpu is not None:
                self.sampled = max(self.sampled, event.time)
                if event.cpu >= BUSY or (event.gpu or 0.0) >= BUSY:
                    self._act(event.time)

    def due(self, now: float, status: Status, *, is_reached: bool = True) -> list[Notice]:
        """Return the notices to record now; `is_reached`: the job can be asked, so that its silence means something."""
        found = []
        while self._news:
            found.append(self._broken(now))
        has_slept = now - self._looked > ASLEEP or now < self._looked
        if self._since is None or not is_reached or has_slept or status is not Status.RUNNING:
            self._since = now
        self._looked = now
        return [*found, *self._standstill(now)] if status is Status.RUNNING else found

    def _act(self, time: float) -> None:
        self.active = max(self.active, time)

    def _broken(self, now: float) -> Notice:
        first = self._news[0]
        alike = [it for it in self._news if _change(it) == _change(first)]
        self._news = [it for it in self._news if _change(it) != _change(first)]
        names = ", ".join(f"`{_clip(metric.name)}`" for metric in alike[:MAX_NAMED])
        more = len(alike) - MAX_NAMED
        shown = f"{names} and {more} more metrics" if more > 0 else names
        value = float(first.value)
        text = f"{shown} became {value}." if first.step is None else f"{shown} became {value} at step {first.step:g}."
        return Notice(text=text, time=now, level="warning", alert=NAN)

    def _standstill(self, now: float) -> list[Notice]:
        since = self._since or now
        quiet = now - (self.active or since)
        if self.is_stalled and quiet < self.stall_after:
            self.is_stalled = False
            return [Notice(text="The job goes on.", time=now)]
        if self.is_stalled or self.stall_after <= 0 or quiet < self.stall_after:
            return []
        if now - since < min(GRACE, self.stall_after):
            return []
        self.is_stalled = True
        return [Notice(text=self._stalled_text(quiet, now), time=now, level="warning", alert=STALLED)]

    def _stalled_text(self, quiet: float, now: float) -> str:
        minutes = f"{quiet / 60:.0f} min" if quiet >= 60 else f"{quiet:.0f} s"
        if now - self.sampled <= KNOWN_FOR:
            return f"No progress for {minutes}: no new line in the log, and no use of the CPU."
        return f"No progress for {minutes}: no new line in the log. Its use of the CPU is not known."

    def to_json(self) -> dict[str, Any]:  # Any: JSON values
        return {
            "told": sorted(self.told),
            "active": round(self.active, 1),
            "sampled": round(self.sampled, 1),
            "stalled": self.is_stalled,
        }

    @classmethod
    def from_json(
        cls, value: Mapping[str, Any] | None, *, stall_after: float = STALL_AFTER
    ) -> Self:  # Any: parsed JSON
        """Read what `to_json` wrote; what is damaged, or was not recorded yet, counts as not seen."""
        given = value or {}
        told = given.get("told")
        return cls(
            stall_after=stall_after,
            told={name for name in told if isinstance(name, str)} if isinstance(told, list) else set(),
            active=_time_of(given.get("active")),
            sampled=_time_of(given.get("sampled")),
            is_stalled=given.get("stalled") is True,
        )


def _change(metric: Metric) -> tuple[str, float | None]:
    """Return what a metric became, as text since nan equals nothing, and its step."""
    return str(float(metric.value)), metric.step


def _time_of(value: object) -> float:
    """Return a time of a recorded watch; 0 for what is none."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and math.isfinite(value) else 0.0  # type: ignore[arg-type]  # a number


def _clip(name: str) -> str:
    return name if len(name) <= MAX_NAME else f"{name[:MAX_NAME]}…"
