"""What the emulator knows, as JSON files: `DIR/state/<kind>/<id>.json`, all in memory, each written as a whole.

A restarted emulator reads them again; one that is damaged is left out, and said in the log. One process has a directory at
a time (the server locks it).
"""

import json
import logging
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast
from urllib.parse import quote

from pai_jupyter import typed_json
from pai_jupyter.emulator.api import Fields
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.spec import Json
from pai_jupyter.store.disk import read_plain

_log = logging.getLogger(__name__)


class Records:
    """The records of one kind by their ids, in the order in which they were made."""

    def __init__(self, directory: Path) -> None:
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._directory = directory
        read = sorted(filter(None, map(_read, directory.glob("*.json"))), key=lambda each: each[:2])
        self._known: dict[str, Fields] = {name: dict(fields) for _, name, fields in read}
        self._numbers = {name: number for number, name, _ in read}

    def get(self, record_id: str) -> Fields | None:
        """A copy of what is known; changing it changes nothing here."""
        fields = self._known.get(record_id)
        return None if fields is None else dict(fields)

    def put(self, record_id: str, fields: Mapping[str, Json]) -> None:
        """Make the record, or replace all of it."""
        number = self._numbers.setdefault(record_id, max(self._numbers.values(), default=0) + 1)
        text = json.dumps({"id": record_id, "number": number, "fields": fields}, ensure_ascii=False)
        path = self._path(record_id)
        fresh = path.with_suffix(".new")
        fresh.write_text(text)
        os.replace(fresh, path)  # noqa: PTH105  one word for one system call
        self._known[record_id] = dict(fields)

    def change(self, record_id: str, **fields: Json) -> Fields:
        """Replace some fields of a record that is there."""
        self.put(record_id, {**self._known[record_id], **fields})
        return dict(self._known[record_id])

    def remove(self, record_id: str) -> None:
        if self._known.pop(record_id, None) is not None:
            self._numbers.pop(record_id)
            self._path(record_id).unlink(missing_ok=True)

    def all(self) -> Iterator[Fields]:
        """Copies of all, the oldest first."""
        return (dict(fields) for fields in list(self._known.values()))

    def _path(self, record_id: str) -> Path:
        return self._directory / f"{quote(record_id, safe='')}.json"


def _read(path: Path) -> tuple[int, str, Fields] | None:
    """Number, id and fields of a record; None where it is damaged."""
    try:
        said = typed_json.Fields.of(json.loads(read_plain(path)))
        typed_json.check_depth(said.values, path.name)
        return said.whole("number"), said.text("id"), dict(cast(Fields, said.inside("fields").values))
    except (OSError, ValueError, RecursionError, PaiJupyterError) as exc:
        _log.warning("the record '%s' is damaged and left out: %s", path, exc)
        return None
