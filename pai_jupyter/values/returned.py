"""Read the values that a job has written into its channel `returned`.

Rule 1: everything there is hostile: the manifest, names, files, links. Files are opened below the channel only, never through a
    link, and only the names are read that the job was asked for, if that is known.
Rule 2: a pickle is read only when the caller allows it, for reading one runs its code.
"""

import json
import keyword
import sys
from collections.abc import Collection, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any, BinaryIO

from pai_jupyter.errors import NotFoundError, PaiJupyterError
from pai_jupyter.path_guard import JobDirectory, open_file
from pai_jupyter.values.pai_values import MANIFEST
from pai_jupyter.values.pai_values.arrangement import PICKLES, ValueReader
from pai_jupyter.values.pai_values.definitions import Definitions
from pai_jupyter.values.pai_values.writing import ValueNotRead

LONGEST = 4 << 20  # bytes of a manifest
_MOST = 1000  # values
_SHOWN = 300  # characters of a job's sentence


@dataclass(frozen=True, kw_only=True)
class ReturnedValues:
    """What is in the channel: entries by name, and why others were not written."""

    items: Mapping[str, Mapping[str, Any]]  # Any: JSON values
    failed: Mapping[str, str]

    @property
    def pickles(self) -> list[str]:
        return [name for name, item in self.items.items() if item.get("format") in PICKLES]


def not_returned(found: ReturnedValues) -> list[str]:
    """Return one sentence for each value that was not written."""
    return [f"`{name}` was not returned: it {reason}" for name, reason in found.failed.items()]


def look(place: JobDirectory, *, what: str) -> ReturnedValues:
    """Read the manifest; a channel without one has no values.

    Raises:
        SpecError, PaiJupyterError: it is no manifest.
    """
    try:
        with open_file(place, MANIFEST, what=what) as file:
            data = file.read(LONGEST + 1)
    except NotFoundError:
        return ReturnedValues(items={}, failed={})
    return read_manifest(data, what=what)


def read_manifest(data: bytes, *, what: str) -> ReturnedValues:
    """Parse the bytes of a manifest.

    Raises:
        PaiJupyterError: it is none.
    """
    try:
        read: Any = json.loads(data) if len(data) <= LONGEST else None  # Any: parsed JSON
        items = {str(name): item for name, item in read["values"].items() if _is_name(name) and isinstance(item, dict)}
        failed = {str(name): _line(text) for name, text in read["failed"].items() if _is_name(name)}
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError) as exc:
        raise PaiJupyterError(
            f"{what} has a damaged {MANIFEST}, so no values can be read. Look at its files instead."
        ) from exc
    return ReturnedValues(items=dict(list(items.items())[:_MOST]), failed=dict(list(failed.items())[:_MOST]))


def read_returned(
    place: JobDirectory, found: ReturnedValues, names: Collection[str], *, what: str, allow_pickle: bool
) -> dict[str, Any]:
    """Read the values `names` of the channel at `place`.

    Raises:
        PaiJupyterError: a file is missing, damaged, or a pickle that may not be read.
    """

    def open_value(name: str) -> BinaryIO:
        file_name = found.items[name].get("file")
        if not isinstance(file_name, str) or "/" in file_name:
            raise PaiJupyterError(f"{what} has a damaged {MANIFEST}: the file of {name!r} is none of its own.")
        return open_file(place, file_name, what=what)

    definitions = Definitions(vars(sys.modules["__main__"]), takes_state=False)
    reader = ValueReader(found.items, open_value, allow_pickle=allow_pickle, definitions=definitions)
    with closing(reader):
        return {name: _read(reader, name, what) for name in names}


def _read(reader: ValueReader, name: str, what: str) -> Any:
    try:
        return reader.read(name)
    except ValueNotRead as exc:
        raise PaiJupyterError(f"`{name}` of {what} cannot be read: it {_line(exc)}") from exc
    except (MemoryError, RecursionError) as exc:
        raise PaiJupyterError(f"`{name}` of {what} cannot be read: it is too large for the memory.") from exc


def _line(text: object) -> str:
    """Return a job's sentence without line breaks and control characters."""
    return "".join(sign if sign.isprintable() else " " for sign in str(text)[:_SHOWN])


def _is_name(name: object) -> bool:
    return isinstance(name, str) and len(name) <= _SHOWN and name.isidentifier() and not keyword.iskeyword(name)
