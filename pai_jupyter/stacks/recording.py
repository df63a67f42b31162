"""Record what several processes do for some seconds.

One `py-spy` for each process, as they are at the beginning: it would know the children by itself, but then it writes command
lines, which hold secrets. Each runs below a shell that holds our pipe: when this process is gone, however it ended, the shell
ends `py-spy`.
"""

import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from pai_jupyter.errors import BackendError
from pai_jupyter.stacks.py_spy import INSTALL, environment, is_alive, why_not
from pai_jupyter.stacks.thread_states import ThreadClock

SHORTEST, LONGEST = 1, 60  # seconds
RATE = 100  # samples per second
SLACK = 10.0  # seconds that `py-spy` may take longer, to write what it has
MOST_RECORDED = 16 * 1024 * 1024  # bytes of a process
_MOST_SAID = 16 * 1024  # bytes
_THREAD = re.compile(r"thread \((?P<number>\w+)\)[^;]*;")
# `$p` is waited for here, so its number is no other process's while it can be killed.
_GUARD = (
    'exec 3<&0 0</dev/null; "$@" 3<&- & p=$!; { cat <&3 >/dev/null; kill -9 "$p"; } 2>/dev/null & w=$!; exec 3<&-; '
    'wait "$p"; c=$?; kill "$w" 2>/dev/null; exit "$c"'
)


class Recording:
    """A recording of some processes. Ask `is_over`, then `samples`; `close` ends it at any time and removes its files."""

    def __init__(self, pids: Sequence[int], seconds: int, program: str) -> None:
        """Start to record.

        Raises:
            BackendError: `py-spy` cannot be started.
        """
        self.seconds = seconds
        self._began = time.monotonic()
        self._folder = Path(tempfile.mkdtemp(prefix="pai-jupyter-"))
        self._processes: dict[int, subprocess.Popen[bytes]] = {}
        self._clocks = {pid: ThreadClock(pid) for pid in pids}
        try:
            for pid in pids:
                self._processes[pid] = self._start(pid, program)
        except OSError as exc:
            self.close()
            raise BackendError(f"py-spy cannot be started: {exc.strerror}. Type: {INSTALL}") from exc

    @property
    def elapsed(self) -> float:
        """Seconds since the beginning, at most those that were asked for."""
        return min(time.monotonic() - self._began, float(self.seconds))

    @property
    def is_over(self) -> bool:
        """Whether all is recorded; what takes too long is given up."""
        if time.monotonic() > self._began + self.seconds + SLACK:
            self._end()
        return all(process.poll() is not None for process in self._processes.values())

    def samples(self) -> tuple[Mapping[int, str], list[str]]:
        """Return what was recorded of each process, and sentences why there is nothing of others."""
        found, troubles = dict[int, str](), list[str]()
        for pid, process in self._processes.items():
            recorded = self._read(f"{pid}.raw", MOST_RECORDED)
            if recorded is not None:
                found[pid] = self._active(pid, recorded)
            elif process.returncode and is_alive(pid):
                troubles.append(why_not(pid, self._read(f"{pid}.err", _MOST_SAID) or ""))
        return found, list(dict.fromkeys(troubles))

    def close(self) -> None:
        self._end()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _start(self, pid: int, program: str) -> "subprocess.Popen[bytes]":
        words = ["record", "--nonblocking", "--format", "raw", "--full-filenames", "--rate", str(RATE)]
        words += ["--threads"] if self._clocks[pid].has_namespace else []
        target = ["--duration", str(self.seconds), "--pid", str(pid), "--output", str(self._folder / f"{pid}.raw")]
        with (self._folder / f"{pid}.err").open("wb") as said:
            return subprocess.Popen(
                ["sh", "-c", _GUARD, "sh", program, *words, *target],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=said,
                env=environment(),
            )

    def _active(self, pid: int, recorded: str) -> str:
        """Leave out threads that only waited, where `py-spy` cannot tell them, and the names of all."""
        if not self._clocks[pid].has_namespace:
            return recorded
        idle = {str(own) for own in self._clocks[pid].idle(self.seconds)}
        lines = ((_THREAD.match(line), line) for line in recorded.splitlines())
        return "\n".join(line[found.end() :] for found, line in lines if found and found["number"] not in idle)

    def _end(self) -> None:
        for process in self._processes.values():
            if process.stdin is not None:
                with suppress(OSError):
                    process.stdin.close()
        for process in self._processes.values():
            with suppress(subprocess.TimeoutExpired):
                process.wait(SLACK)

    def _read(self, name: str, limit: int) -> str | None:
        """Return the whole lines of a file; None if it is missing."""
        try:
            with (self._folder / name).open("rb") as file:
                data = file.read(limit)
        except OSError:
            return None
        whole = data if len(data) < limit else data[: data.rfind(b"\n") + 1]
        return whole.decode(errors="replace")
