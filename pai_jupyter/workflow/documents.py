"""The documents of a manifest as plain values. Pure."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from pai_jupyter.spec import Json

API_VERSION = "core/v1"
MADE_UP = "tmp-"  # begins the names of components that nobody has named
Document: TypeAlias = dict[str, Json]


def with_metadata(documents: Sequence[Document], *, identifier: str | None, version: str | None) -> list[Document]:
    """Return the documents with an identifier and a version in the last one."""
    given: dict[str, Json] = {
        key: it for key, it in (("identifier", identifier), ("version", version)) if it is not None
    }
    last = documents[-1]
    return [*documents[:-1], {**last, "metadata": {**inside(last, "metadata"), **given}}]


def inside(value: Mapping[str, Json], name: str) -> dict[str, Json]:
    """Return the object in a field; {} if there is none."""
    found = value.get(name)
    return found if isinstance(found, dict) else {}
