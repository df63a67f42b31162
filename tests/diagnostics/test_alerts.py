"""What `%pai_doctor` says of alerts that are left to send."""

from pathlib import Path

import pytest

from pai_jupyter.delivery.outbox import Outbox, create_outbox
from pai_jupyter.delivery.recipient import DueMessage
from pai_jupyter.delivery.webhook import NAME
from pai_jupyter.diagnostics.alerts import alerts


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (1, "no webhook is set; 1 message is left to send: cannot connect"),
        (2, "no webhook is set; 2 messages are left to send: cannot connect"),
    ],
)
def test_what_is_left_to_send_is_counted(home: Path, count: int, words: str) -> None:
    create_outbox(home, NAME, "j1", {}, 1.0)
    outbox = Outbox(home, NAME, "j1")
    outbox.open()
    outbox.add([DueMessage(id=f"j1-end-{number}", time=1.0) for number in range(count)], 0)
    outbox.end("j1-end-0", "later", 2.0, "cannot connect")
    outbox.close()
    (found,) = alerts()
    assert (found.found, found.is_good) == (words, False)
