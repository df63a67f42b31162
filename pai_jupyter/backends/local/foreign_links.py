"""Find links that a job may have created in the path of a later job's input, e.g. its checkpoints.

An input is mounted by an engine or read by a job of this user. A link in a directory that a job writes must not redirect it.
Links elsewhere are the user's own and are allowed.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from pai_jupyter.backends.local.record import read_outputs, whole_of
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.store import JobFolder, JobStore

_MOST_LINKS = 40  # links in one path; the system's limit


def link_leading_out(path: Path) -> Path | None:
    """Return the first symlink of `path` in a job-writable directory that leads out of it, else None."""
    links = list(_links_on_the_way(path))
    if not links:
        return None
    real = os.path.realpath(path)
    jobs = JobStore().home / "jobs"
    written = _written(jobs)
    for link in links:
        for top in (*written, *_job_folder(link, jobs)):
            if link != top and link.is_relative_to(top) and not Path(real).is_relative_to(top):
                return link
    return None


def written_by_a_job(path: Path) -> Path | None:
    """Return the topmost job-writable directory that contains `path`; None if there is none.

    The directory itself does not count: a job cannot replace any part of the path to it.
    """
    real, jobs = Path(os.path.realpath(path)), JobStore().home / "jobs"
    tops = [*_written(jobs), *(top / name for top in _job_folder(real, jobs) for name in ("output", "ml"))]
    holding = [top for top in tops if top in real.parents]
    return min(holding, key=lambda top: len(top.parts), default=None)


def written_by_a_running_job(path: Path) -> Path | None:
    """Return a directory that contains `path` and to which an unfinished job writes; None if there is none."""
    real, jobs = Path(os.path.realpath(path)), JobStore().home / "jobs"
    own = [(folder, top / name) for top in _job_folder(real, jobs) for folder in [top] for name in ("output", "ml")]
    holding = [(folder, top) for folder, top in (*_written_by(jobs), *own) if top in real.parents]
    return next((top for folder, top in holding if not _has_ended(folder)), None)


def _has_ended(folder: Path) -> bool:
    with suppress(PaiJupyterError):
        return JobFolder(folder).read().state.status.is_terminal
    return False


def _links_on_the_way(path: Path) -> Iterator[Path]:
    """Yield every symlink that the system follows when it resolves `path`."""
    current, rest, followed = Path("/"), list(reversed(path.absolute().parts[1:])), 0
    while rest and followed < _MOST_LINKS:
        part = rest.pop()
        if part == "..":
            current = current.parent
            continue
        try:
            target = (current / part).readlink()
        except OSError:
            current /= part
            continue
        followed += 1
        yield current / part
        if target.is_absolute():
            current = Path("/")
        rest += reversed(target.parts[1:] if target.is_absolute() else target.parts)


def _job_folder(link: Path, jobs: Path) -> Iterator[Path]:
    real = Path(os.path.realpath(jobs))
    if link.is_relative_to(real) and len(parts := link.relative_to(real).parts) > 1:
        yield real / parts[0]


def _written(jobs: Path) -> set[Path]:
    """Return the directories outside the job folders that jobs write to."""
    return {top for _, top in _written_by(jobs)}


def _written_by(jobs: Path) -> Iterator[tuple[Path, Path]]:
    """Yield `(job folder, directory)` for every directory outside its folder that a job writes to."""
    with suppress(OSError):
        for folder in jobs.iterdir():
            with suppress(OSError, ValueError):
                outputs = read_outputs(folder)
                whole = whole_of(outputs, folder)
                own = (path for channel, path in outputs.items() if path != whole / channel)
                for path in (whole, *own):
                    if not path.is_relative_to(folder):
                        yield folder, Path(os.path.realpath(path))
