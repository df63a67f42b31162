"""Runs for tests of views: a driver in memory (`Simulation`) whose state a source gives to whoever watches."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from pai_jupyter.errors import NotFoundError, PaiJupyterError
from pai_jupyter.runs import sources
from pai_jupyter.runs.sources import RunSource, RunSummary
from pai_jupyter.runs.state import RunState


class HeldRuns:
    """A source of runs whose states the test sets. `trouble`: what polling raises."""

    def __init__(self, *states: RunState) -> None:
        self.states = {state.id: state for state in states}
        self.trouble: PaiJupyterError | None = None
        self.stopped: list[str] = []
        self.polls = 0

    def is_own(self, run_id: str) -> bool:
        return run_id in self.states

    def summaries(self) -> Sequence[RunSummary]:
        if self.trouble:
            raise self.trouble
        return [
            RunSummary(id=it.id, name=it.name, status=it.status, created=it.created, url=self.url(it.id))
            for it in self.states.values()
        ]

    def others(self) -> Sequence[RunSummary]:
        return []

    def watcher(self, run_id: str) -> "HeldWatcher":
        if run_id not in self.states:
            raise NotFoundError(f"there is no run {run_id}.")
        return HeldWatcher(self, run_id)

    def stop(self, run_id: str) -> None:
        self.stopped.append(run_id)

    def url(self, run_id: str) -> str:
        return f"https://console/{run_id}"


class HeldWatcher:
    """Gives the state of one run when it is another one than before."""

    def __init__(self, held: HeldRuns, run_id: str) -> None:
        self._held = held
        self._run_id = run_id
        self._seen: RunState | None = None

    def poll(self) -> RunState | None:
        self._held.polls += 1
        if self._held.trouble:
            raise self._held.trouble
        state = self._held.states[self._run_id]
        if state is self._seen:
            return None
        self._seen = state
        return state


@contextmanager
def shown(held: RunSource) -> Iterator[None]:
    """Let views show these runs."""
    sources.add_source(held)
    try:
        yield
    finally:
        sources._sources.remove(held)
