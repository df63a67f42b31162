"""One command of a job: a process that leads its own session, and the pipe of its output."""

import fcntl
import os
import signal
import time

from .logs import LogWriter

BLOCK = 1024 * 1024  # bytes of the pipe and per read
_buffer = bytearray(BLOCK)  # shared and consumed before the next read: allocating a block takes as long as reading it
_F_SETPIPE_SZ = getattr(fcntl, "F_SETPIPE_SZ", None)  # only Linux can enlarge a pipe
_RESET = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGPIPE, signal.SIGXFSZ)
# ru_maxrss counts KiB on Linux and bytes on macOS
_RSS_UNIT = 1 if os.uname().sysname == "Darwin" else 1024


class ReplicaProcess:
    """A command before, during or after its run. Its process stays a zombie, which keeps the PID, until `reap`."""

    def __init__(
        self, name: str, argv: list[str], environment: dict[str, str], log: LogWriter, *, decides: bool
    ) -> None:
        self.name = name
        self.decides = decides
        self.log = log
        self.pid = 0
        self.pipe = -1
        self.exit_code: int | None = None  # 128 + n if signal n killed it, as in a shell
        self.cpu_time = 0.0  # seconds
        self.peak_memory = 0  # bytes
        self._argv = argv
        self._environment = environment

    def start(self, cwd: str) -> None:
        try:
            self._start(cwd)
        except OSError as exc:  # the user's limit of processes or files is reached
            self.exit_code = 126
            message = f"cannot start {self._argv[0]}: {exc.strerror}\n".encode()
            self.log.take(message, len(message), time.time())

    def _start(self, cwd: str) -> None:
        self.pipe, write_end = os.pipe()
        os.set_blocking(self.pipe, False)
        if _F_SETPIPE_SZ is not None:
            try:
                fcntl.fcntl(self.pipe, _F_SETPIPE_SZ, BLOCK)
            except OSError:  # the user's limit of pipe memory is reached
                pass
        signal.pthread_sigmask(signal.SIG_BLOCK, _RESET)  # signals to the child wait until it has exec'ed
        try:
            self.pid = os.fork()
            if not self.pid:
                self._become(cwd, write_end)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, ())
            os.close(write_end)

    def pump(self) -> bool:
        """Move data from the pipe to the log; return False if the disk is full."""
        if not self.log.flush():
            return False
        for _ in range(4):  # then other replicas are read
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
        """Record the exit code if the process has ended."""
        if self.exit_code is None and self.pid:
            ended = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if ended is not None:
                killed = ended.si_code != os.CLD_EXITED
                self.exit_code = 128 + ended.si_status if killed else ended.si_status

    def reap(self) -> None:
        """Reap the ended process and record its resource usage."""
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
            for number in _RESET:  # reset signals that the notebook's kernel ignores
                signal.signal(number, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_SETMASK, ())
            os.chdir(cwd)
            os.execvpe(self._argv[0], self._argv, self._environment)
        except OSError as exc:
            os.write(2, f"cannot start {self._argv[0]}: {exc.strerror}\n".encode(errors="surrogateescape"))
        finally:
            os._exit(127)
