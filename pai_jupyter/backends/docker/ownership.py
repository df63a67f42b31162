"""Who may write what: containers run as the image's user, and afterwards everything belongs to the calling user.

Before: where containers do not write as root, directories are opened to everybody. The job folder around them is
private; an output elsewhere gets its own mode back in the end.
After: what belongs to others is given to the calling user, by root at once, by anyone else through a short-lived
container that runs as root. In a rootless engine the container's root is the calling user.
Rule 1: an `output_path` is the user's own directory. Opened is that one itself with its channels, and not all that is
    below it; given back is what has changed there since.
Rule 2: what a job has written may be anything, also a link in the place of a channel. Here it is reached by handles
    (`path_guard`); a link is given back itself, and what it points to is left alone.
Rule 3: an engine takes paths as text, and resolves them as root. So mounted are only directories whose own name no job
    could change, and everything in them is named inside the container, where no link leads to this machine.
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

_AT_ONCE = 1000  # places that one call of chown names
_SHOWN = 10  # of them in a sentence
_MODES = "modes.json"  # in the job's run/: directory outside the job folder -> its mode before
_NEEDED = ["CHOWN", "DAC_OVERRIDE"]  # of all that root may do: give files away, and look into closed directories


def open_up(client: Client, job: Deployment, images: Iterable[Image]) -> None:
    """Let the containers write into the code's tree and into every output."""
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
                os.fchmod(file.fileno(), 0o644)  # whoever the container runs as is to read it; nobody else gets there


def take_back(client: Client, job: Deployment) -> None:
    """Give everything that the containers have written to the calling user.

    Raises:
        BackendError: something still belongs to others.
    """
    try:
        _take_all_back(client, job)
    finally:
        _give_modes_back(job)


def _take_all_back(client: Client, job: Deployment) -> None:
    since = (job.run / "outputs.json").stat().st_mtime  # written before any container; an output may hold older files
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
    """Let everybody write into a directory; one of somebody else stays as it is: the container may or may not write there."""
    with suppress(PermissionError):
        os.fchmod(handle, os.fstat(handle).st_mode & 0o7777 | 0o777)


def _take_back_below(place: JobDirectory, since: float, *, whole: bool) -> list[str]:
    """Give back what is in `place`, and itself where that is meant as a `whole`; returns what could not be looked into."""
    uid, gid, left = os.geteuid(), os.getegid(), list[str]()
    with suppress(NotFoundError, SpecError), hold(place, what=str(place.path)) as handle:  # `misplaced` says it
        if whole and _is_foreign(os.fstat(handle), since):
            os.fchown(handle, uid, gid)
        for found in walk(handle, lambda path, exc: left.append(f"{place.path / path} ({exc.strerror})")):
            if _is_foreign(found.status, since):
                with suppress(FileNotFoundError):
                    os.chown(found.name, uid, gid, dir_fd=found.handle, follow_symlinks=False)
    return left


def _owed(place: JobDirectory, since: float, *, whole: bool) -> Iterator[tuple[Path, str]]:
    """Yield `(directory, name)` of entries to chown back to this user; name "" means the whole directory."""
    with suppress(NotFoundError, SpecError), hold(place, what=str(place.path)) as handle:  # `misplaced` says it
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
