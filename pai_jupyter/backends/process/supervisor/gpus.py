"""What the GPUs of this machine do, as `nvidia-smi` tells; a job that asks for GPUs sees all of them.

The tool takes from a tenth of a second to several, in which a supervisor must go on reading its pipes. So it is asked at one
sample, and its answer belongs to the next.
"""

import os
import signal

QUERY = ("nvidia-smi", "--query-gpu=utilization.gpu,memory.used", "--format=csv,noheader,nounits")
MIB = 1024 * 1024


def read_answer(text: str) -> tuple[float | None, int | None]:
    """Load (0..1, the mean of all GPUs) and bytes in use (of all); None for what no GPU tells (`[N/A]`)."""
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
    """Asks again and again, one question at a time, and never waits."""

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
        """End a question that is still open. Nobody waits for it: with a broken driver it may not even be killed."""
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
        except OSError:  # no such tool, or it cannot run: it is not asked again
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
        except BlockingIOError:  # somebody else has the pipe's other end, and nothing to say
            said = b""
        self._forget()
        return said.decode(errors="replace")

    def _forget(self) -> None:
        os.close(self._pipe)
        self.pid = 0
