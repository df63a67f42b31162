"""Manage file ownership: containers run as the image's user, and afterwards all files belong to the calling user.

Before: if containers do not write as root, directories are made writable for all. The job folder around them is private; an
output elsewhere gets its original mode back at the end.
After: files of other users are given to the calling user, directly if we are root, else through a short-lived container that
runs as root. In a rootless engine the container's root is the calling user.
Rule 1: an `output_path` is the user's directory. Only it and its channels are made writable, not everything below; only files
    changed since then are given back.
Rule 2: a job may have written anything, even a link instead of a channel. Files are accessed by descriptors (`path_guard`); a
    link itself is given back, never its target.
Rule 3: an engine takes paths as text and resolves them as root. So only directories that no job can replace are mounted, and
    paths below them are resolved inside the container, where no link leads to this machine.
"""

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from pai_jupyter.backends.docker.deployment import JOB_LABEL, Deployment
from pai_jupyter.backends.docker.engine import Client
from pai_jupyter.backends.docker.faults import engine_errors
from pai_jupyter.backends.docker.images import Image
from pai_jupyter.errors import BackendError, NotFoundError, SpecError
from pai_jupyter.path_guard import JobDirectory, hold, walk

_AT_ONCE = 1000  # paths per call of chown
_SHOWN = 10  # paths named in a message
_MODES = "modes.json"  # file in the job's run/: directory outside the job folder -> its original mode
_NEEDED = ["CHOWN", "DAC_OVERRIDE"]  # capabilities: change owners, read all directories


def open_up(client: Client, job: Deployment, images: Iterable[Image]) -> None:
    """Make the code's tree and every output writable for the containers."""
    if all(image.is_roots for image in images) and "userns" not in _security(client):
        return
    (job.run / _MODES).write_text(json.dumps({str(place.path): _mode(place) for place in job.elsewhere}))
    for place in job.written:
        with hold(place, what=str(place.path)) as handle:
            _open(handle)
            for found in walk(handle) if place.path != job.shared else ():
                if found.is_directory:
                    with suppress(OSError), found.hold() as below:
                        _open(below)
    with (
        suppress(NotFoundError),
        hold(JobDirectory(job.folder, ("ml", "input", "credential")), what="the key") as handle,
    ):
        for found in walk(handle):
            with found.open() as file:
                os.fchmod(file.fileno(), 0o644)  # readable for the container's user; the folder above is private


def take_back(client: Client, job: Deployment) -> None:
    """Give all files written by the containers to the calling user.

    Raises:
        BackendError: some files still belong to other users.
    """
    try:
        _take_all_back(client, job)
    finally:
        _give_modes_back(job)


def _take_all_back(client: Client, job: Deployment) -> None:
    since = (
        (job.run / "outputs.json").stat().st_mtime
    )  # written before any container started; an output may have older files
    if os.geteuid() == 0:
        left = [each for top in job.given_back for each in _take_back_below(top, since, whole=top.path != job.shared)]
        if left:
            raise _still_owed(job, left)
        return
    owed = [item for top in job.given_back for item in _owed(top, since, whole=top.path != job.shared)]
    for start in range(0, len(owed), _AT_ONCE):
        _take_back_in_a_container(client, job, owed[start : start + _AT_ONCE])


def _give_modes_back(job: Deployment) -> None:
    with suppress(FileNotFoundError):
        modes: dict[str, int] = json.loads((job.run / _MODES).read_text())
        for place in job.elsewhere:
            if str(place.path) in modes:
                with suppress(NotFoundError, SpecError), hold(place, what=str(place.path)) as handle:
                    os.fchmod(handle, modes[str(place.path)])


def _mode(place: JobDirectory) -> int:
    with hold(place, what=str(place.path)) as handle:
        return os.fstat(handle).st_mode & 0o7777


def _open(handle: int) -> None:
    """Make a directory writable for all; leave one of another user unchanged."""
    with suppress(PermissionError):
        os.fchmod(handle, os.fstat(handle).st_mode & 0o7777 | 0o777)


def _take_back_below(place: JobDirectory, since: float, *, whole: bool) -> list[str]:
    """Give back the content of `place`, with `whole` also itself; return the paths that could not be read."""
    uid, gid, left = os.geteuid(), os.getegid(), list[str]()
    with suppress(NotFoundError, SpecError), hold(place, what=str(place.path)) as handle:  # reported by `misplaced`
        if whole and _is_foreign(os.fstat(handle), since):
            os.fchown(handle, uid, gid)
        for found in walk(handle, lambda path, exc: left.append(f"{place.path / path} ({exc.strerror})")):
            if _is_foreign(found.status, since):
                with suppress(FileNotFoundError):
                    os.chown(found.name, uid, gid, dir_fd=found.handle, follow_symlinks=False)
    return left


def _owed(place: JobDirectory, since: float, *, whole: bool) -> Iterator[tuple[Path, str]]:
    """Yield `(directory, name)` of entries to give back to this user; name "" means the whole directory."""
    with suppress(NotFoundError, SpecError), hold(place, what=str(place.path)) as handle:  # reported by `misplaced`
        if whole:
            if _is_foreign(os.fstat(handle), since) or any(_is_foreign(found.status, since) for found in walk(handle)):
                yield place.path, ""
            return
        last = None
        for found in walk(handle):
            top = (*found.above, found.name)[0]
            if top != last and _is_foreign(found.status, since):
                yield place.path, top
                last = top


def _is_foreign(status: os.stat_result, since: float) -> bool:
    return status.st_uid != os.geteuid() and status.st_ctime >= since


def _take_back_in_a_container(client: Client, job: Deployment, owed: list[tuple[Path, str]]) -> None:
    uid, gid = (0, 0) if "rootless" in _security(client) else (os.geteuid(), os.getegid())
    targets = {path: f"/place/{number}" for number, path in enumerate(dict.fromkeys(path for path, _ in owed))}
    mounts = [{"Type": "bind", "Target": target, "Source": str(path)} for path, target in targets.items()]
    named = [f"{targets[path]}/{name}".rstrip("/") for path, name in owed]
    container = f"{job.name}-owner"
    with engine_errors(f"taking over the files of job {job.job_id}"):
        client.create_container(
            image=next(iter(job.images.values())),
            name=container,
            entrypoint=["chown"],
            command=["-hRP", f"{uid}:{gid}", *named],
            user="0",
            labels={JOB_LABEL: job.job_id},
            host_config=client.create_host_config(
                mounts=mounts,
                userns_mode="host",
                network_mode="none",
                cap_drop=["ALL"],
                cap_add=_NEEDED,
                security_opt=["label=disable"],
            ),
        )
        try:
            client.start(container)
            code = client.wait(container)["StatusCode"]
        finally:
            client.remove_container(container, force=True)
    if code:
        raise _still_owed(job, [str(path / name) for path, name in owed])


def _still_owed(job: Deployment, places: list[str]) -> BackendError:
    return BackendError(f"some files of job {job.job_id} still belong to others: {', '.join(places[:_SHOWN])}")


@lru_cache
def _security(client: Client) -> str:
    with engine_errors("asking for its settings"):
        return " ".join(client.info().get("SecurityOptions") or ())
