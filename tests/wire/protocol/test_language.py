"""Sentences on the wire are in the language of who reads them; names, values and lines of logs are nobody's sentences."""

from typing import Any

import pytest

from pai_jupyter.events import Notice, Status
from pai_jupyter.wire import Message
from pai_jupyter.wire.protocol.language import spoken, wanted_language
from tests.support.wire import Client, RecordedJob

ENGLISH = "Time limit reached (5 s)"
CHINESE = "已达到时间上限（5 秒）"


@pytest.mark.parametrize(
    "body",
    [
        {"type": "SpecError", "message": "{}", "hint": "{}"},
        {"id": 1, "error": {"type": "SpecError", "message": "{}", "hint": ""}},
        {"kind": "snapshot", "failure": {"cause": "{}", "hint": "{}", "line": 1}, "state": {"reason": "{}"}},
        {"kind": "state", "events": [{"kind": "Notice", "text": "{}"}, {"kind": "StatusChanged", "reason": "{}"}]},
        {"kind": "state", "state": {"reason": "", "notices": [{"kind": "Notice", "text": "{}"}]}},
        {"id": 1, "ok": {"notes": ["{}"], "series": []}},
        {"id": 1, "ok": {"note": "{}", "replicas": [{"name": "a-0", "paths": [["/ml/code", "{}"]]}]}},
        {"rows": [{"name": "a", "trouble": "{}"}]},
        {"backends": [{"name": "pai", "note": "{}"}], "settings": [{"name": "region", "value": "x", "origin": "{}"}]},
        {"hyperparameters": [], "findings": [{"level": "error", "line": 1, "message": "{}"}]},
    ],
)
def test_a_sentence_is_sent_in_the_language_of_the_reader(body: Any) -> None:
    assert spoken(Message(body=filled(body, ENGLISH)), "zh").body == filled(body, CHINESE)
    assert spoken(Message(body=filled(body, ENGLISH)), "en").body == filled(body, ENGLISH)


@pytest.mark.parametrize(
    "body",
    [
        {"job": {"name": "{}", "values": {"note": "{}"}}, "tail": {"lines": ["{}"]}},
        {"id": 1, "ok": {"kind": "preview", "text": "{}", "name": "{}"}},
        {"failure": {"cause": "", "tail": ["{}"]}},
        {"events": [{"kind": "Metric", "name": "{}", "text": "{}"}]},
        {"hyperparameters": [{"name": "message", "help": "{}", "default": "{}"}]},
        {"rows": [{"name": "{}", "values": ["{}"]}]},
    ],
)
def test_names_values_and_lines_are_sent_as_they_are(body: Any) -> None:
    assert spoken(Message(body=filled(body, ENGLISH)), "zh").body == filled(body, ENGLISH)


@pytest.mark.parametrize(
    ("asked", "environment", "language"),
    [
        ("zh-CN,zh;q=0.9", "", "zh"),
        ("zh", "", "zh"),
        ("en", "", "en"),
        ("", "", "en"),
        ("de,zh", "", "en"),
        ("en", "zh", "zh"),
        ("zh", "en_US", "en"),
    ],
)
def test_the_environment_goes_before_what_a_page_asks_for(
    monkeypatch: pytest.MonkeyPatch, asked: str, environment: str, language: str
) -> None:
    monkeypatch.setenv("PAI_JUPYTER_LANG", environment)
    assert wanted_language(asked) == language


async def test_a_feed_speaks_the_language_that_it_was_opened_with(job: RecordedJob) -> None:
    job.status(Status.RUNNING)
    async with Client(language="zh") as client:
        await client.hello(job.id)
        job.record(Notice(text="waiting for another job that installs the same requirements", time=1.0))
        (news,) = await client.until(lambda: client.pushes(kind="state"))
        assert news["events"][0]["text"] == "正在等待另一个作业安装相同的依赖"
        assert (await client.ask("hello", "j0", view="w")).body["error"] == {
            "type": "NotFoundError",
            "message": "没有作业 'j0'。用 %pai_jobs 查看全部。",
            "hint": "",
        }


def filled(body: Any, sentence: str) -> Any:
    if isinstance(body, str):
        return body.format(sentence)
    if isinstance(body, dict):
        return {name: filled(value, sentence) for name, value in body.items()}
    return [filled(item, sentence) for item in body] if isinstance(body, list) else body
