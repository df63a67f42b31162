r"""Read metrics and progress from the growing log of a job.

Most log bytes hold no metrics and must cost nothing: a chunk without a sign of a metric is dropped before it is cut into lines.
Only the lines around a sign are decoded, for `log_parsers` and for the user's patterns (`definitions`).

Rule 1: the events do not depend on how the bytes are chunked, except for a user's pattern that takes too long: it is switched
    off with a Notice.
Rule 2: the user's definitions override the built-in parsers and are searched in every line.
Rule 3: a bar redrawn 100,000 times does not make 100,000 events: only its first state of each percent counts (without a total:
    the first with new leading digits). The same holds for all progress.
Rule 4: progress is reported only with a known total: step of steps, epoch of epochs or of `total_epochs`. It comes from the
    first replica that prints it; several would make it jump.
Rule 5: values may be nan or infinite; `event_to_json` writes them as strict JSON.

The step of a metric counts over the whole training if that is known: step 100 of 600 in epoch 3 is step 1,300.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from math import floor
from typing import Any

from pai_jupyter.events.definitions import DefinedMetrics, Definition
from pai_jupyter.events.lines import clip, strip_ansi, unfinished
from pai_jupyter.events.log_parsers import ParsedLine, read_line
from pai_jupyter.events.types import Metric, Notice, Progress

MAX_PARSED = 8_192  # bytes of a line that are searched: a regex may take quadratic time

# The signs of a metric, in lower case: epoch, step, iter(ation), a dict, the bars of tqdm and Keras, [12]\t.
_SIGNS = (b"poch", b"tep", b"iter", b"{", b"%|", b"eta:", b"]\t")
_SIGN = re.compile(b"|".join(map(re.escape, _SIGNS)))
_END = re.compile(rb"[\r\n]")
_LINE_END = re.compile(rb"\r*\n")
_PIECE = re.compile(rb"[^\r\n]+")


class MetricParser:
    """Reads metrics and progress from the bytes of every replica's log. `state` restores it after a restart.

    `total_epochs` is the job's hyperparameter `epochs`, for logs that only say "epoch 3".
    """

    def __init__(
        self,
        definitions: Sequence[Definition] = (),
        *,
        total_epochs: float | None = None,
        state: Mapping[str, Any] | None = None,  # Any: parsed JSON
    ) -> None:
        self._defined = DefinedMetrics(definitions, state=state.get("definitions") if state else None)
        self._total_epochs = total_epochs
        self._speaker: str | None = state.get("speaker") if state else None
        self._tracks = {name: _Track.from_json(item) for name, item in state.get("tracks", {}).items()} if state else {}

    @property
    def state(self) -> dict[str, Any]:  # Any: JSON values
        """Small JSON to pass as `state`, to continue after the last byte fed; the arguments are not in it."""
        tracks = {name: track.to_json() for name, track in self._tracks.items()}
        return {"speaker": self._speaker, "tracks": tracks, "definitions": self._defined.state}

    def feed(self, replica: str, data: bytes, time: float) -> list[Metric | Progress | Notice]:
        """Parse the log up to the last complete line of `data`; `time` is its arrival, in seconds since the epoch."""
        track = self._tracks.setdefault(replica, _Track())
        body = track.pending + data
        # `\r` ends a state of a bar only if no `\n` follows.
        cut = 1 + max(body.rfind(b"\n"), body.rstrip(b"\r").rfind(b"\r"))
        track.pending = unfinished(body[cut:], MAX_PARSED)
        found: list[Metric | Progress | Notice] = []
        for piece in self._pieces(body[:cut]):
            found += self._read(replica, track, piece, time)
        sentences = self._defined.take_sentences()
        return found + [Notice(text=sentence, time=time, level="warning") for sentence in sentences]

    def flush(self, replica: str, time: float) -> list[Metric | Progress | Notice]:
        """Parse the unfinished last line; call it when the log has ended."""
        track = self._tracks.get(replica)
        return self.feed(replica, b"\n", time) if track and track.pending else []

    def _pieces(self, body: bytes) -> Iterator["_Piece"]:
        """Yield the parts of `body` that may hold metrics or progress."""
        signs = self._signs(body)
        if not self._defined.is_active:
            for start, stop in signs:
                yield _Piece(body[start:stop], ends_line=_ends_line(body, stop))
            return
        signed = set(signs)
        for start, stop in sorted(signed.union(self._searched(body))):
            has_sign, ends_line = (start, stop) in signed, _ends_line(body, stop)
            if has_sign or ends_line:  # else a state of an unknown bar
                yield _Piece(body[start:stop], ends_line=ends_line, has_sign=has_sign)

    def _searched(self, body: bytes) -> Iterator[tuple[int, int]]:
        """Yield the ranges in which a definition of the user may match."""
        if self._defined.needles is None:
            yield from (match.span() for match in _PIECE.finditer(body))
            return
        for needle in self._defined.needles:
            stop = 0
            while (at := body.find(needle, stop)) >= 0 and (end := _END.search(body, at)):
                start = max(stop, 1 + body.rfind(b"\n", stop, at), 1 + body.rfind(b"\r", stop, at))
                stop = end.start()
                yield start, stop

    def _signs(self, body: bytes) -> Iterator[tuple[int, int]]:
        """Yield the byte ranges that look like a metric or progress."""
        is_bare = self._total_epochs is None and not self._defined.is_active
        if is_bare and not (b":" in body or b"=" in body or b"/" in body):
            return
        low = body.lower()
        if not any(sign in low for sign in _SIGNS):  # many times faster than the regex
            return
        stop = 0
        while (sign := _SIGN.search(low, stop)) and (end := _END.search(low, sign.end())):
            before = stop, sign.start()
            start = max(stop, 1 + low.rfind(b"\n", *before), 1 + low.rfind(b"\r", *before))
            stop = end.start()
            yield start, stop

    def _read(self, replica: str, track: "_Track", piece: "_Piece", time: float) -> Iterator[Metric | Progress]:
        reading = piece.reading
        if reading is None:
            if piece.ends_line:
                for name, value in self._defined.find(piece.text):
                    yield Metric(name=name, value=value, time=time, replica=replica)
            return
        track.enter(reading)
        if track.is_news(reading, redrawn=reading.is_bar or not piece.ends_line):
            defined = dict(self._defined.find(piece.text))
            metrics = {**defined, **reading.metrics, **defined}
            step = track.step(reading)
            for name, value in metrics.items():
                yield Metric(name=name, value=value, time=time, step=step, replica=replica)
        if progress := track.progress(reading, self._total_epochs, time):
            self._speaker = self._speaker or replica
            if self._speaker == replica:
                yield progress


class _Piece:
    """A line, or one state of a bar."""

    def __init__(self, raw: bytes, *, ends_line: bool, has_sign: bool = True) -> None:
        self.ends_line = ends_line
        self.text = _text(raw)
        # A clipped line may begin in the middle of a name.
        is_read = has_sign and len(raw) < MAX_PARSED
        self.reading = read_line(self.text.replace("\b", "").strip()) if is_read else None


def _ends_line(body: bytes, stop: int) -> bool:
    return body[stop : stop + 1] == b"\n" or _LINE_END.match(body, stop) is not None


def _text(raw: bytes) -> str:
    return strip_ansi(clip(raw, MAX_PARSED).decode("utf-8", "replace"))


@dataclass(kw_only=True)
class _Track:
    """How far one replica's log was read, and its position in the training."""

    pending: bytes = b""
    first_epoch: float = 1
    epochs: float | None = None
    epochs_done: float | None = None  # before the unfinished line or bar
    has_bars: bool = False  # a bar is a part of an epoch
    tells_epochs: bool = False
    last_bar: str = ""
    last_progress: str = ""

    def to_json(self) -> dict[str, Any]:  # Any: JSON values
        return {
            **asdict(self),
            "pending": self.pending.decode("latin-1"),
        }  # Latin-1: any byte becomes one character, and back

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "_Track":  # Any: parsed JSON
        known = {item.name for item in fields(cls)}
        given = {name: item for name, item in value.items() if name in known}
        for name, item in given.items():
            if not isinstance(item, _TRACKED[name]):
                raise TypeError(f"{name} of a track is {type(item).__name__}")
        return cls(**given | {"pending": clip(value["pending"].encode("latin-1"), MAX_PARSED + 1)})

    def enter(self, reading: ParsedLine) -> None:
        """Update the current epoch from the line."""
        if reading.epoch is None:
            return
        self.epochs = reading.epochs or self.epochs
        self.has_bars = reading.is_bar or not reading.is_share
        if reading.is_share:
            self.epochs_done = reading.epoch
            return
        if reading.epoch == 0:
            self.first_epoch = 0
        # A line with metrics and no step closes its epoch; any other line is within or before it.
        is_over = bool(reading.metrics) and reading.step is None
        self.epochs_done = max(0, reading.epoch - self.first_epoch + is_over)

    def step(self, reading: ParsedLine) -> float | None:
        """Return the position of the line in the training: in steps if it has them, else in epochs."""
        if reading.step is None:
            return reading.epoch
        if reading.steps and self.epochs_done is not None and self.has_bars:
            return floor(self.epochs_done) * reading.steps + reading.step
        return reading.step

    def is_news(self, reading: ParsedLine, *, redrawn: bool) -> bool:
        """Return whether the metrics count: always on a line, once per percent in a bar."""
        if not redrawn:
            return True
        place = reading.epoch if reading.step is None else reading.step
        percent = f"{place:.1e}" if reading.share is None else str(floor(100 * reading.share))
        bar = " ".join([percent, str(self.epochs_done), *reading.metrics])
        is_news, self.last_bar = bar != self.last_bar, bar
        return is_news

    def progress(self, reading: ParsedLine, total_epochs: float | None, time: float) -> Progress | None:
        """Return the progress of the training, if it is known and has grown by a percent or an epoch."""
        epochs, share = self.epochs or total_epochs, reading.share if self.has_bars else None
        if self.epochs_done is not None and (reading.epoch is not None or share is not None):
            if not epochs:
                return None  # the total is of one epoch, and the number of epochs is unknown
            self.tells_epochs = True
            done, total, unit = self.epochs_done + (share or 0), epochs, "epoch"
        elif reading.step is not None and reading.steps and not self.tells_epochs:
            done, total, unit = reading.step, reading.steps, "step"
        else:
            return None
        done = min(done, total)
        progress = f"{unit} {total} {floor(100 * done / total)} {floor(done) if unit == 'epoch' else ''}"
        is_news, self.last_progress = progress != self.last_progress, progress
        return Progress(done=done, total=total, unit=unit, time=time) if is_news else None


_TRACKED: Mapping[str, Any] = {  # Any: types, of what a track's JSON holds
    **dict.fromkeys(("pending", "last_bar", "last_progress"), str),
    **dict.fromkeys(("has_bars", "tells_epochs"), bool),
    "first_epoch": int | float,
    **dict.fromkeys(("epochs", "epochs_done"), int | float | None),
}
