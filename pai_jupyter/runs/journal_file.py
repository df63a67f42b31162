"""The file `journal.jsonl`: entries as lines of JSON, appended by one process, read by any.

Rule 1: `append` returns when the line is on the disk; what the entry announces is done after that.
Rule 2: a last line without its end was torn by a kill. The writer cuts it off, readers ignore it.
Rule 3: an entry of a newer version (unknown `kind`) is passed over; a line that is damaged is an error that says which.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields as fields_of
from pathlib import Path
from typing import Any, Self, get_args

from pai_jupyter.errors import NotFoundError, PaiJupyterError
from pai_jupyter.runs.damage import damaged
from pai_jupyter.runs.journal import Entry
from pai_jupyter.runs.plan_json import json_object
from pai_jupyter.spec import Json
from pai_jupyter.store.disk import AppendFile, read_plain, to_bytes, translated
from pai_jupyter.typed_json import FieldError, Fields, check_depth

MAX_JOURNAL = 1 << 30  # bytes
_CHUNK = 1 << 16


def _kind(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("_")


_CLASSES: Mapping[str, type[Any]] = {_kind(it.__name__): it for it in get_args(Entry)}  # Any: dataclasses of entries
_KINDS = {it: kind for kind, it in _CLASSES.items()}


def entry_to_json(entry: Entry) -> dict[str, Json]:
    """Return an entry as an object; what equals None is left out."""
    values = {field.name: getattr(entry, field.name) for field in fields_of(entry)}
    return {"kind": _KINDS[type(entry)]} | {name: _plain(it) for name, it in values.items() if it is not None}


def _plain(value: Any) -> Any:  # Any: a field of an entry
    if isinstance(value, Mapping):
        return dict(value)
    return list(value) if isinstance(value, tuple) else value


def entry_from_json(value: object) -> Entry | None:
    """Read an entry; None if a newer version has written it.

    Raises:
        FieldError: it is damaged.
    """
    given = Fields.of(value, "entry")
    found = _CLASSES.get(given.line("kind"))
    if found is None:
        return None
    entry: Entry = found(**{it.name: _READERS[str(it.type)](given, it.name) for it in fields_of(found)})
    return entry


def _items(given: Fields, name: str) -> tuple[object, ...]:
    found = given.items(name)
    for item, path in found:
        check_depth(item, path)
    return tuple(item for item, _ in found)


_READERS: Mapping[str, Callable[[Fields, str], object]] = {
    str(str): lambda given, name: given.text(name),
    str(bool): lambda given, name: given.flag(name),
    str(float): lambda given, name: given.time(name),
    str(str | None): lambda given, name: given.text(name) if given.has(name) else None,
    str(Mapping[str, Json]): json_object,
    str(tuple[Json, ...]): _items,
}


class Journal:
    """The journal of a run, for the one process that drives it."""

    def __init__(self, path: Path) -> None:
        """Open the file, or create it; cut off a torn last line.

        Raises:
            PaiJupyterError: it cannot be opened.
        """
        self._file = AppendFile(path)
        self._file.cut(self._whole_length())

    def _whole_length(self) -> int:
        """Return the length up to the end of the last whole line."""
        end = self._file.length
        while end > 0:
            start = max(0, end - _CHUNK)
            found = self._file.read(end - start, start).rfind(b"\n")
            if found >= 0:
                return start + found + 1
            end = start
        return 0

    def append(self, *entries: Entry) -> None:
        """Append entries and sync them to disk together; after an error the file is as it was."""
        before = self._file.length
        try:
            self._file.append(b"".join(to_bytes(entry_to_json(entry)) + b"\n" for entry in entries))
            self._file.sync()
        except PaiJupyterError:
            self._file.cut(before)
            raise

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def read_journal(path: Path) -> list[Entry]:
    """Read the entries of a journal; none if the file does not exist yet.

    Raises:
        PaiJupyterError: it cannot be read, or a line is damaged.
    """
    try:
        with translated(path):
            data = read_plain(path, MAX_JOURNAL)
    except NotFoundError:
        return []
    return list(read_lines(data, path))


def read_lines(data: bytes, path: Path, *, first: int = 1) -> Iterator[Entry]:
    """Read the whole lines of `data`; `first` is the number of the first line in the file at `path`."""
    for number, line in enumerate(data.split(b"\n")[:-1], first):
        try:
            entry = entry_from_json(json.loads(line))
        except FieldError as exc:
            raise damaged(path, f"line {number}: {exc}") from exc
        except (ValueError, RecursionError) as exc:
            raise damaged(path, f"line {number} is no JSON") from exc
        if entry is not None:
            yield entry
