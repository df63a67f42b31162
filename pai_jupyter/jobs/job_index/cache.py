"""The rows of jobs that have ended, in one file: 10,000 job folders are read in a moment.

    $PAI_JUPYTER_HOME/cache/job-rows        two lines of JSON and numbers, as `_pack` puts them: the rows by columns (packing)

Rule 1: it holds nothing that the folders do not: delete it when you like. A file that is damaged, or of another form, is no
    cache.
Rule 2: a row counts only while the marks of its job's files (inode, time, size) are those it was read with.
Rule 3: only jobs that have ended are kept: their files rarely change.
"""

import gc
import json
import zlib
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, fields
from itertools import accumulate, pairwise, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.events import Status
from pai_jupyter.jobs.job_index.facts import STATS, RowFacts, SharedNames, names_of
from pai_jupyter.jobs.job_index.packing import Packer, Unpacker
from pai_jupyter.jobs.job_index.row import JobRow, RowAlert
from pai_jupyter.store.disk import make_folder, read_plain, replace_file
from pai_jupyter.typed_json import Fields

if TYPE_CHECKING:
    from pai_jupyter.cost import JobPrice

LARGEST = 512 * 1024 * 1024  # bytes; a larger file is not read
_FORM = 2  # another number for another form of the file, or another meaning of a field
_NOT_KEPT = ("facts", "searched")  # fields that the file has in another way
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
_PLAIN = (str, int, float, tuple, type(None))  # a bool is an int
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
    """Return the file: a head with the checksum of the rest, what tells the columns as JSON, and their numbers."""
    packer, rows, marks = Packer(), [each.row for each in kept.values()], [each.marks for each in kept.values()]
    facts = [row.facts for row in rows]
    shapes = {id(names): names for each in facts for names in (each.given, each.metrics)}
    places = {shape: place for place, shape in enumerate(shapes)}
    columns = [
        *(packer.column([_told(getattr(row, name)) for row in rows]) for name in _FIELDS),
        *(packer.column([each[file] for each in marks]) for file in range(3)),
        packer.column([places[id(each.given)] for each in facts]),
        packer.column([places[id(each.metrics)] for each in facts]),
        packer.column([each.values for each in facts]),
    ]
    for each in facts:
        packer.numbers(each.numbers)
    names = [shape.names for shape in shapes.values()]
    text = json.dumps([len(rows), names, columns], separators=(",", ":"), ensure_ascii=True).encode()
    body = text + b"\n" + packer.buffer
    head = {**_head(wanted), "sum": zlib.crc32(body), "text": len(text)}
    return json.dumps(head).encode() + b"\n" + body


def _told(value: Any) -> Any:  # Any: a field of a row, and what is packed of it
    match value:
        case RowAlert():
            return asdict(value)
        case Status():
            return value.value
    return value if isinstance(value, _PLAIN) else value.to_json()  # a price; its class is imported late


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
    count, names, told = json.loads(memoryview(body)[:size].tobytes())
    unpacker = Unpacker(memoryview(body)[size + 1 :])
    with _uncollected():
        return _rows(count, [*map(names_of, names)], [unpacker.column(each, count) for each in told], unpacker)


def _rows(count: int, shapes: list[SharedNames], columns: list[Any], unpacker: Unpacker) -> dict[str, KeptRow]:
    *cells, record, state, annotations, given, metrics, values = columns
    told = dict(zip(_FIELDS, cells, strict=True))
    told["status"] = [*map({status.value: status for status in Status}.__getitem__, told["status"])]
    told["alert"] = [None if alert is None else RowAlert(**alert) for alert in told["alert"]]
    told["cost"] = [None if cost is None else _price(cost) for cost in told["cost"]]
    told["metric"] = [None if metric is None else tuple(metric) for metric in told["metric"]]
    sizes = [len(shapes[place].names) * len(STATS) for place in metrics]
    ends = [*accumulate(sizes, initial=0)]
    numbers = unpacker.numbers("d", ends[-1])
    facts = _made(
        RowFacts,
        count,
        given=map(shapes.__getitem__, given),
        values=values,
        metrics=map(shapes.__getitem__, metrics),
        numbers=(numbers[start:end] for start, end in pairwise(ends)),
    )
    rows = _made(JobRow, count, facts=facts, searched=repeat(""), **told)
    marks = zip(record, state, annotations, strict=True)
    return dict(zip(told["id"], _made(KeptRow, count, row=rows, marks=marks), strict=True))


_Made = TypeVar("_Made")


def _made(kind: type[_Made], count: int, **columns: Iterable[Any]) -> list[_Made]:  # Any: cells
    """Make `count` objects of a class with slots, a field at a time: their constructor takes twice as long."""
    found = [object.__new__(kind) for _ in range(count)]
    for name, cells in columns.items():
        deque(map(getattr(kind, name).__set__, found, cells), maxlen=0)
    return found


@contextmanager
def _uncollected() -> Iterator[None]:
    """Have the garbage collector rest: thousands of objects are made, none is garbage, and it would look at all of them again."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _price(told: Mapping[str, Any]) -> "JobPrice":  # Any: JSON values
    from pai_jupyter.cost import JobPrice  # late, with `decimal`: few jobs have a price

    return JobPrice.from_json(Fields.of(told))
