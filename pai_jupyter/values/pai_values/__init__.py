"""Read the values that the kernel sent, and write those that it gets back. Packed beside a job's script.

A channel is a directory with one file for each value, and `values.json`:

    {"version": 1, "values": {"X": {"file": "X.npy", "format": "npy", "type": "numpy.ndarray", "shape": [3, 4], ...}},
     "failed": {"f": "why it was not written"}}

Rule 1: a value is read with the type, dtype, index and order that it was written with; a format that would change it is not used.
Rule 2: a file goes through the memory in pieces, in both directions.
Rule 3: only `pickle` and `pickles` run code when they are read (pickles).
Rule 4: what several values share is one object again (arrangement), and of the reader's own class where it has it (definitions).
Rule 5: standard library only, but for the library of a value; Python 3.8 and later; kernel and job use the same code.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import closing, suppress
from typing import Any, BinaryIO, Callable, Iterable, Mapping, Optional  # Any: values are of any type

from .arrangement import Arrangement, NotPickled, ValueReader
from .definitions import Definitions
from .formats import ENDINGS, reason_of
from .writing import LIMIT, Sink, ValueNotRead

MANIFEST = "values.json"
SENT, RETURNED = "PAI_INPUT_SENT", "PAI_OUTPUT_RETURNED"  # the variables with the channels' directories

__all__ = ["load", "save"]


def load(*names: str) -> Any:
    """Return the values that the kernel sent, in this order; a single one as it is."""
    folder = os.environ.get(SENT)
    if not folder:
        raise ValueNotRead(f"no values were sent with this job: there is no {SENT}.")
    with open(os.path.join(folder, MANIFEST), encoding="utf-8") as file:
        known = json.load(file)["values"]

    def open_file(name: str) -> BinaryIO:
        return open(os.path.join(folder, known[name]["file"]), "rb")

    definitions = Definitions(sys._getframe(1).f_globals, takes_state=True)
    with closing(ValueReader(known, open_file, allow_pickle=True, definitions=definitions)) as reader:
        found = [_load(reader, name, known) for name in names]
    return found[0] if len(found) == 1 else tuple(found)


def _load(reader: ValueReader, name: str, known: Mapping[str, Any]) -> Any:
    if name not in known:
        raise ValueNotRead(f"`{name}` was not sent with this job. Name it: --send {name}")
    try:
        return reader.read(name)
    except ValueNotRead as exc:
        raise ValueNotRead(f"`{name}` cannot be read: it {exc}") from exc


def save(*names: str) -> None:
    """Write variables of the calling script for the kernel; the log names those that cannot be written.

    Only the script itself does so, on the job's first replica: no imported copy of it, no other rank.
    """
    variables = sys._getframe(1).f_globals
    if variables.get("__name__") != "__main__" or not _is_first(os.environ):
        return
    values = {name: variables[name] for name in names if name in variables}
    for name, reason in write_all(os.environ[RETURNED], values, names, variables).items():
        print(f"pai_jupyter: `{name}` was not returned: it {reason}", file=sys.stderr)


def write_all(
    folder: str, values: Mapping[str, Any], names: Iterable[str], variables: Optional[Mapping[str, Any]] = None
) -> dict[str, str]:
    """Write `values` into `folder`, with a manifest; return why the others of `names` were not written.

    `variables` are those of the script, for its classes.
    """
    order = list(dict.fromkeys(names))
    arranged = Arrangement({name: values[name] for name in order if name in values}, variables)
    written: dict[str, Any] = {}
    failed = {name: "is not defined at the end of the cell." for name in order if name not in values}
    failed.update((name, reason_of(exc)) for name, exc in arranged.failed.items())
    taken: set[str] = set()
    room = [LIMIT]
    for name, (item, write) in arranged.own.items():
        path = os.path.join(folder, file_name(name, item["format"], taken))
        try:
            written[name] = dict(item, file=os.path.basename(path), size=_write(path, write, room))
        except Exception as exc:  # a library raises anything
            failed[name] = reason_of(exc)
            arranged.leave_out(name)
    _write_pickles(folder, arranged, taken, room, written, failed)
    for name, first in arranged.same.items():
        if first in written:
            written[name] = written[first]
        else:
            failed[name] = failed[first]
    draft = os.path.join(folder, f".{MANIFEST}")
    failed = {name: failed[name] for name in order if name in failed}
    said = {"version": 1, "values": {name: written[name] for name in order if name in written}, "failed": failed}
    with open(draft, "w", encoding="utf-8") as text:
        json.dump(said, text)
    os.replace(draft, os.path.join(folder, MANIFEST))
    return failed


def _write(path: str, write: Callable[[Sink], object], room: list[int]) -> int:
    """Write a file; return its size. One that cannot be written leaves nothing."""
    before = room[0]
    try:
        with open(path, "wb") as file:
            sink = Sink(file.write, room)
            write(sink)
        return sink.count
    except Exception:
        room[0] = before
        with suppress(OSError):
            os.unlink(path)
        raise


def _write_pickles(
    folder: str,
    arranged: Arrangement,
    taken: set[str],
    room: list[int],
    written: dict[str, Any],
    failed: dict[str, str],
) -> None:
    """Write the file of pickles; what cannot be pickled is left out, and all others are written again."""
    while arranged.pickled:
        names = set(taken)
        path = os.path.join(folder, file_name(next(iter(arranged.pickled)), "pickle", names))
        items: dict[str, Any] = {}
        try:
            _write(path, lambda sink: items.update(arranged.write_pickles(sink)), room)  # noqa: B023  called here
        except NotPickled as exc:
            failed[exc.name] = reason_of(exc.reason)
            arranged.leave_out(exc.name)
        except Exception as exc:  # the disk is full
            failed.update(dict.fromkeys(arranged.pickled, reason_of(exc)))
            return
        else:
            written.update((name, dict(item, file=os.path.basename(path))) for name, item in items.items())
            return


def file_name(name: str, format_: str, taken: set[str]) -> str:
    """Return the name of a value's file; names that differ only in case get different files."""
    stem, number = name, 1
    while stem.casefold() in taken:
        number += 1
        stem = f"{name}-{number}"
    taken.add(stem.casefold())
    return f"{stem}.{ENDINGS[format_]}"


def _is_first(environ: Mapping[str, str]) -> bool:
    """Return whether this process is the job's first: rank 0, the chief, the first worker, or the only one."""
    if any(environ.get(name, "0") not in ("", "0") for name in ("RANK", "OMPI_COMM_WORLD_RANK")):
        return False
    try:
        config = json.loads(environ.get("TF_CONFIG") or environ.get("ELASTICBATCH_CONFIG") or "{}")
        task, cluster = config.get("task") or {}, config.get("cluster") or {}
        first = next((name for name in ("chief", "master") if cluster.get(name)), "worker")
        return not task or (task.get("type") == first and int(task.get("index", 0)) == 0)
    except (ValueError, AttributeError, TypeError):
        return True
