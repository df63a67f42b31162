"""This user's emulator: a process that outlives the kernel, that every kernel finds, and that `--stop` ends.

It keeps its data, address and key in the store's `emulator` folder, protected by the folder's permissions. A new emulator
takes the last port if it is free, so that recorded jobs are found at the same address.

It is started as a program; its code is never imported into a kernel.
"""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from filelock import FileLock, Timeout

from pai_jupyter.cloud.session.keys import emulator_home
from pai_jupyter.config import inherited_environment
from pai_jupyter.errors import BackendError, PaiJupyterError
from pai_jupyter.store import home_errors
from pai_jupyter.store.disk import make_folder, read_json, translated

STARTS_WITHIN = 60.0  # seconds
ENDS_WITHIN = 10.0  # seconds, for each signal
_PAUSE = 0.1  # seconds
_LISTENING = re.compile(r"^listening on (http://127\.0\.0\.1:\d+)$", re.MULTILINE)
_children: list[subprocess.Popen[bytes]] = []  # this process must poll its children, or they stay zombies


class _Record(NamedTuple):
    address: str | None
    pid: int


def start(runner: str) -> str:
    """Return the address of the running emulator, or start one that runs its jobs with `runner`.

    Raises:
        BackendError: it does not start; the message has its last output line.
    """
    folder = emulator_home()
    with home_errors():
        make_folder(folder)
    with FileLock(folder.with_suffix(".lock")):  # two kernels at once start only one
        return find() or _launch(folder, runner)


def find() -> str | None:
    """Return the address of this user's emulator; None if it does not run."""
    found = _record() if _is_held(emulator_home()) else None
    return found.address if found is not None else None


def stop() -> bool:
    """End the emulator, by SIGTERM, then SIGKILL; return whether one was running. Its data stays."""
    found = _record() if _is_held(emulator_home()) else None
    if found is None:
        return False
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.kill(found.pid, number)
        if _wait(lambda: not _is_held(emulator_home()), ENDS_WITHIN):
            break
    _wait(lambda: found.pid not in _reap(), ENDS_WITHIN)  # its lock is free a moment before it has ended
    return True


def _launch(folder: Path, runner: str) -> str:
    log = folder / "emulator.log"
    port = _free_port(_listens_at(log))
    command = [
        sys.executable,
        "-m",
        "pai_jupyter.emulator",
        "--port",
        str(port),
        "--data",
        str(folder),
        "--backend",
        runner,
    ]
    with translated(log), os.fdopen(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as out:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            cwd=folder,
            env=inherited_environment(os.environ),  # without cloud keys
            start_new_session=True,  # an interrupt of the kernel must not reach it
        )
    _reap()
    _children.append(process)
    return _address_when_up(process, log)


def _address_when_up(process: subprocess.Popen[bytes], log: Path) -> str:
    _wait(lambda: process.poll() is not None or _record() == _Record(_listens_at(log), process.pid), STARTS_WITHIN)
    if process.poll() is not None:
        raise BackendError(f"the emulator ended at once: {_last_line(log)}")
    address = _listens_at(log)
    if address is None:
        process.kill()
        raise BackendError(f"the emulator does not answer after {STARTS_WITHIN:g} s: {_last_line(log)}")
    return address


def _record() -> _Record | None:
    """Read the recorded address and PID of the emulator, which may have ended; None if there is no valid record."""
    try:
        told = read_json(emulator_home() / "address.json")
        return _Record(str(told["address"]), int(told["pid"]))
    except (PaiJupyterError, KeyError, TypeError, ValueError):  # no record, or not ours
        return None


def _is_held(folder: Path) -> bool:
    """Return whether an emulator is running: it holds the lock of this folder until it ends."""
    if not folder.is_dir():
        return False
    try:
        with FileLock(folder / "lock", blocking=False):
            return False
    except Timeout:
        return True


def _free_port(address: str | None) -> int:
    """Return the port of `address` if it is free, else 0 (any port)."""
    with suppress(OSError, ValueError), closing(socket.socket()) as probe:
        port = urlsplit(address or "").port or 0
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(("127.0.0.1", port))
        return port
    return 0


def _reap() -> set[int]:
    """Forget children that have ended; return the PIDs of the others."""
    _children[:] = [child for child in _children if child.poll() is None]
    return {child.pid for child in _children}


def _wait(condition: Callable[[], bool], seconds: float) -> bool:
    """Wait for the condition for at most `seconds`; return whether it became true."""
    deadline = time.monotonic() + seconds
    while not (is_true := condition()) and time.monotonic() < deadline:
        time.sleep(_PAUSE)
    return is_true


def _listens_at(log: Path) -> str | None:
    found = _LISTENING.search(_said(log))
    return found[1] if found else None


def _said(log: Path) -> str:
    with suppress(OSError):
        return log.read_text(errors="replace")
    return ""


def _last_line(log: Path) -> str:
    return next(
        (line for line in reversed(_said(log).split("\n")) if line.strip()),
        f"it printed nothing. Is there free space in '{log.parent}'?",
    )
