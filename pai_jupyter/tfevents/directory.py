"""Read all event files below a directory, a little at each call. As in TensorBoard, a run is a directory with event files.

Rule 1: each call lists the files again and reads only new data, about `BLOCK` bytes; `is_more` says that this limit was reached
    and that the next call may follow at once.
Rule 2: a job's directory is untrusted: symlinks are not followed, not even in place of the directory itself (`path_guard`), and
    the number of files and entries is bounded.
Rule 3: a directory with other files, too, is listed only as often as costs `share` of the time; in between, the event files that
    are known are looked at.
Rule 4: a file that disappeared is ignored; one that cannot be read gives one notice.
"""

import math
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
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
    """The event files below `place`, which need not exist yet.

    Args:
        place: the directory.
        share: the part of the time that listing it may take, e.g. 0.003; 1: each call lists it.
        enter: whether a directory of this name is looked into.
        takes: whether an event file counts, by path and status.
    """

    def __init__(
        self,
        place: JobDirectory | Path,
        *,
        share: float = 1.0,
        enter: Callable[[str], bool] = lambda name: True,
        takes: Callable[[str, os.stat_result], bool] = lambda path, status: True,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._share, self._enter, self._takes, self._now = share, enter, takes, now
        self._listed_at = -math.inf  # when the next listing is due
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
                began = self._now()
                if began < self._listed_at:
                    yield from self._grown_known()
                    return
                grown = list(self._grown_below(handle))
                ended = self._now()
                self._listed_at = ended + (ended - began) / self._share if self._share < 1 else -math.inf
                yield from grown
        except NotFoundError:  # the directory does not exist yet, or no longer
            return
        except SpecError as exc:
            self._notices[str(exc)] = None

    def _grown_known(self) -> Iterator[Path]:
        """Yield the known event files that have grown; what takes their place since is found out when it is read."""
        for path, offset in self._offsets.items():
            with suppress(OSError):
                if path.lstat().st_size > offset:
                    yield path

    def _grown_below(self, handle: int) -> Iterator[Path]:
        for number, (name, entry) in enumerate(scan(handle, enter=self._enter)):
            if number >= MAX_ENTRIES:
                self._notices[
                    f"'{self.path}' has more than {MAX_ENTRIES:,} files; not all were looked at for scalars."
                ] = None
                return
            status = _event_file_status(entry)
            if status is None or not self._takes(name, status):
                continue
            if status.st_size > self._offset(path := self.path / name):
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


def _event_file_status(entry: os.DirEntry[str]) -> os.stat_result | None:
    """Return the status of an event file; None for anything else."""
    if MARK not in entry.name:
        return None
    try:
        return entry.stat(follow_symlinks=False) if entry.is_file(follow_symlinks=False) else None
    except OSError:  # deleted meanwhile
        return None
