"""Parse an answer to its fields or to a failure. Pure.

A failure is of one of three kinds, which decide what may be done next:

    refused   not carried out, and repeating is useless
    busy      not carried out, and repeating later may help: throttled, or never sent
    lost      perhaps carried out: a server error, a broken connection, an unreadable answer

Rule: a server's text may contain anything, even our signature: texts are shortened, cleaned and stripped of secrets.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Literal
from urllib.parse import quote

from pai_jupyter.cloud.client.credential import Credential
from pai_jupyter.spec import Json

_CLIPPED = 300  # characters of a service's message
_WORD = re.compile(r"[\w.:-]{1,100}")
_THROTTLED = re.compile(r"Throttling(\..*)?|TooManyRequests")
_REPEATED = "SignatureNonceUsed"  # nonces are random: a proxy has sent the same request twice
_NO_ANSWER_NEEDED = ("PUT", "DELETE")  # besides the request id, which a proxy's answer lacks


@dataclass(frozen=True, kw_only=True)
class CallFailure:
    """Why a try failed. `wait` is the pause requested by the service, in seconds."""

    kind: Literal["refused", "busy", "lost"]
    message: str
    status: int | None = None
    code: str = ""
    request_id: str = ""
    permission: str = ""
    wait: float | None = None
    date: str | None = None
    is_readable: bool = True
    origin: str = ""  # origin of the key used
    is_absent: bool = False  # nobody listens at the address, which is of this machine


def read_answer(
    method: str, status: int, headers: Mapping[str, str], content: bytes, credential: Credential
) -> dict[str, Json] | CallFailure:
    """Parse the answer to a request sent by `method` with `credential`; `headers` has lower-case names."""
    said = json_object(content)
    if HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES:
        if said is not None:
            return said
        if not content.strip() and method in _NO_ANSWER_NEEDED and headers.get("x-acs-request-id"):
            return {}
        return CallFailure(kind="lost", message=_description(status, content), status=status, is_readable=False)
    fields = said or {}
    message = _first(fields, "Message", "message", "Description", "Detail") or _description(status, content)
    code = code_of(said)
    return CallFailure(
        kind=_kind(status, code, headers),
        message=clean(message, credential.secrets),
        status=status,
        code=code,
        request_id=_word(_first(fields, "RequestId", "requestId", "requestid") or headers.get("x-acs-request-id", "")),
        permission=_permission(fields),
        wait=_asked_pause(headers),
        date=headers.get("date"),
        is_readable=said is not None,
        origin=credential.origin,
    )


def json_object(content: bytes) -> dict[str, Json] | None:
    """Parse `content` as a JSON object; None for anything else."""
    try:
        said = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return said if isinstance(said, dict) else None


def code_of(said: Mapping[str, Json] | None) -> str:
    """Return the error code among an answer's fields, "" without one."""
    return _word(_first(said or {}, "Code", "code"))


def clean(text: str, secrets: Iterable[str] = ()) -> str:
    """Reduce a text to one short line without control characters and `secrets`."""
    for secret in secrets:
        for spelling in (quote(quote(secret, safe="~"), safe="~"), quote(secret, safe="~"), secret):
            text = text.replace(spelling, "***")
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return line if len(line) <= _CLIPPED else f"{line[: _CLIPPED - 1]}…"


def _kind(status: int, code: str, headers: Mapping[str, str]) -> Literal["refused", "busy", "lost"]:
    if status == HTTPStatus.TOO_MANY_REQUESTS or _THROTTLED.fullmatch(code) or _milliseconds(headers) > 0:
        return "busy"
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR or status == HTTPStatus.REQUEST_TIMEOUT or code == _REPEATED:
        return "lost"
    return "refused"


def _asked_pause(headers: Mapping[str, str]) -> float | None:
    if milliseconds := _milliseconds(headers):
        return milliseconds / 1000
    after = headers.get("retry-after", "").strip()
    if after.isascii() and after.isdigit():
        return float(after)
    try:
        return max(0.0, (parsedate_to_datetime(after) - parsedate_to_datetime(headers.get("date", ""))).total_seconds())
    except (ValueError, TypeError, OverflowError):
        return None


def _milliseconds(headers: Mapping[str, str]) -> int:
    asked = headers.get("x-acs-retry-after", "").strip()
    return int(asked) if asked.isascii() and asked.isdigit() else 0


def _description(status: int, content: bytes) -> str:
    """Describe an answer without a service message by its status and content type."""
    try:
        status_name = f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        status_name = str(status)
    start = content.lstrip()[:200].lower()
    what = "nothing" if not start else "an HTML page" if b"<html" in start or b"<!doctype" in start else "no JSON"
    return f"it answered {status_name} with {what} in it"


def _permission(fields: Mapping[str, Json]) -> str:
    detail = fields.get("AccessDeniedDetail") or fields.get("accessDeniedDetail")
    return _word(_first(detail, "AuthAction")) if isinstance(detail, dict) else ""


def _first(fields: Mapping[str, Json], *names: str) -> str:
    return next((value for name in names if isinstance(value := fields.get(name), str) and value), "")


def _word(text: str) -> str:
    return text if _WORD.fullmatch(text) else ""
