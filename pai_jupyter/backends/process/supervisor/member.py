"""One command of a job: a process that leads its own session, and the pipe of its output.

A wrapper around the command speaks on descriptor 2, the command on 1 and 3 (see `isolation.enclose`). So it is known whether
the wrapper failed before the command began.
"""

import fcntl
import os
import signal
import time

from .logs import LogWriter

TYPE_CHECKING = False  # `typing` itself would cost milliseconds
if TYPE_CHECKING:
    from .files import ReplicaHistory

BLOCK = 1024 * 1024  # bytes of the pipe and per read
_buffer = bytearray(BLOCK)  # shared and consumed before the next read: allocating a block takes as long as reading it
_F_SETPIPE_SZ = getattr(fcntl, "F_SETPIPE_SZ", None)  # only Linux can enlarge a pipe
_RESET = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGPIPE, signal.SIGXFSZ)
# ru_maxrss counts KiB on Linux and bytes on macOS
_RSS_UNIT = 1 if os.uname().sysname == "Darwin" else 1024
_BLOCK = 512  # bytes; the unit of ru_inblock and ru_oublock on Linux; other systems count something else
COUNTS_DISK = os.uname().sysname == "Linux"
_MOUNTS_CHANGED = b"bwrap: Can't bind mount"
TRIES = 8  # one try failed 7 times in 100 while two programs mounted and unmounted without pause


def mounts_changed(words: bytes) -> bool:
    """Return whether a wrapper stopped since a mount of the machine went while it set up its own, e.g. that of a container."""
    return words.startswith(_MOUNTS_CHANGED)


class ReplicaProcess:
    """A command before, during or after its run. Its process stays a zombie, which keeps the PID, until `reap`."""

    def __init__(
        self,
        name: str,
        argv: list[str],
        environment: dict[str, str],
        log: LogWriter,
        *,
        decides: bool,
        lasts: float | None = 0.0,
        restarts: int = 0,
        history: "ReplicaHistory | None" = None,
        wrapped: bool = False,
    ) -> None:
        """Store the command; `decides`, `lasts` and `restarts` as in `ReplicaOrder`.

        `wrapped`: a wrapper around it speaks on descriptor 2, the command on 3.
        """
        self.name = name
        self.decides = decides
        self.lasts = lasts
        self.log = log
        self.attempt = 0
        self.is_dismissed = False  # it is being ended
        self.pid = 0
        self.pipe = -1
        self.exit_code: int | None = None  # 128 + n if signal n killed it, as in a shell
        self.cpu_time = 0.0  # seconds
        self.peak_memory = 0  # bytes
        self.read = self.written = 0  # bytes from and to disk
        self._argv = argv
        self._environment = environment
        self._restarts = restarts
        self._history = history
        self._is_spare = False  # it is being ended since the job has succeeded
        self._wrapped = wrapped
        self._wrapper_words = -1  # the read end of the wrapper's own pipe
        self._tries = 0
        self._cwd = ""

    @property
    def may_restart(self) -> bool:
        """Whether it has failed and has attempts left."""
        return bool(self.exit_code) and not self.is_dismissed and self.attempt < self._restarts

    def dismiss(self, *, has_succeeded: bool) -> None:
        """Note that it is being ended; `has_succeeded`: since the job has."""
        self.is_dismissed, self._is_spare = True, has_succeeded

    def restart(self, cwd: str) -> None:
        """Start the failed command again; its log tells it in a line."""
        words = _in_words(self.exit_code or 0)
        self.reap()
        self.close()
        self.attempt += 1
        line = f"pai_jupyter: {self.name} failed ({words}); started again, {self.attempt} of {self._restarts} times\n"
        message = (b"" if self.log.is_at_start else b"\n") + line.encode()
        self.log.take(message, len(message), time.time())
        self.pid, self.exit_code = 0, None
        self.start(cwd)

    def start(self, cwd: str) -> None:
        self._note("running")
        self._cwd, self._tries = cwd, 0
        self._try()

    def _try(self) -> None:
        self._tries += 1
        try:
            self._start()
        except OSError as exc:  # the user's limit of processes or files is reached
            self.exit_code = 126
            message = f"cannot start {self._argv[0]}: {exc.strerror}\n".encode()
            self.log.take(message, len(message), time.time())
            self._note_end()

    def _start(self) -> None:
        self.pipe, write_end = os.pipe()
        os.set_blocking(self.pipe, False)
        wrapper_end = self._open_wrapper_words() if self._wrapped else -1
        if _F_SETPIPE_SZ is not None:
            try:
                fcntl.fcntl(self.pipe, _F_SETPIPE_SZ, BLOCK)
            except OSError:  # the user's limit of pipe memory is reached
                pass
        signal.pthread_sigmask(signal.SIG_BLOCK, _RESET)  # signals to the child wait until it has exec'ed
        try:
            self.pid = os.fork()
            if not self.pid:
                self._become(write_end, wrapper_end)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, ())
            os.close(write_end)
            if self._wrapped:
                os.close(wrapper_end)

    def _open_wrapper_words(self) -> int:
        self._wrapper_words, write_end = os.pipe()
        os.set_blocking(self._wrapper_words, False)
        return write_end

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
                if not self._is_set_up_again():
                    self._note_end()

    def _is_set_up_again(self) -> bool:
        """Start a command again that its wrapper could not begin, else log what the wrapper said; return whether it did."""
        words = self._hear_wrapper()
        if self.exit_code == 1 and mounts_changed(words) and self._tries < TRIES and not self.is_dismissed:
            os.waitpid(self.pid, 0)
            self.close()
            self.pid, self.exit_code = 0, None
            self._try()
            return True
        if words:
            self.log.take(words, len(words), time.time())
        return False

    def _hear_wrapper(self) -> bytes:
        if self._wrapper_words < 0:
            return b""
        try:
            return os.read(self._wrapper_words, BLOCK)
        except BlockingIOError:  # something that the wrapper started holds the pipe
            return b""
        finally:
            os.close(self._wrapper_words)
            self._wrapper_words = -1

    def reap(self) -> None:
        """Reap the ended process and add its resource usage to that of earlier attempts."""
        self.poll()
        if self.pid and self.exit_code is not None:
            _, _, usage = os.wait4(self.pid, 0)
            self.cpu_time += usage.ru_utime + usage.ru_stime
            self.peak_memory = max(self.peak_memory, usage.ru_maxrss * _RSS_UNIT)
            self.read += usage.ru_inblock * _BLOCK
            self.written += usage.ru_oublock * _BLOCK

    def close(self) -> None:
        if self.pipe >= 0:
            os.close(self.pipe)
            self.pipe = -1

    def _note_end(self) -> None:
        is_ended = self.is_dismissed and bool(self.exit_code or not self._is_spare)
        self._note("stopped" if is_ended else "failed" if self.exit_code else "succeeded")

    def _note(self, status: str) -> None:
        if self._history is not None:
            self._history.note(self.name, status, self.attempt, self.exit_code)

    def _become(self, output: int, wrapper_output: int) -> None:
        """Replace the forked child with the command."""
        try:
            os.setsid()
            os.dup2(wrapper_output if self._wrapped else output, 2)
            os.dup2(output, 1)
            if self._wrapped:
                os.dup2(1, 3)
            for number in _RESET:  # reset signals that the notebook's kernel ignores
                signal.signal(number, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_SETMASK, ())
            os.chdir(self._cwd)
            os.execvpe(self._argv[0], self._argv, self._environment)
        except OSError as exc:
            os.write(2, f"cannot start {self._argv[0]}: {exc.strerror}\n".encode(errors="surrogateescape"))
        finally:
            os._exit(127)


def _in_words(exit_code: int) -> str:
    try:
        return signal.Signals(exit_code - 128).name
    except ValueError:
        return f"exit code {exit_code}"
