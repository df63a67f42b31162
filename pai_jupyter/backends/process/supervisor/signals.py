"""The signals that a supervisor gets, as something to wait for."""

import os
import select
import signal


class Signals:
    """Makes SIGCHLD and SIGTERM waitable."""

    def __init__(self) -> None:
        self.stop_asked = False
        self.child_ended = False
        self.wakeup, write_end = os.pipe()
        for end in (self.wakeup, write_end):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, self._on_child)
        signal.signal(signal.SIGTERM, self._on_term)
        for number in (signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())

    def wait(self, pipes: list[int], seconds: float) -> None:
        """Sleep until a pipe has data, a signal comes, or `seconds` are over."""
        poll = select.poll()
        for pipe in (self.wakeup, *pipes):
            poll.register(pipe, select.POLLIN)
        poll.poll(max(0, seconds) * 1000)
        try:
            os.read(self.wakeup, 4096)
        except BlockingIOError:
            pass

    def _on_term(self, *_: object) -> None:
        self.stop_asked = True

    def _on_child(self, *_: object) -> None:
        self.child_ended = True
