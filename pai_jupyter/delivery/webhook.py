"""The recipient of alerts: a webhook of a chat's robot, or of a program that takes plain JSON."""

import os
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress

from pai_jupyter.config import Settings, Webhook, settings
from pai_jupyter.contract import secret_values
from pai_jupyter.delivery.alerts import due_alerts, note_of_alert
from pai_jupyter.delivery.answers import read_answer
from pai_jupyter.delivery.bodies import request_of
from pai_jupyter.delivery.failure import cause_of
from pai_jupyter.delivery.posting import LostAnswerError, NotSentError, post
from pai_jupyter.delivery.recipient import Due, DueMessage, JobNews, Result, SendOutcome
from pai_jupyter.delivery.wanted import profile_of
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.events import Notice, StatusChanged
from pai_jupyter.spec import Json
from pai_jupyter.store import JobFolder

NAME = "webhook"
GIVE_UP = 3 * 24 * 3600.0  # seconds
_PAUSES = {"dingtalk": 3.1, "feishu": 0.7, "slack": 1.1, "json": 0.0}  # seconds: 20 a minute, 100 a minute, 1 a second


class WebhookRecipient:
    """Sends alerts to the webhook of the profile that a job was submitted with, as it is when they are sent."""

    name = NAME
    kinds: tuple[str, ...] = (Notice.__name__, StatusChanged.__name__)
    least_pause = 0.0
    give_up = GIVE_UP

    def __init__(self, given: Settings | None = None) -> None:
        self._settings = given or settings()

    def mark(self, folder: JobFolder) -> tuple[int, ...]:
        return ()

    def due(self, news: JobNews) -> Due:
        folder, name = news.folder, ""
        secrets = [*self._settings.loaded_secrets(), *secret_values(folder.record.spec.hyperparameters)]
        with suppress(PaiJupyterError):  # what the user says of it is damaged
            name = folder.annotations().name
        messages = due_alerts(
            folder.record,
            news.wanted,
            news.events,
            news.state,
            has_ended=news.has_ended,
            cause=lambda: cause_of(folder, news.state),
            given_name=name,
            secrets=secrets,
        )
        return Due(messages=messages, read=news.end)

    def destination(self, wanted: Mapping[str, Json]) -> str:
        webhook = self._webhook(wanted)
        return "" if webhook is None else webhook.address

    def takes_again(self, wanted: Mapping[str, Json]) -> bool:
        webhook = self._webhook(wanted)
        return webhook is not None and webhook.kind == "json"

    def note(
        self,
        message: DueMessage,
        result: Result,
        why: str,
        wanted: Mapping[str, Json],
        *,
        noted: Collection[tuple[str, Result]],
    ) -> str:
        return note_of_alert(message, result, why)

    def closes(self, folder: JobFolder, wanted: Mapping[str, Json], ids: Collection[str]) -> None:
        return None

    def send(
        self,
        folder: JobFolder,
        message: DueMessage,
        wanted: Mapping[str, Json],
        *,
        is_again: bool,
        begins: Callable[[], None],
    ) -> SendOutcome:
        webhook = self._webhook(wanted)
        if webhook is None:
            return SendOutcome(result="later", why="there is no address of a webhook any more")
        outcome = send_alert(webhook, message, language=language_of(wanted), begins=begins)
        self.least_pause = _PAUSES[webhook.kind]
        return outcome

    def _webhook(self, wanted: Mapping[str, Json]) -> Webhook | None:
        try:
            found = self._settings.webhook(profile_of(wanted))
        except PaiJupyterError:  # the file is damaged: it is read again at the next try
            return None
        kind = wanted.get("kind")
        return found if found is None or not isinstance(kind, str) else found.as_kind(kind)


def send_alert(
    webhook: Webhook,
    message: DueMessage,
    *,
    language: str = "en",
    begins: Callable[[], None] = lambda: None,
    now: Callable[[], float] = time.time,
) -> SendOutcome:
    """Send one alert, and read how the service answers."""
    facts = message.body if language == "en" else {**message.body, "text": _spoken(message.body.get("text"), language)}
    address, body = request_of(webhook, message.id, facts, language=language, now=now())
    headers = {"Idempotency-Key": message.id} if webhook.kind == "json" else {}
    try:
        return read_answer(webhook.kind, post(address, body, headers, begins=begins))
    except NotSentError as exc:
        return SendOutcome(result="refused" if exc.is_final else "later", why=str(exc))
    except LostAnswerError as exc:
        return SendOutcome(result="unknown", why=str(exc))


def language_of(wanted: Mapping[str, Json]) -> str:
    return "zh" if wanted.get("language") == "zh" else "en"


def language_here() -> str:
    """Return the language of messages about jobs that are submitted here."""
    return "zh" if os.environ.get("PAI_JUPYTER_LANG", "").lower().startswith("zh") else "en"


def _spoken(text: Json, language: str) -> str:
    from pai_jupyter import callbacks

    return callbacks.translator(str(text), language) if callbacks.translator and text else str(text or "")
