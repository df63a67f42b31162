"""Find and copy the outputs of a local job.

A job may have replaced a channel and may have written anything into it, so access is by `path_guard`.
Rule 1: a link in place of a channel, or of a job-writable parent, is an error and never followed. A path given by the user may
    be a link: `output_path`, and a channel's own directory.
Rule 2: files, directories and links (as links) are copied. Copying never follows a link in the destination, which an earlier
    copy may have created.
Rule 3: entries that cannot be copied are skipped and named in the error.
"""

import asyncio
import errno
import os
import secrets
import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pai_jupyter.backends.local.record import read_outputs, whole_of
from pai_jupyter.backends.local.workdir import PackedFiles, packed_files, workdir
from pai_jupyter.contract import BESIDE, WORKDIR, is_cache
from pai_jupyter.errors import BackendError, IncompleteFetchError, LimitExceededError, NotFoundError, SpecError
from pai_jupyter.path_guard import FoundEntry, JobDirectory, hold, make_folder, place_in, walk

_BLOCK = 1024 * 1024  # bytes
_SHOWN = 100  # characters of a path in a message
_MOST_NAMES = 5  # names of entries that were not copied
_ODD = "it is a pipe, a socket or a device"


def output_folder(folder: Path, channel: str) -> JobDirectory:
    """Return the directory of output `channel` of the job in `folder`.

    Raises:
        NotFoundError: the job has no such channel, or it was deleted.
        SpecError: it was replaced, e.g. by a link.
    """
    try:
        outputs = read_outputs(folder)
    except (OSError, ValueError) as exc:
        raise NotFoundError(f"job {folder.name} has no record of its outputs in {folder}.") from exc
    if channel == WORKDIR and packed_files(folder) is not None:
        return workdir(folder)
    if channel == "logs":  # the contract's second name
        channel = "tensorboard"
    if channel not in outputs:
        raise NotFoundError(f"job {folder.name} has no output {channel!r}; it has {', '.join(outputs)}.")
    place = _place_of(channel, outputs, folder)
    try:
        with hold(place, what=_called(channel, folder)):
            return place
    except NotFoundError as exc:
        raise NotFoundError(f"output {channel!r} of job {folder.name} is gone: there is no {place.path}.") from exc


def has_outputs(folder: Path) -> bool:
    """Return whether it is recorded where outputs of the job in `folder` are on this machine."""
    try:
        read_outputs(folder)
    except (OSError, ValueError):
        return False
    return True


def misplaced(folder: Path) -> Iterator[str]:
    """Yield one sentence for each output directory that the job in `folder` replaced with something else."""
    with suppress(OSError, ValueError):
        for channel in read_outputs(folder):
            try:
                with suppress(NotFoundError):
                    output_folder(folder, channel)
            except SpecError as exc:
                yield f"the job has put something else in the place of a directory: {exc}"


async def fetch(folder: Path, channel: str, to: Path) -> Path:
    """Copy the content of an output channel into the directory `to`; files appear there complete.

    Raises:
        IncompleteFetchError: some entries could not be copied.
        BackendError: the destination is not writable.
    """
    return await asyncio.to_thread(_fetch, folder, channel, to)


def _place_of(channel: str, outputs: dict[str, Path], folder: Path) -> JobDirectory:
    path, whole = outputs[channel], whole_of(outputs, folder)
    return place_in(path, [folder, *([whole] if path == whole / channel else [])])


def _called(channel: str, folder: Path) -> str:
    return f"output {channel!r} of job {folder.name}"


def _fetch(folder: Path, channel: str, to: Path) -> Path:
    to = to.expanduser().absolute()
    source, without = beside_channels(folder) if _is_beside(folder, channel) else (output_folder(folder, channel), ())
    if to.exists() and to.samefile(source.path):
        return to
    staged = to.parent / f".{to.name}.{secrets.token_hex(4)}"
    what = _called(channel, folder)
    with _destination_errors(to):
        try:
            to.parent.mkdir(parents=True, exist_ok=True)
            packed = packed_files(folder) if channel == WORKDIR else None
            left = _copy(source, staged, what=what, without=without, packed=packed)
            _move_over(staged, to)
        finally:
            shutil.rmtree(staged, ignore_errors=True)
    if left:
        more = f" and {len(left) - _MOST_NAMES} more" if len(left) > _MOST_NAMES else ""
        named = f"{'; '.join(left[:_MOST_NAMES])}{more}"
        raise IncompleteFetchError(f"{what} was copied to '{to}', but for: {named}.", place=str(to), left=left)
    return to


@contextmanager
def _destination_errors(to: Path) -> Iterator[None]:
    """Translate `OSError`s of writing below `to` into errors about the user's path."""
    try:
        yield
    except OSError as exc:
        if exc.errno in (errno.ENOSPC, errno.EDQUOT):
            message = f"the disk that holds '{to}' is full. Free some space there, or name another directory."
            raise LimitExceededError(message) from exc
        raise BackendError(f"cannot write to '{to}': {exc.strerror or exc}. Name another directory.") from exc


def _is_beside(folder: Path, channel: str) -> bool:
    """Return whether `channel` means the files beside the channels, not a user's channel of that name."""
    with suppress(OSError, ValueError):
        return channel == BESIDE and BESIDE not in read_outputs(folder)
    return False


def beside_channels(folder: Path) -> tuple[JobDirectory, tuple[str, ...]]:
    """Return the directory of all outputs and the names in it that belong to channels.

    Raises:
        OSError, ValueError: there is no record of them, or it is damaged.
    """
    outputs = read_outputs(folder)
    return place_in(whole_of(outputs, folder), [folder]), (*outputs, "logs")


def _copy(
    source: JobDirectory,
    to: Path,
    *,
    what: str,
    without: Collection[str] = (),
    packed: PackedFiles | None = None,
) -> list[str]:
    """Copy the content of `source`, except the top-level names `without`, into the new directory `to`.

    With `packed`, it is a working directory: what was packed and caches are left out.
    Returns the entries that cannot be copied, with reasons.
    """
    left: list[str] = []

    def leave(path: str, reason: object) -> None:
        if not path:
            raise BackendError(f"{what} cannot be read: {reason}.")
        left.append(f"{path[:_SHOWN]!r} ({reason})")

    to.mkdir()
    folders: list[tuple[Path, int]] = []
    with hold(source, what=what) as handle:
        enter = (lambda name: not is_cache(name)) if packed is not None else (lambda name: True)
        for found in walk(handle, lambda path, exc: leave(path, exc.strerror), enter=enter):
            if (*found.above, found.name)[0] in without or (packed is not None and not _is_result(found, packed)):
                continue
            target = to.joinpath(*found.above, found.name)
            target.parent.mkdir(parents=True, exist_ok=True)  # a directory that was packed is copied for what is in it
            if found.is_directory:
                target.mkdir()
                folders.append((target, found.status.st_mode & 0o777 | 0o700))
            elif found.is_link:
                target.symlink_to(os.readlink(found.name, dir_fd=found.handle))
            elif not found.is_file:
                leave(found.path, _ODD)
            elif (wrong := _copy_file(found, target)) is not None:
                leave(found.path, wrong)
    for folder, mode in folders:
        folder.chmod(mode)
    return left


def _is_result(found: FoundEntry, packed: PackedFiles) -> bool:
    """Return whether an entry of a working directory is to be copied."""
    if is_cache(found.name):
        return False
    return found.path not in packed.folders if found.is_directory else packed.is_written(found.path, found.status)


def _copy_file(found: FoundEntry, target: Path) -> str | None:
    """Copy a file; return why it cannot be read, else None. A file deleted meanwhile is ignored."""
    try:
        there = found.open()
    except OSError as exc:
        return None if exc.errno == errno.ENOENT else exc.strerror or str(exc)
    with there, target.open("xb") as here:
        shutil.copyfileobj(there, here, _BLOCK)
        here.flush()
        status = os.fstat(there.fileno())
        os.fchmod(here.fileno(), status.st_mode & 0o777)
        os.utime(here.fileno(), ns=(status.st_atime_ns, status.st_mtime_ns))
    return None


def _move_over(staged: Path, to: Path) -> None:
    """Move the tree `staged` to `to`, or file by file into `to` if it has content."""
    try:
        staged.rename(to)  # also replaces an empty directory
    except OSError as exc:
        if exc.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise
        for parent, folders, files in os.walk(staged):
            target, what = JobDirectory(to, Path(parent).relative_to(staged).parts), f"the directory {str(to)!r}"
            make_folder(target, what=what)
            with hold(target, what=what) as handle:
                for name in files + [name for name in folders if (Path(parent) / name).is_symlink()]:
                    os.replace(Path(parent) / name, name, dst_dir_fd=handle)
