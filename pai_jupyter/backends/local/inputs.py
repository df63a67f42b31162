"""The inputs of a job, wherever they lie, as places on this machine: those of `places`, and those that must be brought.

    oss://     downloaded into the cache that all jobs share (cache, remote)
    odps://    a table's address and rows, in the job folder (tables)

Rule 1: `check_inputs` asks nobody but this machine. What a service says comes up when a job is submitted.
Rule 2: what was brought is told by `Notice`s, which followers read from the job folder (`read_notices`). How far it is
    meanwhile is told by `backends.progress_note`, for there is no job yet to follow.
"""

import json
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from pai_jupyter.backends.local.cache import Brought, DataCache
from pai_jupyter.backends.local.places import LocalInput, resolve_inputs
from pai_jupyter.backends.local.remote import check_oss, remote_data
from pai_jupyter.backends.local.tables import (
    check_table,
    read_table,
    rows_wanted,
    session_of_the_cloud,
    write_table,
)
from pai_jupyter.backends.progress_note import telling
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.events import Notice
from pai_jupyter.spec import JobSpec
from pai_jupyter.storage.address import shown
from pai_jupyter.storage.opening import scheme_of
from pai_jupyter.storage.progress import in_words
from pai_jupyter.store import JobStore
from pai_jupyter.store.disk import read_plain
from pai_jupyter.typed_json import Fields

_NOTICES = Path("run") / "notices.json"
_TABLES = Path("run") / "tables"


def check_inputs(spec: JobSpec) -> list[str]:
    """Sentences for inputs that must be brought, and cannot be; with notes for those that can."""
    sentences = []
    for channel, place in spec.inputs.items():
        match scheme_of(place):
            case "oss":
                problem = check_oss(place)
                sentences.append(
                    f"input {channel!r}: {problem}"
                    if problem
                    else f"note: input {channel!r} is brought from {place} before the job starts, unless it is here already."
                )
            case "odps":
                if problem := check_table(place, spec):
                    sentences.append(f"input {channel!r}: {problem}")
    return sentences


def bring_inputs(spec: JobSpec, folder: Path, cancel: threading.Event) -> dict[str, LocalInput]:
    """Have every input of the job in `folder` on this machine. Blocking, and as long as downloads take.

    Raises:
        TransferCancelled: `cancel` was set; the next submission goes on from there.
        PaiJupyterError: an input cannot be had.
    """
    here, notices = resolve_inputs(spec), list[Notice]()
    shutil.rmtree(folder / _TABLES, ignore_errors=True)
    for channel, place in spec.inputs.items():
        match scheme_of(place):
            case "oss":
                here[channel], said = _bring_data(channel, place, folder, cancel)
            case "odps":
                here[channel], said = _bring_table(channel, place, spec, folder)
            case _:
                continue
        notices.append(Notice(text=f"input {channel!r}: {said}", time=time.time()))
    if notices:
        (folder / "run").mkdir(parents=True, exist_ok=True)
        (folder / _NOTICES).write_text(json.dumps([{"text": notice.text, "time": notice.time} for notice in notices]))
    return {channel: here[channel] for channel in spec.inputs}


def has_tables(spec: JobSpec) -> bool:
    """Return whether an input is a MaxCompute table, so that the job needs an access key."""
    return any(scheme_of(place) == "odps" for place in spec.inputs.values())


def read_notices(folder: Path) -> Iterator[Notice]:
    """Yield the notices recorded while the inputs of the job in `folder` were prepared."""
    with suppress(OSError, ValueError, RecursionError, PaiJupyterError):
        said = Fields.of({"notices": json.loads(read_plain(folder / _NOTICES))})
        for told in [Fields.of(item, path) for item, path in said.items("notices")]:
            yield Notice(text=told.text("text"), time=told.time("time"))


def _bring_data(channel: str, place: str, folder: Path, cancel: threading.Event) -> tuple[LocalInput, str]:
    data, began = remote_data(place), time.monotonic()
    with telling(folder, f"bringing input {channel!r} from {shown(place)}") as progress:
        brought = DataCache(JobStore().home).bring(data, user=folder.name, cancel=cancel, progress=progress)
    source = brought.tree / data.name if data.name else brought.tree
    return LocalInput(source=source, file=data.name), _told(place, brought, time.monotonic() - began)


def _told(place: str, brought: Brought, seconds: float) -> str:
    what = f"{brought.count:,} file{'' if brought.count == 1 else 's'}, {in_words(brought.size)}"
    if brought.is_new:
        return f"{what}, brought from {place} in {seconds:.1f} s."
    return f"{what}, unchanged since they were brought from {place}."


def _bring_table(channel: str, place: str, spec: JobSpec, folder: Path) -> tuple[LocalInput, str]:
    table, own = read_table(place), folder / _TABLES / channel
    own.mkdir(parents=True)
    rows = write_table(table, own, session_of_the_cloud(), limit=rows_wanted(spec))
    said = f"the first {rows:,} rows of {table} are in data.csv." if rows is not None else f"{table}, read with PyODPS."
    return LocalInput(source=own), said
