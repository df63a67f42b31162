"""Jobs to draw, and a reader of drawings."""

import math
from html.parser import HTMLParser
from typing import Any

from pai_jupyter.events import (
    Event,
    JobState,
    Metric,
    Notice,
    Phase,
    PhaseChanged,
    Progress,
    Status,
    StatusChanged,
)
from pai_jupyter.view import ViewData

START = 1_800_000_000.0
HOSTILE = "</pre></div><script>alert(1)</script><img src=x onerror='alert(2)'>&\"\x00\x1b]0;t\x07\u202e\ud800"


def fold(*events: Event) -> JobState:
    state = JobState()
    for event in events:
        state = state.apply(event)
    return state


def running(*events: Event, start: float = START) -> JobState:
    return fold(
        StatusChanged(status=Status.QUEUED, time=start),
        StatusChanged(status=Status.RUNNING, time=start + 8),
        PhaseChanged(phase=Phase.PREPARING, time=start + 8),
        PhaseChanged(phase=Phase.RUNNING, time=start + 50),
        *events,
    )


def view(state: JobState | None = None, **given: Any) -> ViewData:  # Any: fields of ViewData
    return ViewData(
        **{
            "job_id": "iris-3fa2c1",
            "name": "iris",
            "place": "process (no image is given)",
            "state": running() if state is None else state,
            "now": START + 192,
            "language": "en",
            "home": "/home/ada",
            **given,
        }
    )


FAILED = running(
    Metric(name="loss", value=0.5, time=START),
    StatusChanged(status=Status.FAILED, time=START + 60, reason="exit code 1"),
)


class Page(HTMLParser):
    """The tags, attributes and text of a drawing; fails where a tag is not closed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.addresses: list[str] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href")]
        if tag != "img":
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def huge(text: str = HOSTILE, *, letters: str = "&") -> ViewData:
    """A job of which everything is too long and too much."""
    long = letters * 5000
    metrics = [Metric(name=f"{text} {i} {long}", value=1.5e-300 * i, time=START) for i in range(300)]
    return view(
        running(
            *metrics,
            *(Notice(text=f"{text} {long} {i}", time=START) for i in range(30)),
            Progress(done=1, total=3, time=START),
            StatusChanged(status=Status.FAILED, time=START + 60, reason=text + long),
        ),
        name=text + long,
        place=text + long,
        values={f"{text} {i} {long}": f"{text}{long}" for i in range(300)},
        tail=[f"\x1b[31;1m{i}\x1b[0m" * 50 + text + long for i in range(100)],
        notes=[text + long] * 50,
        series={f"{text} {i}": [(x, math.sin(x) * 1e308) for x in range(10_000)] for i in range(20)},
        cause=text + long,
        hint=text + long,
    )
