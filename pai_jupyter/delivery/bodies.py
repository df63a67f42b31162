"""The bodies of the kinds of webhooks, from the facts of an alert. Pure.

Rule: what may be markup or a mention there is not: Slack's three characters are escaped, DingTalk and Feishu get elements of plain text.
"""

import base64
import hashlib
import hmac
import json
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote_plus

from pai_jupyter.config import Webhook
from pai_jupyter.spec import Json

MARK = "pai_jupyter"  # in each message: a word that a robot of DingTalk may require
_TITLES = {
    "en": {
        "failed": "{name} failed",
        "succeeded": "{name} succeeded",
        "stopped": "{name} was stopped",
        "nan": "{name}: a metric became NaN or infinite",
        "stalled": "{name} makes no progress",
        "test": "Test message",
    },
    "zh": {
        "failed": "{name} 失败",
        "succeeded": "{name} 成功",
        "stopped": "{name} 已停止",
        "nan": "{name}：指标不再是数值",
        "stalled": "{name} 没有进展",
        "test": "测试消息",
    },
}
_LABELS = {
    "en": {"job": "Job", "place": "Run on", "notebook": "Notebook", "duration": "Duration", "metrics": "Metrics"},
    "zh": {"job": "作业", "place": "运行位置", "notebook": "笔记本", "duration": "时长", "metrics": "指标"},
}


def title_of(facts: Mapping[str, Json], language: str) -> str:
    alert, titles = facts.get("alert"), _TITLES[language]
    title = titles.get(str(facts.get("state") if alert in ("end", "failed") else alert), "{name}")
    return f"[{MARK}] {title.replace('{name}', str(facts.get('name', '')))}"


def lines_of(facts: Mapping[str, Json], language: str) -> list[str]:
    """Return the lines below the title."""
    labels = _LABELS[language]
    seconds, metrics = facts.get("seconds"), facts.get("metrics")
    values = {
        "job": facts.get("job"),
        "place": facts.get("place"),
        "notebook": facts.get("notebook"),
        "duration": _duration(seconds) if isinstance(seconds, int | float) else "",
        "metrics": "  ".join(f"{name}={_number(it)}" for name, it in metrics.items())
        if isinstance(metrics, Mapping)
        else "",
    }
    text = [str(facts["text"])] if facts.get("text") else []
    colon = "：" if language == "zh" else ": "
    return [*text, *(f"{labels[name]}{colon}{value}" for name, value in values.items() if value)]


def request_of(
    webhook: Webhook, message_id: str, facts: Mapping[str, Json], *, language: str, now: float
) -> tuple[str, bytes]:
    """Return the address to post to, signed if there is a secret for that, and the body."""
    title, lines, link = title_of(facts, language), lines_of(facts, language), str(facts.get("link") or "")
    body = _BODIES[webhook.kind](title, lines, link)
    address = webhook.address
    match webhook.kind, bool(webhook.signing_secret):
        case "json", _:
            body = {
                "id": message_id,
                "text": body["text"],
                **{it: facts[it] for it in facts if it != "text"},
                "reason": facts.get("text", ""),
            }
        case "dingtalk", True:
            address = _signed_address(address, webhook.signing_secret, now)
        case "feishu", True:
            body = {"timestamp": str(int(now)), "sign": feishu_sign(webhook.signing_secret, int(now)), **body}
    return address, json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")


def dingtalk_sign(secret: str, milliseconds: int) -> str:
    digest = hmac.new(secret.encode(), f"{milliseconds}\n{secret}".encode(), hashlib.sha256).digest()
    return base64.b64encode(digest).decode()


def feishu_sign(secret: str, seconds: int) -> str:
    digest = hmac.new(f"{seconds}\n{secret}".encode(), b"", hashlib.sha256).digest()
    return base64.b64encode(digest).decode()


def _signed_address(address: str, secret: str, now: float) -> str:
    milliseconds = int(now * 1000)
    joint = "&" if "?" in address else "?"
    return f"{address}{joint}timestamp={milliseconds}&sign={quote_plus(dingtalk_sign(secret, milliseconds))}"


def _plain(title: str, lines: list[str], link: str) -> dict[str, Any]:  # Any: JSON values
    return {"text": "\n".join([title, *lines, *([link] if link else [])])}


def _slack(title: str, lines: list[str], link: str) -> dict[str, Any]:  # Any: JSON values
    text = _plain(title, lines, "")["text"].replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return {"text": f"{text}\n<{link}>" if link else text, "mrkdwn": False, "unfurl_links": False}


def _dingtalk(title: str, lines: list[str], link: str) -> dict[str, Any]:  # Any: JSON values
    return {"msgtype": "text", "text": {"content": _plain(title, lines, link)["text"]}, "at": {"isAtAll": False}}


def _feishu(title: str, lines: list[str], link: str) -> dict[str, Any]:  # Any: JSON values
    rows: list[list[dict[str, str]]] = [[{"tag": "text", "text": line}] for line in lines]
    rows += [[{"tag": "a", "text": link, "href": link}]] if link else []
    return {"msg_type": "post", "content": {"post": {"zh_cn": {"title": title, "content": rows}}}}


_BODIES: Mapping[str, Callable[[str, list[str], str], dict[str, Any]]] = {  # Any: JSON values
    "json": _plain,
    "slack": _slack,
    "dingtalk": _dingtalk,
    "feishu": _feishu,
}


def _duration(seconds: float) -> str:
    whole = round(seconds)
    hours, minutes = whole // 3600, whole % 3600 // 60
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {whole % 60} s" if minutes else f"{whole} s"


def _number(value: Json) -> str:
    return f"{value:.6g}" if isinstance(value, int | float) else str(value)
