"""Check where alerts are sent to, and what is left to send."""

from collections.abc import Iterator

from pai_jupyter.backends import Check
from pai_jupyter.config import Webhook, settings
from pai_jupyter.delivery.recipient import SendOutcome
from pai_jupyter.delivery.standing import send_test, waiting
from pai_jupyter.delivery.starting import last_words
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.store import JobStore

_WHAT = "alerts"
_AGAIN = "Check the address: %pai_config set notify.webhook"


def alerts() -> Iterator[Check]:
    """Yield how alerts stand, without asking their service; nothing where there is no webhook and nothing to send."""
    try:
        webhook, home = settings().webhook(), JobStore().home
        entries = waiting(home)
    except PaiJupyterError as exc:
        yield Check(what=_WHAT, found=str(exc), remedy=_AGAIN, is_good=False)
        return
    if webhook is not None and not entries:
        yield Check(what=_WHAT, found=f"{_named(webhook)}; nothing is left to send")
    elif entries:
        where = "no webhook is set" if webhook is None else _named(webhook)
        why = next((entry.why for entry in reversed(entries) if entry.why), "")
        found = left_to_send(where, len(entries), why or last_words(home) or "not tried yet")
        yield Check(
            what=_WHAT, found=found, remedy="Check with %pai_config test", is_good=not why and webhook is not None
        )


def alerts_test() -> Iterator[Check]:
    """Send a test message to the webhook, if there is one, and yield what came of it."""
    try:
        webhook = settings().webhook()
    except PaiJupyterError as exc:
        yield Check(what=_WHAT, found=str(exc), remedy=_AGAIN, is_good=False)
        return
    if webhook is not None:
        yield _tested(webhook, send_test(webhook))


def _tested(webhook: Webhook, outcome: SendOutcome) -> Check:
    if outcome.result == "sent":
        return Check(what=_WHAT, found=f"{_named(webhook)}: the test message was taken")
    remedy = _AGAIN
    if webhook.kind in ("dingtalk", "feishu"):
        remedy = f"{_AGAIN}. If the robot wants a signature: %pai_config set notify.secret; if a keyword: pai_jupyter"
    found = f"{_named(webhook)}: the test message was not taken: {outcome.why}"
    return Check(what=_WHAT, found=found, remedy=remedy, is_good=False)


def left_to_send(where: str, count: int, why: str) -> str:
    """Say how many messages are left to send there, and why."""
    if count == 1:
        return f"{where}; 1 message is left to send: {why}"
    return f"{where}; {count} messages are left to send: {why}"


def _named(webhook: Webhook) -> str:
    return f"webhook at {webhook.host} ({webhook.kind}) from {webhook.origin}"
