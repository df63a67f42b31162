"""Read all event files below a directory, a little at each call. As in TensorBoard, a run is a directory with event files.

Rule 1: each call lists the files again and reads only new data, about `BLOCK` bytes; `is_more` says that this limit was reached
    and that the next call may follow at once.
Rule 2: a job's directory is untrusted: symlinks are not followed, not even in place of the directory itself (`path_guard`), and
    the number of files and entries is bounded.
Rule 3: a file that disappeared is ignored; one that cannot be read gives one notice.
"""

import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pai_jupyter.errors import NotFoundError, PaiJupyterError, SpecError
from pai_jupyter.path_guard import JobDirectory, hold, open_folder, scan
from pai_jupyter.tfevents.block import Columns
from pai_jupyter.tfevents.reading import BLOCK, Scalars, read_scalars

MAX_FILES = 1_000  # event files that are read
MAX_ENTRIES = 20_000  # directory entries that one call lists
MARK = "tfevents"  # part of the name of every event file


@dataclass(frozen=True, kw_only=True)
class EventNews:
    """New points of one call by run and tag, in order; a run may occur more than once. `notices` are for the user.

    A run is named by its path below the directory; the directory itself, TensorBoard's ".", is "".
    """

    runs: tuple[tuple[str, Mapping[str, Columns]], ...]
    is_more: bool
    notices: tuple[str, ...]


class EventDirectory:
    """The event files below `place`, which need not exist yet."""

    def __init__(self, place: JobDirectory | Path) -> None:
        self._place = place if isinstance(place, JobDirectory) else JobDirectory(place)
        self.path = self._place.path
        self._offsets: dict[Path, int] = {}  # offset in each file, bytes
        self._notices: dict[str, None] = {}  # all notices so far

    def read(self) -> EventNews:
        """Read the points added since the last call."""
        known = len(self._notices)
        runs: list[tuple[str, Mapping[str, Columns]]] = []
        is_more, left = False, BLOCK
        for path in sorted(self._grown_files()):
            if left <= 0:
                is_more = True
                break
            offset = self._offsets[path]
            scalars = self._read_file(path)
            left -= self._offsets[path] - offset
            is_more = is_more or scalars.is_more
            if scalars.columns:
                runs.append((self._run(path), scalars.columns))
        return EventNews(runs=tuple(runs), is_more=is_more, notices=tuple(self._notices)[known:])

    def _read_file(self, path: Path) -> Scalars:
        try:
            folder = path.parent.relative_to(self.path).as_posix()
            with open_folder(self._place, "" if folder == "." else folder, what=f"{str(self.path)!r}") as handle:
                scalars, self._offsets[path] = read_scalars(path, self._offsets[path], handle)
        except NotFoundError:
            return Scalars()
        except PaiJupyterError as exc:
            scalars = Scalars(notice=str(exc))
        if scalars.notice:
            self._notices[scalars.notice] = None
        return scalars

    def _grown_files(self) -> Iterator[Path]:
        """Yield the event files that have grown since they were read."""
        try:
            with hold(self._place, what=f"{str(self.path)!r}") as handle:
                yield from self._grown_below(handle)
        except NotFoundError:  # the directory does not exist yet, or no longer
            return
        except SpecError as exc:
            self._notices[str(exc)] = None

    def _grown_below(self, handle: int) -> Iterator[Path]:
        for number, (name, entry) in enumerate(scan(handle)):
            if number >= MAX_ENTRIES:
                self._notices[
                    f"'{self.path}' has more than {MAX_ENTRIES:,} files; not all were looked at for scalars."
                ] = None
                return
            size = _event_file_size(entry)
            if size is not None and size > self._offset(path := self.path / name):
                yield path

    def _offset(self, path: Path) -> float:
        """Return the offset in this file; infinity if there are too many files."""
        if path not in self._offsets:
            if len(self._offsets) >= MAX_FILES:
                self._notices[f"'{self.path}' has more than {MAX_FILES:,} event files; the first found are shown."] = (
                    None
                )
                return math.inf
            self._offsets[path] = 0
        return self._offsets[path]

    def _run(self, path: Path) -> str:
        run = os.path.relpath(path.parent, self.path)
        return "" if run == "." else os.fsencode(run).decode(errors="replace")


def _event_file_size(entry: os.DirEntry[str]) -> int | None:
    """Return the size of an event file in bytes; None for anything else."""
    if MARK not in entry.name:
        return None
    try:
        return entry.stat(follow_symlinks=False).st_size if entry.is_file(follow_symlinks=False) else None
    except OSError:  # deleted meanwhile
        return None
