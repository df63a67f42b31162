"""The rows of jobs that have ended, in one file: 10,000 job folders are read in a moment.

    $PAI_JUPYTER_HOME/cache/job-rows        two lines of JSON and the numbers of metrics, as `_pack` puts them

Rule 1: it holds nothing that the folders do not: delete it when you like. A file that is damaged, or of another form, is no
    cache.
Rule 2: a row counts only while the marks of its job's files (inode, time, size) are those it was read with.
Rule 3: only jobs that have ended are kept: their files rarely change.
"""

import json
import sys
import zlib
from array import array
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.events import Status
from pai_jupyter.jobs.job_index.facts import STATS, RowFacts, names_of
from pai_jupyter.jobs.job_index.row import JobRow, RowAlert
from pai_jupyter.store.disk import make_folder, read_plain, replace_file
from pai_jupyter.typed_json import Fields

if TYPE_CHECKING:
    from pai_jupyter.cost import JobPrice

LARGEST = 512 * 1024 * 1024  # bytes; a larger file is not read
_FORM = 1  # another number for another form of the file, or another meaning of a field
_NOT_KEPT = ("facts",)  # fields that the file has in another way
_FIELDS = tuple(field.name for field in fields(JobRow) if field.name not in _NOT_KEPT)
_DAMAGED = (
    PaiJupyterError,
    OSError,
    ValueError,
    TypeError,
    KeyError,
    IndexError,
    AttributeError,
    OverflowError,
    RecursionError,
)
Marks = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class KeptRow:
    """A row, and the marks of the files that it was read from."""

    row: JobRow
    marks: Marks


def cache_file(home: Path) -> Path:
    return home / "cache" / "job-rows"


def read_cache(home: Path, wanted: str | None) -> dict[str, KeptRow]:
    """Return the kept rows by id; none if there is no file, or one of no use. `wanted`: the metric that rows show."""
    with suppress(*_DAMAGED):
        return _unpack(read_plain(cache_file(home), LARGEST), wanted)
    return {}


def write_cache(home: Path, kept: Mapping[str, KeptRow], wanted: str | None) -> None:
    """Replace the file. One that cannot be written is none: the folders are read the next time."""
    with suppress(PaiJupyterError, OSError):
        make_folder(cache_file(home).parent)
        replace_file(cache_file(home), _pack(kept, wanted))


def _pack(kept: Mapping[str, KeptRow], wanted: str | None) -> bytes:
    """Return the file: a head with the checksum of the rest, the rows as JSON, and the numbers of all their metrics."""
    shapes: dict[int, int] = {}
    names: list[tuple[str, ...]] = []
    numbers = array("d")
    rows = []
    for each in kept.values():
        facts = each.row.facts
        places = []
        for shape in (facts.given, facts.metrics):
            if id(shape) not in shapes:
                shapes[id(shape)] = len(names)
                names.append(shape.names)
            places.append(shapes[id(shape)])
        numbers.extend(facts.numbers)
        told = {name: _told(getattr(each.row, name)) for name in _FIELDS}
        if each.row.cost is not None:
            told["cost"] = each.row.cost.to_json()
        rows.append([each.marks, *places, facts.values, *told.values()])
    if sys.byteorder == "big":
        numbers.byteswap()
    text = json.dumps({"names": names, "rows": rows}, separators=(",", ":"), ensure_ascii=True).encode()
    body = text + b"\n" + numbers.tobytes()
    head = {**_head(wanted), "sum": zlib.crc32(body), "text": len(text)}
    return json.dumps(head).encode() + b"\n" + body


def _told(value: Any) -> Any:  # Any: a field of a row, and its JSON
    return asdict(value) if isinstance(value, RowAlert) else value


def _head(wanted: str | None) -> dict[str, Any]:  # Any: JSON values
    return {"form": _FORM, "fields": [*_FIELDS], "metric": wanted, "stats": [*STATS]}


def _unpack(data: bytes, wanted: str | None) -> dict[str, KeptRow]:
    """Read what `_pack` made.

    Raises:
        ValueError: it is damaged, of another version, or was made for another metric; so may others of `_DAMAGED`.
    """
    first, _, body = data.partition(b"\n")
    head = json.loads(first)
    if {name: head.get(name) for name in _head(wanted)} != _head(wanted) or head["sum"] != zlib.crc32(body):
        raise ValueError("of another version, or damaged")
    size = head["text"]
    numbers = array("d")
    numbers.frombytes(memoryview(body)[size + 1 :])
    if sys.byteorder == "big":
        numbers.byteswap()
    told = json.loads(memoryview(body)[:size].tobytes())
    return {kept.row.id: kept for kept in _rows(told, numbers)}


def _rows(told: Mapping[str, Any], numbers: "array[float]") -> Iterator[KeptRow]:  # Any: JSON values
    shapes = [names_of(names) for names in told["names"]]
    at = 0
    for marks, given, metrics, values, *told_fields in told["rows"]:
        row = dict(zip(_FIELDS, told_fields, strict=True))
        row["status"] = Status(row["status"])
        row["values"] = tuple(row["values"])
        row["tags"] = tuple(row["tags"])
        row["alert"] = None if row["alert"] is None else RowAlert(**row["alert"])
        row["cost"] = None if row["cost"] is None else _price(row["cost"])
        if row["metric"] is not None:
            row["metric"] = tuple(row["metric"])
        size = len(shapes[metrics].names) * len(STATS)
        facts = RowFacts(
            given=shapes[given], values=tuple(values), metrics=shapes[metrics], numbers=numbers[at : at + size]
        )
        at += size
        yield KeptRow(row=JobRow(**row, facts=facts), marks=tuple(map(tuple, marks)))


def _price(told: Mapping[str, Any]) -> "JobPrice":  # Any: JSON values
    from pai_jupyter.cost import JobPrice  # late, with `decimal`: few jobs have a price

    return JobPrice.from_json(Fields.of(told))
