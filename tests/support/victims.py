"""Kernels that tests kill, and those that find their jobs afterwards: each a process of its own, all with one home.

python -m tests.support.victims ...
    submit SPEC [PLACE]   submits a job (of PAI, or of the backend in $VICTIM_BACKEND), says its id and follows it; at PLACE it
                          stops for good:
                          "record": the job was created, and state.json is about to be written
                          "commit": log and events are written, and state.json is about to be
    follow JOB            attaches to a job and waits for it
    fetch JOB DIRECTORY
    rerun JOB
    find JOB WAY          has the job found by `attach`, `list_jobs` or `%pai_jobs`, and goes on
                          until it has ended there; prints how it stands
"""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

from pai_jupyter.jobs import Job, attach, list_jobs, rerun, submit
from pai_jupyter.spec import JobSpec
from pai_jupyter.store import JobFolder, JobStore, writer
from tests.support.paths import ROOT
from tests.support.patience import DEADLINE as DEADLINE
from tests.support.shells import Shell

BACKEND = "VICTIM_BACKEND"
WAYS = ("attach", "list_jobs", "%pai_jobs")


@contextmanager
def victim(*arguments: str) -> Iterator["subprocess.Popen[str]"]:
    """A kernel that does as it is told until it is killed, here at the latest."""
    words = [sys.executable, "-m", "tests.support.victims", *arguments]
    with subprocess.Popen(words, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as kernel:
        try:
            yield kernel
        finally:
            kernel.kill()


def heir(*arguments: str) -> str:
    """What a kernel says that does as it is told, to its end."""
    words = [sys.executable, "-m", "tests.support.victims", *arguments]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=DEADLINE, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not done.stderr, done.stderr
    return done.stdout


def only_job() -> Job:
    """The job that some kernel has just begun to submit."""
    until(lambda: len(list(JobStore().folders())) == 1)
    return Job(next(iter(JobStore().folders())))


def until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.01)


# --- in the kernels --------------------------------------------------------------------------------------------------


def main(verb: str, argument: str, *rest: str) -> None:
    match verb, rest:
        case "submit", places:
            _stop_at(*places)
            job = submit(JobSpec.from_json(json.loads(argument)), backend=os.environ.get(BACKEND, "pai"))
            _say(job.id)
            job.wait(DEADLINE)
        case "follow", ():
            attach(argument).wait(DEADLINE)
        case "fetch", (directory,):
            attach(argument).fetch("model", directory)
        case "rerun", ():
            _say(rerun(attach(argument)).wait(DEADLINE).id)
        case "find", (way,):
            _say(_find(argument, way))
        case _:
            raise AssertionError(f"{verb} {rest}")


def _stop_at(place: str = "") -> None:
    if place == "record":
        JobFolder.start = _stop  # type: ignore[method-assign, assignment]  # whatever it is called with
    elif place == "commit":
        replace = writer.replace_file  # type: ignore[attr-defined]  # its own import

        def stop(path: Path, data: bytes) -> None:
            if b'"cursor"' in data:
                _stop()
            replace(path, data)

        writer.replace_file = stop  # type: ignore[attr-defined]  # its own import


def _stop(*_: object) -> NoReturn:
    _say("stopped")
    threading.Event().wait()
    raise AssertionError("nobody goes on from here")


def _find(job_id: str, way: str) -> str:
    if way == "attach":
        job = attach(job_id)
        until(lambda: job.status.is_terminal)
        return f"{job.status} {job.state.reason}"
    if way == "list_jobs":
        until(lambda: all(job.status.is_terminal for job in list_jobs()))
        return " ".join(f"{job.id} {job.status} {job.state.reason}" for job in list_jobs())
    with Shell() as shell:
        until(lambda: not {"Queued", "Running", "Created"} & {*shell.run("%pai_jobs").text.split()})
        return shell.run("%pai_jobs").text


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    os.environ["PAI_JUPYTER_RENDER"] = "plain"
    main(*sys.argv[1:])
