"""The stacks of a running job of this machine, and a recording of where it spends its time.

The job's backend tells its processes; those that are Python are asked, children (loaders of data, torchrun) as well. One that
ends meanwhile is no error.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

from pai_jupyter.backends import TellsProcesses, get_backend
from pai_jupyter.errors import BackendError, JobNotReady, SpecError
from pai_jupyter.events import JobState, Status
from pai_jupyter.jobs.failure import DEFAULT_ENTRY_POINT
from pai_jupyter.jobs.runtime import runtime
from pai_jupyter.jobs.where import where_of
from pai_jupyter.spec import JobRef
from pai_jupyter.stacks import (
    LONGEST,
    Flame,
    ProcessStacks,
    Recording,
    ScriptLines,
    check_py_spy,
    dump,
    flame_of,
    python_processes,
)
from pai_jupyter.stacks.frames import stacks_of
from pai_jupyter.stacks.thread_states import waiting_threads
from pai_jupyter.store import JobFolder

MOST_DUMPED = 64  # processes
MOST_RECORDED = 16  # processes: each has a `py-spy` of its own
AT_ONCE = 4
PAUSE = 0.1  # seconds between two looks at a recording
_NOT_YET = (Status.CREATED, Status.PACKAGING, Status.SUBMITTING, Status.QUEUED)


class RunningJob(Protocol):
    """The parts of a `Job` that concern its processes."""

    @property
    def id(self) -> str: ...
    @property
    def backend(self) -> str: ...
    @property
    def place(self) -> str: ...
    @property
    def state(self) -> JobState: ...
    @property
    def folder(self) -> JobFolder: ...
    def check_replica(self, replica: str | None) -> str: ...


def read_stacks(job: RunningJob, replica: str | None = None) -> list[ProcessStacks]:
    """Read the stacks of all Python processes of a running job, or of one replica.

    Raises:
        SpecError: `py-spy` is missing, or the job has ended or runs elsewhere.
        JobNotReady: it does not run yet.
        BackendError: its processes cannot be seen or read; the sentence says how they can.
    """
    program = check_py_spy()
    found = [(name, pid) for name, pids in _python_of(job, replica).items() for pid in pids]
    lines = _lines_of(job)

    def read(name: str, pid: int) -> ProcessStacks | None:
        try:
            dumped = dump(pid, program)
        except BackendError as exc:
            return ProcessStacks(replica=name, pid=pid, trouble=str(exc))
        return None if dumped is None else stacks_of(name, pid, dumped, lines, waiting_threads(pid))

    with ThreadPoolExecutor(AT_ONCE) as threads:
        read_ones = [each for each in threads.map(lambda one: read(*one), found[:MOST_DUMPED]) if each is not None]
    if read_ones and all(each.trouble for each in read_ones):
        raise BackendError(read_ones[0].trouble)
    if not read_ones:
        raise _no_python(job, replica)
    return read_ones


class JobRecording:
    """A recording of a running job, to be asked how far it is. `close` ends it at any time."""

    def __init__(self, job: RunningJob, seconds: int, replica: str | None = None) -> None:
        """Start to record; raises as `read_stacks`."""
        if not 1 <= seconds <= LONGEST:
            raise SpecError(f"`seconds` is {seconds}; it must be a whole number from 1 to {LONGEST}.", field="seconds")
        program = check_py_spy()
        pids = [pid for own in _python_of(job, replica).values() for pid in own]
        if not pids:
            raise _no_python(job, replica)
        count, self._notes = len(pids), list[str]()
        if count > MOST_RECORDED:
            self._notes.append(f"Only the first {MOST_RECORDED} of {count} Python processes were recorded.")
        self._lines = _lines_of(job)
        self._recording = Recording(pids[:MOST_RECORDED], seconds, program)

    @property
    def elapsed(self) -> float:
        return self._recording.elapsed

    @property
    def seconds(self) -> int:
        return self._recording.seconds

    @property
    def is_over(self) -> bool:
        return self._recording.is_over

    def flame(self) -> Flame:
        """Return what was recorded.

        Raises:
            BackendError: no process could be looked at.
        """
        recorded, troubles = self._recording.samples()
        if not recorded and troubles:
            raise BackendError(troubles[0])
        return flame_of(recorded, self.seconds, self._lines, notes=(*self._notes, *troubles))

    def close(self) -> None:
        self._recording.close()


def record(
    job: RunningJob,
    seconds: int,
    replica: str | None = None,
    *,
    tell: Callable[[float], object] = lambda elapsed: None,
) -> Flame:
    """Record a job, and wait for it; `tell` hears of the seconds that have passed. Raises as `JobRecording`."""
    recording = JobRecording(job, seconds, replica)
    try:
        while not recording.is_over:
            tell(recording.elapsed)
            time.sleep(PAUSE)
        return recording.flame()
    finally:
        recording.close()


def _python_of(job: RunningJob, replica: str | None) -> Mapping[str, Sequence[int]]:
    """Return the Python processes by replica."""
    if replica is not None:
        job.check_replica(replica)
    state, ref = job.state, job.folder.read().ref
    if state.status.is_terminal:
        raise SpecError(f"job {job.id} has ended ({state.status}), so it has no stacks.", field="job")
    backend: object = get_backend(job.backend)
    if not isinstance(backend, TellsProcesses):
        raise SpecError(
            f"the stacks of job {job.id} cannot be read: it runs on {where_of(job.place).backend}, and only processes of this "
            "machine can be looked at.",
            field="job",
        )
    if ref is None or (state.status in _NOT_YET and _is_waiting(job, ref)):
        raise JobNotReady(f"job {job.id} does not run yet ({state.status}), so it has no stacks.")
    found = runtime().run(backend.processes(ref))
    return {name: python_processes(pids) for name, pids in found.items() if replica in (None, name)}


def _is_waiting(job: RunningJob, ref: JobRef) -> bool:
    """Ask whether a job waits: what is recorded is old where nobody follows it."""
    return runtime().run(get_backend(job.backend).status(ref)).status in _NOT_YET


def _no_python(job: RunningJob, replica: str | None) -> BackendError:
    of = f"replica {replica} of job {job.id}" if replica else f"job {job.id}"
    return BackendError(f"{of} runs no Python process now, and stacks are read of Python only.")


def _lines_of(job: RunningJob) -> ScriptLines:
    record = job.folder.record
    script = record.entry_point or DEFAULT_ENTRY_POINT
    return ScriptLines(script, is_cell=record.cell is not None and not record.run, origins=record.lines)
