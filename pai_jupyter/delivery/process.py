"""The delivery process: `python -c ... HOME`. One per home; it ends when nothing is left that it can deliver, and no job runs.

It forks before it imports anything large: whoever started it neither waits for it nor gets its end. It imports what follows jobs,
or sends, when it is needed: most of the time it only looks at a few files. Each recipient has a thread, so that none waits for another.
"""

import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pai_jupyter.delivery.recipient import Recipient
    from pai_jupyter.store import JobFolder

_TRIES, _PAUSE = 20, 0.1  # a process that only asks whether there is one holds the lock for a moment
_LEAST = 0.05  # seconds between two steps
_IDLE = 2.0  # seconds between two looks of a recipient that has nothing to do
_BREATH = 1.0  # seconds before it begins again


def main() -> None:
    """Deliver what is due in the home that is named on the command line."""
    home = Path(sys.argv[1])
    if os.fork():
        os._exit(0)
    os.setsid()
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    code = 1
    try:
        _use_settings()
        while _deliver(home):
            time.sleep(_BREATH)
        code = 0
    except BaseException as exc:  # noqa: BLE001  the end of the process: deliver.err says what it was
        import traceback

        traceback.print_exception(exc)
    sys.stderr.flush()
    os._exit(code)  # threads that follow jobs must not keep it


def _deliver(home: Path) -> bool:
    """Deliver as the only process; return whether something has become due since it let go of the lock."""
    from pai_jupyter.delivery.outbox import DIRECTORY
    from pai_jupyter.delivery.starting import LOCK, is_needed
    from pai_jupyter.store.lock import try_lock

    for _ in range(_TRIES):
        lock = try_lock(home / DIRECTORY / LOCK)
        if lock is not None:
            break
        time.sleep(_PAUSE)
    else:
        return False
    with lock:
        _until_done(home, recipients())
    return is_needed(home)


def recipients() -> "list[Recipient]":
    from pai_jupyter.delivery.tracking.recipient import TrackingRecipient
    from pai_jupyter.delivery.webhook import WebhookRecipient

    return [WebhookRecipient(), TrackingRecipient()]


def _until_done(home: Path, recipients: "list[Recipient]") -> None:
    from pai_jupyter.delivery.deliverer import Deliverer

    watch = _Watch(len(recipients))

    def run(number: int, recipient: "Recipient") -> None:
        deliverer = Deliverer(home, recipient, follow=_follow)
        try:
            while watch.may_go_on(number, pause := deliverer.step()):
                watch.wait(_IDLE if pause is None else max(_LEAST, pause))
        except BaseException as exc:  # noqa: BLE001  the end of a thread: the process ends with it
            watch.fail(exc)
        finally:
            deliverer.close()

    threads = [
        threading.Thread(target=run, args=(number, recipient), name=f"pai-jupyter-{recipient.name}")
        for number, recipient in enumerate(recipients)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if watch.error is not None:
        raise watch.error


class _Watch:
    """Lets the threads of recipients end together: one that has nothing to do looks for new jobs as long as another has some."""

    def __init__(self, threads: int) -> None:
        self.error: BaseException | None = None
        self._lock = threading.Lock()
        self._is_busy = [True] * threads
        self._ends = threading.Event()

    def may_go_on(self, number: int, pause: float | None) -> bool:
        with self._lock:
            self._is_busy[number] = pause is not None
            if not any(self._is_busy):
                self._ends.set()
        return not self._ends.is_set()

    def wait(self, seconds: float) -> None:
        self._ends.wait(seconds)

    def fail(self, error: BaseException) -> None:
        self.error = error
        self._ends.set()


def _follow(folder: "JobFolder") -> None:
    from pai_jupyter.jobs import runtime  # late: usually others follow the jobs

    runtime().follow(folder)


def _use_settings() -> None:
    """Use the settings and the access key of the kernel that has started this process."""
    import json

    from pai_jupyter.delivery.starting import SETTINGS_VARIABLE
    from pai_jupyter.runs.kernel_settings import use_kernel_settings

    given = json.loads(os.environ.pop(SETTINGS_VARIABLE, "{}"))
    use_kernel_settings({name: value for name, value in given.items() if isinstance(value, str)})
