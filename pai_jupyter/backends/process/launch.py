"""Start the supervisor of a job exactly once; from then on the job runs without us.

    run/job              the supervisor's order; once it exists, the tree is complete
    run/supervisor.json  the supervisor's identity; once it exists, the job exists (or never will: fence.py)

If a submitter dies in between, the next one with the same job id repairs that. The lock is the system's and ends with its
holder. A supervisor without a slot reports that on start and waits by itself. The values of the user's variables are in no
file: they are the supervisor's environment.
"""

import fcntl
import marshal
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from pai_jupyter.backends.local import slots
from pai_jupyter.backends.process import fence, supervisor
from pai_jupyter.backends.process.supervisor.job import JobOrder
from pai_jupyter.errors import BackendError, UnavailableError

_START = (
    "import sys; sys.path += sys.argv.pop(1), sys.argv.pop(1); from supervisor.main import main; "
    "from slots.line import make_line; from slots.pool import wait_in_line; main(make_line, wait_in_line)"
)
_SECONDS = 30  # seconds; a supervisor needs 20 ms to start


def launch(folder: Path, make: Callable[[], JobOrder], *, environment: Mapping[str, str]) -> None:
    """Start the supervisor of the job in `folder`; `make` creates its tree and order, unless they exist.

    Raises:
        BackendError: nothing was started.
    """
    run = folder / "run"
    run.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _alone(run / "submit.lock"):
        fence.lift(folder)  # a new submission revokes giving the job up
        if (run / "supervisor.json").exists():
            return
        try:
            if not (run / "job").exists():
                _write_order(run, make())
            _start(folder, environment)
        except BaseException:
            if _is_given_up(folder):  # else it was only slow and has just started
                _clear(folder)
                raise


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _is_given_up(folder: Path) -> bool:
    try:
        return fence.give_up(folder)
    except OSError:  # no space for the fence; without its folder no supervisor can start either
        return True


def _clear(folder: Path) -> None:
    """Delete the files of a job that was given up."""
    for name in ("run", "ml", "logs", "output"):
        shutil.rmtree(folder / name, ignore_errors=True)


def _write_order(run: Path, order: JobOrder) -> None:
    draft = run / "job.tmp"
    with open(draft, "wb", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
        marshal.dump(dict(order), file)
    draft.replace(run / "job")


def _start(folder: Path, environment: Mapping[str, str]) -> None:
    """Run the supervisor; return once it has written supervisor.json."""
    code = [str(Path(file).parent.parent) for file in (supervisor.__file__, slots.__file__)]
    words = [sys.executable, "-I", "-S", "-X", f"utf8={sys.flags.utf8_mode}", "-c", _START, *code, str(folder)]
    errors = folder / "run" / "supervisor.err"
    try:
        with errors.open("wb") as file:
            started = subprocess.run(
                words,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,  # the supervisor closes its end when it has started
                stderr=file,
                env=dict(environment),
                cwd="/",
                timeout=_SECONDS,
                check=False,
            )
    except (OSError, subprocess.TimeoutExpired) as exc:
        raise UnavailableError(f"cannot start a process on this machine: {exc}.") from exc
    if started.returncode or not (folder / "run" / "supervisor.json").exists():
        words = errors.read_text(errors="replace").strip().splitlines() or [f"exit code {started.returncode}"]
        raise BackendError(f"the job's supervisor did not start: {words[-1]}.")
