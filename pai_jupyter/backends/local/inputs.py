"""Provide all inputs of a job as local paths: local ones (`places`), and remote ones, which are fetched.

    oss://     downloaded into the cache that all jobs share (cache, remote)
    odps://    a table's address and rows, in the job folder (tables)

Rule 1: `check_inputs` uses no network. Errors of a service appear on submission.
Rule 2: notices about fetched inputs are stored in the job folder for followers (`read_notices`). Progress is reported by
    `backends.progress_note`, since there is no job to follow yet.
"""

import json
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from pai_jupyter.backends.local.cache import CachedData, DataCache
from pai_jupyter.backends.local.places import LocalInput, resolve_inputs
from pai_jupyter.backends.local.remote import check_oss, remote_data
from pai_jupyter.backends.local.tables import (
    check_table,
    read_table,
    rows_wanted,
    session_of_the_cloud,
    write_table,
)
from pai_jupyter.backends.progress_note import noting_progress
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
    """Return a sentence for each input that cannot be fetched, and a note for each that will be."""
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
    """Provide every input of the job in `folder` locally. Blocking; downloads may take long.

    Raises:
        TransferCancelled: `cancel` was set; the next submission resumes.
        PaiJupyterError: an input cannot be fetched.
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
        for notice in [Fields.of(item, path) for item, path in said.items("notices")]:
            yield Notice(text=notice.text("text"), time=notice.time("time"))


def _bring_data(channel: str, place: str, folder: Path, cancel: threading.Event) -> tuple[LocalInput, str]:
    data, began = remote_data(place), time.monotonic()
    with noting_progress(folder, f"bringing input {channel!r} from {shown(place)}") as progress:
        brought = DataCache(JobStore().home).bring(data, user=folder.name, cancel=cancel, progress=progress)
    source = brought.tree / data.name if data.name else brought.tree
    return LocalInput(source=source, file=data.name), _summary(place, brought, time.monotonic() - began)


def _summary(place: str, brought: CachedData, seconds: float) -> str:
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
