"""Which run still needs a job: its own, while it has not ended, or one that took over its result (`ResultTaken`).

Rule: whoever deletes a job asks this first (`callbacks.run_that_needs`); a run that is gone or damaged needs none.
"""

from contextlib import suppress
from pathlib import Path

from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.runs.journal import Entry, ResultTaken, RunEnded
from pai_jupyter.runs.journal_file import read_lines
from pai_jupyter.store.home import home

RUNS = "runs"  # directory in the home


def run_that_needs(job_id: str, run_id: str) -> str | None:
    """Return the id of an unfinished run that needs the job `job_id`, a try of the run `run_id`; None if there is none."""
    return next((run.name for run in _candidates(run_id) if _needs(run, job_id, is_own=run.name == run_id)), None)


def _candidates(run_id: str) -> list[Path]:
    """Return the folders of all runs, first that of `run_id`."""
    with suppress(OSError):
        found = [
            run for run in (home() / RUNS).iterdir() if not run.name.startswith(".")
        ]  # those are half written or deleted
        return sorted(found, key=lambda run: (run.name != run_id, run.name))
    return []


def _needs(run: Path, job_id: str, *, is_own: bool) -> bool:
    journal = run / "journal.jsonl"
    try:
        data = journal.read_bytes()
    except OSError:  # no journal yet: a run that was just made
        return is_own and (run / "run.json").is_file()
    if not is_own and job_id.encode() not in data:
        return False
    entries: list[Entry] = []
    with suppress(PaiJupyterError):
        entries = list(read_lines(data, journal))
    if any(isinstance(entry, RunEnded) for entry in entries):
        return False
    return is_own or any(isinstance(entry, ResultTaken) and entry.job_id == job_id for entry in entries)
