"""Map PAIFlow's statuses to those of jobs. Pure."""

import re

from pai_jupyter.backends import StatusReport
from pai_jupyter.cloud.flow import FlowNode
from pai_jupyter.cloud.flow import status as words
from pai_jupyter.events import Status

# Every documented status. A job that was never to run has not failed: it is stopped.
STATUS = {
    words.INITIALIZED: Status.QUEUED,
    words.READY: Status.QUEUED,
    words.STARTING: Status.QUEUED,
    words.SERVICE_STARTING: Status.QUEUED,
    words.SUSPENDED: Status.QUEUED,
    words.RUNNING: Status.RUNNING,
    words.SUCCEEDED: Status.SUCCEEDED,
    words.FAILED: Status.FAILED,
    words.TERMINATED: Status.STOPPED,
    words.SKIPPED: Status.STOPPED,
    words.UNKNOWN: Status.UNKNOWN,
}
_EXIT_CODE = re.compile(r"exit(?:ed)?(?: with)?[ _]?(?:code|status)[ :=]*(\d{1,3})\b", re.IGNORECASE)
_REASONS = {
    words.SUSPENDED: "its run is suspended; resume it in the console",
    words.SKIPPED: "its condition was not met, or a step before it did not succeed",
    words.UNKNOWN: "PAIFlow does not know its status",
}


def report_of(node: FlowNode) -> StatusReport:
    """Convert a node to a report; a status that is not documented becomes `unknown`."""
    status = STATUS.get(node.status, Status.UNKNOWN)
    return StatusReport(
        status=status,
        reason=node.message or _REASONS.get(node.status, ""),
        exit_code=_exit_code(status, node.message),
        started=node.started,
        ended=node.ended if status.is_terminal else None,
    )


def _exit_code(status: Status, message: str) -> int | None:
    """Return the exit code that a message tells, as "exit code 3"."""
    if status is Status.SUCCEEDED:
        return 0
    found = _EXIT_CODE.search(message) if status is Status.FAILED else None
    return int(found[1]) if found else None


def has_run(node: FlowNode) -> bool:
    """Return whether the node runs, or has."""
    return node.status in (words.RUNNING, words.SUCCEEDED, words.FAILED) or (
        node.status == words.TERMINATED and node.started is not None
    )
