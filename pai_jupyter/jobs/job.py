"""`Job`: the user's handle of a job, with its state and actions. All data are in the job folder."""

import asyncio
import time
from collections import deque
from collections.abc import Generator, Iterator, Mapping
from concurrent.futures import wait as wait_for_futures
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pai_jupyter import contract
from pai_jupyter.backends import get_backend
from pai_jupyter.cell import Explanation
from pai_jupyter.errors import (
    BackendError,
    JobDetached,
    JobFailed,
    JobStopped,
    PaiJupyterError,
    SpecError,
)
from pai_jupyter.events import JobState, Metric, Status, number_to_json
from pai_jupyter.events.usage import UsageSum
from pai_jupyter.jobs import pending
from pai_jupyter.jobs.annotated import AnnotatedJob
from pai_jupyter.jobs.boards import open_job_board
from pai_jupyter.jobs.failure import last_lines, why_it_failed
from pai_jupyter.jobs.follower import is_removed
from pai_jupyter.jobs.job_index.row import values_of
from pai_jupyter.jobs.job_outputs import JobOutputs, event_directories, location_of
from pai_jupyter.jobs.log_secrets import log_masker
from pai_jupyter.jobs.removal import end_by_id, stop_removed
from pai_jupyter.jobs.results import Results
from pai_jupyter.jobs.runtime import runtime
from pai_jupyter.jobs.trouble import WaitLimit, ask_person, trouble_of
from pai_jupyter.path_guard import JobDirectory
from pai_jupyter.spec import JobSpec, Scalar
from pai_jupyter.store import JobFolder, LogLine, Trouble, note_look
from pai_jupyter.store.provenance import Provenance, read_provenance

if TYPE_CHECKING:
    from pai_jupyter.cost import Cost
    from pai_jupyter.tensorboard import Board

WAIT_SLICE = 0.2  # seconds; an interrupt of the kernel is noticed between two slices
TAIL_LINES = 20  # log lines shown with a failure
MAX_UNKNOWN = 600.0  # seconds
LOOK_NOTED_EVERY = 2.0  # seconds between marking the job as viewed while it is awaited
SUBMITTED_WITHIN = 5.0  # seconds that `stop` waits for a submission in another process
LONGEST_VALUES = 60  # characters of the values in a list of jobs


class Job(AnnotatedJob):
    """One training job on any backend, returned by `submit`, `attach` and `list_jobs`.

    Example:
        >>> from pai_jupyter import JobSpec, submit
        >>> job = submit(JobSpec(name="demo", command="echo epoch 1 accuracy=0.9"), backend="process").wait()
        >>> str(job.status), job.metrics()["accuracy"], [line.text for line in job.logs()]
        ('succeeded', 0.9, ['epoch 1 accuracy=0.9'])
    """

    def __init__(self, folder: JobFolder) -> None:
        super().__init__(folder)
        self.max_unknown = MAX_UNKNOWN  # seconds that a wait continues while the job cannot be reached
        self.is_log_shown = False  # the user has seen the log; a failure need not repeat it
        self._unreached: Trouble | None = None

    def __repr__(self) -> str:
        values = " ".join(values_of(self.hyperparameters))
        shown = f" {values[:LONGEST_VALUES]}{'…' * (len(values) > LONGEST_VALUES)}" if values else ""
        return f"<Job {self.id} {self.name!r} {self.status} on {self.where}{shown}>"

    @property
    def id(self) -> str:
        return self._folder.id

    @property
    def name(self) -> str:
        """The name that the user gave the job later, else the recorded one, `spec.name`."""
        return self.annotations.name or self.spec.name

    @property
    def spec(self) -> JobSpec:
        return self._folder.record.spec

    @property
    def backend(self) -> str:
        return self._folder.record.backend

    @property
    def place(self) -> str:
        """The backend of the job and the reason for it, as the header shows it."""
        return self._folder.record.place or self.backend

    @property
    def where(self) -> str:
        """The backend's name, or "emulator" for a job at the emulator."""
        return self.place.partition(" ")[0]

    @property
    def folder(self) -> JobFolder:
        """The job's own files: record, events, logs, outputs of local jobs."""
        return self._folder

    @property
    def hyperparameters(self) -> Mapping[str, Scalar]:
        return self.spec.hyperparameters

    @property
    def provenance(self) -> Provenance | None:
        """What the job was started from: commit and uncommitted changes, Python and its packages, images.

        None: it was not recorded, as by an older version.

        Raises:
            PaiJupyterError: the record is damaged.

        Example:
            >>> from pai_jupyter import JobSpec, submit
            >>> job = submit(JobSpec(name="demo", command="echo hello"), backend="process").wait()
            >>> job.provenance.git is None, any(line.startswith("ipython==") for line in job.provenance.python.packages)
            (True, True)
        """
        return read_provenance(self._folder.path)

    @property
    def state(self) -> JobState:
        """The job's state as last recorded; `unknown` if its record cannot be read."""
        try:
            state = self._folder.standing()
            return state if self._unreached is None else self._unreached.shown_on(state)
        except PaiJupyterError as exc:
            return JobState(status=Status.UNKNOWN, reason=str(exc))

    def note_unreached(self, exc: PaiJupyterError) -> None:
        """Mark this object's job as unreachable after a failed request."""
        self._unreached = trouble_of(exc, self._folder)

    @property
    def unreached(self) -> Trouble | None:
        """The trouble of the last failed request; None if there was none."""
        return self._unreached

    @property
    def status(self) -> Status:
        return self.state.status

    @property
    def url(self) -> str | None:
        """The URL of the job's page in its service's console; None if it has none."""
        return self.state.url

    @property
    def outputs(self) -> dict[str, str]:
        """The local path or URI of each output channel."""
        return {channel: self.output(channel) for channel in contract.output_channels(self.spec)}

    @property
    def _outputs(self) -> JobOutputs:
        return JobOutputs(self._folder, self.status)

    def output(self, channel: str) -> str:
        """Return the directory of one output channel, local or remote, with a trailing slash.

        `beside_channels`: the parent of all channels, with files that the job wrote into /ml/output beside them. `workdir`: the
        directory with what the script left in its working directory; on this machine, that directory itself.

        Raises:
            NotFoundError: the job has no such channel.
        """
        return location_of(self._folder, channel)

    def model_data(self) -> str:
        """Return the directory of the output channel `model`."""
        return self.output("model")

    def checkpoints_data(self) -> str:
        return self.output("checkpoints")

    def tensorboard_data(self) -> str:
        return self.output("tensorboard")

    def tensorboard_folders(self) -> dict[str, JobDirectory]:
        """Return the event directories for a local TensorBoard by run name; {} if they are elsewhere."""
        return event_directories(self._folder)

    def tensorboard(self) -> "Board":
        """Open or find a TensorBoard for the job's event files, here or on PAI; its address is `.app_uri`.

        Raises:
            SpecError, BackendError: see `open_job_board`.
        """
        return open_job_board(self)

    def output_parameters(self) -> dict[str, str]:
        """Return the text files below `PAI_OUTPUT_OUTPUT_PARAMETERS` by name, fetching them if remote.

        Raises:
            JobNotReady: there are none yet, and the job has not ended.
        """
        return self._outputs.parameters()

    def returned(self, *names: str, pickle: bool = False) -> dict[str, Any]:  # Any: values are of any type
        """Return the variables that `--return` names, or only `names`, by name; fetch them if remote.

        Reading a pickle runs its code, so with `pickle` only, unless a local process wrote it.

        Raises:
            JobNotReady: the job has not ended.
            NotFoundError: it returned nothing.
            PaiJupyterError: a value is a pickle, or its file is damaged.
        """
        return self._outputs.returned(names, pickle=pickle)

    def take_back(self) -> tuple[dict[str, Any], list[str], list[str]]:  # Any: values are of any type
        """Return the returned variables for the kernel, and sentences: about pickles not read, about values not written.

        Raises:
            NotFoundError, PaiJupyterError: as `returned`.
        """
        return self._outputs.take_back()

    def metrics(self) -> dict[str, float]:
        """Return the last value of each metric: of several replicas that tell it, the first one's in the order of RANK."""
        state = self.state
        values = {name: metric.value for name, metric in state.metrics.items()}
        return Results(values, noun="metric", name=self.name, status=state.status)

    def metric_values(self, name: str) -> list[Metric]:
        """Return every value of one metric, in the order in which the job printed them."""
        events, _ = self._folder.events()
        return [event for event in events if isinstance(event, Metric) and event.name == name]

    @property
    def cost(self) -> "Cost | None":
        """What the job has cost so far, by the prices of when it was submitted; None: it has no known price."""
        price, state = self._folder.record.price, self.state
        if price is None:
            return None
        from pai_jupyter.cost import cost_of  # late, as in the record

        return cost_of(price, started=state.entered.get(Status.RUNNING), ended=state.ended, now=time.time())

    def usage(self) -> dict[str, float]:
        """Return what the job has used so far, over all replicas, as far as it was measured.

        `cpu_hours`; bytes `read` from and `written` to disk, `received` and `sent` over the network; and
        `peak_memory`, the most bytes of any replica.
        """
        events, _ = self._folder.events()
        whole = UsageSum()
        for event in events:
            deque(whole.take(event), maxlen=0)
        return whole.totals()

    def logs(self, *, replica: str | None = None) -> Iterator[LogLine]:
        """Iterate over the lines logged so far by one replica, or all merged by time, in constant memory."""
        if replica is None:
            return self._folder.merged()
        return iter(self._folder.log(self.check_replica(replica)))

    def tail(self, count: int) -> list[LogLine]:
        """Return the last `count` lines of all replicas, merged by time."""
        return self._folder.merged_tail(count)

    @property
    def replicas(self) -> list[str]:
        """The names of the job's replicas: the planned ones in the order of RANK, then others that have a log."""
        planned: list[str] = []
        with suppress(SpecError):  # recorded by another version: its logs may still be readable
            planned = [each.name for each in contract.replicas(self.spec)]
        return list(dict.fromkeys([*planned, *self._folder.replicas()]))

    def check_replica(self, replica: str | None) -> str:
        """Validate the name of a replica and return it; None gives the first replica."""
        names = [each.name for each in contract.replicas(self.spec)]
        if replica is not None and replica not in names:
            raise SpecError(f"job {self.id} has no replica {replica!r}; it has {', '.join(names)}.", field="replica")
        return replica or names[0]

    def failure(self) -> Explanation:
        """Explain why the job failed and what may help: the backend's reason, else the script's exception with its line.

        With several replicas the cause begins with the name of the failed one.
        """
        return why_it_failed(self._folder, self.state)

    def wait(self, timeout: float | None = None, *, max_unknown: float | None = None) -> "Job":
        """Wait for the end (at most `timeout` seconds) and return the job.

        Gives up after `max_unknown` seconds (default: 600) in which the job cannot be reached or recorded.

        Raises:
            JobFailed, JobStopped: the job failed or was stopped.
            JobDetached: the wait was interrupted; the job goes on.
            TimeoutError: it has not ended yet.
            BackendError: it could not be reached for `max_unknown` seconds; the job goes on.
        """
        runtime().check_may_wait()
        try:
            state = self._wait(timeout, self.max_unknown if max_unknown is None else max_unknown)
        except KeyboardInterrupt:
            raise detached(self.id, self.state) from None
        return self._finish(state)

    def _wait(self, timeout: float | None, max_unknown: float) -> JobState:
        following = runtime().follow(self._folder)
        ended, patience = following.ended, WaitLimit(self.id, max_unknown)
        deadline = None if timeout is None else time.monotonic() + timeout
        while not ended.done():
            note_look(self._folder.path)
            left = WAIT_SLICE if deadline is None else deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError(f"job {self.id} has not ended within {timeout:g} seconds")
            wait_for_futures([ended], timeout=min(WAIT_SLICE, left))
            patience.check(ask_person(following.trouble))
        return ended.result()

    def __await__(self) -> Generator[Any, None, "Job"]:  # Any: asyncio's own
        return self._wait_async().__await__()

    async def _wait_async(self) -> "Job":
        following = runtime().follow(self._folder)
        ended, patience = asyncio.wrap_future(following.ended), WaitLimit(self.id, self.max_unknown)
        while not ended.done():
            note_look(self._folder.path)
            patience.check(following.trouble)
            await asyncio.wait({ended}, timeout=LOOK_NOTED_EVERY)
        return self._finish(ended.result())

    def _finish(self, state: JobState) -> "Job":
        if state.status is Status.FAILED:
            failure = self.failure()
            lines = last_lines(self._folder, failure.replica, TAIL_LINES)
            is_mixed, mask = len({line.replica for line in lines}) > 1, log_masker(self._folder)
            tail = [f"{line.replica}: {mask(line.text)}" if is_mixed else mask(line.text) for line in lines]
            failed = JobFailed(self.id, failure.cause, tail, hint=failure.hint, replica=failure.replica)
            failed.is_log_shown = self.is_log_shown
            raise failed
        if state.status is Status.STOPPED:
            raise JobStopped(f"job {self.id} was stopped" + (f": {state.reason}" if state.reason else ""))
        return self

    def stop(self) -> None:
        """Request the stop of the job. For an ended job, end processes that a killed supervisor has left.

        Raises:
            NotFoundError: its folder is missing, and none of its processes runs on this machine.
        """
        if is_removed(self._folder):
            stop_removed(self.id)
        elif not self.status.is_terminal:
            runtime().run(self._stop())
        elif self.was_lost:
            runtime().run(end_by_id(self.id))

    @property
    def was_lost(self) -> bool:
        """Return whether the job's end was not observed, so that its processes may still run."""
        state = self.state
        return state.status is Status.FAILED and state.exit_code is None

    async def _stop(self) -> None:
        runtime().follow(self._folder)  # records the outcome of an unfinished submission
        deadline = time.monotonic() + SUBMITTED_WITHIN
        while (snapshot := self._folder.read()).ref is None and not snapshot.state.status.is_terminal:
            if time.monotonic() > deadline and pending.is_open(self._folder):
                pending.want_stop(self._folder)
                if pending.is_open(self._folder):  # it may have been found just now
                    return  # the follower stops the job when it is found
            elif time.monotonic() > deadline:
                raise BackendError(f"job {self.id} is still being submitted. Interrupt that, or try again in a moment.")
            await asyncio.sleep(0.05)
        if snapshot.ref is not None and not snapshot.state.status.is_terminal:
            await get_backend(self.backend).stop(snapshot.ref)

    def fetch(self, channel: str = "model", dest: str | Path = ".") -> Path:
        """Copy an output channel into the directory `dest` and return its path.

        `beside_channels`: the files that the job wrote into /ml/output beside its channels. `workdir`: those that it wrote into
        its working directory, without what was packed and without caches.

        Raises:
            JobNotReady: the channel is empty, and the job has not ended.
            IncompleteFetchError: some files could not be copied; the error names them.
        """
        return self._outputs.fetch(channel, dest)

    def to_json(self) -> dict[str, Any]:  # Any: JSON values
        """Return the JSON that `%pai_jobs --json` prints for the job; `roles` and `failed_replica` as in its table."""
        state = self.state
        has_several = len(state.replicas) > 1
        return {
            "id": self.id,
            "name": self.name,
            "recorded_name": self.spec.name,
            "is_starred": self.is_starred,
            "tags": list(self.tags),
            "note": self.note,
            "status": str(state.status),
            "reason": state.reason,
            "backend": self.backend,
            "place": self.where,
            "notebook": self._folder.record.notebook,
            "created": self._folder.record.created,
            "ended": state.ended,
            "hyperparameters": dict(self.hyperparameters),
            "metrics": {name: number_to_json(value) for name, value in self.metrics().items()},
            "roles": contract.roles_text(self.spec),
            "failed_replica": state.failed_replica if has_several and state.status is Status.FAILED else "",
            "replicas": {
                last.replica: {"status": str(last.status), "exit_code": last.exit_code, "attempt": last.attempt}
                for last in state.standing_replicas
            },
            "cost": None if (cost := self.cost) is None else cost.to_json(),
        }


@contextmanager
def detaching(job: Job) -> Iterator[None]:
    """Convert an interrupt within the block, which shows or waits for `job`, to `JobDetached`."""
    try:
        yield
    except JobDetached:
        raise
    except KeyboardInterrupt:
        raise detached(job.id, job.state) from None


def detached(job_id: str, state: JobState) -> JobDetached:
    """Build the exception that an interrupted wait raises; of a job that cannot be reached nobody knows that it goes on."""
    if state.status is Status.UNKNOWN:
        return JobDetached(
            f"Detached: job {job_id} was not stopped; whether it goes on is not known, as it cannot be reached: {state.reason} "
            f"To look again: %pai_attach {job_id}"
        )
    return JobDetached(f"Detached: job {job_id} goes on. To stop it: %pai_stop {job_id}")
