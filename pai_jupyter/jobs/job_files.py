"""Job files of a cluster as jobs: submitted there, or simulated on this machine in containers."""

from collections.abc import Sequence
from pathlib import Path

from pai_jupyter.backends import backend_names, find_backend, infos
from pai_jupyter.backends.capabilities import TakesJobFiles
from pai_jupyter.errors import SpecError
from pai_jupyter.jobs.job import Job
from pai_jupyter.jobs.submission import draft
from pai_jupyter.jobs.target import Target
from pai_jupyter.spec import JobSpec


def job_files() -> TakesJobFiles:
    """Return the backend that runs job files.

    Raises:
        SpecError: none is installed.
    """
    return _found()[1]


def submit_file(
    text: str, folder: Path, *, cluster: str | None, upload: Sequence[str], images: Sequence[tuple[str, str]]
) -> tuple[Job, list[str]]:
    """Submit a job file to a cluster; return the job and notes."""
    name, backend = _found()
    files = backend.travelling(folder, upload)
    spec = backend.cluster_job(text, cluster=cluster, files_beside=files)
    notes = backend.file_warnings(text, files)
    return _start(spec, Target(backend=name, reason="a job file"), {}, notes)


def simulate_file(
    text: str, folder: Path, *, cluster: str | None, upload: Sequence[str], images: Sequence[tuple[str, str]]
) -> tuple[Job, list[str]]:
    """Run a job file in containers of this machine, with the files beside it; return the job and notes."""
    _, backend = _found()
    spec, notes = backend.local_job(text, cluster=cluster, images=images)
    files = backend.travelling(folder, upload)
    place = next((info.name for info in infos() if info.is_local and info.takes_images), None)
    if place is None:
        raise SpecError("a simulation needs Docker. Type: %pip install 'pai_jupyter[docker]'", field="backend")
    code = {f"{spec.name}/{path}": data for path, data in files.items()}
    return _start(spec, Target(backend=place, reason="simulation"), code, [*notes, *backend.file_warnings(text, files)])


def _start(spec: JobSpec, place: Target, files: dict[str, bytes], notes: list[str]) -> tuple[Job, list[str]]:
    with draft(spec, place, files=files, has_own_name=False) as ready:
        return ready.submit(), [*notes, *ready.notes]


def _found() -> tuple[str, TakesJobFiles]:
    for name in backend_names():
        if isinstance(backend := find_backend(name), TakesJobFiles):
            return name, backend
    raise SpecError("no installed backend runs job files.", field="backend")
