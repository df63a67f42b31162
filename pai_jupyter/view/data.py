"""What a drawing of a job is made from: one plain value, so that every drawing is a pure function."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pai_jupyter.events import JobState
from pai_jupyter.spec import Scalar
from pai_jupyter.view.words import Language, environment_language


@dataclass(frozen=True, kw_only=True)
class ViewData:
    """A job at the time `now` (seconds since the epoch), as its folder has it.

    Nothing in here is fit to be shown yet: texts may hold markup, colours, home directories, signed addresses.
    `tail` are the last lines of the log, of `lines` in all; `series` the points (step, value) of metrics for a chart;
    `cause` and `hint` say why the job failed and what may help, where somebody has found out; `live_by` what to type to see
    the job live where it is drawn, if that is possible and not so yet.
    """

    job_id: str
    name: str
    place: str
    state: JobState
    now: float
    instance_type: str = "local"
    instance_count: int = 1
    values: Mapping[str, Scalar] = field(default_factory=dict)
    max_run_time: float | None = None
    tail: Sequence[str] = ()
    lines: int = 0
    notes: Sequence[str] = ()
    series: Mapping[str, Sequence[tuple[float, float]]] = field(default_factory=dict)
    cause: str = ""
    hint: str = ""
    live_by: str = ""
    language: Language = field(default_factory=environment_language)
    home: str = field(default_factory=lambda: str(Path.home()))
