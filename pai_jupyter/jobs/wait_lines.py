"""What a wait for a job says beside its log: what the job waits for, why it cannot be reached, its notices; each once."""

import time
from collections.abc import Callable

from pai_jupyter.events import JobState, Status

SAID_AFTER = 1.0  # seconds in a state; what passes sooner is no wait
BARE_SAID_AFTER = 5.0  # the same without a reason: every job is queued for a moment


class WaitLines:
    """Calls `tell` with a line for each state that one waits in, and for each notice."""

    def __init__(self, job_id: str, tell: Callable[[str], object]) -> None:
        self._job_id = job_id
        self._tell = tell
        self._told: set[str] = set()
        self._seen: tuple[Status, str] | None = None
        self._since = 0.0
        self._has_waited = False

    def look(self, state: JobState) -> None:
        """Tell what is new in the `state`, which is that of now."""
        for notice in state.notices:
            self._once(f"{'warning' if notice.level == 'warning' else 'note'}: {notice.text}")
        if self._seen != (state.status, state.reason):
            self._seen, self._since = (state.status, state.reason), time.monotonic()
        if state.status is Status.RUNNING:
            if self._has_waited:
                self._once(f"job {self._job_id} is running.")
        elif time.monotonic() - self._since >= (SAID_AFTER if state.reason else BARE_SAID_AFTER):
            self._wait(state)

    def _wait(self, state: JobState) -> None:
        sentence = ""
        if state.status is Status.QUEUED:
            sentence = (
                f"job {self._job_id} is queued: {state.reason}" if state.reason else f"job {self._job_id} is queued."
            )
        elif state.status is Status.UNKNOWN:
            sentence = f"job {self._job_id} cannot be reached: {state.reason}"
        if sentence:
            self._has_waited = True
            self._once(sentence)

    def _once(self, line: str) -> None:
        if line not in self._told:
            self._told.add(line)
            self._tell(line)
