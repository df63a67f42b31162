"""Tell what a job wrote into its working directory from what was packed there: the channel `workdir`.

`run/packed.json` in the job folder has size, time and inode of each packed file, noted when the package was unpacked. A file with
the same three is as it was packed; every other one was written or changed by the job, unless it is in a cache.

Rule 1: a job writes into the directory and may write the record; access is by `path_guard`, and damage means "not recorded".
Rule 2: nothing is copied and nothing is listed while the job runs, unless somebody looks.
"""

import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from heapq import nsmallest
from itertools import islice
from pathlib import Path, PurePosixPath

from pai_jupyter.backends.local.record import read_outputs
from pai_jupyter.contract import WORKDIR, is_cache
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.path_guard import JobDirectory, hold, scan, shown
from pai_jupyter.store.disk import read_plain

RECORD = Path("run") / "packed.json"  # in the job folder
MAX_ENTRIES = 200_000  # entries that the notice counts
_NAMED, _SHOWN = 5, 100  # names in the notice; characters of a name
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True)
class PackedFiles:
    """The packed files of a job: path below the working directory -> size, time of change (ns), inode."""

    stamps: Mapping[str, tuple[int, int, int]]

    @cached_property
    def folders(self) -> frozenset[str]:
        """All directories that have packed files in them."""
        return frozenset(str(above) for name in self.stamps for above in PurePosixPath(name).parents)

    def is_written(self, path: str, status: os.stat_result) -> bool:
        """Return whether the job wrote or changed this file."""
        return self.stamps.get(path) != _stamp(status)

    def written(self, handle: int, above: str = "") -> Iterator[tuple[str, os.DirEntry[str]]]:
        """Yield path and entry of each written file below the directory `handle`, whose path is `above`, with its slash."""
        for path, entry in scan(handle, above, enter=lambda name: not is_cache(name)):
            with suppress(OSError):  # deleted meanwhile
                is_file = not entry.is_dir(follow_symlinks=False) and not is_cache(entry.name)
                if is_file and self.is_written(path, entry.stat(follow_symlinks=False)):
                    yield path, entry


def note_packed(folder: Path, root: Path) -> None:
    """Record the files below the working directory `root`, which was just unpacked for the job in `folder`."""
    with hold(JobDirectory(root), what=str(root)) as handle:
        stamps = {
            os.fsencode(path).decode("latin-1"): _stamp(entry.stat(follow_symlinks=False))
            for path, entry in scan(handle)
            if not entry.is_dir(follow_symlinks=False)
        }
    (folder / RECORD).write_text(json.dumps(stamps, separators=(",", ":")))


def packed_files(folder: Path) -> PackedFiles | None:
    """Return the packed files of the job in `folder`; None if they were not recorded, as for jobs of older versions."""
    try:
        record = json.loads(read_plain(folder / RECORD))
        stamps = {
            os.fsdecode(name.encode("latin-1")): (int(size), int(modified), int(inode))
            for name, (size, modified, inode) in record.items()
        }
        return None if WORKDIR in read_outputs(folder) else PackedFiles(stamps)
    except (OSError, ValueError, TypeError, AttributeError, RecursionError, PaiJupyterError):
        return None


def workdir(folder: Path) -> JobDirectory:
    """Return the working directory of the job in `folder`."""
    return JobDirectory(folder, ("ml", "usercode"))


def written_beside(folder: Path) -> Iterator[str]:
    """Yield one sentence about the files that the job left in its working directory, if there are any."""
    packed = packed_files(folder)
    if packed is None:
        return
    with suppress(PaiJupyterError, OSError), hold(workdir(folder), what=str(workdir(folder).path)) as handle:
        names = [path for path, _ in islice(packed.written(handle), MAX_ENTRIES)]
        if names:
            yield beside_sentence(nsmallest(_NAMED, names, key=_order), len(names))


def beside_sentence(names: list[str], count: int) -> str:
    """Say that `count` files lie beside the channels; `names` are the first ones."""
    listed = ", ".join(_CONTROL.sub("�", shown(name))[:_SHOWN] for name in names[:_NAMED])
    more = f" and {count - len(names[:_NAMED])} more" if count > len(names[:_NAMED]) else ""
    if count == 1:
        return f"1 file beside the channels: {listed}, in Files below workdir."
    return f"{count} files beside the channels: {listed}{more}, in Files below workdir."


def _order(path: str) -> tuple[int, str]:
    return path.count("/"), path


def _stamp(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_size, status.st_mtime_ns, status.st_ino
