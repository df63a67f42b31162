"""Job files of a cluster as jobs: submitted there, or simulated on this machine in containers."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pai_jupyter.backends import find_backend, infos
from pai_jupyter.backends.capabilities import TakesJobFiles
from pai_jupyter.backends.info import HOST_NETWORK, NETWORK
from pai_jupyter.cloud.hdfs import HdfsSession, hdfs_session
from pai_jupyter.errors import SpecError, UnavailableError
from pai_jupyter.jobs.job import Job
from pai_jupyter.jobs.provenance import CodeOrigin
from pai_jupyter.jobs.submission import draft
from pai_jupyter.jobs.target import Target
from pai_jupyter.spec import JobSpec

MOST_BYTES = 2**20  # that are read of a job file; clusters take a tenth of it


def job_files() -> TakesJobFiles:
    """Return the backend that runs job files.

    Raises:
        SpecError: none is installed.
    """
    return _found()[1]


def check_file(text: str, folder: Path, *, upload: Sequence[str] = ()) -> tuple[list[str], list[str]]:
    """Return what is wrong with a job file; and warnings about it and about the files that travel with it.

    Raises:
        SpecError: those files cannot be found out.
    """
    _, backend = _found()
    return backend.file_problems(text), backend.file_warnings(text, backend.travelling(folder, upload))


def read_job_file(path: Path) -> str:
    """Return the text of a job file.

    Raises:
        SpecError: it cannot be read.
    """
    try:
        if path.exists() and not path.is_file():
            raise SpecError(f"{str(path)!r} is no file. Give a job file, e.g. job.pai.yaml", field="file")
        if (size := path.stat().st_size) > MOST_BYTES:
            raise SpecError(f"{str(path)!r} has {size} bytes, which no cluster takes. Give a job file.", field="file")
        return path.read_text(encoding="utf-8-sig")  # editors of Windows begin with a mark
    except (OSError, ValueError) as exc:
        raise SpecError(
            f"{str(path)!r} cannot be read: {getattr(exc, 'strerror', None) or exc}.", field="file"
        ) from exc


def submit_file(
    text: str, folder: Path, *, cluster: str | None, upload: Sequence[str], images: Sequence[tuple[str, str]]
) -> tuple[Job, list[str]]:
    """Submit a job file to a cluster; return the job and notes."""
    name, backend = _found()
    spec = backend.cluster_job(text, cluster=cluster, folder=folder)
    files = backend.code_files(text, backend.travelling(folder, upload), is_asked=bool(upload))
    notes = [*backend.upload_notes(text, folder, is_asked=bool(upload)), *backend.file_warnings(text, files)]
    return _start(spec, Target(backend=name, reason="a job file"), files, notes, folder)


def simulate_file(
    text: str, folder: Path, *, cluster: str | None, upload: Sequence[str], images: Sequence[tuple[str, str]]
) -> tuple[Job, list[str]]:
    """Run a job file in containers of this machine, with the files beside it; return the job and notes."""
    _, backend = _found()
    spec, notes = backend.local_job(text, cluster=cluster, images=images)
    files = backend.travelling(folder, upload)
    place = next((info for info in infos() if info.is_local and info.takes_images), None)
    if place is None:
        raise SpecError("a simulation needs Docker. Type: %pip install 'pai_jupyter[docker]'", field="backend")
    if (health := place.health()).is_ready is False:
        raise UnavailableError(f"a simulation runs in containers, and cannot now. {health.note}")
    if any(option.name == NETWORK for option in place.options):  # as on a cluster
        spec = replace(spec, options={**spec.options, f"{place.name}.{NETWORK}": HOST_NETWORK})
    code = {f"{spec.name}/{path}": data for path, data in files.items()}
    target = Target(backend=place.name, reason="simulation")
    return _start(spec, target, code, [*notes, *backend.file_warnings(text, files)], folder)


def file_session() -> HdfsSession:
    """Return the HDFS of the settings; where none is set, that of the chosen cluster.

    Raises:
        SpecError: a setting is invalid.
    """
    session = hdfs_session()
    if not session.access.host and (access := job_files().file_access()) is not None:
        return HdfsSession(access=access)
    return session


def _start(
    spec: JobSpec, place: Target, files: dict[str, bytes], notes: list[str], folder: Path
) -> tuple[Job, list[str]]:
    with draft(spec, place, files=files, origin=CodeOrigin(directory=folder)) as ready:
        return ready.submit(), [*notes, *ready.notes]


def _found() -> tuple[str, TakesJobFiles]:
    for info in infos():
        if info.takes_job_files and isinstance(backend := find_backend(info.name), TakesJobFiles):
            return info.name, backend
    raise SpecError("no installed backend runs job files.", field="backend")
