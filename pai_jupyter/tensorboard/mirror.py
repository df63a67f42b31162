"""What TensorBoard is shown of a job: a directory of this user's own, with the job's plain files in it, filled as they come.

TensorBoard follows every link below its directory, and so does the server that it may start beside it; it also waits for
pipes. A job can put both there, at any time. So the board's own process (`launcher`) has this module fill the directory
before TensorBoard begins, and go on in a thread. What to show by which name is in `places.json`.

Rule 1: a file is a hard link to the job's own, so it grows by itself and takes no room; on another disk, or where the
    system forbids that, a copy, to which is added what the job's has more.
Rule 2: what the job has removed goes here as well. What cannot be shown is left out: the next look may do better.
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
MAX_ENTRIES = 20_000  # of a job's directory that are looked at


def fill(runs: Path, places: dict[str, JobDirectory]) -> None:
    """Have below `runs` what lies in `places`, each by its name."""
    for name, place in places.items():
        with suppress(PaiJupyterError, OSError):  # not there yet, or a link by now
            _fill(runs / name, place)


def write_places(folder: Path, places: dict[str, JobDirectory]) -> None:
    """Note what the board in `folder` is to show."""
    told = {name: [str(place.base.absolute()), *place.parts] for name, place in places.items()}
    (folder / PLACES).write_text(json.dumps(told))


def read_places(file: Path) -> dict[str, JobDirectory]:
    told: dict[str, list[str]] = json.loads(file.read_text())
    return {name: JobDirectory(Path(base), tuple(parts)) for name, (base, *parts) in told.items()}


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
        except OSError:  # another disk; or a file of somebody else, which the system lets nobody link
            _add_the_rest(file, target)
            return
        if os.path.samestat(draft.lstat(), os.fstat(file.fileno())):
            draft.replace(target)
        else:  # the job has put something else there meanwhile
            draft.unlink()


def _add_the_rest(file: BinaryIO, target: Path) -> None:
    """Make a copy as long as the file is now; event files only grow."""
    with target.open("ab") as copy:
        if copy.tell() > os.fstat(file.fileno()).st_size:  # begun anew
            copy.truncate(copy.seek(0))
        file.seek(copy.tell())
        shutil.copyfileobj(file, copy)


def _sweep(to: Path, wanted: set[Path]) -> None:
    """Remove what is shown no more; all below `to` is ours."""
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
    """Fill `runs` with what `file` names, and go on in a thread."""
    places = read_places(file)
    fill(runs, places)
    threading.Thread(target=_keep_filling, args=(runs, places), daemon=True).start()
