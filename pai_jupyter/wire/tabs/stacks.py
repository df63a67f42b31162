"""What the processes of a running job do: their stacks, and a recording of some seconds, which views ask for until it is done.

Rule: a recording lives while somebody asks for it. When the last view has gone, it is ended soon after.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock, Timer
from typing import TYPE_CHECKING, Literal

from pai_jupyter.jobs import Job
from pai_jupyter.wire.protocol.messages import Message
from pai_jupyter.wire.protocol.requests import RequestFields
from pai_jupyter.wire.schema.asked import ProfileAsked, StacksAsked

if TYPE_CHECKING:
    from pai_jupyter.jobs.stacks import JobRecording
    from pai_jupyter.stacks import Flame, ProcessStacks, StackFrame, ThreadStack
    from pai_jupyter.wire.schema.tabs import FrameJson, ProcessJson, ProfileAnswer, StacksAnswer, ThreadJson

SECONDS = 10  # of a recording, if the request does not say
UNASKED = 10.0  # seconds after which a recording that nobody asks for is ended
_LOOK = 1.0  # seconds


@dataclass
class _Kept:
    """A recording, or what it gave."""

    recording: "JobRecording"
    asked: float  # monotonic time of the last request
    flame: "Flame | None" = None
    lock: Lock = field(default_factory=Lock)


_kept: dict[str, _Kept] = {}  # by the id of the job
_lock = Lock()


def stacks(job: Job, parameters: Mapping[str, object]) -> Message:
    """Answer with the stacks of a job.

    Raises:
        PaiJupyterError: they cannot be read; the sentence says why.
    """
    from pai_jupyter.jobs.stacks import read_stacks  # late: most servers are never asked

    replica = RequestFields(parameters, StacksAsked).text("replica", default="") or None
    told: StacksAnswer = {"processes": [process_json(each) for each in read_stacks(job, replica)]}
    return Message(body=told)


def profile(job: Job, parameters: Mapping[str, object]) -> Message:
    """Start, show or end the recording of a job; one that another view has started is shown to this one as well.

    Raises:
        PaiJupyterError: it cannot be recorded; the sentence says why.
    """
    fields = RequestFields(parameters, ProfileAsked)
    action = fields.word("action")
    if action == "stop":
        _forget(job.id)
    elif action == "start":
        _start(job, fields.number("seconds", default=SECONDS), fields.text("replica", default="") or None)
    return Message(body=_told(job.id))


def _start(job: Job, seconds: int, replica: str | None) -> None:
    from pai_jupyter.jobs.stacks import JobRecording  # late, as above

    with _lock:
        kept = _kept.get(job.id)
        if kept is not None and not kept.recording.is_over:
            return
    _forget(job.id)
    recording = JobRecording(job, seconds, replica)
    with _lock:
        if job.id in _kept:  # another view was quicker
            recording.close()
            return
        _kept[job.id] = _Kept(recording, time.monotonic())
    _watch(job.id)


def _watch(job_id: str) -> None:
    """End the recording when nobody asks for it, soon."""

    def look() -> None:
        kept = _kept.get(job_id)
        if kept is not None and time.monotonic() - kept.asked > UNASKED:
            _forget(job_id)
        elif kept is not None:
            _watch(job_id)

    timer = Timer(_LOOK, look)
    timer.daemon = True
    timer.start()


def _forget(job_id: str) -> None:
    with _lock:
        kept = _kept.pop(job_id, None)
    if kept is not None:
        kept.recording.close()


def _told(job_id: str) -> "ProfileAnswer":
    kept = _kept.get(job_id)
    if kept is None:
        return _answer("none", 0.0, SECONDS)
    kept.asked = time.monotonic()
    recording = kept.recording
    if not recording.is_over:
        return _answer("running", recording.elapsed, recording.seconds)
    with kept.lock:
        if kept.flame is None:
            try:
                kept.flame = recording.flame()
            finally:
                recording.close()
    return flame_json(kept.flame)


def flame_json(flame: "Flame") -> "ProfileAnswer":
    """Return a recording that is done, as it is sent and written to files."""
    places: dict[StackFrame, int] = {}
    nodes = []
    for depth, node in flame.walk():
        at = -node.pid if node.frame is None else places.setdefault(node.frame, len(places))
        nodes.append((depth, at, node.samples))
    told = _answer("done", float(flame.seconds), flame.seconds)
    told["samples"], told["nodes"], told["notes"] = flame.root.samples, nodes, list(flame.notes)
    told["frames"] = [_frame(each) for each in places]
    return told


def _answer(state: Literal["none", "running", "done"], elapsed: float, seconds: int) -> "ProfileAnswer":
    return {
        "state": state,
        "elapsed": round(elapsed, 1),
        "seconds": seconds,
        "samples": 0,
        "frames": [],
        "nodes": [],
        "notes": [],
    }


def process_json(process: "ProcessStacks") -> "ProcessJson":
    """Return the stacks of a process, as they are sent and written to files."""
    return {
        "replica": process.replica,
        "pid": process.pid,
        "threads": [_thread(each) for each in process.threads],
        "left_out": process.left_out,
        "trouble": process.trouble,
    }


def _thread(thread: "ThreadStack") -> "ThreadJson":
    return {
        "name": thread.name,
        "is_idle": thread.is_idle,
        "has_gil": thread.has_gil,
        "frames": [_frame(each) for each in thread.frames],
        "left_out": thread.left_out,
    }


def _frame(frame: "StackFrame") -> "FrameJson":
    return {
        "function": frame.function,
        "file": frame.file,
        "line": max(0, frame.line),
        "cell": frame.cell,
        "is_own": frame.is_own,
    }
