"""What a REST server of OpenPAI answers, as our errors. Pure.

Rule: an error shows the server's own sentence, in one line and without what may be a token.
"""

import json
import re
from collections.abc import Iterable, Mapping

import httpx

from pai_jupyter.errors import (
    AuthError,
    BackendError,
    LimitExceededError,
    NotFoundError,
    ProtocolError,
    SpecError,
    UnavailableError,
)

_TOKEN = re.compile(r"eyJ[\w-]+\.[\w-]+\.[\w-]*|(?i:\b(?:token|sig)=)[^&\s]+")
_LONGEST = 300  # characters of a message that are shown
_BAD_LOGIN = ("IncorrectPasswordError", "NoUserError")
_RETRY_AFTER = 60.0  # seconds; the longest pause that is taken from an answer


class ConflictError(BackendError):
    """There is such a job already."""


def fields_of(answer: httpx.Response) -> dict[str, object]:
    """Return the object in the body; {} if there is none."""
    try:
        value = json.loads(answer.content)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def list_of(answer: httpx.Response) -> list[Mapping[str, object]]:
    """Return a list of objects: plain, or as the `data` of an object, as some servers page it.

    Raises:
        ProtocolError: the body has another form.
    """
    try:
        value = json.loads(answer.content)
    except (ValueError, RecursionError) as exc:
        raise ProtocolError("the cluster's answer is no JSON.") from exc
    rows = value.get("data") if isinstance(value, dict) else value
    if not isinstance(rows, list):
        raise ProtocolError("the cluster's answer is no list.")
    return [row for row in rows if isinstance(row, dict)]


def code_of(answer: httpx.Response) -> str:
    return str(fields_of(answer).get("code") or "")


def error_of(answer: httpx.Response, what: str, *, secrets: Iterable[str] = ()) -> BackendError | SpecError:
    """Return the error that an answer is; `what` is what was asked for, in words, `secrets` what was sent and is not shown."""
    code, said = code_of(answer), message_of(answer, secrets=secrets)
    text = f"the cluster refused {what}: {said}"
    if answer.status_code == 401 or code in _BAD_LOGIN:
        again = "Give the password again, or with --token a token: %pai_openpai cluster add NAME HOST USER"
        return AuthError(f"{text} {again}", code=code)
    if answer.status_code == 403:
        return AuthError(f"{text} Ask the cluster's administrator, or give another virtual cluster.", code=code)
    if answer.status_code == 404:
        return NotFoundError(text, code=code)
    if answer.status_code == 409:
        return ConflictError(text, code=code)
    if answer.status_code == 429:
        return LimitExceededError(
            f"{text} Wait, and try again: it limits requests and submissions per hour.", code=code
        )
    if answer.status_code >= 500 and (not code or answer.status_code in (502, 503, 504)):
        return UnavailableError(text, code=code)
    return BackendError(text, code=code)


def message_of(answer: httpx.Response, *, secrets: Iterable[str] = ()) -> str:
    """Return the server's message in one line, without `secrets`; of a schema fault the fields that are wrong."""
    said = str(fields_of(answer).get("message") or "") or answer.reason_phrase or f"status {answer.status_code}"
    try:
        faults = json.loads(said)
    except (ValueError, RecursionError):
        faults = None
    if isinstance(faults, list):
        said = "; ".join(
            f"{each.get('dataPath', '')} {each.get('message', '')}".strip() for each in faults if isinstance(each, dict)
        )
    for secret in sorted(secrets, key=len, reverse=True):
        said = said.replace(secret, "***")
    line = _TOKEN.sub("***", " ".join(said.split()))[:_LONGEST].rstrip(".")
    return f"{line}."


def pause_of(answer: httpx.Response, now: float) -> float | None:
    """Return the seconds that a server asks to wait; None if it says nothing."""
    for name, since in (("retry-after", 0.0), ("x-ratelimit-reset", now)):
        try:
            seconds = float(answer.headers.get(name, "")) - since
        except ValueError:
            continue
        return min(seconds, _RETRY_AFTER) if seconds > 0 else 0.0  # 0 for what is no number, too
    return None
