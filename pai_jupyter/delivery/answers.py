"""What the services of webhooks answer, and what comes of it. Pure.

DingTalk, Feishu and Slack tell most of their errors in the body of a successful answer.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from pai_jupyter.config.webhooks import Kind
from pai_jupyter.delivery.alerts import clean
from pai_jupyter.delivery.recipient import Outcome

RATE_PAUSE = 61.0  # seconds: the robots of DingTalk and Feishu count per minute
LONGEST_PAUSE = 3600.0
_LATER = frozenset({408, 425, 429})
_BUSY = {  # error codes that pass: too many messages, the service is busy
    "dingtalk": frozenset({-1, 130101, 130102, 410100, 430101, 430102, 430103, 430104}),
    "feishu": frozenset({11232, 99991400, 2200, 5000}),
}
_SAID = 200  # characters of an answer that are shown


@dataclass(frozen=True, kw_only=True)
class Answer:
    """An answer: its status, the beginning of its text, and after how many seconds it asks to try again."""

    status: int
    text: str = ""
    retry_after: float = 0.0


def read_answer(kind: Kind, answer: Answer) -> Outcome:
    """Return what came of a request that was answered."""
    pause = min(answer.retry_after, LONGEST_PAUSE)
    if answer.status in _LATER or answer.status >= 500:
        rate = RATE_PAUSE if answer.status == 429 else 0.0
        return Outcome(result="later", why=f"it answers {answer.status}{_said(answer)}", pause=max(pause, rate))
    if not 200 <= answer.status < 300:
        return Outcome(result="refused", why=f"it answers {answer.status}{_said(answer)}")
    if kind == "json" or (kind == "slack" and answer.text.strip() == "ok"):
        return Outcome(result="sent")
    if kind == "slack":
        return Outcome(result="refused", why=f"it answers{_said(answer)}, which is no answer of Slack")
    return _read_code(kind, answer)


def _read_code(kind: Kind, answer: Answer) -> Outcome:
    """Read the error code in the body of an answer of DingTalk or Feishu; 0 is none."""
    try:
        value = json.loads(answer.text)
    except (ValueError, RecursionError):
        value = None
    table: Mapping[str, object] = value if isinstance(value, Mapping) else {}
    code = next((table[name] for name in ("errcode", "code", "StatusCode") if name in table), None)
    said = next((table[name] for name in ("errmsg", "msg", "StatusMessage") if name in table), "")
    if not isinstance(code, int):
        return Outcome(result="refused", why=f"it answers{_said(answer)}, which is no answer of {kind}")
    if code == 0:
        return Outcome(result="sent")
    why = f"it answers {code}: {clean(str(said), limit=_SAID)}"
    return (
        Outcome(result="later", why=why, pause=RATE_PAUSE)
        if code in _BUSY[kind]
        else Outcome(result="refused", why=why)
    )


def _said(answer: Answer) -> str:
    text = clean(answer.text, limit=_SAID)
    return f": {text}" if text else ""
