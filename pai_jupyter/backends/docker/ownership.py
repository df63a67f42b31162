"""Who may write what: containers run as the image's user, and afterwards everything belongs to the calling user.

Before: where containers do not write as root, directories are opened to everybody. The job folder around them is
private; an output elsewhere gets its own mode back in the end.
After: what belongs to others is given to the calling user, by root at once, by anyone else through a short-lived
container that runs as root. In a rootless engine the container's root is the calling user.
Rule: an `output_path` is the user's own directory. Opened is that one itself with its channels, and not all that is
    below it; given back is what has changed there since.
"""

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from itertools import chain
from pathlib import Path

from pai_jupyter.backends.docker.deployment import JOB_LABEL, Deployment
from pai_jupyter.backends.docker.engine import Client
from pai_jupyter.backends.docker.faults import engine_errors
from pai_jupyter.backends.docker.images import Image
from pai_jupyter.errors import BackendError

_AT_ONCE = 1000  # places that one call of chown names
_MODES = "modes.json"  # in the job's run/: directory outside the job folder -> its mode before


def open_up(client: Client, job: Deployment, images: Iterable[Image]) -> None:
    """Let the containers write into the code's tree and into every output."""
    if all(image.is_roots for image in images) and "userns" not in _security(client):
        return
    elsewhere = [path for path in job.written if not path.is_relative_to(job.folder)]
    (job.run / _MODES).write_text(json.dumps({str(path): path.stat().st_mode & 0o7777 for path in elsewhere}))
    for top in job.written:
        for path in [top] if top == job.shared else _directories(top):
            with suppress(PermissionError):  # a directory of somebody else: the container may or may not write there
                path.chmod(path.stat().st_mode | 0o777)
    for path in (job.folder / "ml" / "input" / "credential").glob("*"):
        path.chmod(0o644)  # whoever the container runs as is to read it; nobody else gets into the job folder


def take_back(client: Client, job: Deployment) -> None:
    """Give everything that the containers have written to the calling user.

    Raises:
        BackendError: something still belongs to others.
    """
    since = (job.run / "outputs.json").stat().st_mtime  # written before any container; an output may hold older files
    places = [path for path in _places(job) if any(_foreign(path, since))]
    if os.geteuid() == 0:
        for path in (path for place in places for path in _foreign(place, since)):
            os.lchown(path, os.geteuid(), os.getegid())
    else:
        for start in range(0, len(places), _AT_ONCE):
            _take_back_in_a_container(client, job, places[start : start + _AT_ONCE])
    with suppress(FileNotFoundError):
        modes: dict[str, int] = json.loads((job.run / _MODES).read_text())
        for place, mode in modes.items():
            Path(place).chmod(mode)


def _take_back_in_a_container(client: Client, job: Deployment, places: list[Path]) -> None:
    uid, gid = (0, 0) if "rootless" in _security(client) else (os.geteuid(), os.getegid())
    bound = dict.fromkeys(path.parent if path.parent == job.shared else path for path in places)
    targets = {path: f"/place/{number}" for number, path in enumerate(bound)}
    mounts = [{"Type": "bind", "Target": target, "Source": str(path)} for path, target in targets.items()]
    named = [targets.get(path) or f"{targets[path.parent]}/{path.name}" for path in places]
    name = f"{job.name}-owner"
    with engine_errors(f"taking over the files of job {job.job_id}"):
        client.create_container(
            image=next(iter(job.images.values())),
            name=name,
            entrypoint=["chown"],
            command=["-R", "-h", f"{uid}:{gid}", *named],
            user="0",
            labels={JOB_LABEL: job.job_id},
            host_config=client.create_host_config(mounts=mounts, userns_mode="host", security_opt=["label=disable"]),
        )
        try:
            client.start(name)
            code = client.wait(name)["StatusCode"]
        finally:
            client.remove_container(name, force=True)
    if code:
        raise BackendError(f"some files of job {job.job_id} still belong to others: {', '.join(map(str, places))}")


def _places(job: Deployment) -> list[Path]:
    """What the containers may have written, as few places as possible; of the user's own directory each thing in it."""
    own = [path for path in job.written if path != job.shared]
    in_shared = sorted(job.shared.iterdir()) if job.shared is not None and job.shared.is_dir() else []
    return list(dict.fromkeys([*own, *in_shared]))


def _foreign(place: Path, since: float) -> Iterator[Path]:
    """Everything at and below `place` that changed `since` and is not the calling user's, as far as one may look."""
    uid = os.geteuid()
    below = (Path(parent, name) for parent, folders, files in os.walk(place) for name in folders + files)
    for path in chain([place], below):
        with suppress(FileNotFoundError):
            status = path.lstat()
            if status.st_uid != uid and status.st_ctime >= since:
                yield path


def _directories(place: Path) -> Iterator[Path]:
    for parent, _, _ in os.walk(place):
        yield Path(parent)


@lru_cache
def _security(client: Client) -> str:
    with engine_errors("asking for its settings"):
        return " ".join(client.info().get("SecurityOptions") or ())
