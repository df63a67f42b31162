"""Translate the sentences of answers and pushes for whoever reads them.

Everything behind the wire speaks English. A page says which language it wants, in the header `Accept-Language` or, at the
socket, in the parameter `language`; PAI_JUPYTER_LANG overrules both. A kernel's widget has the language of its kernel.

Rule 1: only the fields of `_SENTENCES` are looked at. Names, values, lines of logs and contents of files pass unchanged.
Rule 2: a sentence that has no translation stays English.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace

from pai_jupyter import callbacks
from pai_jupyter.spec import Json
from pai_jupyter.wire.messages import Message

_EVENTS: Mapping[str, Mapping[str, object]] = {"StatusChanged": {"reason": True}, "Notice": {"text": True}}
# Field -> True for a sentence, or the fields inside; a list is read item by item.
_ERROR = {"message": True, "hint": True}
_SENTENCES: Mapping[str, object] = {
    **_ERROR,
    "error": _ERROR,
    "failure": {"cause": True, "hint": True},
    "state": {"reason": True, "notices": _EVENTS["Notice"]},
    "events": _EVENTS,
    "note": True,
    "notes": True,
    "channels": {"note": True},
    "replicas": {"paths": True},  # of the environment: what lies at a path
    "rows": {"trouble": True},
    "backends": {"note": True},
    "settings": {"origin": True},
    "findings": {"message": True},
}


def wanted_language(asked: str) -> str:
    """Return "zh" or "en" for a language tag such as "zh-CN,zh;q=0.9"; PAI_JUPYTER_LANG goes before it."""
    return "zh" if (os.environ.get("PAI_JUPYTER_LANG") or asked).lower().startswith("zh") else "en"


def spoken(message: Message, language: str) -> Message:
    """Return `message` with its sentences in `language`."""
    if language == "en":
        return message
    answer = message.body.get("ok")
    body = (
        {**message.body, "ok": _spoken(answer, _SENTENCES, language)} if isinstance(answer, Mapping) else message.body
    )
    return replace(message, body=_mapping(body, _SENTENCES, language))


def _spoken(value: Json, fields: object, language: str) -> Json:
    if isinstance(value, str):
        return _sentence(value, language) if fields is True else value
    if isinstance(value, Mapping):
        return _mapping(value, fields, language)
    if isinstance(value, Sequence):
        return [_spoken(item, fields, language) for item in value]
    return value


def _sentence(text: str, language: str) -> str:
    return callbacks.translator(text, language) if callbacks.translator else text


def _mapping(value: Mapping[str, Json], fields: object, language: str) -> dict[str, Json]:
    if fields is _EVENTS:
        fields = _EVENTS.get(str(value.get("kind")))
    if not isinstance(fields, Mapping):
        return dict(value)
    changed = {name: _spoken(value[name], inside, language) for name, inside in fields.items() if name in value}
    return {**value, **changed}
