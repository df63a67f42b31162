"""Check where jobs are tracked, whether it can be reached, and what is left to send, to this address and to others."""

from collections.abc import Iterator
from pathlib import Path

from pai_jupyter.backends import Check
from pai_jupyter.config import settings, trackers
from pai_jupyter.delivery.starting import last_words
from pai_jupyter.delivery.tracking.left import Left, left_at
from pai_jupyter.delivery.tracking.server import ask_server
from pai_jupyter.delivery.tracking.wanted import INSTALL, NAME, has_client
from pai_jupyter.diagnostics.alerts import left_to_send
from pai_jupyter.errors import PaiJupyterError, SpecError
from pai_jupyter.store import JobStore

_WHAT = "tracking"
_AGAIN = f"Check the address: %pai_config set {trackers.NAME} {trackers.EXAMPLE}"


def tracking() -> Iterator[Check]:
    """Yield how tracking stands, at each address; nothing where it is not set and nothing is left to send."""
    try:
        address, home = trackers.server_of(settings().get(trackers.NAME)), JobStore().home
        left = left_at(home)
    except PaiJupyterError as exc:
        yield Check(what=_WHAT, found=str(exc), remedy=_AGAIN, is_good=False)
        return
    if address:
        yield _installed(_of_set(address, left.pop(address, None), home))
    for other, its in left.items():
        found = left_to_send(f"{other} (not set any more)", its.messages, _why(its, home))
        remedy = f"Each is tried for 30 days. To give them up now: %pai_config drop {other}"
        yield _installed(Check(what=_WHAT, found=found, remedy=remedy, is_good=_is_good(its)))


def _of_set(address: str, left: Left | None, home: Path) -> Check:
    """Check the address that is set."""
    why = ask_server(address).why
    where = f"{address}: {why}" if why else f"{address} answers"
    if left is None:
        return Check(
            what=_WHAT, found=f"{where}; nothing is left to send", remedy=_AGAIN if why else "", is_good=not why
        )
    found = left_to_send(where, left.messages, _why(left, home))
    if why:
        remedy = f"{_AGAIN}. What is left is tried for 30 days. To give it up: %pai_config drop {address}"
    elif left.tried:
        remedy = (
            "The next try is within 10 minutes; each message is tried for 30 days. To give them up now: "
            f"%pai_config drop {address}"
        )
    else:
        remedy = ""
    return Check(what=_WHAT, found=found, remedy=remedy, is_good=not why and _is_good(left))


def _why(left: Left, home: Path) -> str:
    if left.missing:
        return f"{', '.join(left.missing)}, which their jobs had, is not set here"
    return left.tried or last_words(home) or "not tried yet"


def _is_good(left: Left) -> bool:
    return not left.tried and not left.missing


def _installed(check: Check) -> Check:
    """Return the check, or what is wrong if MLflow's client is missing."""
    if has_client():
        return check
    found = f"{check.found}; mlflow-skinny is not installed"
    return Check(what=_WHAT, found=found, remedy=f"Type {INSTALL}", is_good=False)


def check_tracker(address: str) -> str:
    """Return a note about a server that cannot be asked now, "" for none.

    Raises:
        SpecError: MLflow's client is missing, or something else answers there.
    """
    if not has_client():
        raise SpecError(
            f"jobs are tracked through mlflow-skinny, which is not installed here. Type: {INSTALL}", field=NAME
        )
    answer = ask_server(address)
    if answer.is_other:
        raise SpecError(f"there is no MLflow server at {address}: {answer.why}. {_AGAIN}", field=NAME)
    return f"note: {address} cannot be used yet: {answer.why}. What jobs tell waits until it can." if answer.why else ""
