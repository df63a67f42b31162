"""Jobs as their tests make them, and what goes wrong meanwhile."""

import os
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pai_jupyter.events import JobState, Status, StatusChanged
from pai_jupyter.jobs import Job, Target, draft
from pai_jupyter.spec import JobRef, JobSpec
from pai_jupyter.store import JobRecord, JobStore
from tests.support.started import until


def run(script: str, **spec: Any) -> Job:
    """A job of the process backend whose train.py is `script`. (Any: of a JobSpec)"""
    wanted = JobSpec(**{"name": "a job", "command": "python train.py $PAI_USER_ARGS", **spec})
    place = Target(backend="process", reason="asked for")
    with draft(wanted, place, files={"train.py": script.encode()}, entry_point="train.py") as ready:
        return ready.submit()


def ended(
    name: str,
    state: Status,
    *,
    reason: str = "",
    exit_code: int | None = None,
    log: bytes = b"",
    instance_count: int = 1,
    **about: Any,
) -> Job:
    """A job that has ended so, with this log. (Any: fields of its record)"""
    spec = JobSpec(name=name, command="true", instance_count=instance_count)
    record = JobRecord(id=f"j-{name}", spec=spec, backend="fake", created=1.0, **about)
    folder = JobStore().create(record)
    (folder.path / "logs" / "master-0.log").write_bytes(log)
    end = StatusChanged(status=state, time=2.0, reason=reason, exit_code=exit_code)
    folder.start(JobRef(backend="fake", job_id=record.id), JobState().apply(end))
    return Job(folder)


def interrupt_when(condition: Callable[[], object]) -> None:
    """Send this process a real SIGINT as soon as `condition` holds."""

    def send() -> None:
        until(condition)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=send).start()


def is_inside(function: str) -> bool:
    """Whether the main thread is in a function of this name: one that interrupts it earlier ends the test run."""
    frame = sys._current_frames().get(threading.main_thread().ident or 0)
    while frame is not None and frame.f_code.co_name != function:
        frame = frame.f_back
    return frame is not None


def left_behind() -> list[Path]:
    """Every file in the store but the lists of what is there."""
    return [path for path in JobStore().home.rglob("*") if not path.is_dir()]
