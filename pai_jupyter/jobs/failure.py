"""Explain why a job failed, from its backend's reason and, if that says more, from its log.

Rule 1: if the reason only says how the process ended, the log of the named replica is used instead.
Rule 2: sentences fit how the job was written: as a cell, as the line of a magic, in Python, or as a component of a workflow.
Rule 3: known secrets, and what has the form of one, are masked: an exception may tell what it was called with.
"""

import re
from collections.abc import Collection
from functools import partial
from pathlib import Path

from pai_jupyter import contract
from pai_jupyter.cell import Author, Explanation, explain, find_exception, reworded
from pai_jupyter.errors import SpecError
from pai_jupyter.events import JobState
from pai_jupyter.jobs.log_secrets import log_masker
from pai_jupyter.jobs.missing_file import why_missing
from pai_jupyter.jobs.own_files import why_not_sent
from pai_jupyter.store import JobFolder, JobRecord, LogLine

EXPLAINED_LINES = 400  # last lines of the log that are searched for the cause
DEFAULT_ENTRY_POINT = "train.py"
# Reasons of the process and Docker backends that only say how the process ended; the log says more.
_PLAIN_REASON = re.compile(
    r"exit code \d+(?:: killed by SIG\w+)?|killed by SIG\w+ \(exit code \d+\)(?:, as the system does .*)?"
)
_REPLICA = re.compile(r"(?:replica )?(?P<replica>\w[\w.-]*): ")


def why_it_failed(folder: JobFolder, state: JobState) -> Explanation:
    """Explain why the job in `folder` failed and what may help, naming the replica if there are several."""
    record, names = folder.record, _replicas(folder)
    author = _author(record)
    replica, reason = _split_replica(state.reason, names)
    if not replica and state.failed_replica not in reason:
        replica = state.failed_replica
    if reason and not _PLAIN_REASON.fullmatch(reason):
        why = Explanation(reworded(reason, author))
    else:
        own = folder.log(replica).tail(EXPLAINED_LINES) if replica else folder.merged_tail(EXPLAINED_LINES)
        lines = [line.text for line in own]
        script = record.entry_point or DEFAULT_ENTRY_POINT
        found = find_exception(lines, script, is_cell=author == "cell", origins=record.lines)
        why = explain(
            found,
            exit_code=state.exit_code,
            lines=lines,
            is_own=partial(_is_own, record),
            names_ml=record.cell is None or "/ml" in record.cell,
        )
        if better := why_missing(found, record, author) or why_not_sent(found, record):
            why = why._replace(hint=better)
    mask = log_masker(folder)
    cause = mask(f"{replica}: {why.cause}" if replica and len(names) > 1 else why.cause)
    hint = mask(reworded(why.hint, author))
    return Explanation(cause, hint, why.line, replica or (names[0] if len(names) == 1 else ""))


def last_lines(folder: JobFolder, replica: str, count: int) -> list[LogLine]:
    """Return the last `count` lines of `replica`, or of all merged by time if it has no log."""
    return folder.log(replica).tail(count) if replica in folder.replicas() else folder.merged_tail(count)


def _replicas(folder: JobFolder) -> list[str]:
    try:
        return [each.name for each in contract.replicas(folder.record.spec)]
    except SpecError:  # names from a job of another origin
        return folder.replicas()


def _author(record: JobRecord) -> Author:
    if record.run:
        return "step"
    if record.cell is not None:
        return "cell"
    return "line" if record.asked_by == "pai_train" else "python"


def _is_own(record: JobRecord, module: str) -> bool:
    """Return whether a module lies in the job's source directory or, for a cell, where this kernel works."""
    places = [Path(record.spec.source_dir)] if isinstance(record.spec.source_dir, Path) else []
    places += [Path()] if record.cell is not None else []
    try:
        return any((place / module).is_dir() or (place / f"{module}.py").is_file() for place in places)
    except (OSError, ValueError):
        return False


def _split_replica(reason: str, names: Collection[str]) -> tuple[str, str]:
    """Split a backend's reason into the replica that it names ("" if none) and the rest."""
    found = _REPLICA.match(reason)
    if found is None or (found["replica"] not in names and not _PLAIN_REASON.fullmatch(reason[found.end() :])):
        return "", reason
    return found["replica"], reason[found.end() :]
