"""Run `py-spy` over one process, and say why it cannot look at it.

Rule: what `py-spy` writes on failing is read, not shown: the sentence says what to type.
"""

import json
import os
import shutil
import subprocess
import sysconfig
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import IO

from pai_jupyter.errors import BackendError, SpecError

INSTALL = "%pip install 'pai_jupyter[stack]'"
DUMP_SECONDS = 15.0  # a dump takes some milliseconds, and more where the machine is busy
MOST_DUMPED = 16 * 1024 * 1024  # bytes
_MOST_SAID = 16 * 1024  # bytes
_TRIES = 2  # a process that just starts has no interpreter yet
_SYS_PTRACE = 19  # number of the capability
_YAMA = Path("/proc/sys/kernel/yama/ptrace_scope")
_REFUSED = ("ermission denied", "not permitted", "elevated permissions")


def is_here() -> bool:
    """Return whether processes can be looked at on this system."""
    return Path("/proc/self/stat").exists()


def find_py_spy() -> str | None:
    """Return the path of `py-spy`, that of this Python's environment first; None if it is not installed."""
    beside = shutil.which("py-spy", path=sysconfig.get_path("scripts"))
    return beside or shutil.which("py-spy")


def check_py_spy() -> str:
    """Return the path of `py-spy`.

    Raises:
        SpecError: it is not installed, or this system has no /proc.
    """
    if not is_here():
        raise SpecError("the stacks of a job are read on Linux only: this system has no /proc.")
    found = find_py_spy()
    if found is None:
        raise SpecError(f"py-spy is missing, which reads the stacks of a running job. Type: {INSTALL}")
    return found


def dump(pid: int, program: str) -> object:
    """Return the parsed dump of a process; None if it has ended.

    Raises:
        BackendError: `py-spy` may not look at it, or does not know its Python.
    """
    for left in reversed(range(_TRIES)):
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            code = _run([program, "dump", "--json", "--full-filenames", "--pid", str(pid)], out, err)
            if code == 0:
                return _parsed(out, pid)
            said = _read(err, _MOST_SAID).decode(errors="replace")
        if not is_alive(pid):
            return None
        if left == 0 or is_refused(said):
            raise BackendError(why_not(pid, said))
    return None


def _run(argv: list[str], out: IO[bytes], err: IO[bytes]) -> int:
    try:
        done = subprocess.run(
            argv, stdin=subprocess.DEVNULL, stdout=out, stderr=err, timeout=DUMP_SECONDS, check=False, env=environment()
        )
    except subprocess.TimeoutExpired as exc:
        raise BackendError(f"py-spy has not answered within {DUMP_SECONDS:g} seconds. Try again.") from exc
    except OSError as exc:
        raise BackendError(f"py-spy cannot be started: {exc.strerror}. Type: {INSTALL}") from exc
    return done.returncode


def environment() -> dict[str, str]:
    """Return the environment of `py-spy`: without settings of its own log, which would get between its words."""
    return {name: value for name, value in os.environ.items() if not name.startswith("RUST_")}


def _parsed(out: IO[bytes], pid: int) -> object:
    try:
        return json.loads(_read(out, MOST_DUMPED))
    except (ValueError, RecursionError) as exc:
        raise BackendError(f"what py-spy says of process {pid} cannot be read, or is more than 16 MB.") from exc


def _read(file: IO[bytes], limit: int) -> bytes:
    file.seek(0)
    return file.read(limit)


def is_alive(pid: int) -> bool:
    """Return whether a process runs; a zombie does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return False
    return stat.rpartition(b")")[2].split()[:1] not in ([b"Z"], [b"X"])


def is_refused(said: str) -> bool:
    return any(words in said for words in _REFUSED)


def why_not(pid: int, said: str) -> str:
    """Say why `py-spy`, which wrote `said`, could not look at a living process, and what to do."""
    if is_refused(said):
        return _how_to_allow(pid)
    if "timed out" in said.lower():
        return f"py-spy could not read process {pid} in time. Try again."
    return (
        f"py-spy does not know the Python of process {pid}: it reads CPython 3.3 and newer, but not PyPy, and a new Python only in "
        "a newer version. Type: %pip install --upgrade py-spy"
    )


def _how_to_allow(pid: int) -> str:
    with suppress(OSError):
        if os.geteuid() not in (0, os.stat(f"/proc/{pid}").st_uid):  # noqa: PTH116  of /proc
            return (
                f"process {pid} is another user's, so its stacks may not be read. Run Jupyter as that user or as root, or type in "
                f"a terminal: sudo py-spy dump --pid {pid}"
            )
    scope = _ptrace_scope()
    if scope >= 3:
        return "this system forbids to look at other processes until it is restarted (kernel.yama.ptrace_scope is 3)."
    if scope >= 1 and os.geteuid() != 0:
        return (
            f"this system lets nobody look at other processes (kernel.yama.ptrace_scope is {scope}). Allow it, until the next "
            "restart, in a terminal: sudo sysctl kernel.yama.ptrace_scope=0"
        )
    if not _has_ptrace():
        return (
            "this container may not look at other processes. Start it with: docker run --cap-add SYS_PTRACE "
            "(in Kubernetes: securityContext.capabilities.add SYS_PTRACE)"
        )
    return f"this system refuses to read process {pid}. Run Jupyter as root, or type in a terminal: sudo py-spy dump --pid {pid}"


def _ptrace_scope() -> int:
    try:
        return int(_YAMA.read_text())
    except (OSError, ValueError):
        return 0


def _has_ptrace() -> bool:
    """Return whether this process may trace, as far as its capabilities say: those that it could have count."""
    with suppress(OSError, ValueError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("CapBnd:"):
                return bool(int(line.split()[1], 16) >> _SYS_PTRACE & 1)
    return True
