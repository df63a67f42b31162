"""Where the runs are that a view shows: those of this machine, and those that a service keeps.

A source is stored here by a package above this one, which knows the service (`add_source`).

Rule: ids tell sources apart by their form, without asking anybody.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from pai_jupyter.runs.state import RunState, RunStatus, StepStatus


@dataclass(frozen=True, kw_only=True)
class RunSummary:
    """One run of a source in a list. `counts`: its jobs by status, {} where that is not known; `inputs`: as in `RunRow`.

    `trouble`: why it cannot be read.
    """

    id: str
    name: str
    status: RunStatus
    created: float
    ended: float | None = None
    is_stopping: bool = False
    reason: str = ""
    counts: Mapping[StepStatus, int] = field(default_factory=dict)
    is_here: bool = False
    url: str = ""
    inputs: Mapping[str, str] = field(default_factory=dict)
    trouble: str = ""


class StateWatcher(Protocol):
    """Tells how a run stands, as often as it is asked. `RunWatcher` also has `trouble`: why the run does not go on."""

    def poll(self) -> RunState | None:
        """Return how the run stands, None if nothing has changed since the last call. Cheap; may block shortly.

        Raises:
            PaiJupyterError: it cannot be read now.
        """


class RunSource(Protocol):
    """The runs of one service. All methods but `is_own` may block, and raise `PaiJupyterError` if they fail."""

    def is_own(self, run_id: str) -> bool: ...

    def summaries(self) -> Sequence[RunSummary]:
        """Return the runs that were started from this home."""

    def others(self) -> Sequence[RunSummary]:
        """Return the newest runs of the workspace that were not started from this home; they are only listed."""

    def watcher(self, run_id: str) -> StateWatcher: ...

    def stop(self, run_id: str) -> None: ...

    def url(self, run_id: str) -> str:
        """Return the address of a page about it, "" if there is none."""


_sources: list[RunSource] = []


def add_source(source: RunSource) -> None:
    """Show the runs of this source, too; the same one twice changes nothing."""
    if source not in _sources:
        _sources.append(source)


def sources() -> Sequence[RunSource]:
    return tuple(_sources)


def source_of(run_id: str) -> RunSource | None:
    """Return the source of a run; None: it is one of this machine, if it is one at all."""
    return next((source for source in _sources if source.is_own(run_id)), None)
