"""The TensorBoard of a job: over its folder where that is here, else an app where the job ran.

What a local board and an app share by name is all that anybody needs: `app_uri`, `status`, `stop`, `delete`.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

from pai_jupyter.errors import NotFoundError
from pai_jupyter.spec import Json

if TYPE_CHECKING:
    from pai_jupyter.cloud.tensorboard import TensorBoardApp
    from pai_jupyter.jobs.job import Job
    from pai_jupyter.tensorboard import TensorBoard

Board: TypeAlias = "TensorBoard | TensorBoardApp"


def open_job_board(job: "Job", *, wait: bool = True) -> Board:
    """The board of a job, opened or found; `wait` until it answers.

    Raises:
        SpecError: TensorBoard is not installed, or nobody says where in the cloud the event files are.
        LimitExceededError: there are as many apps as there may be; it says which.
        BackendError: it does not start.
    """
    if folders := job.tensorboard_folders():
        from pai_jupyter.tensorboard import open_board  # late: most sessions open none

        return open_board(folders, wait=wait)
    from pai_jupyter.cloud.tensorboard import open_app, open_job_app  # late: most jobs have their files here

    place = _place(job)
    if place is None:
        return open_app(job.tensorboard_data(), wait=wait)
    return open_job_app(place, job.tensorboard_data(), job.name, wait=wait)


def find_job_board(job: "Job") -> "Board | None":
    """The board that `open_job_board` would find."""
    if folders := job.tensorboard_folders():
        from pai_jupyter.tensorboard import find_board

        return find_board(folders)
    from pai_jupyter.cloud.tensorboard import find_app

    return find_app(job.tensorboard_data(), place=_place(job))


def _place(job: "Job") -> Mapping[str, Json] | None:
    """Where on PAI the job is; None for one that ran elsewhere and only put its event files into OSS."""
    if job.backend != "pai":
        return None
    ref = job.folder.read().ref
    if ref is None or not ref.data:
        raise NotFoundError(f"job {job.id} is not submitted yet, so it has no TensorBoard. Try again when it runs.")
    return ref.data
