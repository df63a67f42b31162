"""Translate exceptions of OSS, its SDK and the libraries below it. Only this module knows them.

Rule 1: every SDK call runs inside `oss_errors`; the service's error code decides first, then the HTTP status.
Rule 2: the sentence has the request id, which the cloud's support asks for.
Rule 3: an answer to a wrong signature repeats the signed text with its tokens; none of it stays in the exception.
"""

import re
from contextlib import AbstractContextManager
from typing import Any

from pai_jupyter.errors import (
    AuthError,
    BackendError,
    LimitExceededError,
    NotFoundError,
    ProtocolError,
    UnavailableError,
    translating,
)

_HARMLESS = ("Code", "Message", "RequestId", "HostId", "EC", "Endpoint")
_LONGEST = 300  # characters of the service's message
_KEYS = "Check access_key_id and access_key_secret (%pai_config test)."
_BETWEEN = "Check the endpoint, and the proxy: HTTPS_PROXY and NO_PROXY; or log in to this network."
_RENEW = "Get a new one; where a profile or a role gives it, run the same again."

# The service's error codes -> our errors.
_BY_CODE: dict[str, tuple[type[BackendError], str]] = {
    "InvalidAccessKeyId": (AuthError, f"OSS does not know this access key. {_KEYS}"),
    "SignatureDoesNotMatch": (AuthError, f"the access key's secret, or the region, is wrong. {_KEYS}"),
    "SecurityTokenExpired": (AuthError, f"the security token has expired. {_RENEW}"),
    "InvalidSecurityToken": (AuthError, f"OSS does not accept the security token. {_RENEW}"),
    "RequestTimeTooSkewed": (
        AuthError,
        "the clock of this machine is more than 15 minutes off. Set it: sudo timedatectl set-ntp true",
    ),
    "AccessDenied": (
        AuthError,
        "this access key may not do that. Ask the bucket's owner for the right, or use another profile.",
    ),
    "UserDisable": (
        LimitExceededError,
        "the account is disabled, as it is with unpaid bills. See the cloud's console.",
    ),
    "NoSuchBucket": (NotFoundError, "there is no such bucket. Check its name and region."),
    "NoSuchKey": (NotFoundError, "there is no such object. Check its key, upper and lower case included."),
    "NoSuchUpload": (NotFoundError, "the upload was ended by somebody else. Start it again."),
    "InvalidObjectState": (BackendError, "the object is archived. Restore it in the cloud's console first."),
    "FileImmutable": (BackendError, "the bucket's retention policy protects the object. Choose another key."),
    "PreconditionFailed": (BackendError, "the object was replaced while it was read. Start again."),
    "EntityTooLarge": (LimitExceededError, "the object is larger than OSS takes."),
    "QuotaExceeded": (
        LimitExceededError,
        "the bucket's or the account's quota is used up. Delete something, or raise it.",
    ),
    "StorageCapacityExceeded": (LimitExceededError, "the bucket is full. Delete something, or raise its capacity."),
    "TooManyBuckets": (LimitExceededError, "the account has as many buckets as it may have."),
}
_BY_STATUS: dict[int, tuple[type[BackendError], str]] = {
    401: (AuthError, f"OSS cannot authenticate the request. {_KEYS}"),
    403: (AuthError, "OSS refuses."),
    404: (NotFoundError, "there is no such bucket or object. Check the address."),
    429: (LimitExceededError, "OSS is asked too often. Try again later."),
    507: (LimitExceededError, "OSS has no room left."),
}


class NotOssError(Exception):
    """An answer that is not from OSS, whatever its status."""


def oss_errors(action: str) -> AbstractContextManager[None]:
    """Translate the SDK's exceptions in the block to `BackendError`; `action` names the work, e.g. "uploading x"."""
    return translating(translate, action)


def is_transient(exc: BaseException) -> bool:
    """Return whether a retry may soon succeed: no answer, a damaged one, a server error, throttling."""
    import oss2.exceptions as oss
    import requests.exceptions
    import urllib3.exceptions

    if isinstance(exc, oss.ServerError):
        return bool(exc.status == 429 or exc.status >= 500)
    kinds = (oss.RequestError, oss.InconsistentError, requests.exceptions.RequestException)
    return isinstance(exc, (*kinds, urllib3.exceptions.HTTPError))


def damaged(request_id: str) -> Exception:
    """Create the error that the SDK raises for a checksum mismatch."""
    import oss2.exceptions

    return oss2.exceptions.InconsistentError("length or checksum", request_id)  # type: ignore[no-any-return]  # no types


def translate(exc: Exception, action: str) -> BackendError | None:
    """Return our error for `exc`; None if neither the SDK nor a library below it raises it: that is a bug."""
    from xml.etree.ElementTree import ParseError  # imported late like the SDK: a notebook without OSS needs no XML

    import oss2.exceptions as oss
    import requests.exceptions
    import urllib3.exceptions

    match exc:
        case oss.ServerError():
            return _from_answer(exc, action)
        case NotOssError():
            return ProtocolError(f"what answers is not OSS ({action}): {exc}. {_BETWEEN}")
        case oss.InconsistentError():
            return ProtocolError(
                f"the data arrived damaged, each time that it was tried ({action}). Check the network."
            )
        case oss.RequestError():
            return _no_answer(exc.exception, action)
        case oss.OssError():
            return BackendError(f"OSS cannot be asked that ({action}): {_line(str(exc.body))}")
        case requests.exceptions.RequestException() | urllib3.exceptions.HTTPError():
            return _no_answer(exc, action)
        case ParseError():
            return ProtocolError(f"what answers is not OSS ({action}). {_BETWEEN}")
        case RuntimeError() if str(exc).startswith("parse xml"):  # the SDK's own, for a missing element
            return ProtocolError(f"OSS sent an answer that cannot be understood ({action}): {_line(str(exc))}")
    return None


def _from_answer(exc: Any, action: str) -> BackendError:  # Any: oss2 has no types
    details = {name: text for name, text in exc.details.items() if name in _HARMLESS}
    exc.details, exc.body, exc.args = details, b"", ()
    marks = ", ".join(filter(None, [action, exc.code, f"request {exc.request_id}" if exc.request_id else ""]))
    if exc.status == 403 and details.get("Endpoint"):
        return NotFoundError(f"the bucket is not at this endpoint, but at {_line(details['Endpoint'])} ({marks}).")
    known = _BY_CODE.get(exc.code) or _BY_STATUS.get(exc.status)
    if known is not None:
        kind, sentence = known
        return kind(f"{sentence} ({marks})", code=exc.code or "", request_id=exc.request_id or "")
    if exc.status >= 500:
        return UnavailableError(f"OSS fails with status {exc.status}. Try again later. ({marks})")
    said = _line(exc.message or "") or f"status {exc.status}"
    return BackendError(f"OSS refuses: {said} ({marks})")


def _no_answer(exc: Exception, action: str) -> BackendError:
    import requests.exceptions as requests
    import urllib3.exceptions as urllib3

    match exc:
        case requests.SSLError() | urllib3.SSLError():
            why = "its certificate is not accepted. Check the endpoint, the clock, and the proxy's certificate."
        case requests.ProxyError() | urllib3.ProxyError():
            why = "the proxy does not let it through. Check HTTPS_PROXY and NO_PROXY."
        case requests.ConnectTimeout() | urllib3.ConnectTimeoutError():
            why = "there is no answer. An internal endpoint is reachable only inside its region; check the network."
        case requests.Timeout() | urllib3.TimeoutError():
            why = "the answer takes too long. Try again later."
        case _:
            why = "the connection fails or breaks. Check the endpoint and the network."
    return UnavailableError(f"OSS does not answer ({action}): {why}")


def _line(text: str) -> str:
    return re.sub(r"[^\x20-\x7e\u00a0-\ud7ff]+", " ", text)[:_LONGEST].strip()
