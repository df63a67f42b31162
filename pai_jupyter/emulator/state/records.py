"""Records of the services as JSON files `DIR/state/<kind>/<id>.json`, all kept in memory; each file is replaced atomically.

A restarted emulator reads them; damaged files are skipped and logged. One process uses a directory at a time (the server
locks it).
Rule: no secret is written. The values of a job's variables that look like secrets, by name or value, are replaced by `HIDDEN`
wherever they occur in the record. Memory has the values until the emulator ends.
"""

import json
import logging
import os
import secrets
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from pathlib import Path
from string import ascii_lowercase, digits
from typing import cast
from urllib.parse import quote

from pai_jupyter import typed_json
from pai_jupyter.contract import is_secret
from pai_jupyter.emulator.protocol.refusal import Fields
from pai_jupyter.emulator.state.rows import Rows
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.spec import Json
from pai_jupyter.store.disk import read_plain

_log = logging.getLogger(__name__)

HIDDEN = "***"
_VARIABLES = ("Envs", "Environments", "envs", "imageRegistryConfig")  # the last: the login of a registry
_SHORTEST = 8  # characters; shorter secrets are not searched for in other texts, where they occur by chance
_ID_LENGTH = 16


def new_id(prefix: str) -> str:
    """Create an id as the services do: a prefix, then random letters and digits."""
    return prefix + "".join(secrets.choice(ascii_lowercase + digits) for _ in range(_ID_LENGTH))


def without_secrets(fields: Json) -> Json:
    """Replace secrets in `fields`, so that they can be written to a file."""
    return _hidden(fields, [value for value in _secrets(fields) if len(value) >= _SHORTEST])


def _secrets(value: Json) -> Iterator[str]:
    for name, item in value.items() if isinstance(value, dict) else ():
        if name in _VARIABLES and isinstance(item, dict):
            yield from (str(text) for variable, text in item.items() if is_secret(variable, text))
        else:
            yield from _secrets(item)
    for item in value if isinstance(value, list) else ():
        yield from _secrets(item)


def _hidden(value: Json, words: list[str], *, are_variables: bool = False) -> Json:
    if isinstance(value, str):
        for word in words:
            value = value.replace(word, HIDDEN)
        return value
    if isinstance(value, list):
        return [_hidden(item, words) for item in value]
    if isinstance(value, dict):
        return {
            name: HIDDEN
            if are_variables and is_secret(name, item)
            else _hidden(item, words, are_variables=name in _VARIABLES)
            for name, item in value.items()
        }
    return value


class Records:
    """The records of one kind by id, in order of creation."""

    def __init__(self, directory: Path) -> None:
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._directory = directory
        read = sorted(filter(None, map(_read, directory.glob("*.json"))), key=lambda each: each[:2])
        self._known: dict[str, Fields] = {name: dict(fields) for _, name, fields in read}
        self._numbers = {name: number for number, name, _ in read}
        self._ids = [*self._known]  # in order of their numbers
        self._last = max(self._numbers.values(), default=0)
        self._indexes: dict[str, dict[str, set[str]]] = {}  # field -> value -> ids; built on first use

    def get(self, record_id: str) -> Fields | None:
        """Return a copy of a record; changing the copy changes nothing here."""
        fields = self._known.get(record_id)
        return None if fields is None else dict(fields)

    def put(self, record_id: str, fields: Mapping[str, Json]) -> None:
        """Create or replace a record."""
        number = self._numbers.get(record_id, self._last + 1)
        text = json.dumps(
            {"id": record_id, "number": number, "fields": without_secrets(dict(fields))}, ensure_ascii=False
        )
        path = self._path(record_id)
        fresh = path.with_suffix(".new")
        fresh.write_text(text)
        os.replace(fresh, path)  # noqa: PTH105  named like the system call
        self._keep(record_id, number, dict(fields))

    def change(self, record_id: str, **fields: Json) -> Fields:
        """Replace some fields of an existing record, and return a copy of it."""
        self.put(record_id, {**self._known[record_id], **fields})
        return dict(self._known[record_id])

    def remove(self, record_id: str) -> None:
        if (gone := self._known.pop(record_id, None)) is not None:
            self._reindex(record_id, gone, {})
            number = self._numbers.pop(record_id)
            del self._ids[bisect_left(self._ids, number, key=lambda each: self._numbers.get(each, number))]
            self._path(record_id).unlink(missing_ok=True)

    def all(self) -> Iterator[Fields]:
        """Yield copies of all records, oldest first."""
        return (dict(fields) for fields in list(self._known.values()))

    def rows(self, wanted: Mapping[str, str] | None = None) -> Rows:
        """Select the records whose fields equal `wanted`, oldest first; valid until the records change."""
        if not wanted:
            return Rows(self._known, self._ids)
        first, *others = sorted((self._index(field).get(value, set()) for field, value in wanted.items()), key=len)
        ids = first.intersection(*others)
        return Rows(self._known, sorted(ids, key=self._numbers.__getitem__))

    def _index(self, field: str) -> dict[str, set[str]]:
        if field not in self._indexes:
            index = self._indexes[field] = {}
            for record_id, fields in self._known.items():
                if isinstance(value := fields.get(field), str):
                    index.setdefault(value, set()).add(record_id)
        return self._indexes[field]

    def _keep(self, record_id: str, number: int, fields: Fields) -> None:
        self._reindex(record_id, self._known.get(record_id, {}), fields)
        if record_id not in self._numbers:
            self._ids.append(record_id)
            self._numbers[record_id] = self._last = number
        self._known[record_id] = fields

    def _reindex(self, record_id: str, old: Fields, new: Fields) -> None:
        for field, index in self._indexes.items():
            before, after = old.get(field), new.get(field)
            if isinstance(before, str) and before != after:
                index[before].discard(record_id)
                if not index[before]:
                    del index[before]
            if isinstance(after, str):
                index.setdefault(after, set()).add(record_id)

    def _path(self, record_id: str) -> Path:
        return self._directory / f"{quote(record_id, safe='')}.json"


def _read(path: Path) -> tuple[int, str, Fields] | None:
    """Read number, id and fields of a record; None if it is damaged."""
    try:
        said = typed_json.Fields.of(json.loads(read_plain(path)))
        typed_json.check_depth(said.values, path.name)
        return said.whole("number"), said.text("id"), dict(cast(Fields, said.inside("fields").values))
    except (OSError, ValueError, RecursionError, PaiJupyterError) as exc:
        _log.warning("the record '%s' is damaged and left out: %s", path, exc)
        return None
