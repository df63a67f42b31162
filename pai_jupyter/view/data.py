"""The input of all drawings of a job: one plain value, so that every drawing is a pure function."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pai_jupyter.events import JobState
from pai_jupyter.spec import Scalar
from pai_jupyter.view.words import Language, environment_language

if TYPE_CHECKING:
    from pai_jupyter.cost import Cost


@dataclass(frozen=True, kw_only=True)
class ViewData:
    """A job at the time `now` (Unix time in seconds), read from its folder.

    Texts are not clean yet: they may have markup, colours, home directories, signed URLs.
    `tail`: the last of `lines` log lines; `series`: points (step, value) of metrics for the chart; `cause`, `hint`: why the
    job failed and what may help, if known; `live_by`: what to type to see the job live here, if something must be installed.
    """

    job_id: str
    name: str
    place: str
    state: JobState
    now: float
    instance_type: str = "local"
    instance_count: int = 1
    machines: str = ""  # of a job with roles: "ecs.c6.large · 1 chief, 2 worker"
    values: Mapping[str, Scalar] = field(default_factory=dict)
    max_run_time: float | None = None
    cost: "Cost | None" = None
    tail: Sequence[str] = ()
    lines: int = 0
    notes: Sequence[str] = ()
    series: Mapping[str, Sequence[tuple[float, float]]] = field(default_factory=dict)
    remark: str = ""  # the user's note on the job
    commit: str = ""  # of the code's repository, with its branch: "1a2b3c4d5e6f (main)"
    is_dirty: bool = False  # there were uncommitted changes
    cause: str = ""
    hint: str = ""
    live_by: str = ""
    language: Language = field(default_factory=environment_language)
    home: str = field(default_factory=lambda: str(Path.home()))

    @property
    def machines_text(self) -> str:
        return self.machines or f"{self.instance_type} ×{self.instance_count}"
