"""How it stands with alerts, for `%pai_doctor` and `%pai_config test`; the test message."""

import secrets
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from pai_jupyter.config import Webhook
from pai_jupyter.delivery.outbox import Outbox, OutboxEntry, open_jobs
from pai_jupyter.delivery.recipient import DueMessage, SendOutcome
from pai_jupyter.delivery.webhook import NAME, language_here, send_alert
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.spec import Json


def waiting(home: Path, recipient: str = NAME) -> list[OutboxEntry]:
    """Return the messages that are not delivered yet, oldest first."""
    return sorted(_waiting(home, recipient), key=lambda entry: entry.message.time)


def _waiting(home: Path, recipient: str) -> Iterator[OutboxEntry]:
    for job_id in open_jobs(home, recipient):
        with suppress(PaiJupyterError):  # just deleted
            yield from Outbox(home, recipient, job_id).unsent


def send_test(webhook: Webhook) -> SendOutcome:
    """Send a test message, and wait for the answer."""
    text = "%pai_config test has sent this message."
    body: dict[str, Json] = {"alert": "test", "name": "", "text": text, "time": time.time()}
    message = DueMessage(id=f"test-{secrets.token_hex(6)}", time=time.time(), body=body)
    return send_alert(webhook, message, language=language_here())
