"""Run a starter: queue, wait for the slot, start the containers, which then hold the slot, and exit.

With GPUs it stays until the containers have ended, since their pools know only what processes hold.

run/starter.lock   held while it lives: at most one per job
run/start          its order; removed when done. Removing it earlier cancels the starter
run/began          created before the first start; run/place has the queue position
run/submit.lock    held while it starts; also held to submit, stop or give up the job
"""

import fcntl
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from .engine import NOT_STARTED, EngineAway, running_jobs, start

if TYPE_CHECKING:
    from pai_jupyter.backends.local.slots.line import Line, make_line
    from pai_jupyter.backends.local.slots.pool import SlotsUnknownError, wait_in_line
else:
    from slots.line import Line, make_line
    from slots.pool import SlotsUnknownError, wait_in_line

PAUSE, LONGEST = 0.1, 5.0  # seconds between two tries if the engine does not answer
GPU_LOOK = 1.0  # seconds between two checks that containers with GPUs run


def main() -> None:
    """Start the job of the folder on the command line when a slot is free."""
    run = os.path.join(sys.argv[1], "run")
    if os.fork():
        os._exit(0)
    os.setsid()
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    lock = os.open(os.path.join(run, "starter.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return  # another starter runs
    with open(os.path.join(run, "start"), "rb") as file:
        Starter(run, json.load(file)).run()


class Starter:
    def __init__(self, run: str, order: dict[str, Any]) -> None:  # Any: JSON
        self._run = run
        self._order = order
        self._pool = make_line(order["slot"], order["job"], others=self._running)

    def run(self) -> None:
        has_begun = os.path.exists(self._path("began"))  # `run/began` of a killed starter: start the rest at once
        if not has_begun:
            self._pool.queue()
        os.dup2(0, 1)  # /dev/null; closing the pipe tells the submitter to go on
        if has_begun or wait_in_line(self._pool, self._is_over, self._tell, time.sleep):
            with self._alone() as is_mine:
                if is_mine:
                    self._start_all()
            if isinstance(self._pool, Line):
                self._pool.release_slot()
                self._until_they_end()
            self._pool.release()

    def _until_they_end(self) -> None:
        """Wait for the job's containers, which have GPUs, to end."""
        while os.path.isdir(self._run):
            time.sleep(GPU_LOOK)
            try:
                if self._order["job"] not in self._running():
                    return
            except SlotsUnknownError:  # the engine does not answer now
                time.sleep(LONGEST)

    def _start_all(self) -> None:
        os.close(os.open(self._path("began"), os.O_CREAT | os.O_WRONLY, 0o600))
        for replica, container in self._order["containers"].items():
            self._enter(replica)
            refusal = self._start(container)
            if refusal:
                self._note_refusal(replica, refusal)
                break
        os.unlink(self._path("start"))

    def _start(self, container: str) -> str:
        """Start it once the engine answers; return the engine's reason if it refuses, else ""."""
        pause = PAUSE
        while not self._is_over():
            try:
                status, text = start(self._order["socket"], container)
            except EngineAway:
                time.sleep(pause)
                pause = min(2 * pause, LONGEST)
            else:
                is_gone = status == 404 and "no such container" in text.lower()  # the follower will notice
                return "" if status < 400 or is_gone else text or f"status {status}"
        return ""

    def _note_refusal(self, refused: str, text: str) -> None:
        """Record the exit of this replica and those after it as not started."""
        self._tell_others(refused)
        names = list(self._order["containers"])
        for replica in names[names.index(refused) :]:
            code = NOT_STARTED if replica == refused else None
            record = {"code": code, "ended": time.time(), "error": text if replica == refused else ""}
            final = self._path(f"{replica}.exit.json")
            with open(final + ".tmp", "w") as file:
                json.dump(record, file)
            os.replace(final + ".tmp", final)

    def _tell_others(self, refused: str) -> None:
        """End the replicas that are started already (docker/peers.py)."""
        try:
            file = os.open(self._path("replicas"), os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
        except OSError:  # a job of an older version
            return
        os.write(file, f"{refused} failed\n".encode())
        os.close(file)

    def _enter(self, replica: str) -> None:
        """Record that preparing the replica starts now, unless a phase is already recorded."""
        with open(self._path(f"{replica}.phases"), "a") as file:
            if not file.tell():
                file.write(f"preparing 0 {time.time():.3f}\n")

    def _running(self) -> set[str]:
        try:
            return running_jobs(self._order["socket"], self._order["label"], self._order["job_label"])
        except EngineAway as exc:
            raise SlotsUnknownError from exc

    def _is_over(self) -> bool:
        return not os.path.exists(self._path("start"))

    def _tell(self, place: int, limit: int) -> None:
        try:
            with open(self._path("place.tmp"), "w") as file:
                file.write(f"{place} {limit}")
            os.replace(self._path("place.tmp"), self._path("place"))
        except OSError:  # a full disk, or the job was deleted
            pass

    @contextmanager
    def _alone(self) -> Iterator[bool]:
        """Hold run/submit.lock; yield whether the job is still to be started."""
        try:
            lock = os.open(self._path("submit.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except FileNotFoundError:  # the job was deleted
            yield False
            return
        try:
            _lock(lock, self._is_over)
            yield not self._is_over()
        finally:
            os.close(lock)

    def _path(self, name: str) -> str:
        return os.path.join(self._run, name)


def _lock(file: int, is_over: Callable[[], bool]) -> None:
    while not is_over():
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(0.01)
        else:
            return
