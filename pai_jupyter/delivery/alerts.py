"""What is due of a job for a webhook: the alerts among its events, and its end. Pure, but for the log that explains a failure.

Rule 1: an id follows from the record: whoever reads the same events again makes the same messages.
Rule 2: text of jobs is hostile, and goes to a chat of several people: one line each, short, no secret, no path of this machine.
"""

import hashlib
import math
import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import PurePath

from pai_jupyter.contract.masking import masked_output
from pai_jupyter.delivery.recipient import DueMessage, Result
from pai_jupyter.events import JobState, Notice, Status, StoredEvent, in_order
from pai_jupyter.spec import Json
from pai_jupyter.store import JobRecord

MAX_METRICS = 5
MAX_NAME, MAX_TEXT = 80, 600  # characters
_PATH = re.compile(r"(?<![\w:/.~-])(?:~|[A-Za-z]:)?(?:[/\\][\w.@+ -]*[\w.@+-])+")
_SLASH = re.compile(r"[/\\]")
_WEB = re.compile(r"https?://[^\s<>\"'|]{1,500}")
_MENTION = re.compile(r"@(?=(?:all|channel|here|everyone|所有人)\b)", re.IGNORECASE)
_SUBJECTS = {
    "failed": "its failure",
    "end": "its end",
    "nan": "a metric that became NaN or infinite",
    "stalled": "missing progress",
}
_ENDS = {Status.SUCCEEDED: "end", Status.STOPPED: "end", Status.FAILED: "failed"}


def due_alerts(
    record: JobRecord,
    wanted: Mapping[str, Json],
    events: Sequence[StoredEvent],
    state: JobState,
    *,
    has_ended: bool = True,
    cause: Callable[[], str],
    given_name: str = "",
    secrets: Collection[str] = (),
) -> list[DueMessage]:
    """Return the messages for those of `events`, and for the end of the job, that are wanted.

    `cause` explains a failure and is called only for one. `given_name`: the job's, if the user has renamed it. `secrets` are masked
    in every text.
    """
    on = wanted.get("on")
    kinds = on if isinstance(on, list) else []

    def message(alert: str, mark: str, time: float, text: str) -> DueMessage:
        facts = {"alert": alert, **_facts(record, state, time), "text": text}
        facts["name"] = given_name or record.spec.name
        return DueMessage(id=f"{record.id}-{alert}-{mark}", time=time, body=_cleaned(facts, secrets))

    alerts = [it for it in events if isinstance(it, Notice) and it.alert in kinds]
    found = [message(it.alert, _digest(f"{it.time} {it.text}"), it.time, it.text) for it in alerts]
    kind = _ENDS.get(state.status, "") if has_ended else ""
    ended = state.ended if state.ended is not None else record.created
    if kind in kinds and (kind == "failed" or ended - record.created >= _seconds(wanted.get("after"))):
        found.append(message(kind, "end", ended, cause() if kind == "failed" else state.reason))
    return found


def _facts(record: JobRecord, state: JobState, time: float) -> dict[str, Json]:
    duration = state.elapsed(time)
    return {
        "job": record.id,
        "state": str(state.status),
        "place": (record.place or record.backend).partition(" (")[0],
        "notebook": PurePath(record.notebook or "").name,
        "seconds": None if duration is None else round(duration, 1),
        "metrics": dict(islice(_metrics(state), MAX_METRICS)),
        "link": url if (url := state.url) and _WEB.fullmatch(url) else "",
        "time": time,
    }


def _metrics(state: JobState) -> Iterator[tuple[str, Json]]:
    for name in in_order(state.metrics):
        value = state.metrics[name].value
        yield name, value if math.isfinite(value) else str(value)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:10]


def _seconds(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _cleaned(facts: Mapping[str, Json], secrets: Collection[str]) -> dict[str, Json]:
    limits = {"text": MAX_TEXT}
    found: dict[str, Json] = {}
    for name, value in facts.items():
        if isinstance(value, str) and name != "link":
            found[name] = clean(value, secrets, limit=limits.get(name, MAX_NAME))
        elif isinstance(value, dict):
            found[name] = {clean(key, secrets, limit=MAX_NAME): it for key, it in value.items()}
        else:
            found[name] = value
    return found


def clean(text: str, secrets: Collection[str] = (), *, limit: int = MAX_TEXT) -> str:
    """Return a text of a job as one short line for a chat: without controls, secrets, directories of this machine, mentions of all."""
    text = masked_output(text[: 20 * limit], secrets)
    shown = "".join(" " if unicodedata.category(it)[0] in "CZ" else it for it in text)
    line = _MENTION.sub("@\u200b", _PATH.sub(_last_part, " ".join(shown.split())))
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def _last_part(path: re.Match[str]) -> str:
    *directories, last = _SLASH.split(path[0])
    return f"…/{last}" if len(directories) > 1 else path[0]


def note_of_alert(message: DueMessage, result: Result, why: str) -> str:
    """Return the sentence for the job about an alert that did not arrive, or may not have."""
    subject, why = _SUBJECTS.get(str(message.body.get("alert")), "this job"), why.rstrip(".")
    match result:
        case "later":
            return f"The alert about {subject} has not arrived yet: {why}. It is sent again for three days. Check with %pai_config test"
        case "unknown":
            return f"The alert about {subject} may not have arrived: {why}. It is not sent again, so that it does not arrive twice."
        case _:
            return f"The alert about {subject} was not taken: {why}. It is not sent again. Check with %pai_config test"
