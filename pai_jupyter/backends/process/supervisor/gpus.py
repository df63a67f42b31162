"""Query load and memory of all GPUs with `nvidia-smi`; a job with GPUs sees all of them.

The tool takes 0.1 s to several seconds, during which the supervisor must read its pipes. So it is started at one sample and its
answer is used at the next.
"""

import os
import signal

QUERY = ("nvidia-smi", "--query-gpu=utilization.gpu,memory.used", "--format=csv,noheader,nounits")
MIB = 1024 * 1024


def read_answer(text: str) -> tuple[float | None, int | None]:
    """Parse the load (0..1, mean of all GPUs) and the bytes in use (sum); None for a value that no GPU reports (`[N/A]`)."""
    loads: list[float] = []
    memory: list[float] = []
    for line in text.splitlines():
        load, _, used = line.partition(",")
        for field, found, most in ((load, loads, 100.0), (used, memory, 1e9)):
            try:
                number = float(field)
            except ValueError:
                continue
            if 0 <= number <= most:
                found.append(number)
    return sum(loads) / len(loads) / 100 if loads else None, int(sum(memory)) * MIB if memory else None


class GpuQuery:
    """Runs one query at a time and never waits for it."""

    def __init__(self) -> None:
        self.pid = 0
        self._pipe = -1
        self._is_there = True

    def exchange(self) -> tuple[float | None, int | None]:
        """Return the parsed answer to the last query and start the next one."""
        answer = self._collect() if self.pid else ""
        if self._is_there and not self.pid:
            self._ask()
        return read_answer(answer)

    def close(self) -> None:
        """Kill a running query without waiting: with a broken driver it may be unkillable."""
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            self._forget()

    def _ask(self) -> None:
        self._pipe, write_end = os.pipe()
        os.set_blocking(self._pipe, False)
        try:
            self.pid = os.posix_spawnp(
                QUERY[0],
                QUERY,
                os.environ,
                file_actions=[
                    (os.POSIX_SPAWN_DUP2, write_end, 1),
                    (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
                ],
            )
        except OSError:  # the tool is missing or cannot run: do not ask again
            self._is_there = False
            os.close(self._pipe)
        finally:
            os.close(write_end)

    def _collect(self) -> str:
        """Return the tool's output if it has ended, else ""."""
        if not os.waitpid(self.pid, os.WNOHANG)[0]:
            return ""
        try:
            said = os.read(self._pipe, 65536)
        except BlockingIOError:  # another process holds the pipe's other end without writing
            said = b""
        self._forget()
        return said.decode(errors="replace")

    def _forget(self) -> None:
        os.close(self._pipe)
        self.pid = 0
