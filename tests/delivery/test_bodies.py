"""What is posted: the body of each kind, signed where it must be, with text of jobs that can do nothing there."""

import json
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from pai_jupyter.config import Webhook
from pai_jupyter.delivery.alerts import clean, due_alerts
from pai_jupyter.delivery.bodies import dingtalk_sign, feishu_sign, request_of
from pai_jupyter.events import JobState, Link, Metric, Notice, Status, StatusChanged
from pai_jupyter.spec import JobSpec
from pai_jupyter.store import JobRecord

HOSTILE = '<!channel> <at user_id="all">x</at> @all & *b*\n\x1b[31mred\u202e'
SECRET = "hunter2-hunter2"
ALL: Any = {"on": ["end", "failed", "nan", "stalled"], "after": 0.0}


def record(name: str = "iris", **given: Any) -> JobRecord:  # Any: fields of a record
    spec = JobSpec(name=name, command="true")
    return JobRecord(id="j1", spec=spec, backend="process", created=100.0, place="process (no image)", **given)


def state(*more: Any, status: Status = Status.SUCCEEDED, reason: str = "") -> JobState:  # Any: events
    made = JobState()
    for event in (
        StatusChanged(status=Status.RUNNING, time=110.0),
        Metric(name="loss", value=0.25, time=120.0),
        *more,
        StatusChanged(status=status, time=3_835.0, reason=reason),
    ):
        made = made.apply(event)
    return made


def facts(*, wanted: Any = ALL, events: Any = (), cause: str = "", secrets: Any = (), **given: Any) -> Any:  # Any: JSON
    name = given.pop("name", "iris")
    about = {it: given.pop(it) for it in ("notebook",) if it in given}
    (message,) = due_alerts(record(name, **about), wanted, events, state(**given), cause=lambda: cause, secrets=secrets)
    return message.body


def body(kind: Any, given: Any, *, secret: str = "", language: str = "en") -> tuple[str, Any]:  # Any: JSON
    webhook = Webhook(address="https://h/x?t=1", kind=kind, origin="here", signing_secret=secret)
    address, data = request_of(webhook, "m1", given, language=language, now=1_700_000_000.123)
    return address, json.loads(data)


def text_of(kind: str, sent: Any) -> str:  # Any: JSON
    match kind:
        case "dingtalk":
            return str(sent["text"]["content"])
        case "feishu":
            post = sent["content"]["post"]["zh_cn"]
            return "\n".join([post["title"], *(part["text"] for row in post["content"] for part in row)])
        case _:
            return str(sent["text"])


KINDS = ["json", "slack", "dingtalk", "feishu"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_text_says_what_a_person_must_know(kind: str) -> None:
    given = facts(status=Status.FAILED, cause="ValueError: no data", notebook="/home/me/訓練.ipynb")
    lines = text_of(kind, body(kind, given)[1]).splitlines()
    assert lines == [
        "[pai_jupyter] iris failed",
        "ValueError: no data",
        "Job: j1",
        "Run on: process",
        "Notebook: 訓練.ipynb",
        "Duration: 1 h 2 min",
        "Metrics: loss=0.25",
    ]


def test_it_is_said_in_chinese() -> None:
    lines = text_of("feishu", body("feishu", facts(), language="zh")[1]).splitlines()
    assert lines[0] == "[pai_jupyter] iris 成功"
    assert "运行位置：process" in lines


@pytest.mark.parametrize("kind", KINDS)
def test_text_of_jobs_mentions_nobody_and_is_no_markup(kind: str) -> None:
    sent = body(kind, facts(name="<!channel> @all & *b*\u202e", status=Status.FAILED, cause=HOSTILE))[1]
    whole = json.dumps(sent, ensure_ascii=False)
    assert "\x1b" not in whole
    assert "\u202e" not in whole
    assert "@all" not in whole
    if kind == "slack":
        assert "<" not in text_of(kind, sent)
        assert sent["mrkdwn"] is False
    if kind == "feishu":
        assert {part["tag"] for row in sent["content"]["post"]["zh_cn"]["content"] for part in row} == {"text"}
    if kind == "dingtalk":
        assert (sent["msgtype"], sent["at"]) == ("text", {"isAtAll": False})


@pytest.mark.parametrize("kind", KINDS)
def test_a_text_is_short(kind: str) -> None:
    given = facts(name="n" * 100, status=Status.FAILED, cause="長" * 50_000)
    assert len(json.dumps(body(kind, given)[1])) < 10_000


def test_neither_secrets_nor_directories_of_this_machine_are_told() -> None:
    cause = f"FileNotFoundError: '/home/me/secret project/data.csv' with {SECRET}, see https://example.org/a/b"
    given = facts(status=Status.FAILED, cause=cause, secrets=[SECRET])
    assert given["text"] == "FileNotFoundError: '…/data.csv' with ***, see https://example.org/a/b"


@pytest.mark.parametrize("text", ["loss/train 1/2", "a/b", "3 / 4", "and/or"])
def test_what_is_no_path_stays(text: str) -> None:
    assert clean(text) == text


def test_the_link_to_the_console_is_there_if_it_is_one() -> None:
    good, bad = "https://pai.console.aliyun.com/?job=1", "javascript:alert(1)"
    for url, shown in ((good, good), (bad, "")):
        (message,) = due_alerts(record(), ALL, [], state(Link(name="console", url=url)), cause=str, secrets=[])
        assert message.body["link"] == shown


def test_signatures_are_those_of_the_services() -> None:
    address, _ = body("dingtalk", facts(), secret="SEC000")
    query = parse_qs(urlsplit(address).query)
    assert query["timestamp"] == ["1700000000123"]
    assert query["sign"] == [dingtalk_sign("SEC000", 1700000000123)]
    _, sent = body("feishu", facts(), secret="SEC000")
    assert (sent["timestamp"], sent["sign"]) == ("1700000000", feishu_sign("SEC000", 1700000000))
    # computed with OpenSSL: printf '' | openssl dgst -sha256 -hmac "$(printf '1599360473\nSEC')" -binary | base64
    assert feishu_sign("SEC", 1599360473) == FEISHU
    assert dingtalk_sign("SEC", 1599360473000) == DINGTALK


FEISHU = "4JWgcpNmrcsrGNgV/GWd+prGAlJRbFPZbsD5UJ6/bmE="
DINGTALK = "55oKSgVwKOyb9IAZyUszlLILUyQZG0/i+6BFw8M/1wk="  # printf '1599360473000\nSEC' | openssl dgst -sha256 -hmac SEC -binary | base64


def test_only_what_is_wanted_is_due() -> None:
    events = [Notice(text="t", time=150.0, alert=it) for it in ("nan", "stalled", "")]

    def due(**wanted: Any) -> list[str]:  # Any: JSON
        found = due_alerts(record(), wanted, events, state(), cause=str, secrets=[])
        return [str(it.body["alert"]) for it in found]

    assert due(on=["nan"], after=0.0) == ["nan"]
    assert due(on=["stalled", "failed"], after=0.0) == ["stalled"]
    assert due(on=["end"], after=3_735.0) == ["end"]
    assert due(on=["end"], after=3_736.0) == []
    assert due() == []


def test_who_reads_the_same_events_again_makes_the_same_messages() -> None:
    events = [Notice(text=f"t{index}", time=150.0, alert="nan") for index in range(3)]
    ids = [[it.id for it in due_alerts(record(), ALL, events, state(), cause=str)] for _ in range(2)]
    assert ids[0] == ids[1]
    assert len(set(ids[0])) == 4
