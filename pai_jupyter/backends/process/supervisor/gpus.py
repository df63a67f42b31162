"""Load and memory of a job's GPUs: those that it has for itself, else all of this machine.

Another process asks the driver, since that can take seconds, or for ever where a driver is broken, and the supervisor must read
its pipes meanwhile: what it was asked at one sample is used at the next. With the package `nvidia-ml-py` one process for the whole
job asks NVML (`nvml_reader`); without it each sample starts `nvidia-smi`.
"""

import os
import signal
import sys

TYPE_CHECKING = False  # `typing` itself would cost milliseconds
if TYPE_CHECKING:
    from .job import GpuOrder

QUERY = ("nvidia-smi", "--query-gpu=utilization.gpu,memory.used,memory.total", "--format=csv,noheader,nounits")
MIB = 1024 * 1024
Answer = tuple[float | None, int | None, int | None]  # load (0..1), bytes in use, bytes that there are
_READER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "nvml_reader.py")


def open_gpus(order: "GpuOrder") -> "NvmlReader | GpuQuery":
    """Return what asks for the GPUs of a job: NVML if that can be used, else `nvidia-smi`."""
    return NvmlReader(order) if order["nvml"] else GpuQuery(order["devices"])


def read_answer(text: str) -> Answer:
    """Parse the load (mean of all GPUs), and the sums of bytes; None for a value that no GPU reports (`[N/A]`).

    A line is a GPU: load in percent, then used and, in newer versions, all memory in MiB.
    """
    loads: list[float] = []
    used: list[float] = []
    whole: list[float] = []
    for line in text.splitlines():
        for field, found, most in zip(line.split(","), (loads, used, whole), (100.0, 1e9, 1e9)):  # noqa: B905  quicker
            try:
                number = float(field)
            except ValueError:
                continue
            if 0 <= number <= most:
                found.append(number)
    return (
        sum(loads) / len(loads) / 100 if loads else None,
        int(sum(used)) * MIB if used else None,
        int(sum(whole)) * MIB if whole else None,
    )


def query(devices: "list[str]") -> "tuple[str, ...]":
    """Return the command line that asks for these GPUs; [] = all."""
    return (*QUERY, "--id=" + ",".join(devices)) if devices else QUERY


class GpuQuery:
    """Runs one `nvidia-smi` at a time and never waits for it."""

    def __init__(self, devices: "list[str]") -> None:
        self.pid = 0
        self._query = query(devices)
        self._pipe = -1
        self._is_there = True

    def exchange(self) -> Answer:
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
            self.pid = _spawn(self._query, 0, write_end)
        except OSError:  # the tool is missing or cannot run: do not ask again
            self._is_there = False
            os.close(self._pipe)
        finally:
            os.close(write_end)

    def _collect(self) -> str:
        """Return the tool's output if it has ended, else ""."""
        if not os.waitpid(self.pid, os.WNOHANG)[0]:
            return ""
        said = _read(self._pipe)
        self._forget()
        return said.decode(errors="replace")

    def _forget(self) -> None:
        os.close(self._pipe)
        self.pid = 0


class NvmlReader:
    """Talks to one `nvml_reader` for the life of the job; where that cannot use NVML, `nvidia-smi` takes its place."""

    def __init__(self, order: "GpuOrder") -> None:
        self._devices = order["devices"]
        self._smi: GpuQuery | None = None
        self._is_asked = False
        self._answers, write_end = os.pipe()
        read_end, self._questions = os.pipe()
        os.set_blocking(self._answers, False)
        os.set_blocking(self._questions, False)
        words = (sys.executable, "-I", "-S", _READER, order["nvml"], *self._devices)
        try:
            self._own = _spawn(words, read_end, write_end)
        except OSError:
            self._own = 0
        os.close(read_end)
        os.close(write_end)
        self._ask()

    @property
    def pid(self) -> int:
        return self._smi.pid if self._smi is not None else self._own

    def exchange(self) -> Answer:
        """Return the parsed answer to the last question and ask the next one."""
        if self._smi is None and not self._is_alive():
            self._smi = GpuQuery(self._devices)
        if self._smi is not None:
            return self._smi.exchange()
        said = _read(self._answers).decode(errors="replace")
        if not said.endswith("\n\n"):  # still at it, which may be for ever
            return None, None, None
        self._is_asked = False
        self._ask()
        return read_answer(said)

    def close(self) -> None:
        if self._smi is not None:
            self._smi.close()
        elif self._own:
            os.kill(self._own, signal.SIGKILL)  # not waited for: it may be unkillable
        os.close(self._questions)
        os.close(self._answers)

    def _ask(self) -> None:
        if not self._is_asked:
            try:
                os.write(self._questions, b"\n")
                self._is_asked = True
            except OSError:  # it has ended
                pass

    def _is_alive(self) -> bool:
        if self._own:
            try:
                if os.waitpid(self._own, os.WNOHANG)[0]:
                    self._own = 0
            except ChildProcessError:
                self._own = 0
        return bool(self._own)


def _spawn(words: "tuple[str, ...]", source: int, target: int) -> int:
    """Start a program that reads `source` (0 = nothing) and writes to `target`."""
    actions: list[tuple[int, ...] | tuple[int, int, str, int, int]] = [
        (os.POSIX_SPAWN_DUP2, source, 0) if source else (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_DUP2, target, 1),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    return os.posix_spawnp(words[0], words, os.environ, file_actions=actions)


def _read(pipe: int) -> bytes:
    try:
        return os.read(pipe, 65536)
    except BlockingIOError:  # another process holds the pipe's other end without writing
        return b""
