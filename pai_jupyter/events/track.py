"""Where in its training one replica is, told by the lines of its log that have been read.

The step of a metric counts over the whole training where that is known: step 100 of 600 in epoch 3 is step 1,300.

Rule 1: a line without a place counts: the third `Test accuracy: 0.93` is step 3 of that name. After steps that were told, it
        goes on from the last.
Rule 2: a step that starts again with another epoch, and does not say of how many, counts on from where it stood.
Rule 3: progress is only told where an end is known: step of steps, epoch of epochs, or of the `total_epochs` given.
Rule 4: progress never runs backwards. Bars of validation and of data have none; of others the one that began first speaks
        until it has ended, but for epochs, which know more. Where what was told turns out to be a part only (a second bar of
        the same, the first epoch again), the end is not known any more.
"""

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field, fields
from math import floor
from typing import Any

from pai_jupyter.events.lines import clip
from pai_jupyter.events.log_parsers import ParsedLine
from pai_jupyter.events.log_parsers.tables import State, is_table
from pai_jupyter.events.types import Progress

MAX_PARSED = 8_192  # bytes of a line that are looked at: a regex may need the square of it
MAX_COUNTED = 200  # names, as many as the state of a job has


@dataclass(kw_only=True)
class Track:
    """How far one replica's log has been read, and where in its training that is."""

    pending: bytes = b""
    first_epoch: float = 1
    epochs: float | None = None
    epochs_done: float | None = None  # before the line or bar that goes on
    has_bars: bool = False  # a bar is a part of an epoch
    tells_epochs: bool = False
    last_bar: str = ""
    last_progress: str = ""
    redrawn: int = 0  # states of lines that are drawn again and have no place
    counts: dict[str, float] = field(default_factory=dict)  # the last step of each name
    last_epoch: float | None = None  # of a line with a step and no steps
    last_step: float = 0
    earlier_steps: float = 0  # of the epochs before
    bar_total: float | None = None  # of the bar that speaks
    told: float = 0  # share of the training
    is_lost: bool = False  # what was told is not the whole
    table: State | None = None

    def to_json(self) -> dict[str, Any]:  # Any: JSON values
        return {**asdict(self), "pending": self.pending.decode("latin-1")}  # any byte is a character, and comes back

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "Track":  # Any: parsed JSON
        known = {item.name for item in fields(cls)}
        given = {name: item for name, item in value.items() if name in known}
        for name, item in given.items():
            if not isinstance(item, _TRACKED[name]):
                raise TypeError(f"{name} of a track is {type(item).__name__}")
        if not all(isinstance(count, int | float) for count in given.get("counts", {}).values()):
            raise TypeError("counts of a track are no numbers")
        if given.get("table") is not None and not is_table(given["table"]):
            raise TypeError("table of a track is none")
        return cls(**given | {"pending": clip(value["pending"].encode("latin-1"), MAX_PARSED + 1)})

    def enter(self, reading: ParsedLine) -> None:
        """Take in which epoch the line speaks of."""
        if reading.epoch is None:
            return
        self.epochs = reading.epochs or self.epochs
        self.has_bars = reading.is_bar or not reading.is_share
        if reading.is_share:
            self.epochs_done = reading.epoch
            return
        if reading.epoch == 0:
            self.first_epoch = 0
        # A line with metrics and no step stands at the end of its epoch, any other in it or before.
        is_over = bool(reading.metrics) and reading.step is None
        self.epochs_done = max(0, reading.epoch - self.first_epoch + is_over)

    def step(self, reading: ParsedLine) -> float | None:
        """Return where in the training the line stands: steps where it has them, else epochs."""
        if reading.is_aside:
            return None
        if reading.step is None:
            return reading.epoch
        if reading.steps and self.epochs_done is not None and self.has_bars:
            return floor(self.epochs_done) * reading.steps + reading.step
        if reading.steps or reading.epoch is None or reading.is_share:
            return reading.step
        if reading.step < self.last_step and reading.epoch != self.last_epoch:
            self.earlier_steps += self.last_step
        self.last_epoch, self.last_step = reading.epoch, reading.step
        return self.earlier_steps + reading.step

    def count(self, name: str) -> float:
        """Return the step of a value of `name` on a line without a place: the one behind its last."""
        step = floor(self.counts.get(name, 0)) + 1
        self.remember((name,), step)
        return step

    def remember(self, names: Collection[str], step: float) -> None:
        """Take in that `names` have come to `step`."""
        if len(self.counts) + len(names) > MAX_COUNTED:
            names = [name for name in names if name in self.counts]
        self.counts.update(dict.fromkeys(names, step))

    def is_news(self, reading: ParsedLine, *, redrawn: bool) -> bool:
        """Return whether the metrics count: always on a line of its own, once a percent in a bar."""
        if not redrawn:
            return True
        place = reading.epoch if reading.step is None else reading.step
        if place is None:
            self.redrawn += 1
            place = self.redrawn
        percent = f"{place:.1e}" if reading.share is None else str(floor(100 * reading.share))
        bar = " ".join([percent, str(self.epochs_done), *reading.metrics])
        is_news, self.last_bar = bar != self.last_bar, bar
        return is_news

    def progress(self, reading: ParsedLine, total_epochs: float | None, time: float) -> Progress | None:
        """Return the progress of the training, if it is known and has grown by a percent or an epoch."""
        found = self._progress(reading, total_epochs)
        if found is None or self.is_lost:
            return None
        done, total, unit = found
        done = min(done, total)
        if done / total < self.told:
            slack = 1 / total if unit == "epoch" else 0.02  # an epoch is told at its beginning or at its end
            self.is_lost = done / total + slack + 1e-9 < self.told
            return Progress(done=done, unit=unit, time=time) if self.is_lost else None
        progress = f"{unit} {total} {floor(100 * done / total)} {floor(done) if unit == 'epoch' else ''}"
        is_news, self.last_progress, self.told = progress != self.last_progress, progress, done / total
        return Progress(done=done, total=total, unit=unit, time=time) if is_news else None

    def _progress(self, reading: ParsedLine, total_epochs: float | None) -> tuple[float, float, str] | None:
        """Return how much is done of what, and its unit, where the line tells it."""
        if reading.is_aside:
            return None
        epochs, share = self.epochs or total_epochs, reading.share if self.has_bars else None
        if self.epochs_done is not None and (reading.epoch is not None or share is not None):
            if not epochs:
                return None  # what is known is a part of an unknown number of epochs
            self.tells_epochs = True
            return self.epochs_done + (share or 0), epochs, "epoch"
        if reading.step is None or not reading.steps or self.tells_epochs:
            return None
        if self.bar_total not in (None, reading.steps) and self.told < 1:
            return None  # another bar, within the one that speaks
        self.bar_total = reading.steps
        return reading.step, reading.steps, "step"


_TRACKED: Mapping[str, Any] = {  # Any: types, of what a track's JSON holds
    **dict.fromkeys(("pending", "last_bar", "last_progress"), str),
    **dict.fromkeys(("has_bars", "tells_epochs", "is_lost"), bool),
    **dict.fromkeys(("first_epoch", "last_step", "earlier_steps", "told", "redrawn"), int | float),
    **dict.fromkeys(("epochs", "epochs_done", "last_epoch", "bar_total"), int | float | None),
    "counts": dict,
    "table": dict | None,
}
