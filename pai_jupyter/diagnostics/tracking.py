"""Check where jobs are tracked, whether it can be reached, and what is left to send."""

from collections.abc import Iterator

from pai_jupyter.backends import Check
from pai_jupyter.config import settings, trackers
from pai_jupyter.delivery.standing import waiting
from pai_jupyter.delivery.starting import last_words
from pai_jupyter.delivery.tracking.server import ask_server
from pai_jupyter.delivery.tracking.wanted import INSTALL, NAME, has_client
from pai_jupyter.errors import PaiJupyterError, SpecError
from pai_jupyter.store import JobStore

_WHAT = "tracking"
_AGAIN = f"Check the address: %pai_config set {trackers.NAME} {trackers.EXAMPLE}"


def tracking() -> Iterator[Check]:
    """Yield how tracking stands; nothing where it is not set and nothing is left to send."""
    try:
        address, home = trackers.server_of(settings().get(trackers.NAME)), JobStore().home
        entries = waiting(home, NAME)
    except PaiJupyterError as exc:
        yield Check(what=_WHAT, found=str(exc), remedy=_AGAIN, is_good=False)
        return
    if not address and not entries:
        return
    why = ask_server(address).why if address else ""
    where = "it is not set any more" if not address else f"{address} answers" if not why else f"{address}: {why}"
    tried = next((entry.why for entry in reversed(entries) if entry.why and entry.state == "later"), "")
    if entries:
        reason = tried or last_words(home) or "not tried yet"
        where = f"{where}; {len(entries)} messages are left to send: {reason}"
    else:
        where = f"{where}; nothing is left to send"
    if not has_client():
        yield Check(
            what=_WHAT, found=f"{where}; mlflow-skinny is not installed", remedy=f"Type {INSTALL}", is_good=False
        )
        return
    yield Check(what=_WHAT, found=where, remedy=_AGAIN if why else "", is_good=not why and not tried)


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
