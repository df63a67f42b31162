"""Find the TensorBoard services of the backends that have one (`capabilities.HasTensorBoard`)."""

from contextlib import suppress

from pai_jupyter.backends import HasTensorBoard, backend_names, get_backend
from pai_jupyter.errors import BackendError, NotFoundError
from pai_jupyter.tensorboard import BoardService


def not_submitted(job_id: str) -> NotFoundError:
    """Create the error for a job that has no board yet."""
    return NotFoundError(f"job {job_id} is not submitted yet, so it has no TensorBoard. Try again when it runs.")


def backends_with_boards() -> list[HasTensorBoard]:
    """Return the installed backends that run TensorBoards; skip those that cannot be loaded."""
    found: list[HasTensorBoard] = []
    for name in backend_names():
        with suppress(BackendError):
            backend = get_backend(name)
            if isinstance(backend, HasTensorBoard):
                found.append(backend)
    return found


def board_service_for(uri: str) -> BoardService | None:
    """Find the service whose boards show the folder at `uri`.

    Raises:
        PaiJupyterError: a service's settings are invalid.
    """
    services = [backend.board_service() for backend in backends_with_boards()] if "://" in uri else []
    return next((service for service in services if service.can_show(uri)), None)
