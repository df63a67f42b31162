"""The process that drives one run: `python -c ... RUN_FOLDER`. It says "driving" on its standard output when it drives, or another does.

It forks before it imports anything large: its parent, whoever started it, neither waits for it nor gets its end.
"""

import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pai_jupyter.runs.run_folder import RunFolder

_TRIES, _PAUSE = 20, 0.1  # a process that only asks whether the run is driven holds the lock for a moment


def main() -> None:
    """Drive the run whose folder is named on the command line, to its end."""
    path = Path(sys.argv[1])
    if os.fork():
        os._exit(0)
    os.setsid()
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    code = 1
    try:
        code = _drive(path)
    except BaseException as exc:  # noqa: BLE001  the end of the process: driver.err says what it was
        _say(exc)
    sys.stderr.flush()
    os._exit(code)  # threads that wait for a service must not keep it


def _drive(path: Path) -> int:
    from pai_jupyter.runs.lost_entries import check_journal
    from pai_jupyter.runs.run_folder import RunFolder

    folder = RunFolder(path)
    for _ in range(_TRIES):
        lock = folder.try_lock()
        if lock is not None:
            break
        time.sleep(_PAUSE)
    else:
        _say_driving()
        return 0
    with lock:
        record = folder.record
        check_journal(folder)
        _say_driving()  # what follows takes longer; if it fails, whoever waits for the run is told (driving.DriverKeeper)
        with suppress(OSError):
            os.chdir(record.directory or "/")  # what relative paths are meant against
        _drive_with(folder, record.settings)
    return 0


def _drive_with(folder: "RunFolder", kernel_settings: "Mapping[str, str]") -> None:
    from pai_jupyter.jobs import close_runtime
    from pai_jupyter.runs.driver import Driver
    from pai_jupyter.runs.kernel_settings import use_kernel_settings

    use_kernel_settings(kernel_settings)
    with Driver(folder) as driver:
        driver.run()
    close_runtime()


def _say(exc: BaseException) -> None:
    """Write why the process ends; the last line is what the user reads."""
    import traceback

    from pai_jupyter.errors import PaiJupyterError

    traceback.print_exception(exc)
    if isinstance(exc, PaiJupyterError):
        sys.stderr.write(f"{exc}\n")


def _say_driving() -> None:
    """Tell the starter, and close its pipe."""
    os.write(1, b"driving\n")
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.close(nothing)
