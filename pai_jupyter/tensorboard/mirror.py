"""Mirror a job's regular files into a directory of the user for TensorBoard, and keep it up to date.

TensorBoard and its data server follow links below their directory and block on pipes; a job can create both at any time. So the
board's process (`launcher`) lets this module fill the directory before TensorBoard starts, and then continuously in a thread.
`places.json` maps names to job directories.

Rule 1: a mirrored file is a hard link, so it grows with the job's file and needs no space; on another disk, or if links are
    forbidden, it is a copy to which new data are appended.
Rule 2: files that the job deletes are deleted here, too. A file that cannot be mirrored is skipped until the next pass.
"""

import json
import os
import shutil
import threading
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.path_guard import FoundEntry, JobDirectory, hold, walk

PLACES = "places.json"
EVERY = 2.0  # seconds
MAX_ENTRIES = 20_000  # directory entries of a job that are read


def fill(runs: Path, places: dict[str, JobDirectory]) -> None:
    """Mirror each directory of `places` to its name below `runs`."""
    for name, place in places.items():
        with suppress(PaiJupyterError, OSError):  # missing, or replaced by a link
            _fill(runs / name, place)


def write_places(folder: Path, places: dict[str, JobDirectory]) -> None:
    """Write the `places` of the board in `folder`."""
    paths = {name: [str(place.base.absolute()), *place.parts] for name, place in places.items()}
    (folder / PLACES).write_text(json.dumps(paths))


def read_places(file: Path) -> dict[str, JobDirectory]:
    paths: dict[str, list[str]] = json.loads(file.read_text())
    return {name: JobDirectory(Path(base), tuple(parts)) for name, (base, *parts) in paths.items()}


def _fill(to: Path, place: JobDirectory) -> None:
    wanted = set()
    with hold(place, what=str(place.path)) as handle:
        to.mkdir(exist_ok=True)
        for found in islice(walk(handle), MAX_ENTRIES):
            target = to.joinpath(*found.above, found.name)
            with suppress(OSError):
                if found.is_directory:
                    target.mkdir(exist_ok=True)
                elif found.is_file:
                    _show(found, target)
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
    pause = threading.Event()
    while not pause.wait(EVERY):
        fill(runs, places)


def begin(runs: Path, file: Path) -> None:
    """Fill `runs` with the directories named in `file`, and keep it filled in a thread."""
    places = read_places(file)
    fill(runs, places)
    threading.Thread(target=_keep_filling, args=(runs, places), daemon=True).start()
