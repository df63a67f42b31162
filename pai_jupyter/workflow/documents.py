"""The documents of a manifest as plain values. Pure."""

import re
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from pai_jupyter import contract
from pai_jupyter.spec import Json
from pai_jupyter.store import MASKED

API_VERSION = "core/v1"
Document: TypeAlias = dict[str, Json]
_OUR_PREFIX = re.compile(r"CUSTOM_JOB_")


def with_metadata(documents: Sequence[Document], *, identifier: str | None, version: str | None) -> list[Document]:
    """Return the documents with an identifier and a version in the last one."""
    given: dict[str, Json] = {
        key: it for key, it in (("identifier", identifier), ("version", version)) if it is not None
    }
    last = documents[-1]
    return [*documents[:-1], {**last, "metadata": {**inside(last, "metadata"), **given}}]


def masked(documents: Sequence[Document]) -> list[Document]:
    """Return the documents without the values of secret variables; a run takes those from the environment."""
    return [_masked(it) for it in documents]


def _masked(document: Document) -> Document:
    container = inside(inside(document, "spec"), "container")
    envs = inside(container, "envs")
    hidden = {name for name, value in envs.items() if not _OUR_PREFIX.match(name) and contract.is_secret(name, value)}
    if not hidden:
        return document
    shown: dict[str, Json] = {name: MASKED if name in hidden else value for name, value in envs.items()}
    return {**document, "spec": {**inside(document, "spec"), "container": {**container, "envs": shown}}}


def inside(value: Mapping[str, Json], name: str) -> dict[str, Json]:
    """Return the object in a field; {} if there is none."""
    found = value.get(name)
    return found if isinstance(found, dict) else {}
