"""Open the TensorBoard of a job: a local one if the event files are here, else a service's."""

from typing import TYPE_CHECKING, Protocol

from pai_jupyter.backends import Backend, HasTensorBoard, get_backend
from pai_jupyter.errors import BackendError, SpecError
from pai_jupyter.path_guard import JobDirectory
from pai_jupyter.store import JobFolder

if TYPE_CHECKING:
    from pai_jupyter.tensorboard import Board, BoardService, BoardSource


class LoggedJob(Protocol):
    """The parts of a `Job` that concern its event files."""

    @property
    def id(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def backend(self) -> str: ...
    @property
    def folder(self) -> JobFolder: ...
    def tensorboard_data(self) -> str: ...
    def tensorboard_folders(self) -> dict[str, JobDirectory]: ...


def open_job_board(job: LoggedJob, *, wait: bool = True) -> "Board":
    """Open or find the board of a job; `wait` until it answers.

    Raises:
        SpecError: TensorBoard is not installed, or the cloud location of the event files is unknown.
        LimitExceededError: the service's limit of running boards is reached; it names them.
        BackendError: it does not start.
    """
    if folders := job.tensorboard_folders():
        from pai_jupyter.tensorboard import open_board  # imported late: most sessions open no board

        return open_board(folders, wait=wait)
    service, source = _elsewhere(job)
    return service.open_board(source, wait=wait)


def find_job_board(job: LoggedJob) -> "Board | None":
    """Return the board that `open_job_board` would find; None if there is none."""
    if folders := job.tensorboard_folders():
        from pai_jupyter.tensorboard import find_board  # late: as above

        return find_board(folders)
    service, source = _elsewhere(job)
    return service.find_board(source)


def _elsewhere(job: LoggedJob) -> "tuple[BoardService, BoardSource]":
    """Return the service of the event files: the job's own, else that of their storage."""
    from pai_jupyter.backends import tensorboards  # imported late: most jobs have local event files
    from pai_jupyter.tensorboard import BoardSource

    uri = job.tensorboard_data()
    backend: object = _backend(job.backend)
    if isinstance(backend, HasTensorBoard):
        ref = job.folder.read().ref
        if ref is None:
            raise tensorboards.not_submitted(job.id)
        return backend.board_service(), BoardSource(uri=uri, job=ref, name=job.name)
    service = tensorboards.board_service_for(uri)
    if service is None:
        raise SpecError(f"the event files of job {job.id} are in {uri!r}, which no TensorBoard can show.")
    return service, BoardSource(uri=uri)


def _backend(name: str) -> Backend | None:
    """Return the backend of this name; None if it is no longer installed."""
    try:
        return get_backend(name)
    except (SpecError, BackendError):
        return None
