"""What services answer: taken, not now, never."""

import json

import pytest

from pai_jupyter.config.webhooks import Kind
from pai_jupyter.delivery.answers import RATE_PAUSE, Answer, read_answer


def code(**fields: object) -> str:
    return json.dumps(fields)


@pytest.mark.parametrize(
    ("kind", "status", "text", "result"),
    [
        ("json", 200, "", "sent"),
        ("json", 204, "", "sent"),
        ("json", 301, "", "refused"),
        ("json", 404, "no such hook", "refused"),
        ("json", 500, "", "later"),
        ("json", 503, "<html>", "later"),
        ("json", 429, "", "later"),
        ("slack", 200, "ok", "sent"),
        ("slack", 200, "<html>Log in</html>", "refused"),
        ("slack", 403, "invalid_token", "refused"),
        ("dingtalk", 200, code(errcode=0, errmsg="ok"), "sent"),
        ("dingtalk", 200, code(errcode=310000, errmsg="keywords not in content"), "refused"),
        ("dingtalk", 200, code(errcode=130101, errmsg="send too fast"), "later"),
        ("dingtalk", 200, code(errcode=-1, errmsg="busy"), "later"),
        ("dingtalk", 200, "<html>", "refused"),
        ("dingtalk", 200, "[1]", "refused"),
        ("feishu", 200, code(code=0, msg="success"), "sent"),
        ("feishu", 200, code(StatusCode=0, StatusMessage="success"), "sent"),
        ("feishu", 200, code(code=19021, msg="sign match fail"), "refused"),
        ("feishu", 200, code(code=11232, msg="frequency limited"), "later"),
    ],
)
def test_answers(kind: Kind, status: int, text: str, result: str) -> None:
    outcome = read_answer(kind, Answer(status=status, text=text))
    assert outcome.result == result
    assert bool(outcome.why) == (result != "sent")


def test_the_words_of_the_service_are_told_in_a_line() -> None:
    answer = Answer(status=200, text=code(errcode=310000, errmsg="no\n<b>keyword</b>" + "x" * 999))
    why = read_answer("dingtalk", answer).why
    assert why.startswith("it answers 310000: no <b>keyword</b>xxx")
    assert len(why) < 250


def test_a_limit_is_waited_for() -> None:
    assert read_answer("dingtalk", Answer(status=200, text=code(errcode=130101))).pause == RATE_PAUSE
    assert read_answer("slack", Answer(status=429, retry_after=300)).pause == 300
    assert read_answer("slack", Answer(status=429, retry_after=9_999_999)).pause == 3_600
