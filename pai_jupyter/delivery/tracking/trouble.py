"""What the errors of MLflow's client mean for a message. Its words never reach the user raw: they may name paths of the server.

Rule: only what the server has read and will never take is refused. All else is tried again: a login that has run out, a proxy without
    its server, an answer of something else.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

from pai_jupyter.delivery.alerts import clean
from pai_jupyter.delivery.recipient import SendOutcome

_LATER = frozenset({401, 403, 408, 425, 429})
_LOGIN = frozenset({401, 403})
_STATUS = re.compile(r"too many (\d{3}) error|failed with error code (\d{3})|^(\d{3}) (?:Client|Server) Error")
_SAID = 200  # characters of what a server says
TIMEOUT_PAUSE = 60.0  # seconds: a request without an answer may still be at work


def outcome_of(error: BaseException, masked: Callable[[str], str]) -> SendOutcome:
    """Return what came of a request that has failed."""
    status, code = _status(error), getattr(error, "error_code", "")
    is_of_server = type(error).__name__ == "RestException"
    if status in _LOGIN:
        return SendOutcome(
            result="later", why=f"it answers {status}: check MLFLOW_TRACKING_USERNAME and _PASSWORD, or _TOKEN"
        )
    if is_of_server and status is not None and 400 <= status < 500 and status not in _LATER:
        said = clean(masked(str(error).removeprefix(f"{code}: ")), limit=_SAID)
        return SendOutcome(result="refused", why=f"it answers {status}: {said}")
    if status is not None:
        return SendOutcome(result="later", why=f"it answers {status}")
    names = {type(it).__name__ for it in _causes(error)}
    if "ReadTimeout" in names or "ReadTimeoutError" in names:
        why = f"no answer within {request_timeout():.0f} s"
        return SendOutcome(result="unknown", why=why, pause=TIMEOUT_PAUSE)
    if names & {"ConnectTimeout", "ConnectTimeoutError", "NewConnectionError", "NameResolutionError"}:
        return SendOutcome(result="later", why="cannot connect")
    if names & {"SSLError", "SSLCertVerificationError"}:
        return SendOutcome(result="later", why="its certificate is not trusted")
    if "ConnectionError" in names or "ProtocolError" in names or "ChunkedEncodingError" in names:
        return SendOutcome(result="unknown", why="the connection broke")
    return SendOutcome(result="later", why="its answer is not that of an MLflow server")


def request_timeout() -> float:
    """Return for how many seconds MLflow's client waits for an answer."""
    from mlflow.environment_variables import MLFLOW_HTTP_REQUEST_TIMEOUT  # late, as in client

    seconds: Any = MLFLOW_HTTP_REQUEST_TIMEOUT  # Any: MLflow is untyped
    return float(seconds.get())


def _status(error: BaseException) -> int | None:
    """Return the HTTP status of the answer; None if there was none."""
    for each in _causes(error):
        response = getattr(each, "response", None)
        status = getattr(response, "status_code", None)
        if isinstance(status, int):
            return status
        if type(each).__name__ == "RestException":
            return int(each.get_http_status_code())  # type: ignore[attr-defined]  # MLflow's
        if found := _STATUS.search(str(each)):
            return int(next(filter(None, found.groups())))
    return None


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield the error, what it came from, and what that holds."""
    left: list[object] = [error]
    seen: set[int] = set()
    while left and len(seen) < 20:
        each = left.pop(0)
        if isinstance(each, BaseException) and id(each) not in seen:
            seen.add(id(each))
            yield each
            left += [each.__cause__, each.__context__, getattr(each, "reason", None), *each.args]
