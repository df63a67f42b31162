"""%pai_download: copy an output of a job into a directory, and report replaced, kept and missing files."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from IPython.core.magic import Magics, line_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments

from pai_jupyter.errors import IncompleteFetchError
from pai_jupyter.events import for_terminal
from pai_jupyter.jobs import Job, attach
from pai_jupyter.magics.lines import expand, parse
from pai_jupyter.magics.table import counted
from pai_jupyter.view import said


@magics_class
class OutputMagics(Magics):
    """`%pai_download`."""

    shell: Any  # IPython sets it

    @magic_arguments()
    @argument("source", metavar="JOB[:channel]", help="a job and one of its outputs (default: model)")
    @argument("dest", nargs="?", default=".", help="target directory (default: the current one)")
    @line_magic
    def pai_download(self, line: str) -> None:
        """Copy an output of a job into a directory."""
        options = parse(self.pai_download, expand(line, self.shell.user_ns))
        name, _, channel = options.source.partition(":")
        channel = channel or "model"
        job = attach(name)
        dest = Path(options.dest).expanduser() / channel
        before, was_there = _files(dest), dest.exists()
        place, left = _fetched(job, channel, dest)
        now = _files(place)
        is_own = _is_same(place, job.output(channel))  # the target is the output itself
        others = [] if is_own else [name for name in now if before.get(name) == now[name]]
        files = [name for name in now if name not in others]
        if not left and not any(place.iterdir()):
            print(said(f"{channel} of {job.name}: this output has no files; nothing was copied."))  # noqa: T201
            if not (was_there or is_own):
                _remove_empty(place)
        elif files:
            print(said(f"{channel} of {job.name}: {counted(len(files), 'file')} in {_short(place)}: {_named(files)}"))  # noqa: T201
        else:
            print(said(f"{channel} of {job.name}: no new files in {_short(place)}"))  # noqa: T201
        if replaced := [] if is_own else [name for name in files if name in before]:
            told = f"{counted(len(replaced), 'file')} replaced"
            print(said(f"note: {told}: {_named(replaced)}"))  # noqa: T201
        if others:
            told = f"{counted(len(others), 'file')} already there, unchanged"
            print(said(f"note: {told}: {_named(others)}"))  # noqa: T201
        if left:
            print(for_terminal(said(f"note: {counted(len(left), 'file')} not copied: {_named(left)}")))  # noqa: T201
        if links := sorted(str(path.relative_to(place)) for path in place.rglob("*") if _points_outside(path, place)):
            told = f"{counted(len(links), 'link')} out of the output, copied as links"
            print(said(f"note: {told}: {_named(links)}. Check where they point before you open them."))  # noqa: T201


def _fetched(job: Job, channel: str, dest: Path) -> tuple[Path, list[str]]:
    """Fetch an output; return its directory, and the names of files that could not be copied."""
    try:
        return job.fetch(channel, dest), []
    except IncompleteFetchError as exc:
        return Path(exc.place), list(exc.left)


def _remove_empty(folder: Path) -> None:
    """Remove a directory that was made for files which there are not; one with directories or links in it stays."""
    with suppress(OSError):
        folder.rmdir()


def _points_outside(path: Path, folder: Path) -> bool:
    return path.is_symlink() and not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def _files(folder: Path) -> dict[str, tuple[int, int]]:
    """Map each file below a folder to its inode and change time, which show whether it was replaced."""
    found = {}
    for path in sorted(folder.rglob("*")):
        with suppress(OSError):
            if path.is_file():
                status = path.lstat()
                found[str(path.relative_to(folder))] = (status.st_ino, status.st_ctime_ns)
    return found


def _is_same(folder: Path, output: str) -> bool:
    with suppress(OSError):
        return folder.samefile(output)
    return False


def _named(files: list[str]) -> str:
    """Format the first ten of a job's file names, without terminal control sequences."""
    return ", ".join(for_terminal(name).replace("\n", "�") for name in files[:10])


def _short(path: Path) -> str:
    """Return a path relative to the current directory if it is below it, else the whole path."""
    path = path.resolve()
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)
