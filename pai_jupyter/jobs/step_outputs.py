"""What the job of a step leaves for the steps after it: small text files with values, and directories that go to OSS.

For a builder's `collect` (runs/plan.py), when the job has ended on this machine. Blocking; any thread.
Rule 1: a job may have written anything into /ml/output and replaced any directory there: access is by `path_guard`.
Rule 2: a value that is too large, or not a plain text file, is an error that names it, never cut and never guessed.
Rule 3: copying may be repeated: what is there already is not copied again.
"""

import os
from collections.abc import Iterable
from pathlib import Path

from pai_jupyter.backends.local import beside_channels, output_folder
from pai_jupyter.errors import JobNotReady, NotFoundError, SpecError
from pai_jupyter.jobs.results import still
from pai_jupyter.jobs.runtime import job_store
from pai_jupyter.path_guard import JobDirectory, hold, open_file, reading, remove, scan
from pai_jupyter.storage.opening import scheme_of

PARAMETERS = "output_parameters"  # directory in /ml/output
LARGEST_VALUE = 64 * 1024  # bytes of an output parameter
_LINK_OF_OURS = "logs"  # in /ml/output, to `tensorboard`


def read_values(job_id: str, names: Iterable[str], *, directory: str = PARAMETERS) -> dict[str, str]:
    """Read the files `names` in /ml/output/`directory` of an ended local job as texts, as they are; missing ones are left out.

    Raises:
        JobNotReady: the job has not ended.
        SpecError: a file is too large, not UTF-8, or no plain file; or the directory was replaced, e.g. by a link.
    """
    place = _whole(job_id).below(*Path(directory).parts)
    found: dict[str, str] = {}
    for name in names:
        what = f"{directory!r} of job {job_id}"
        try:
            file = open_file(place, name, what=what)
        except NotFoundError:
            continue
        with file, reading(f"{name!r} in {what}"):
            found[name] = _text(file.read(LARGEST_VALUE + 1), f"{name!r} in {what}")
    return found


def _text(data: bytes, what: str) -> str:
    if len(data) > LARGEST_VALUE:
        raise SpecError(
            f"{what} has more than {LARGEST_VALUE // 1024} KiB; an output parameter is a small text. "
            "Write larger results into an output artifact."
        )
    try:
        return data.decode()
    except UnicodeDecodeError as exc:
        raise SpecError(f"{what} is not UTF-8 text, as an output parameter must be.") from exc


def clear_values(output_path: Path, *, directory: str = PARAMETERS, name: str | None = None) -> None:
    """Delete the files of an earlier job in `directory` of a given `output_path`, so that none counts for the next one.

    `name`: only this file.

    Raises:
        SpecError: the directory was replaced, e.g. by a link, or a file cannot be deleted.
    """
    place = JobDirectory(output_path.expanduser().absolute(), Path(directory).parts)
    what = f"{directory!r} in '{output_path}'"
    try:
        with hold(place, what=what) as handle, os.scandir(handle) as entries:
            names = [entry.name for entry in entries if name in (None, entry.name)]
    except NotFoundError:
        return
    for each in names:
        try:
            remove(place, each, what=what)
        except NotFoundError:
            continue


def copy_output(job_id: str, uri: str, *, channel: str | None = None) -> str:
    """Copy an output channel of an ended local job to the directory `uri` (`oss://...`); None: the whole of /ml/output.

    Returns the address of the copy, which ends with a slash.

    Raises:
        JobNotReady: the job has not ended.
        SpecError: there is no session for OSS, the address is invalid, or the channel was replaced, e.g. by a link.
        PaiJupyterError: it has links out of its directory or special files, or the transfer failed.
    """
    from pai_jupyter.cloud.session import need_session  # imported late: the cloud's clients are slow to import

    whole, session = _whole(job_id), need_session()
    to = uri if uri.endswith("/") else f"{uri}/"
    if channel is not None:
        return session.upload(output_folder(job_store().path(job_id), channel).path, to)
    for name, is_directory in _entries(whole, what=_called(job_id, None)):
        session.upload(whole.path / name, f"{to}{name}{'/' if is_directory else ''}")
    return to


def _entries(whole: JobDirectory, *, what: str) -> list[tuple[str, bool]]:
    """Return the names in /ml/output but for our link, and whether each is a directory."""
    found = []
    with hold(whole, what=what) as handle, os.scandir(handle) as entries:
        for entry in entries:
            if not entry.is_symlink():
                found.append((entry.name, entry.is_dir(follow_symlinks=False)))
            elif entry.name != _LINK_OF_OURS:
                raise SpecError(f"{entry.name!r} in {what} is a link, which is not followed. Write a directory there.")
    return sorted(found)


def is_filled(job_id: str, channel: str) -> bool:
    """Return whether an ended local job has put anything into the output `channel`.

    Raises:
        JobNotReady, SpecError: as `copy_output`.
    """
    _whole(job_id)
    try:
        with hold(output_folder(job_store().path(job_id), channel), what=_called(job_id, channel)) as handle:
            return next(scan(handle), None) is not None
    except NotFoundError:
        return False


def copying_problem(uri: str) -> str:
    """Return why outputs of a local job cannot be copied to `uri`, as far as known without a request; "" if they can."""
    from pai_jupyter.backends.local.remote import check_oss
    from pai_jupyter.cloud.session import get_default_session

    if scheme_of(uri) != "oss":
        return f"outputs of a job on this machine can be copied to oss:// only, and {uri!r} is elsewhere."
    if get_default_session() is None:
        return f"{uri!r} needs a session with OSS. Type %pai_config wizard, or %pai_config use emulator."
    return check_oss(uri)


def _whole(job_id: str) -> JobDirectory:
    """Return the directory of all outputs of the ended local job.

    Raises:
        JobNotReady: it has not ended.
        NotFoundError: there is no such job, or it has no record of outputs.
    """
    folder = job_store().open(job_id)
    status = folder.read().state.status
    if not status.is_terminal:
        raise JobNotReady(still(folder.record.spec.name, status))
    try:
        return beside_channels(folder.path)[0]
    except (OSError, ValueError) as exc:
        raise NotFoundError(f"job {job_id} has no record of its outputs in {folder.path}.") from exc


def _called(job_id: str, channel: str | None) -> str:
    return f"output {channel!r} of job {job_id}" if channel else f"the outputs of job {job_id}"
