"""follow.lock: one follower at a time, and free at the moment its holder dies, whatever it has forked."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pai_jupyter.errors import NotFoundError
from pai_jupyter.store import FollowLock
from pai_jupyter.store.lock import try_lock

HOLDER = """
import os, subprocess, sys, multiprocessing, time
from pathlib import Path
from pai_jupyter.store.lock import try_lock

def sleep(): time.sleep(600)

lock = try_lock(Path(sys.argv[1]))
if sys.argv[2] == "fork":
    child = os.fork()
    if child == 0:
        sleep()
elif sys.argv[2] == "multiprocessing":
    process = multiprocessing.get_context("fork").Process(target=sleep)
    process.start()
    child = process.pid
elif sys.argv[2] == "program":
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], close_fds=False).pid
else:
    child = 0
print(lock is not None, child, flush=True)
sleep()
"""


@contextmanager
def holder(path: Path, child: str = "none") -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A process that holds the lock, and the id of a child of its own that outlives it."""
    with subprocess.Popen([sys.executable, "-c", HOLDER, path, child], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        held, child_id = process.stdout.readline().split()
        try:
            assert held == "True"
            yield process, int(child_id)
        finally:
            process.kill()
            if int(child_id):
                os.kill(int(child_id), signal.SIGKILL)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "follow.lock"


def test_a_free_lock_is_taken_and_given_back(path: Path) -> None:
    for _ in range(2):
        lock = try_lock(path)
        assert lock is not None
        with lock:
            assert try_lock(path) is None


def test_another_process_is_refused(path: Path) -> None:
    with holder(path):
        assert try_lock(path) is None


def test_another_thread_is_refused_and_may_take_over(path: Path) -> None:
    found: list[FollowLock | None] = []

    def attempt() -> None:
        found.append(try_lock(path))

    def on_a_thread() -> FollowLock | None:
        thread = threading.Thread(target=attempt)
        thread.start()
        thread.join()
        return found[-1]

    mine = try_lock(path)
    assert mine is not None
    assert on_a_thread() is None
    with mine:
        pass
    theirs = on_a_thread()
    assert theirs is not None
    with theirs:  # let go of on another thread than it was taken on
        pass
    assert on_a_thread() is not None


@pytest.mark.parametrize("child", ["none", "fork", "multiprocessing", "program"])
def test_the_lock_of_a_killed_holder_is_free_at_once_though_its_child_lives(path: Path, child: str) -> None:
    with holder(path, child) as (process, child_id):
        process.send_signal(signal.SIGKILL)
        process.wait()
        deadline = time.monotonic() + 5
        while (lock := try_lock(path)) is None:
            assert time.monotonic() < deadline, "the lock outlived its holder"
        if child_id:
            os.kill(child_id, 0)  # the child does live
        with lock:
            pass


def test_a_fork_leaves_the_lock_with_its_holder(path: Path) -> None:
    with holder(path, "fork") as (_, child_id):
        os.kill(child_id, signal.SIGKILL)
        assert try_lock(path) is None


def test_the_lock_file_is_private(path: Path) -> None:
    before = os.umask(0)
    try:
        try_lock(path)
        assert path.stat().st_mode & 0o777 == 0o600
    finally:
        os.umask(before)


def test_no_folder_no_lock(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="is gone"):
        try_lock(tmp_path / "nowhere" / "follow.lock")
    assert list(tmp_path.iterdir()) == []
