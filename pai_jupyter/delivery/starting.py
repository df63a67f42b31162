"""See to it that the delivery process runs while something is due. The process itself: process.

Rule 1: it is nobody's child and in a session of its own. Whoever submits, follows or lists jobs starts it, and starts it again.
Rule 2: whoever lacks the address of a webhook, or MLflow's client and login, does not start one that could only wait for it.
Rule 3: starting costs the caller nothing: it happens on a thread, and its failure is told to nobody but `%pai_doctor`.
"""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from itertools import islice
from pathlib import Path

from pai_jupyter.config import settings
from pai_jupyter.delivery.outbox import DIRECTORY, Outbox, create_outbox, open_jobs, outbox_directory
from pai_jupyter.delivery.recipient import Recipient
from pai_jupyter.delivery.tracking.recipient import TrackingRecipient
from pai_jupyter.delivery.tracking.wanted import NAME as TRACKING
from pai_jupyter.delivery.tracking.wanted import wanted_tracking
from pai_jupyter.delivery.wanted import wanted_alerts
from pai_jupyter.delivery.webhook import NAME as WEBHOOK
from pai_jupyter.delivery.webhook import WebhookRecipient, language_here
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.store import JobFolder
from pai_jupyter.store import home as default_home
from pai_jupyter.store.lock import try_lock

LOCK, SAID = "deliver.lock", "deliver.err"
SETTINGS_VARIABLE = "PAI_JUPYTER_DELIVERY_SETTINGS"
_START = "import sys; sys.path.append(sys.argv.pop(1)); from pai_jupyter.delivery.process import main; main()"
_ROOT = str(Path(__file__).parent.parent.parent)
_SECONDS = 60  # in which the process forks
_PROBE = 5.0  # seconds between two looks whether it runs
_MAX_PAUSE = 300.0  # seconds between two starts of a process that ends at once
_MAX_SAID = 64 * 1024  # bytes of deliver.err that are kept
_MOST_LOOKED_AT = 2_000  # jobs whose address may be known; reading one takes 50 µs
_PAST = 2**62  # behind all events


def note_submission(job_id: str, home: Path, is_asked: bool | None) -> None:
    """Write the outboxes of a job that is about to be submitted: of alerts, of tracking, if it is wanted. Never fails a submission.

    `is_asked`: see `wanted_alerts`.
    """
    with suppress(PaiJupyterError):  # invalid settings, a full disk: `%pai_config test` says so
        wanted = wanted_alerts(settings(), is_asked=is_asked, language=language_here())
        if wanted is not None:
            create_outbox(home, WEBHOOK, job_id, wanted, time.time())
    with suppress(PaiJupyterError):
        tracked = wanted_tracking(settings())
        if tracked is not None:
            create_outbox(home, TRACKING, job_id, tracked, time.time())


def note_annotation(folder: JobFolder) -> None:
    """Have what the user says of a job brought to where jobs are tracked, if that is set. Never fails the change."""
    with suppress(PaiJupyterError):
        home = folder.path.parent.parent
        tracked = wanted_tracking(settings())
        if tracked is None or not folder.read().state.status.is_terminal:
            return  # who tells of a job that runs sees the change
        _, read = folder.event_lines(_PAST)
        with suppress(PaiJupyterError):  # there is one: who tells of it sees the change
            create_outbox(home, TRACKING, folder.id, {**tracked, "only": True}, time.time(), read=read)
        keeper.keep(at_once=True)


class Keeper:
    """Starts the process if it is needed and does not run; may be asked often, from any thread."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._next: dict[Path, float] = {}  # by the homes that were looked at
        self._timers: dict[Path, threading.Timer] = {}
        self._starts: dict[Path, int] = {}  # in a row, without finding it running between them

    def keep(self, *, at_once: bool = False) -> None:
        """Look whether the process is needed, and start it; `at_once`: something has just become due."""
        with self._lock, suppress(PaiJupyterError, OSError):
            self._keep(default_home(), at_once=at_once)

    def _keep(self, home: Path, *, at_once: bool) -> None:
        now, starts = self._clock(), self._starts.get(home, 0)
        if now < self._next.get(home, now) and not (at_once and starts == 0):
            if at_once:
                self._look_later(home, self._next[home] - now)
            return
        self._next[home] = now + _PROBE
        if not is_needed(home):
            self._starts[home] = 0
            return
        if is_running(home):
            self._starts[home] = 0
            return
        self._starts[home] = starts + 1
        self._next[home] = now + min(_PROBE * 2**starts, _MAX_PAUSE)
        threading.Thread(target=start, args=(home,), name="pai-jupyter-delivery", daemon=True).start()

    def _look_later(self, home: Path, seconds: float) -> None:
        """Look once more when the pause is over: the process may have ended, or be about to, without what has just become due."""
        timer = self._timers.get(home)
        if timer is None or not timer.is_alive():
            timer = self._timers[home] = threading.Timer(seconds + 0.1, self.keep)
            timer.daemon = True
            timer.start()


def is_needed(home: Path) -> bool:
    """Return whether something may be due, and this process knows an address for it."""
    return any(
        _is_needed(home, each())
        for each in (WebhookRecipient, TrackingRecipient)
        if outbox_directory(home, each.name).is_dir()
    )


def _is_needed(home: Path, recipient: Recipient) -> bool:
    for job_id in islice(open_jobs(home, recipient.name), _MOST_LOOKED_AT):
        with suppress(PaiJupyterError):
            if recipient.destination(Outbox(home, recipient.name, job_id).wanted):
                return True
    return False


def is_running(home: Path) -> bool:
    """Return whether the delivery process runs.

    Raises:
        PaiJupyterError: that cannot be seen.
    """
    lock = try_lock(home / DIRECTORY / LOCK)
    if lock is None:
        return True
    with lock:
        return False


def start(home: Path) -> None:
    """Start the process; return when it has begun. What it says before its end is in deliver.err."""
    from pai_jupyter.runs.kernel_settings import kernel_settings, with_key

    said = home / DIRECTORY / SAID
    variables = {
        **os.environ,
        **with_key(),
        SETTINGS_VARIABLE: json.dumps(kernel_settings()),
        "PAI_JUPYTER_HOME": str(home),
    }
    words = [sys.executable, "-P", "-X", f"utf8={sys.flags.utf8_mode}", "-c", _START, _ROOT, str(home)]
    with suppress(OSError, subprocess.TimeoutExpired):
        if said.exists() and said.stat().st_size > _MAX_SAID:
            said.unlink()
        with open(said, "ab", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            subprocess.run(
                words,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=file,
                env=variables,
                cwd="/",
                timeout=_SECONDS,
                check=False,
            )


def last_words(home: Path) -> str:
    """Return the last line that the process has said before its end; "" if it said nothing."""
    with suppress(OSError):
        lines = (home / DIRECTORY / SAID).read_bytes()[-4096:].decode(errors="replace").strip().splitlines()
        return lines[-1][:500] if lines else ""
    return ""


keeper = Keeper()
