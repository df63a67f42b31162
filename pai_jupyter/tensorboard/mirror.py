"""Mirror a job's regular files into a directory of the user for TensorBoard, and keep it up to date.

TensorBoard and its data server follow links below their directory and block on pipes; a job can create both at any time. So the
board's process (`launcher`) lets this module fill the directory before TensorBoard starts, and then continuously in a thread.
`places.json` maps names to job directories.

Rule 1: a mirrored file is a hard link, so it grows with the job's file and needs no space; on another disk, or if links are
    forbidden, it is a copy to which new data are appended.
Rule 2: of a working directory (`NewEvents`) only event files are mirrored, and only those written by the job; it may have any number
    of others, so it is listed more seldom the longer that takes.
Rule 3: files that the job deletes are deleted here, too. A file that cannot be mirrored is skipped until the next pass.
"""

import json
import os
import shutil
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.path_guard import FoundEntry, JobDirectory, hold, walk

PLACES = "places.json"
EVERY = 2.0  # seconds
SHARE = 0.01  # part of the time that listing working directories may take
_MARK = "tfevents"  # part of the name of every event file
MAX_ENTRIES = 20_000  # directory entries of a job that are read


@dataclass(frozen=True)
class NewEvents(JobDirectory):
    """A directory with other files, too: its event files written after `since` (Unix time) count."""

    since: float = 0.0

    def takes(self, found: FoundEntry) -> bool:
        return _MARK in found.name and found.status.st_mtime > self.since


def fill(runs: Path, places: dict[str, JobDirectory]) -> None:
    """Mirror each directory of `places` to its name below `runs`."""
    for name, place in places.items():
        with suppress(PaiJupyterError, OSError):  # missing, or replaced by a link
            _fill(runs / name, place)


def write_places(folder: Path, places: dict[str, JobDirectory]) -> None:
    """Write the `places` of the board in `folder`."""
    paths = {
        name: [place.since if isinstance(place, NewEvents) else None, str(place.base.absolute()), *place.parts]
        for name, place in places.items()
    }
    (folder / PLACES).write_text(json.dumps(paths))


def read_places(file: Path) -> dict[str, JobDirectory]:
    def place(since: float | None, base: str, *parts: str) -> JobDirectory:
        return JobDirectory(Path(base), parts) if since is None else NewEvents(Path(base), parts, since)

    return {name: place(*said) for name, said in json.loads(file.read_text()).items()}


def _fill(to: Path, place: JobDirectory) -> None:
    wanted = set[Path]()
    with hold(place, what=str(place.path)) as handle:
        to.mkdir(exist_ok=True)
        for found in islice(walk(handle), MAX_ENTRIES):
            target = to.joinpath(*found.above, found.name)
            is_left_out = isinstance(place, NewEvents) and not place.takes(found)
            with suppress(OSError):
                if found.is_directory and not isinstance(place, NewEvents):
                    target.mkdir(exist_ok=True)
                elif found.is_file and not is_left_out:
                    target.parent.mkdir(parents=True, exist_ok=True)
                    _show(found, target)
                    wanted.update(above for above in target.parents if above.is_relative_to(to))
                else:
                    continue
                wanted.add(target)
    _sweep(to, wanted)


def _show(found: FoundEntry, target: Path) -> None:
    if target.exists() and os.path.samestat(target.lstat(), found.status):
        return
    draft = target.with_name(f".{target.name}.link")
    with found.open() as file:
        try:
            os.link(found.name, draft, src_dir_fd=found.handle, follow_symlinks=False)
        except OSError:  # another disk; or another user's file, which the system forbids to link
            _add_the_rest(file, target)
            return
        if os.path.samestat(draft.lstat(), os.fstat(file.fileno())):
            draft.replace(target)
        else:  # the job has replaced the file meanwhile
            draft.unlink()


def _add_the_rest(file: BinaryIO, target: Path) -> None:
    """Append the file's new bytes to its copy; event files only grow."""
    with target.open("ab") as copy:
        if copy.tell() > os.fstat(file.fileno()).st_size:  # the file was written anew
            copy.truncate(copy.seek(0))
        file.seek(copy.tell())
        shutil.copyfileobj(file, copy)


def _sweep(to: Path, wanted: set[Path]) -> None:
    """Delete files that are not `wanted`; everything below `to` is ours."""
    for parent, folders, files in os.walk(to, topdown=False):
        for path in (Path(parent) / name for name in files):
            if path not in wanted:
                path.unlink()
        for path in (Path(parent) / name for name in folders):
            if path not in wanted:
                with suppress(OSError):
                    path.rmdir()


def _keep_filling(runs: Path, places: dict[str, JobDirectory]) -> None:
    pause, took = threading.Event(), 0.0
    while not pause.wait(max(EVERY, took / SHARE)):
        began = time.monotonic()
        fill(runs, places)
        took = (time.monotonic() - began) if any(isinstance(place, NewEvents) for place in places.values()) else 0.0


def begin(runs: Path, file: Path) -> None:
    """Fill `runs` with the directories named in `file`, and keep it filled in a thread."""
    places = read_places(file)
    fill(runs, places)
    threading.Thread(target=_keep_filling, args=(runs, places), daemon=True).start()
