"""The TensorBoard process: started in its own session, identified by its command line, ended by signals.

It runs `launcher`, which requires the board's secret: a file beside the board's log, readable only by its owner. Boards of
older versions have none, and every user of the machine can open them.
"""

import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing, suppress
from importlib.util import find_spec
from pathlib import Path

from pai_jupyter.errors import BackendError, SpecError

STARTS_WITHIN = 60.0  # seconds; a first start compiles TensorBoard's modules
ENDS_WITHIN = 5.0  # seconds
_PAUSE = 0.1
_LAUNCHER = Path(__file__).with_name("launcher.py")
_SECRET_FILE = Path("secret")
_RANDOM_BYTES = 32
_children: dict[int, subprocess.Popen[bytes]] = {}  # children to wait for, or they stay zombies


def start(runs: Path, log: Path, *, places: Path | None = None) -> tuple[int, int]:
    """Start TensorBoard for the directory `runs` and return its process id and port; write its secret beside `log`.

    The socket is bound here and inherited, so no other process can take the port. `places` is the file for `mirror`.

    Raises:
        SpecError: TensorBoard is not installed.
    """
    if find_spec("tensorboard") is None:
        raise SpecError("TensorBoard is not installed here. Type: %pip install tensorboard", field="tensorboard")
    write_private(log.parent / _SECRET_FILE, secrets.token_urlsafe(_RANDOM_BYTES).encode())
    write_private(log, b"")
    with log.open("ab") as out, socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        port: int = bound.getsockname()[1]
        command = [sys.executable, "-P", str(_LAUNCHER), "--logdir", str(runs)]
        command += ["--places", str(places)] if places else []
        process = subprocess.Popen(
            [*command, "--secret-file", str(log.parent / _SECRET_FILE), "--fd", str(bound.fileno())],
            pass_fds=[bound.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            cwd=log.parent,
            start_new_session=True,  # an interrupt of the kernel must not reach it
        )
    _children[process.pid] = process
    # The command line of a new process is visible only after a moment.
    _wait(lambda: process.poll() is not None or str(runs) in _command_line(process.pid), ENDS_WITHIN)
    return process.pid, port


def address_of(port: int, folder: Path) -> str:
    """Return the board's address on this machine, including its secret if `folder` has one."""
    secret = _read_secret(folder)
    return f"http://127.0.0.1:{port}/{secret}/" if secret else f"http://127.0.0.1:{port}/"


def has_secret(folder: Path) -> bool:
    """Return whether the board of `folder` requires its secret; boards of older versions do not."""
    return bool(_read_secret(folder))


def _read_secret(folder: Path) -> str:
    with suppress(OSError, UnicodeError):
        return (folder / _SECRET_FILE).read_text().strip()
    return ""


def wait_until_up(pid: int, port: int, runs: Path, log: Path) -> None:
    """Wait until the board answers.

    Raises:
        BackendError: it has ended or does not answer in time; with its last output.
    """
    deadline = time.monotonic() + STARTS_WITHIN
    while not answers(port):
        if not is_alive(pid, runs):
            raise BackendError(f"TensorBoard ended at once: {_last_line(log)}")
        if time.monotonic() > deadline:
            raise BackendError(f"TensorBoard does not answer after {STARTS_WITHIN:g} s: {_last_line(log)}")
        time.sleep(_PAUSE)


def answers(port: int) -> bool:
    """Return whether an HTTP server answers on this loopback port; a refusal counts, status 5xx does not."""
    from http.client import HTTPConnection, HTTPException  # imported late: %load_ext must stay fast

    try:
        with closing(HTTPConnection("127.0.0.1", port, timeout=2)) as connection:
            connection.request("HEAD", "/")
            return connection.getresponse().status < 500
    except (OSError, HTTPException):
        return False


def is_alive(pid: int, runs: Path) -> bool:
    """Return whether process `pid` is the board over `runs`, not a later process with the same PID."""
    child = _children.get(pid)
    if child is None:
        return str(runs) in _command_line(pid)
    if child.poll() is None:
        return True
    _children.pop(pid, None)  # another thread may have seen the end as well
    return False


def end(pid: int, runs: Path) -> None:
    """End the board: SIGTERM, then SIGKILL."""
    for signal_number, patience in ((signal.SIGTERM, ENDS_WITHIN), (signal.SIGKILL, ENDS_WITHIN)):
        if not is_alive(pid, runs):
            return
        with suppress(ProcessLookupError):
            os.killpg(pid, signal_number)
        _wait(lambda: not is_alive(pid, runs), patience)


def _wait(condition: Callable[[], bool], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(_PAUSE)


def _command_line(pid: int) -> str:
    """Return the command line of a process of this user, joined by spaces; "" if there is none."""
    proc = Path(f"/proc/{pid}/cmdline")
    if proc.parent.parent.joinpath("self").exists():
        with suppress(OSError):
            if proc.parent.stat().st_uid == os.geteuid():  # another user's process can fake its command line
                return os.fsdecode(proc.read_bytes().replace(b"\0", b" "))
        return ""
    listed = subprocess.run(["ps", "-o", "command=", "-p", str(pid)], capture_output=True, check=False)
    return os.fsdecode(listed.stdout)


def write_private(path: Path, content: bytes) -> None:
    """Write a file that is never readable by others."""
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)


def _last_line(log: Path) -> str:
    with suppress(OSError):
        lines = log.read_text(errors="replace").split("\n")
        return next((line for line in reversed(lines) if line.strip()), "it said nothing")
    return "it said nothing"
