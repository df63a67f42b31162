"""What the samples of a job's resources add up to: rates between them, totals over time, limits. Pure.

Rule 1: a counter that goes back has begun anew, and adds to what was before. At the end of a replica (its peak is told) it has
    not: then some processes ended uncounted, and the most counts.
Rule 2: where a total is told, it counts; else it is the sum of rates times the seconds in which they held.
Rule 3: the load of GPUs has no total: it is the mean of all that a replica sees, and replicas may see the same ones.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from pai_jupyter.events.types import Status, StatusChanged, StoredEvent, Usage

RATES: Mapping[str, tuple[str, str]] = {  # name of a series -> fields of `Usage`: the rate, the counter
    "cpu": ("cpu", "cpu_time"),
    "disk_read": ("read_rate", "read"),
    "disk_written": ("write_rate", "written"),
    "net_received": ("receive_rate", "received"),
    "net_sent": ("send_rate", "sent"),
}
LEVELS: Mapping[str, str] = {"memory": "memory_limit", "gpu": "", "gpu_memory": "gpu_memory_limit"}  # -> the limit
SERIES = ("cpu", "memory", "gpu", "gpu_memory", *(name for name in RATES if name != "cpu"))
_SHORTEST = 1.0  # seconds between two counts that say how fast it goes


@dataclass
class _UsageCounter:
    """One counter of one replica."""

    time: float  # of the last rate
    mark: float = 0.0  # the count at that time
    count: float = 0.0  # as it was told last
    before: float = 0.0  # of counters that were there before
    rated: float = 0.0  # rates times seconds, where rates are told

    @property
    def total(self) -> float:
        return self.before + self.count or self.rated

    def goes_on(self, count: float, event: Usage) -> bool:
        """Take a new count; return whether it continues the last one."""
        if count >= self.count or event.peak_memory is not None:
            self.count = max(self.count, count)
            return True
        self.before += self.count
        self.time, self.mark, self.count = event.time, count, count
        return False


@dataclass
class UsageSum:
    """Adds up the usage of a job's replicas, event by event."""

    start: float | None = None  # Unix time at which the job began to run
    limits: dict[tuple[str, str], float] = field(default_factory=dict)  # by replica and name of the series
    _counters: dict[tuple[str, str], _UsageCounter] = field(default_factory=dict)
    _peaks: dict[str, int] = field(default_factory=dict)

    def take(self, event: StoredEvent | None) -> Iterator[tuple[str, float]]:
        """Take an event in, and yield the values of series at its time."""
        if isinstance(event, StatusChanged) and event.status is Status.RUNNING and self.start is None:
            self.start = event.time
        if isinstance(event, Usage):
            self.start = event.time if self.start is None else self.start
            values = {name: self._rate(event, name, *fields) for name, fields in RATES.items()}
            values |= {name: getattr(event, name) for name in LEVELS}
            self._note(event)
            for name in SERIES:
                if (value := values[name]) is not None:
                    yield name, float(value)

    def total(self, replica: str, name: str) -> float | None:
        """Return bytes, or seconds of a core; None for a series without total."""
        counter = self._counters.get((replica, name))
        return None if counter is None else counter.total

    def totals(self) -> dict[str, float]:
        """Return the sums over all replicas, and the largest memory of any: what is known of them."""
        replicas = {*self._peaks, *(replica for replica, _ in self._counters)}
        names = {"cpu_hours": ("cpu", 3600), "read": ("disk_read", 1)}
        names |= {"written": ("disk_written", 1), "received": ("net_received", 1), "sent": ("net_sent", 1)}
        found: dict[str, float] = {}
        for word, (name, unit) in names.items():
            known = [total for replica in replicas if (total := self.total(replica, name)) is not None]
            if known:
                found[word] = sum(known) / unit if unit > 1 else int(sum(known))
        return {**found, **({"peak_memory": max(self._peaks.values())} if self._peaks else {})}

    def _rate(self, event: Usage, name: str, rate_field: str, count_field: str) -> float | None:
        """Return the rate since the last sample: as it was told, else the growth of the counter per second."""
        rate, count = getattr(event, rate_field), getattr(event, count_field)
        if rate is None and count is None:
            return None
        counter = self._counters.setdefault((event.replica, name), _UsageCounter(self.start or event.time))
        passed = event.time - counter.time
        if count is not None and not counter.goes_on(count, event):
            return None
        if rate is not None:
            counter.rated += max(0.0, rate) * max(0.0, passed)
        elif 0 < passed < _SHORTEST or counter.rated:  # too soon to say how fast it goes; or the rates say it
            return None
        elif passed > 0:
            rate = (counter.count - counter.mark) / passed
        counter.time, counter.mark = max(counter.time, event.time), counter.count
        return None if rate is None else max(0.0, float(rate))

    def _note(self, event: Usage) -> None:
        limits = {"cpu": event.cores, **{name: getattr(event, each) for name, each in LEVELS.items() if each}}
        for name, limit in limits.items():
            if limit:
                self.limits[event.replica, name] = float(limit)
        memory = max(event.memory or 0, event.peak_memory or 0)
        if memory:
            self._peaks[event.replica] = max(memory, self._peaks.get(event.replica, 0))
