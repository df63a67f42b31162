"""What was edited by hand in the file of a saved component. Pure."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pai_jupyter.component.forms import unknown_fields
from pai_jupyter.component.names import shown, visible

DIGESTS = frozenset({"image_digest", "code_digest", "code_files", "field_digests"})


def without_digests(document: object) -> object:
    """Return the fields of the component itself."""
    if not isinstance(document, Mapping):
        return document
    return {name: value for name, value in document.items() if name not in DIGESTS}


def field_digests(document: Mapping[Any, object]) -> dict[str, str]:
    """Return a digest of each field, by which an edit is noticed; names in YAML may be of any type."""
    return {
        str(name): hashlib.sha256(json.dumps(value, default=str, sort_keys=True).encode()).hexdigest()[:8]
        for name, value in document.items()
        if name not in DIGESTS
    }


def oddities(value: Mapping[object, object], before: Mapping[str, str], place: Path) -> Iterator[str]:
    """Yield what is said of a file that was edited by hand."""
    for name in unknown_fields(value, DIGESTS):
        yield f"{shown(name)} in '{place}' is no field of a component, and is ignored."
    now = field_digests(value)
    edited = [name for name in {**before, **now} if before.get(name) != now.get(name)]
    if before and edited:
        listed = ", ".join(visible(name) for name in edited)
        yield f"'{place}' is not as it was saved: {listed}. It runs as it is now."
