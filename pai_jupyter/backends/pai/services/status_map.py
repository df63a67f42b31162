"""What the service says of a job, in our words: status, reasons, times. Pure.

`Fields` are the fields of an answer as they came: a service may leave any of them out, or write null.
"""

import re
import time
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from pai_jupyter.backends import StatusReport
from pai_jupyter.events import Status

Fields = Mapping[str, Any]  # Any: JSON of the service

# Every documented word of the training service. The job begins to run when it has machines; until then it waits, whatever that is called.
STATUS = {
    "Creating": Status.QUEUED,
    "Created": Status.QUEUED,
    "Initializing": Status.QUEUED,
    "Submitted": Status.QUEUED,
    "Running": Status.RUNNING,
    "Succeed": Status.SUCCEEDED,
    "Failed": Status.FAILED,
    "CreateFailed": Status.FAILED,
    "InitializeFailed": Status.FAILED,
    "Terminated": Status.STOPPED,
}
# And those of DLC, where a job has its machines when their environment is prepared.
STATUS |= {
    "Queuing": Status.QUEUED,
    "Bidding": Status.QUEUED,
    "EnvPreparing": Status.RUNNING,
    "SanityChecking": Status.RUNNING,
    "Restarting": Status.RUNNING,
    "Stopping": Status.RUNNING,
    "SucceededReserving": Status.SUCCEEDED,  # its machines are kept for a while
    "FailedReserving": Status.FAILED,
    "Succeeded": Status.SUCCEEDED,
    "Stopped": Status.STOPPED,
}
_BY_USER = "StoppedByUser"  # the reason of a job that was stopped, where nothing went wrong: "Stopped" says it
_EMULATED = "/#/emulator/"  # in the address of a job at the emulator; a browser would be shown XML there
_CLIPPED = 500  # characters of what a service says
_EXIT_CODE = re.compile(r"exit(?:ed)?(?: with)?[ _]?(?:code|status)[ :=]*(\d{1,3})\b", re.IGNORECASE)


def read_time(text: object) -> float | None:
    """Convert an ISO 8601 time to seconds since the epoch; return None if it is invalid."""
    try:
        return datetime.fromisoformat(str(text)).timestamp()
    except (ValueError, OverflowError):
        return None


def write_time(seconds: float) -> str:
    """Format seconds since the epoch for the service: UTC, whole seconds."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def line(text: object) -> str:
    """Clean the service's text into one short line without unprintable characters."""
    clean = " ".join("".join(char if char.isprintable() else " " for char in str(text or "")).split())
    return clean if len(clean) <= _CLIPPED else f"{clean[: _CLIPPED - 1]}…"


def console_of(fields: Fields) -> str:
    """Return the URL of the job's console page; "" if there is none, as with the emulator."""
    url = str(fields.get("TrainingJobUrl") or "")
    return url if url.startswith(("https://", "http://")) and _EMULATED not in url else ""


def status_of(fields: Fields) -> Status | None:
    """Map the service's status to ours; return None for an unknown one."""
    return STATUS.get(str(fields.get("Status")))


def reason_of(fields: Fields) -> str:
    """Why the job stands as it does, as far as the service says more than the status does."""
    message, code = line(fields.get("ReasonMessage")), line(fields.get("ReasonCode"))
    return message or ("" if code in (fields.get("Status"), _BY_USER) else code)


def began(fields: Fields, status: Status) -> float | None:
    """When the job first was in `status`, from its transitions."""
    return next((at for word, at in _transitions(fields) if STATUS.get(word) is status), None)


def entered(fields: Fields, word: str) -> float | None:
    """When the job first was in what the service calls `word`."""
    return next((at for each, at in _transitions(fields) if each == word), None)


def ended(fields: Fields) -> float | None:
    """When the job ended; None where it has not, or nobody says when."""
    status = status_of(fields)
    if status is None or not status.is_terminal:
        return None
    return began(fields, status) or read_time(fields.get("GmtModifiedTime"))


def has_run(fields: Fields) -> bool:
    return began(fields, Status.RUNNING) is not None or status_of(fields) is Status.SUCCEEDED


def exit_code_of(fields: Fields) -> int | None:
    """Return the exit code as far as the status and the reason give it, else None."""
    if status_of(fields) is Status.SUCCEEDED:
        return 0
    found = _EXIT_CODE.search(reason_of(fields)) if status_of(fields) is Status.FAILED else None
    return int(found[1]) if found else None


def report_of(fields: Fields) -> StatusReport:
    """Convert the service's answer to a report; an unrecognized status becomes `unknown`."""
    status = status_of(fields)
    return StatusReport(
        status=status or Status.UNKNOWN,
        reason=reason_of(fields),
        exit_code=exit_code_of(fields),
        started=began(fields, Status.RUNNING),
        ended=ended(fields),
    )


def objects(fields: Fields, name: str) -> list[Fields]:
    """Return the objects in the list `name` of an answer, skipping all other items."""
    items = fields.get(name)
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []


def _transitions(fields: Fields) -> Iterator[tuple[str, float]]:
    for item in objects(fields, "StatusTransitions"):
        at = read_time(item.get("StartTime"))
        if at is not None:
            yield str(item.get("Status")), at
