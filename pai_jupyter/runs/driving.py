"""Start the process that drives a run, and see whether there is one. The process itself: drive_main.

Rule 1: it is nobody's child and in a session of its own, so that a run goes on when its kernel is restarted or gone.
Rule 2: whoever shows a run that nobody drives starts the driver again, with pauses that grow.
Rule 3: secrets are in its environment alone. Who lacks one does not start a driver that could only wait for it.
Rule 4: it is of the Python that has started the run, as its jobs then are; only where that is gone, of the one that starts it again.
"""

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from pai_jupyter.errors import PaiJupyterError, UnavailableError
from pai_jupyter.runs.kernel_settings import with_key
from pai_jupyter.runs.run_folder import RunFolder

_START = "import sys; sys.path.append(sys.argv.pop(1)); from pai_jupyter.runs.drive_main import main; main()"
_ROOT = str(Path(__file__).parent.parent.parent)
_SECONDS = 60  # in which a driver says that it has begun
_PROBE = 1.0  # seconds between two questions whether a run is driven
_GIVES_WAY = 10.0  # seconds that a driver without its secrets needs at most to end
_LOCK_PAUSE = 0.05
_MAX_PAUSE = 60.0  # seconds between two starts of a driver that ends at once
MAX_STARTS = 5  # in a row, with nothing done between them, before a wait gives up
_MAX_SAID = 64 * 1024  # bytes of driver.err that are kept


def is_driven(folder: RunFolder) -> bool:
    """Return whether a process drives the run.

    Raises:
        PaiJupyterError: that cannot be seen; NotFoundError: the run was deleted.
    """
    lock = folder.try_lock()
    if lock is None:
        return True
    with lock:
        return False


def start_driver(folder: RunFolder, environment: Mapping[str, str] | None = None) -> None:
    """Start a driver; return when it drives, or another one does. `environment` is added to that of this process.

    Raises:
        UnavailableError: it did not start.
    """
    variables = {**os.environ, **with_key(), **(environment or {}), "PAI_JUPYTER_HOME": str(folder.home)}
    if not any(_drives(folder, python, variables) for python in _pythons(folder)):
        raise UnavailableError(f"the process that drives run {folder.id} did not start: {last_words(folder)}")


def _pythons(folder: RunFolder) -> list[str]:
    """Return the programs that may drive a run, the first of them that does."""
    recorded = ""
    with suppress(PaiJupyterError):  # the record is damaged, as the driver will say
        recorded = folder.record.python
    return list(dict.fromkeys([*([recorded] if os.access(recorded, os.X_OK) else []), sys.executable]))


def _drives(folder: RunFolder, python: str, variables: Mapping[str, str]) -> bool:
    """Start a driver; return whether it, or another one, drives then.

    Raises:
        UnavailableError: it cannot be started, or does not say so in time.
    """
    said = folder.path / "driver.err"
    words = [python, "-P", "-X", f"utf8={sys.flags.utf8_mode}", "-c", _START, _ROOT, str(folder.path)]
    try:
        _shorten(said)
        with open(said, "ab", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            done = subprocess.run(
                words,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,  # closed when it drives
                stderr=file,
                env=variables,
                cwd="/",
                timeout=_SECONDS,
                check=False,
            )
    except (OSError, subprocess.TimeoutExpired) as exc:
        raise UnavailableError(f"the process that drives run {folder.id} cannot be started: {exc}.") from exc
    return b"driving" in done.stdout


def _shorten(said: Path) -> None:
    if said.exists() and said.stat().st_size > _MAX_SAID:
        said.unlink()


def last_words(folder: RunFolder) -> str:
    """Return the last line that a driver of the run has said before its end."""
    try:
        lines = (folder.path / "driver.err").read_bytes()[-4096:].decode(errors="replace").strip().splitlines()
    except OSError:
        lines = []
    return lines[-1][:1000] if lines else "it said nothing."


def missing_secrets(folder: RunFolder, environment: Mapping[str, str] | None = None) -> list[str]:
    """Return the names of the variables that the run needs and this process does not have."""
    given = {**os.environ, **(environment or {})}
    return [name for name in folder.record.plan.secrets if name not in given]


class DriverKeeper:
    """Sees to it that a run which has not ended is driven; asks seldom, and starts ever more seldom.

    `environment`: values of secrets beside those of this process.
    """

    def __init__(self, folder: RunFolder, environment: Mapping[str, str] | None = None) -> None:
        self._folder = folder
        self._environment = environment or {}
        self._next = 0.0
        self._starts: list[int] = []  # how long the journal was at each start in a row

    def keep(self, *, is_blocked: bool, is_refused: bool = False) -> None:
        """Start the driver if nobody drives; one that waits for a secret which is here gives way to it.

        `is_refused`: it waits for a key that the service takes, which another process has; whoever only looks does not try again.

        Raises:
            PaiJupyterError: it does not start, or ends at once again and again.
        """
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + _PROBE
        lacks = is_blocked and (is_refused or bool(missing_secrets(self._folder, self._environment)))
        if lacks and not self._folder.is_stop_wanted:
            return
        if is_driven(self._folder):
            if not is_blocked or lacks:
                return
            self._take_over()
        self._count()
        start_driver(self._folder, self._environment)
        self._next = time.monotonic() + min(_PROBE * 2 ** len(self._starts), _MAX_PAUSE)

    def _take_over(self) -> None:
        self._folder.ask_to_give_way()
        deadline = time.monotonic() + _GIVES_WAY
        while is_driven(self._folder) and time.monotonic() < deadline:
            time.sleep(_LOCK_PAUSE)

    def _count(self) -> None:
        """Give up on a run whose driver ends again and again without anything done."""
        journal = self._folder.journal
        length = journal.stat().st_size if journal.exists() else 0
        self._starts = [*self._starts, length] if length in self._starts else [length]
        if len(self._starts) > MAX_STARTS:
            self._starts = self._starts[1:]
            self._next = time.monotonic() + _MAX_PAUSE
            raise PaiJupyterError(
                f"run {self._folder.id} does not go on: its driver ended {MAX_STARTS} times in a row: {last_words(self._folder)}"
            )
