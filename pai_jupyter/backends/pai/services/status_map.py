"""Map the service's statuses, reasons and times to ours. Pure.

`Fields` are an answer's fields; any of them may be missing or null.
"""

import re
import time
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from pai_jupyter.backends import StatusReport
from pai_jupyter.events import Status

Fields = Mapping[str, Any]  # Any: JSON of the service

# Every documented status of the training service. A job runs once it has machines; before, all statuses mean queued.
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
# Those of DLC, where a job has its machines once their environment is being prepared.
STATUS |= {
    "Queuing": Status.QUEUED,
    "Bidding": Status.QUEUED,
    "EnvPreparing": Status.RUNNING,
    "SanityChecking": Status.RUNNING,
    "Restarting": Status.RUNNING,
    "Stopping": Status.RUNNING,
    "SucceededReserving": Status.SUCCEEDED,  # the job has ended; its machines are kept for a while
    "FailedReserving": Status.FAILED,
    "Succeeded": Status.SUCCEEDED,
    "Stopped": Status.STOPPED,
}
_BY_USER = "StoppedByUser"  # reasons of a job that was stopped as requested: the status says enough
_EMULATED = "/#/emulator/"  # part of a console address at the emulator, where a browser would only get XML
_CLIPPED = 500  # characters of a service's message
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
    """Return the reason of the job's status if it says more than the status."""
    message, code = line(fields.get("ReasonMessage")), line(fields.get("ReasonCode"))
    return message or ("" if code in (fields.get("Status"), _BY_USER) else code)


def began(fields: Fields, status: Status) -> float | None:
    """Return when the job first had `status`, from its transitions."""
    return next((at for word, at in _transitions(fields) if STATUS.get(word) is status), None)


def entered(fields: Fields, word: str) -> float | None:
    """Return when the job first had the service's status `word`."""
    return next((at for each, at in _transitions(fields) if each == word), None)


def ended(fields: Fields) -> float | None:
    """Return when the job ended; None if it has not or that is unknown."""
    status = status_of(fields)
    if status is None or not status.is_terminal:
        return None
    return began(fields, status) or read_time(fields.get("GmtModifiedTime"))


def has_run(fields: Fields) -> bool:
    return began(fields, Status.RUNNING) is not None or status_of(fields) is Status.SUCCEEDED


def exit_code_of(fields: Fields) -> int | None:
    """Return the exit code from status and reason, else None."""
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
