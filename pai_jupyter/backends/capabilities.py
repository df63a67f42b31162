"""What a backend can do besides running jobs: one small protocol each, found by `isinstance`.

A backend implements those that fit it, and callers ask for the one that they need. `BackendInfo` says what a backend is;
these say what can be asked of it.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from pai_jupyter.backends.reports import RemoteJob
from pai_jupyter.spec import JobRef, JobSpec, Json

if TYPE_CHECKING:
    from pai_jupyter.storage import Storage
    from pai_jupyter.tensorboard import BoardService


@runtime_checkable
class Recoverable(Protocol):
    """Finds a job by its id alone, after the submitter died before it could record where the job is."""

    async def find(self, job_id: str) -> JobRef:
        """Find a job whose submitter died before recording its `JobRef`.

        Raises:
            NotFoundError: none was created under this id.
        """
        ...


@runtime_checkable
class Listable(Protocol):
    """Lists the jobs that its service knows, also those submitted from other machines."""

    async def recorded(self) -> list[RemoteJob]:
        """List this user's newest jobs with one request; an empty list where nothing is configured.

        Raises:
            PaiJupyterError: the service gave no answer, or refused.
        """
        ...

    async def recall(self, ref: JobRef) -> JobSpec:
        """Return what was asked for, as far as the service tells; `NotFoundError` for a job it does not know."""
        ...


@runtime_checkable
class HoldsOutputs(Protocol):
    """Keeps outputs in a storage of its own, not in the job folder."""

    def output_path(self, job_id: str) -> str:
        """Return the address for the outputs of a job that names none; may ask the service for it."""
        ...

    def open_output(self, ref: JobRef | None, place: str) -> "Storage | None":
        """Open an output at `place` to read it; None for an address that only jobs reach. `ref` is None before submission.

        Raises:
            PaiJupyterError: the storage cannot be opened.
        """
        ...


@runtime_checkable
class TakesSource(Protocol):
    """Fetches code from an address itself, so that it is not packed here."""

    def takes_source(self, address: str) -> bool:
        """Tell whether code at this address (`oss://...`, a Git address) is passed on as it is."""
        ...


@runtime_checkable
class Previewable(Protocol):
    """Sends a request that a person can read, for `--dry-run`."""

    def request(self, spec: JobSpec, *, job_id: str) -> Mapping[str, Json]:
        """Return the request as far as it is known before uploads, without secrets; asks nobody."""
        ...


@runtime_checkable
class Inherits(Protocol):
    """Gives jobs the variables of the submitting process, except possible secrets."""

    def held_back(self, spec: JobSpec) -> list[str]:
        """Return the names of the variables that the job does not get because they may be secrets."""
        ...


@runtime_checkable
class RecordsVariables(Protocol):
    """Knows which variables a job was given beyond those of the contract."""

    def variables(self, spec: JobSpec, folder: Path) -> Mapping[str, Mapping[str, str]] | None:
        """Return replica -> name -> value from the job's `folder`; None where they should be recorded and are not."""
        ...


@runtime_checkable
class StopsRemoved(Protocol):
    """Can end a job of this machine although its record is gone."""

    async def stop_removed(self, job_id: str) -> bool:
        """End whatever runs under this id; returns, when that is under way, whether anything did.

        Raises:
            BackendError: nobody can tell.
        """
        ...


@runtime_checkable
class HasTensorBoard(Protocol):
    """Its service runs TensorBoards over the event files of its jobs."""

    def board_service(self) -> "BoardService":
        """Return the service where this process works now; asks nobody.

        Raises:
            PaiJupyterError: the settings say something impossible about it.
        """
        ...
