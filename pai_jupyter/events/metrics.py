r"""Read metrics and progress from the growing log of a job.

Most log bytes hold no metrics and must cost little: a chunk without a mark of a metric is dropped before it is cut into lines
(`signs`), and of its lines only those are decoded whose shape may say something (`shapes`). They are read by `log_parsers` and
by the user's patterns (`definitions`); `track` knows where in its training a replica is.

Rule 1: the events do not depend on how the bytes are chunked, except for a user's pattern that takes too long: it is switched
    off with a Notice.
Rule 2: the user's definitions override the built-in parsers and are searched in every line. A line without a step or an epoch in
    which they find something has no other metrics.
Rule 3: a bar redrawn 100,000 times does not make 100,000 events: only its first state of each percent counts (without a total:
    the first with new leading digits). The same holds for all progress.
Rule 4: progress comes from the first replica that prints it; several would make it jump. That of shards comes from all: it counts
    what all have done, and the first one may hang.
Rule 5: values may be nan or infinite; `event_to_json` writes them as strict JSON.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import compress
from typing import Any

from pai_jupyter.events.definitions import DefinedMetrics, Definition
from pai_jupyter.events.lines import clip, strip_ansi, unfinished
from pai_jupyter.events.log_parsers import ParsedLine, read_line
from pai_jupyter.events.log_parsers.places import counts_all_replicas
from pai_jupyter.events.log_parsers.tables import read_head, read_row
from pai_jupyter.events.shapes import KNOWN, PLACED, SEARCHED, as_lines, shapes_for
from pai_jupyter.events.signs import has_mark
from pai_jupyter.events.track import MAX_PARSED, Track
from pai_jupyter.events.types import Metric, Notice, Progress

Found = Metric | Progress | Notice


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
        self._tracks = {name: Track.from_json(item) for name, item in state.get("tracks", {}).items()} if state else {}

    @property
    def state(self) -> dict[str, Any]:  # Any: JSON values
        """Small JSON to pass as `state`, to continue after the last byte fed; the arguments are not in it."""
        tracks = {name: track.to_json() for name, track in self._tracks.items()}
        return {"speaker": self._speaker, "tracks": tracks, "definitions": self._defined.state}

    def feed(self, replica: str, data: bytes, time: float) -> list[Found]:
        """Parse the log up to the last complete line of `data`; `time` is its arrival, in seconds since the epoch."""
        track = self._tracks.get(replica) or self._tracks.setdefault(replica, Track())
        if self._is_silent(track, data):
            track.pending = unfinished(data[data.rfind(b"\n") + 1 :], MAX_PARSED)
            return []
        body = track.pending + data
        # `\r` ends a state of a bar only if no `\n` follows.
        newline = body.rfind(b"\n")
        cut = 1 + max(newline, body.rstrip(b"\r").rfind(b"\r", newline + 1))
        track.pending = unfinished(body[cut:], MAX_PARSED)
        found: list[Found] = []
        for piece in self._pieces(track, as_lines(body[:cut])):
            self._read(replica, track, piece, time, found)
        sentences = self._defined.take_sentences()
        return found + [Notice(text=sentence, time=time, level="warning") for sentence in sentences]

    def flush(self, replica: str, time: float) -> list[Found]:
        """Parse the unfinished last line; call it when the log has ended."""
        track = self._tracks.get(replica)
        return self.feed(replica, b"\n", time) if track and track.pending else []

    @property
    def _is_bare(self) -> bool:
        return self._total_epochs is None and not self._defined.is_active

    def _is_silent(self, track: Track, data: bytes) -> bool:
        """Return whether no line that ends in `data` can say something; many times faster than to cut them."""
        is_cut = b"\n" in data and self._is_bare and track.table is None
        return is_cut and not has_mark(data) and not has_mark(track.pending)

    def _pieces(self, track: Track, body: bytes) -> Iterator["_Piece"]:
        """Yield the lines that may hold metrics or progress; below the head of a table, every line."""
        needles = tuple(self._defined.needles or ()) if self._defined.is_active else ()
        is_all = self._defined.is_active and self._defined.needles is None
        signs = shapes_for(None if is_all else needles, is_bare=self._is_bare).signs_of(body)
        if not any(signs) and track.table is None:
            return
        lines, at = body.split(b"\n"), 0
        for number in compress(range(len(lines)), signs):
            while track.table is not None and at < number:
                yield _Piece(lines[at], 0)
                at += 1
            yield _Piece(lines[number], signs[number])
            at = number + 1
        while track.table is not None and at < len(lines):
            yield _Piece(lines[at], 0)
            at += 1

    def _read(self, replica: str, track: Track, piece: "_Piece", time: float, found: list[Found]) -> None:
        """Add what the piece tells to `found`."""
        if track.table is not None and piece.text:
            reading, goes_on = read_row(track.table, piece.text)
            track.table = track.table if goes_on else None
            if reading is not None:
                self._tell(replica, track, piece, reading, {}, time, found)
            if goes_on:
                return
        if not piece.text or (piece.signs == SEARCHED and not piece.ends_line):
            return  # a state of a bar that no parser knows
        defined = dict(self._defined.find(piece.text)) if piece.signs & SEARCHED else {}
        reading = None if defined and not piece.signs & PLACED else piece.read()
        if defined and reading is not None and reading.epoch is None and reading.step is None:
            reading = None
        if reading is not None:
            self._tell(replica, track, piece, reading, defined, time, found)
        elif piece.ends_line:
            found += [Metric(name=name, value=value, time=time, replica=replica) for name, value in defined.items()]
            if piece.signs & PLACED and not defined:
                track.table = read_head(piece.text)

    def _tell(
        self,
        replica: str,
        track: Track,
        piece: "_Piece",
        reading: ParsedLine,
        defined: Mapping[str, float],
        time: float,
        found: list[Found],
    ) -> None:
        track.enter(reading)
        if track.is_news(reading, redrawn=reading.is_bar or not piece.ends_line):
            metrics = {**defined, **reading.metrics, **defined} if defined else reading.metrics
            step = track.step(reading)
            if step is not None:
                track.remember(metrics, step)
            for name, value in metrics.items():
                place = track.count(name) if step is None else step
                found.append(Metric(name=name, value=value, time=time, step=place, replica=replica))
        if progress := track.progress(reading, self._total_epochs, time):
            self._speaker = self._speaker or replica
            if self._speaker == replica or counts_all_replicas(piece.text):
                found.append(progress)


class _Piece:
    """A line, or one state of a bar."""

    def __init__(self, raw: bytes, signs: int) -> None:
        self.ends_line = not raw.endswith(b"\r")
        self.signs = signs
        raw = raw if self.ends_line else raw[:-1]
        self._is_whole = len(raw) < MAX_PARSED
        self.text = strip_ansi(clip(raw, MAX_PARSED).decode("utf-8", "replace"))

    def read(self) -> ParsedLine | None:
        """Read the line, if it has a sign. A clipped line may begin in the middle of a name."""
        if not self._is_whole or not self.signs & (KNOWN | PLACED):
            return None
        return read_line(self.text.replace("\b", "").strip(), may_be_bare=bool(self.signs & KNOWN))
