"""A job in the user's hands: what it is, how it stands, and the verbs. Everything true is in the job folder."""

import json
import re
import time
from collections.abc import Generator, Iterator, Mapping
from concurrent.futures import TimeoutError as FutureTimeoutError
from pathlib import Path
from typing import Any

from pai_jupyter import contract
from pai_jupyter.backends import get_backend
from pai_jupyter.cell import Explanation, explain, find_exception
from pai_jupyter.errors import BackendError, JobDetached, JobFailed, JobStopped, NotFoundError, SpecError
from pai_jupyter.events import JobState, Metric, Status
from pai_jupyter.jobs.runtime import runtime
from pai_jupyter.spec import JobRef, JobSpec, Scalar
from pai_jupyter.store import JobFolder, LogLine

WAIT_SLICE = 0.2  # seconds; the kernel's interrupt is a signal, and is seen between two slices at the latest
TAIL_LINES = 20  # lines of log that a failure shows
EXPLAINED_LINES = 400  # lines in which the cause of a failure is looked for
DEFAULT_ENTRY_POINT = "train.py"
_PLAIN_REASON = re.compile(r"([\w-]+: )?(exit code \d+|killed by SIG\w+)")  # says less than the log does


class Job:
    """One training job, wherever it runs and whoever started it. Made by `submit`, `attach` and `list_jobs`."""

    def __init__(self, folder: JobFolder) -> None:
        self._folder = folder

    def __repr__(self) -> str:
        return f"<Job {self.id} {self.name!r} {self.status} on {self.backend}>"

    @property
    def id(self) -> str:
        return self._folder.id

    @property
    def name(self) -> str:
        return self.spec.name

    @property
    def spec(self) -> JobSpec:
        return self._folder.record.spec

    @property
    def backend(self) -> str:
        return self._folder.record.backend

    @property
    def place(self) -> str:
        """Where the job runs and why there, as the header shows it."""
        return self._folder.record.place or self.backend

    @property
    def folder(self) -> JobFolder:
        """The job's own files: record, events, logs, outputs of local jobs."""
        return self._folder

    @property
    def hyperparameters(self) -> Mapping[str, Scalar]:
        return self.spec.hyperparameters

    @property
    def state(self) -> JobState:
        """How the job stands, as far as anybody has followed it; reading it starts nothing."""
        return self._folder.read().state

    @property
    def status(self) -> Status:
        return self.state.status

    @property
    def url(self) -> str | None:
        """The job's page in its service's console, where it has one."""
        return self.state.links.get("console")

    @property
    def outputs(self) -> dict[str, str]:
        """Where each output channel lies: a local path, or a URI."""
        return {channel: self.output(channel) for channel in contract.output_channels(self.spec)}

    def output(self, channel: str) -> str:
        """Where one output channel lies."""
        if channel not in contract.output_channels(self.spec):
            known = ", ".join(contract.output_channels(self.spec))
            raise NotFoundError(f"job {self.id} has no output {channel!r}; it has {known}.")
        given = self.spec.outputs.get(channel)
        if given is not None:
            return given
        base = self.spec.output_path
        return f"{base.rstrip('/')}/{channel}/" if base else f"{self._folder.path / 'output' / channel}/"

    def model_data(self) -> str:
        """Where the model lies (seed 001)."""
        return self.output("model")

    def checkpoints_data(self) -> str:
        return self.output("checkpoints")

    def tensorboard_data(self) -> str:
        return self.output("tensorboard")

    def output_parameters(self) -> dict[str, str]:
        """The small text files that the script wrote below `PAI_OUTPUT_OUTPUT_PARAMETERS`, by name."""
        place = Path(self.output("output_parameters"))
        files = sorted(place.iterdir()) if place.is_dir() else []
        return {file.name: file.read_text(errors="replace") for file in files if file.is_file()}

    def metrics(self) -> dict[str, float]:
        """The last value of each metric."""
        return {name: metric.value for name, metric in self.state.metrics.items()}

    def metric_values(self, name: str) -> list[Metric]:
        """Every value of one metric, in the order in which the job printed them."""
        events, _ = self._folder.events()
        return [event for event in events if isinstance(event, Metric) and event.name == name]

    def logs(self, *, since: int = 0, replica: str | None = None) -> Iterator[LogLine]:
        """The lines of the log from line `since` on (from 0), of one replica or of all merged by time."""
        if replica is None and len(self._folder.replicas()) > 1:
            return self._folder.merged()
        log = self._folder.log(self.check_replica(replica))
        return (line for line in log if line.number >= since)

    def tail(self, count: int) -> list[LogLine]:
        """The last `count` lines, of all replicas merged by time."""
        return self._folder.merged_tail(count)

    def check_replica(self, replica: str | None) -> str:
        """The name of a replica of this job: `replica` itself, or the first when it is None."""
        names = [each.name for each in contract.replicas(self.spec)]
        if replica is not None and replica not in names:
            raise SpecError(f"job {self.id} has no replica {replica!r}; it has {', '.join(names)}.", field="replica")
        return replica or names[0]

    def failure(self) -> Explanation:
        """Why the job failed and what may help: the backend's own reason, else the script's exception with its line."""
        state = self.state
        if state.reason and not _PLAIN_REASON.fullmatch(state.reason):
            return Explanation(state.reason)
        lines = [line.text for line in self.tail(EXPLAINED_LINES)]
        exception = find_exception(lines, self._folder.record.entry_point or DEFAULT_ENTRY_POINT)
        return explain(exception, exit_code=state.exit_code, lines=lines)

    def wait(self, timeout: float | None = None) -> "Job":
        """Wait for the end (at most `timeout` seconds) and return the job.

        Raises:
            JobFailed, JobStopped: the job did not end well.
            JobDetached: the wait was interrupted; the job goes on.
            TimeoutError: it has not ended yet.
        """
        ended = runtime().follow(self._folder).ended
        deadline = None if timeout is None else time.monotonic() + timeout
        try:
            while True:
                left = WAIT_SLICE if deadline is None else min(WAIT_SLICE, deadline - time.monotonic())
                try:
                    return self._finish(ended.result(timeout=max(0.0, left)))
                except FutureTimeoutError:
                    if deadline is not None and time.monotonic() >= deadline:
                        raise TimeoutError(f"job {self.id} has not ended within {timeout:g} seconds") from None
        except KeyboardInterrupt:
            raise JobDetached(f"Detached: job {self.id} goes on. To stop it: %pai_stop {self.id}") from None

    def __await__(self) -> Generator[Any, None, "Job"]:  # Any: asyncio's own
        return self._wait_async().__await__()

    async def _wait_async(self) -> "Job":
        import asyncio

        return self._finish(await asyncio.wrap_future(runtime().follow(self._folder).ended))

    def _finish(self, state: JobState) -> "Job":
        if state.status is Status.FAILED:
            failure = self.failure()
            raise JobFailed(self.id, failure.cause, [line.text for line in self.tail(TAIL_LINES)], hint=failure.hint)
        if state.status is Status.STOPPED:
            raise JobStopped(f"job {self.id} was stopped" + (f": {state.reason}" if state.reason else ""))
        return self

    def stop(self) -> None:
        """Stop the job; returns when that is under way. Stopping an ended job does nothing."""
        if not self.status.is_terminal:
            ref = self._ref()
            runtime().call(get_backend(self.backend).stop(ref)).result()
            runtime().follow(self._folder)

    def fetch(self, channel: str = "model", dest: str | Path = ".") -> Path:
        """Bring an output channel into the directory `dest`; returns where it lies."""
        self.output(channel)
        return runtime().call(get_backend(self.backend).fetch(self._ref(), channel, Path(dest).expanduser())).result()

    def _ref(self) -> JobRef:
        ref = self._folder.read().ref
        if ref is None:
            raise BackendError(f"job {self.id} has not been submitted yet")
        return ref

    def to_json(self) -> dict[str, Any]:  # Any: JSON values
        """What `%pai_jobs --json` says of a job."""
        state = self.state
        return {
            "id": self.id,
            "name": self.name,
            "status": str(state.status),
            "reason": state.reason,
            "backend": self.backend,
            "notebook": self._folder.record.notebook,
            "created": self._folder.record.created,
            "ended": state.ended,
            "hyperparameters": json.loads(json.dumps(dict(self.hyperparameters))),
            "metrics": self.metrics(),
        }
