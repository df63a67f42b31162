"""What the input files of a step were when it began: a stamp of each place, to know later whether they are the same.

    a file here           size, inode, times of its changes        a directory here     those of all files in it
    an object of OSS      its ETag                                 a directory of OSS   those of all objects in it

Rule: what cannot be known for sure is no stamp (None), and equals nothing.
"""

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path

from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.runs.run_folder import RunFolder
from pai_jupyter.spec import Json
from pai_jupyter.store.disk import make_folder, read_json, replace_file, to_bytes

MAX_FILES = 20_000  # in a directory; a larger one has no stamp


def note_inputs(folder: RunFolder, job_id: str, artifacts: Mapping[str, Json]) -> None:
    """Write down what the inputs of a try are now.

    Raises:
        PaiJupyterError: the disk is full.
    """
    if artifacts:
        make_folder(folder.path / "inputs")
        replace_file(folder.path / "inputs" / f"{job_id}.json", to_bytes(stamps(artifacts)))


def noted_inputs(folder: RunFolder, job_id: str) -> Mapping[str, Json]:
    """Return what was written down; {} if nothing was, or it is damaged."""
    with suppress(PaiJupyterError):
        found: Mapping[str, Json] = read_json(folder.path / "inputs" / f"{job_id}.json")
        return found
    return {}


def changed_input(noted: Mapping[str, Json], artifacts: Mapping[str, Json]) -> str | None:
    """Return a place among `artifacts` that is not known to be as noted; None if all are."""
    for place in places_of(artifacts.values()):
        found = stamp_of(place)
        if found is None or noted.get(place) != found:
            return place
    return None


def stamps(artifacts: Mapping[str, Json]) -> dict[str, Json]:
    return {place: stamp_of(place) for place in places_of(artifacts.values())}


def places_of(values: Iterable[Json]) -> Iterator[str]:
    for value in values:
        if isinstance(value, str):
            yield value
        elif isinstance(value, list | tuple):
            yield from places_of(value)


def stamp_of(place: str) -> str | None:
    """Return a text that changes when what is at `place` does; None if that is not known, or nothing is there."""
    with suppress(PaiJupyterError, OSError, ValueError):
        return _remote_stamp(place) if "://" in place else _local_stamp(Path(place))
    return None


def exists(place: str) -> bool:
    """Return whether there is anything at `place`; not if that cannot be seen."""
    if "://" in place:
        return stamp_of(place) is not None
    return os.path.exists(place)  # noqa: PTH110  `Path.exists` raises where a directory may not be entered


def _local_stamp(path: Path) -> str | None:
    status = path.stat()
    if not path.is_dir():
        return _facts(status)
    found = []
    for folder, directories, names in os.walk(path):
        directories.sort()
        for name in names:
            status = os.stat(f"{folder}/{name}")  # noqa: PTH116  many files
            found.append(f"{os.path.relpath(f'{folder}/{name}', path)}\0{_facts(status)}")
            if len(found) > MAX_FILES:
                return None
    return _digest(found)


def _facts(status: os.stat_result) -> str:
    """Return what tells the content of a file: also the time that nobody can set, and which file has the name."""
    return f"{status.st_size}-{status.st_mtime_ns}-{status.st_ctime_ns}-{status.st_ino}"


def _remote_stamp(place: str) -> str | None:
    from pai_jupyter.cloud.session import need_session  # imported late: most inputs are files here

    directory, _, name = place.rpartition("/")
    storage = need_session().open_storage(f"{directory}/")
    entry = storage.head(name) if name else None
    if entry is not None:
        return entry.etag or None
    entries = list(islice(storage.list(f"{name}/" if name else "", recursive=True), MAX_FILES + 1))
    if not entries or len(entries) > MAX_FILES or not all(it.etag for it in entries):
        return None
    return _digest(f"{it.key}\0{it.etag}" for it in entries)


def _digest(lines: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(sorted(lines)).encode(errors="surrogateescape")).hexdigest()
