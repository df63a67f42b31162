"""Notice a job's end at once and stop it, from any process, without its submitter.

Rule: a process is signalled only if its identity is certain: first a pidfd is opened, then the start time is compared, so the
PID cannot be reused in between.
"""

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

from pai_jupyter.backends.local import misplaced, unreturned, written_beside
from pai_jupyter.backends.process import changes, report
from pai_jupyter.backends.process.supervisor.ending import UNKILLABLE
from pai_jupyter.backends.process.supervisor.processes import HAS_PROC, birth, living, send
from pai_jupyter.events import Event, Notice, Status, StatusChanged

QUEUE_LOOK = 0.25  # seconds between checks of a queued job
LOOK = 1.0  # seconds between checks of the supervisor's disk note
SUPERVISOR = b"supervisor.main"  # part of its command line, which ends with the job's folder
BLIND_LOOK = 0.05  # seconds between checks of the supervisor without a pidfd


async def live(folder: Path) -> AsyncIterator[Event]:
    """Yield the job's events other than its log, the terminal status last."""
    state = report.read_status(folder)
    reason = None
    while state.status is Status.QUEUED:
        if state.reason != reason:
            yield StatusChanged(status=Status.QUEUED, time=time.time(), reason=state.reason)
        reason = state.reason
        await _end_or_timeout(_number(folder), QUEUE_LOOK)
        state = report.read_status(folder)
    if state.started is not None:
        yield StatusChanged(status=Status.RUNNING, time=state.started)
    is_disk_full = False
    replicas, samples = changes.ReplicaReader(folder), changes.UsageReader(folder)
    while not state.status.is_terminal:
        for change in replicas.read():
            yield change
        await _end_or_timeout(_number(folder), LOOK)
        if is_disk_full != (is_disk_full := report.waits_for_disk(folder)):
            yield _disk_notice(folder, full=is_disk_full)
        for sample in samples.read():
            yield sample
        state = report.read_status(folder)
    for change in replicas.read():
        yield change
    if not report.has_ended(folder):
        for change in replicas.lost(state.ended or time.time()):
            yield change
    for usage in (*samples.read(), *report.usages(folder)):
        yield usage
    for sentence in await asyncio.to_thread(lambda: [*misplaced(folder), *unreturned(folder)]):
        yield Notice(text=sentence, time=time.time(), level="warning")
    for sentence in await asyncio.to_thread(lambda: list(written_beside(folder))):
        yield Notice(text=sentence, time=time.time())
    yield StatusChanged(
        status=state.status, time=state.ended or time.time(), reason=state.reason, exit_code=state.exit_code
    )


def stop(folder: Path, grace: float) -> None:
    """Stop the job through its supervisor; without one, end its processes: TERM, then KILL after `grace` seconds."""
    if not report.is_supervised(folder) and report.has_ended(folder) and find_supervisor(folder.name) is None:
        return
    with suppress(OSError):  # a full disk; the signal may suffice
        (folder / "run" / "stop").touch()
    if not _signal_supervisor(folder):  # missing, or changed by the job
        stop_unrecorded(folder.name, grace)


def stop_unrecorded(job_id: str, grace: float) -> bool:
    """End the processes of a job without a folder, like `stop`; return whether there were any."""
    supervisor = find_supervisor(job_id)
    if supervisor is not None:
        send(signal.SIGTERM, [supervisor])
        return True
    found = bool(living(job_id, set(), {}))
    if found:
        _end_orphans(job_id, grace)
    return found


def find_supervisor(job_id: str) -> int | None:
    """Find the PID of the job's supervisor by its command line; return None if there is none."""
    if not HAS_PROC:
        return None
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            words = path.read_bytes().rstrip(b"\0").split(b"\0")
            is_one = any(SUPERVISOR in word for word in words[:-1]) and Path(os.fsdecode(words[-1])).name == job_id
            if is_one and birth(pid := int(path.parent.name)):
                return pid
    return None


async def _end_or_timeout(pid: int, seconds: float) -> None:
    """Wait until process `pid` has ended, at most `seconds`; 0 = a process that is not visible here."""
    handle = _pidfd(pid)
    if handle is None:
        await asyncio.sleep(min(seconds, BLIND_LOOK if pid else QUEUE_LOOK))
        return
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    loop.add_reader(handle, ended.set)
    try:
        with suppress(TimeoutError):
            await asyncio.wait_for(ended.wait(), seconds)
    finally:
        loop.remove_reader(handle)
        os.close(handle)


def _pidfd(pid: int) -> int | None:
    """Open a pidfd of the process; return None if it has ended or the system has no pidfds."""
    if not pid:
        return None
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None


def _number(folder: Path) -> int:
    """Return the supervisor's PID; 0 if it cannot be seen from here."""
    supervisor = report.read_supervisor(folder)
    return supervisor["pid"] if report.is_here(supervisor) else 0


def _signal_supervisor(folder: Path) -> bool:
    """Send TERM to the supervisor if it is visible here; return whether there is one. run/stop reaches it otherwise."""
    pid = _number(folder)
    handle = _pidfd(pid)
    try:
        is_alive = report.is_supervised(folder)
        if is_alive and pid:
            with suppress(ProcessLookupError):
                _terminate(pid, handle)
        return is_alive
    finally:
        if handle is not None:
            os.close(handle)


def _terminate(pid: int, handle: int | None) -> None:
    if handle is None:
        os.kill(pid, signal.SIGTERM)
    else:
        signal.pidfd_send_signal(handle, signal.SIGTERM)


def _end_orphans(job_id: str, grace: float) -> None:
    """End processes that a killed supervisor left running."""
    known = living(job_id, set(), {})
    send(signal.SIGTERM, known)
    deadline = time.monotonic() + grace
    while (orphans := living(job_id, set(), known)) and time.monotonic() < deadline + UNKILLABLE:
        known |= orphans
        if time.monotonic() > deadline:
            send(signal.SIGKILL, orphans)
        time.sleep(0.02)


def _disk_notice(folder: Path, *, full: bool) -> Notice:
    if full:
        text = f"the disk that holds {folder} is full; the job waits until there is room."
        if trouble := report.disk_trouble(folder):
            text = f"the log in {folder} cannot be written ({trouble}); the job waits until it can."
        return Notice(text=text, time=time.time(), level="warning")
    return Notice(text="there is room on the disk again; the job goes on.", time=time.time())
