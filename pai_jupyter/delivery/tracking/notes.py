"""What a job is told of its run at MLflow: what is late, what was not taken, and where the run differs from the job. Pure.

Rule: of one outage a job is told once, and once of each kind of what was not taken, however many messages there are.
"""

import re
from collections.abc import Collection

from pai_jupyter.delivery.recipient import DueMessage, Result
from pai_jupyter.delivery.tracking.described import text_in

_SUBJECTS = {
    "start": "its run",
    "metrics": "metrics",
    "said": "its name, tags and note",
    "end": "its end",
}


_KIND = re.compile(r"-(start|metrics|said|end|output)(?:-[0-9a-f-]+)?$")


def note_of(
    message: DueMessage, result: Result, why: str, address: str, *, noted: Collection[tuple[str, Result]]
) -> str:
    """Return the sentence for the job about the server at `address`; "" if it was told already."""
    kind, why = text_in(message.body, "kind"), why.rstrip(".")
    if result == "sent":
        return f"{why}." if why else ""
    if any(told == result and (result == "later" or _kind(name) == kind) for name, told in noted):
        return ""
    path = f"{text_in(message.body, 'channel')}/{text_in(message.body, 'path')}"
    subject = f"the output {path!r}" if kind == "output" else _SUBJECTS.get(kind, "this job")
    if result == "later":
        return f"MLflow at {address} has not got {subject} yet: {why}. It is sent again for 30 days. Check with %pai_doctor"
    return f"MLflow at {address} did not get {subject}: {why}. It is not sent again."


def _kind(message_id: str) -> str:
    """Return the kind of a message: its id is `<job>-<kind>` or `<job>-<kind>-<which>`."""
    found = _KIND.search(message_id)
    return found[1] if found else ""
