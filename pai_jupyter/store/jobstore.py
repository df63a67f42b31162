"""Find the jobs of one user.

Rule 1: reading creates nothing; the directory is created with the first job.
Rule 2: an id is a safe folder name; any other text is not a job.
Rule 3: a damaged folder never hides others.

There is no database: the folders are the list. An id begins with its creation time, so names sort by time.
"""

import errno
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from pai_jupyter.errors import NotFoundError, PaiJupyterError, SpecError
from pai_jupyter.store.disk import make_folder, make_new_folder, replace_file, to_bytes, translated
from pai_jupyter.store.folder import JobFolder
from pai_jupyter.store.home import check_home, home_errors
from pai_jupyter.store.home import home as default_home
from pai_jupyter.store.record import JobRecord

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,127}")
REMOVALS = 5  # of a directory into which another process writes
CANDIDATES = 5  # jobs named in the error when a prefix matches several


class JobStore:
    """All jobs of one user."""

    def __init__(self, home: Path | None = None) -> None:
        self.home = home or default_home()
        self.jobs = self.home / "jobs"  # the directory of all folders

    def create(self, record: JobRecord) -> JobFolder:
        """Create the folder of a new job with its record.

        Raises:
            PaiJupyterError: the job exists already, or the disk is full; nothing is left behind.
        """
        path = self.path(record.id)
        with translated(path):
            make_folder(self.jobs)
            try:
                make_new_folder(path)
            except FileExistsError as exc:
                raise PaiJupyterError(f"there is a job {record.id!r} already. Type %pai_jobs to see it.") from exc
            try:
                make_new_folder(path / "logs")
                replace_file(path / "job.json", to_bytes(record.to_json()))
            except BaseException:
                shutil.rmtree(path, ignore_errors=True)
                raise
        return JobFolder(path)

    def open(self, job_id: str) -> JobFolder:
        """Open the folder of the job with this id.

        Raises:
            NotFoundError: there is no such job.
            PaiJupyterError: the home is not readable.
        """
        path = self.path(job_id)
        if not self._is_job(job_id):
            raise _no_job(job_id)
        return JobFolder(path)

    def find(self, text: str) -> JobFolder:
        """Find the job whose id is `text` or begins with it, else the newest one of that name, the recorded or the given one.

        Raises:
            SpecError: several ids begin with `text`.
            NotFoundError: there is no such job.
        """
        matches = [job_id for job_id in self.ids() if text and job_id.startswith(text) and self._is_job(job_id)]
        if text in matches or len(matches) == 1:
            return self.open(text if text in matches else matches[0])
        damaged: dict[str, PaiJupyterError] = {}
        for folder in self.folders(damaged.__setitem__):
            if text and text in (folder.record.spec.name, _given_name(folder)):
                return folder
        if matches:
            raise self._ambiguous(text, matches)
        raise _no_job_of_name(text, damaged) if damaged else _no_job(text)

    def ids(self) -> list[str]:
        """Return the ids of all folders, newest first; cheap. Some may not have a readable job.

        Raises:
            PaiJupyterError: the directory of jobs is not a directory or not readable.
        """
        try:
            return sorted(filter(_ID.fullmatch, os.listdir(self.jobs)), reverse=True)  # noqa: PTH208  names alone
        except FileNotFoundError:  # no job was ever created
            check_home(self.home)
            return []
        except OSError as exc:
            raise PaiJupyterError(
                f"the list of jobs cannot be read: '{self.jobs}': {exc.strerror or exc}. Check that it is a directory of yours on "
                "a disk that works, or set PAI_JUPYTER_HOME to another one."
            ) from exc

    def count(self) -> int:
        """Count the jobs, also those with a damaged record; other folders are none. Faster than reading them.

        Raises:
            PaiJupyterError: as for `ids`.
        """
        return sum(os.path.lexists(f"{self.jobs}/{job_id}/job.json") for job_id in self.ids())

    def folders(self, on_damage: Callable[[str, PaiJupyterError], object] | None = None) -> Iterator[JobFolder]:
        """Yield all jobs with a readable record, newest first; call `on_damage` with id and error for the others."""
        for job_id in self.ids():
            folder = JobFolder(self.jobs / job_id)
            try:
                _ = folder.record  # read once and cached
            except PaiJupyterError as exc:
                if on_damage and self._is_job(job_id):
                    on_damage(job_id, exc)
                continue
            yield folder

    def path(self, job_id: str) -> Path:
        """Return the path of the folder of this id, which need not exist.

        Raises:
            NotFoundError: no job can have this id.
        """
        if not _ID.fullmatch(job_id):
            raise _no_job(job_id)
        return self.jobs / job_id

    def remove(self, job_id: str) -> None:
        """Delete the folder of this id with its content.

        The record is deleted last: if a directory cannot be deleted (a container's files may belong to another user), the job
        stays in the list and can be removed later.
        """
        path = self.open(job_id).path
        with translated(path):
            if path.is_symlink():  # a link: the user keeps the folder elsewhere, perhaps with other files
                path.unlink()
                return
            try:
                for inside in list(path.iterdir()):
                    if inside.is_dir() and not inside.is_symlink():
                        _remove_tree(inside)
                _remove_tree(path)
            except RecursionError as exc:
                raise PaiJupyterError(
                    f"a directory in '{path}' is nested too deeply. Delete it in a terminal: rm -r"
                ) from exc

    def _is_job(self, job_id: str) -> bool:
        """Return whether there is a record, even a damaged one: such a job can be seen and removed."""
        with home_errors(self.home), suppress(FileNotFoundError, NotADirectoryError):
            (self.jobs / job_id / "job.json").lstat()
            return True
        check_home(self.home)
        return False

    def _ambiguous(self, text: str, job_ids: list[str]) -> SpecError:
        names = {folder.id: folder.record.spec.name for folder in self.folders() if folder.id in job_ids[:CANDIDATES]}
        shown = ", ".join(f"{job_id} ({names.get(job_id, '?')})" for job_id in job_ids[:CANDIDATES])
        more = f" and {len(job_ids) - CANDIDATES} more" if len(job_ids) > CANDIDATES else ""
        return SpecError(f"{text!r} is the beginning of several jobs: {shown}{more}. Type more of the id.", field="job")


def _given_name(folder: JobFolder) -> str:
    """Return the name that the user gave the job later; "" if there is none, or it cannot be read."""
    with suppress(PaiJupyterError):
        return folder.annotations().name
    return ""


def _remove_tree(path: Path) -> None:
    """Delete a directory, and what another process writes into it meanwhile: who follows a job records how it stands."""
    for left in reversed(range(REMOVALS)):
        try:
            shutil.rmtree(path)
        except OSError as exc:
            is_written = exc.errno in (errno.ENOTEMPTY, errno.ENOENT) and os.path.lexists(path)
            if not (left and is_written):
                raise
        else:
            return


def _no_job(text: str) -> NotFoundError:
    return NotFoundError(f"there is no job {text!r}. Type %pai_jobs to see them.")


def _no_job_of_name(text: str, damaged: Mapping[str, PaiJupyterError]) -> NotFoundError:
    """Build the error for a name that nobody has whose record can be read; a damaged record hides the name of its job."""
    job_id, why = next(iter(damaged.items()))
    return NotFoundError(
        f"no job whose record can be read is called {text!r}, and the record of job {job_id} cannot be read, so its name is not "
        f"known: {why} Give the id instead; %pai_jobs shows it."
    )
