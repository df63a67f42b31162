"""Translate the messages in answers and pushes into the user's language.

The other code writes English. A page asks for a language with the header `Accept-Language` or, on the WebSocket, with the
parameter `language`; PAI_JUPYTER_LANG overrides both. A widget uses the language of its kernel.

Rule 1: only the fields of `_SENTENCES` are translated. Names, values, log lines and contents of files stay unchanged.
Rule 2: a sentence without a translation stays English.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace

from pai_jupyter import callbacks
from pai_jupyter.wire.protocol.messages import Message
from pai_jupyter.wire.protocol.offers import details_in_chinese
from pai_jupyter.wire.protocol.value_sentences import in_chinese

_EVENTS: Mapping[str, Mapping[str, object]] = {"StatusChanged": {"reason": True}, "Notice": {"text": True}}
# Field -> True for a sentence, its own translator, or a mapping of its own fields; lists are translated item by item.
_RULES = {"rule": lambda text: in_chinese(text) or text}
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
    "outputs": {"note": True},
    "git": {"diff_note": True},
    "git_note": True,
    "replicas": {"paths": True},  # of the environment: descriptions of paths
    "rows": {"trouble": True, "alert": {"text": True}},
    "run": {"reason": True, "notes": True, "trouble": True},
    "runs": {"reason": True, "trouble": True},
    "steps": {"reason": True, "condition": {"reason": True}, "tries": {"reason": True}},
    "backends": {"note": True},
    "settings": {"origin": True},
    "findings": {"message": True},
    "hyperparameters": _RULES,
    "instances": {"details": details_in_chinese},
    "values": _RULES,
    "components": {"problem": True},
    "problem": True,
    "problems": {"text": True},
    "errors": True,  # of a job file
    "warnings": True,
    "facts": True,  # of a cluster
    "processes": {"trouble": True},
}


def wanted_language(asked: str) -> str:
    """Return "zh" or "en" for a language tag such as "zh-CN,zh;q=0.9"; PAI_JUPYTER_LANG overrides it."""
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


def _spoken(value: object, fields: object, language: str) -> object:
    if isinstance(value, str):
        if callable(fields):
            return fields(value)
        return _sentence(value, language) if fields is True else value
    if isinstance(value, Mapping):
        return _mapping(value, fields, language)
    if isinstance(value, Sequence):
        return [_spoken(item, fields, language) for item in value]
    return value


def _sentence(text: str, language: str) -> str:
    return callbacks.translator(text, language) if callbacks.translator else text


def _mapping(value: Mapping[str, object], fields: object, language: str) -> dict[str, object]:
    if fields is _EVENTS:
        fields = _EVENTS.get(str(value.get("kind")))
    if fields is _RULES and "is_offered" not in value:  # the values of a job, by name
        return dict(value)
    if not isinstance(fields, Mapping):
        return dict(value)
    changed = {name: _spoken(value[name], inside, language) for name, inside in fields.items() if name in value}
    return {**value, **changed}
