"""One command of a job: a process at the head of a session of its own, and the pipe that its output comes through."""

import fcntl
import os
import signal
import time

from .logs import LogWriter

BLOCK = 1024 * 1024  # bytes, of the pipe and of a read
_buffer = bytearray(
    BLOCK
)  # one for all, used up before the next read: allocating each block takes as long as reading it
_F_SETPIPE_SZ = getattr(fcntl, "F_SETPIPE_SZ", None)  # Linux alone lets a pipe grow
_RESET = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGPIPE, signal.SIGXFSZ)
# ru_maxrss counts KiB on Linux and bytes on macOS
_RSS_UNIT = 1 if os.uname().sysname == "Darwin" else 1024


class ReplicaProcess:
    """A command that is to run, runs or has ended. Its process stays a zombie, keeping the number, until `reap`."""

    def __init__(
        self, name: str, argv: list[str], environment: dict[str, str], log: LogWriter, *, decides: bool
    ) -> None:
        self.name = name
        self.decides = decides
        self.log = log
        self.pid = 0
        self.pipe = -1
        self.exit_code: int | None = None  # 128 + n when signal n killed it, as a shell has it
        self.cpu_time = 0.0  # seconds
        self.peak_memory = 0  # bytes
        self._argv = argv
        self._environment = environment

    def start(self, cwd: str) -> None:
        try:
            self._start(cwd)
        except OSError as exc:  # no more processes or files for this user
            self.exit_code = 126
            message = f"cannot start {self._argv[0]}: {exc.strerror}\n".encode()
            self.log.take(message, len(message), time.time())

    def _start(self, cwd: str) -> None:
        self.pipe, write_end = os.pipe()
        os.set_blocking(self.pipe, False)
        if _F_SETPIPE_SZ is not None:
            try:
                fcntl.fcntl(self.pipe, _F_SETPIPE_SZ, BLOCK)
            except OSError:  # the user's share of pipe memory is used up
                pass
        signal.pthread_sigmask(signal.SIG_BLOCK, _RESET)  # a signal for the child waits until it is itself
        try:
            self.pid = os.fork()
            if not self.pid:
                self._become(cwd, write_end)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, ())
            os.close(write_end)

    def pump(self) -> bool:
        """Move what is in the pipe to the log; False: the disk has no room."""
        if not self.log.flush():
            return False
        for _ in range(4):  # then others have their turn
            try:
                size = os.readv(self.pipe, [_buffer]) if self.pipe >= 0 else 0
            except BlockingIOError:
                return True
            if not size:
                self.close()
                return True
            if not self.log.take(_buffer, size, time.time()):
                return False
        return True

    def poll(self) -> None:
        """Note the exit code if the process has ended."""
        if self.exit_code is None and self.pid:
            ended = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if ended is not None:
                killed = ended.si_code != os.CLD_EXITED
                self.exit_code = 128 + ended.si_status if killed else ended.si_status

    def reap(self) -> None:
        """Let go of the ended process, keeping what it has used."""
        self.poll()
        if self.pid and self.exit_code is not None:
            _, _, usage = os.wait4(self.pid, 0)
            self.cpu_time = usage.ru_utime + usage.ru_stime
            self.peak_memory = usage.ru_maxrss * _RSS_UNIT

    def close(self) -> None:
        if self.pipe >= 0:
            os.close(self.pipe)
            self.pipe = -1

    def _become(self, cwd: str, output: int) -> None:
        """Replace the forked child with the command."""
        try:
            os.setsid()
            os.dup2(output, 1)
            os.dup2(output, 2)
            for number in _RESET:  # what the kernel of a notebook ignores, the job must not
                signal.signal(number, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_SETMASK, ())
            os.chdir(cwd)
            os.execvpe(self._argv[0], self._argv, self._environment)
        except OSError as exc:
            os.write(2, f"cannot start {self._argv[0]}: {exc.strerror}\n".encode(errors="surrogateescape"))
        finally:
            os._exit(127)
