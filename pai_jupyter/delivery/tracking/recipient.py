"""The recipient that tracks jobs at an MLflow server."""

import os
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from pai_jupyter.config import Settings, settings
from pai_jupyter.contract import secret_values
from pai_jupyter.delivery.recipient import Due, DueMessage, JobNews, Result, SendOutcome
from pai_jupyter.delivery.tracking.due import due_messages
from pai_jupyter.delivery.tracking.notes import note_of
from pai_jupyter.delivery.tracking.wanted import INSTALL, NAME, address_of, can_send
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.events import Metric
from pai_jupyter.spec import Json
from pai_jupyter.store import JobFolder

if TYPE_CHECKING:
    from pai_jupyter.delivery.tracking.client import MlflowServer

GIVE_UP = 30 * 24 * 3600.0  # seconds


class TrackingRecipient:
    """Makes a run of each job at the server that was set when the job was submitted."""

    name = NAME
    kinds: tuple[str, ...] = (Metric.__name__,)
    least_pause = 0.0
    give_up = GIVE_UP

    def __init__(self, given: Settings | None = None, environ: Mapping[str, str] | None = None) -> None:
        self._settings = given or settings()
        self._environ = os.environ if environ is None else environ
        self._servers: dict[str, MlflowServer] = {}

    def mark(self, folder: JobFolder) -> tuple[int, ...]:
        return folder.annotations_mark()

    def due(self, news: JobNews) -> Due:
        from pai_jupyter.delivery.tracking.outputs import sent_outputs  # late: not needed to see what there is to do

        return due_messages(news, said_mark(news.folder), lambda: sent_outputs(news.folder))

    def destination(self, wanted: Mapping[str, Json]) -> str:
        return address_of(wanted) if can_send(wanted, self._environ) else ""

    def takes_again(self, wanted: Mapping[str, Json]) -> bool:
        return True

    def note(
        self,
        message: DueMessage,
        result: Result,
        why: str,
        wanted: Mapping[str, Json],
        *,
        noted: Collection[tuple[str, Result]],
    ) -> str:
        return note_of(message, result, why, address_of(wanted), noted=noted)

    def closes(self, folder: JobFolder, wanted: Mapping[str, Json], ids: Collection[str]) -> Mapping[str, Json] | None:
        """Ask once more for what the user says: it may have changed since it was sent, while the outbox was still there."""
        mark = said_mark(folder)
        is_known = not mark or f"{folder.id}-said-{'-'.join(map(str, mark))}" in ids
        return None if is_known else {**wanted, "only": True}

    def send(
        self,
        folder: JobFolder,
        message: DueMessage,
        wanted: Mapping[str, Json],
        *,
        is_again: bool,
        begins: Callable[[], None],
    ) -> SendOutcome:
        begins()
        try:
            from pai_jupyter.delivery.tracking.acts import NotTakenError, RunDeletedError, TrackedJob
            from pai_jupyter.delivery.tracking.client import MlflowServer

            address = address_of(wanted)
            if address not in self._servers:
                self._servers[address] = MlflowServer(address)
        except ImportError:
            return SendOutcome(result="later", why=f"MLflow's client cannot be imported. Type: {INSTALL}")
        job = TrackedJob(folder=folder, server=self._servers[address], wanted=wanted, secrets=self._secrets(folder))
        try:
            return SendOutcome(result="sent", why=job.act(message, is_again=is_again))
        except (NotTakenError, RunDeletedError) as exc:
            return SendOutcome(result="refused", why=str(exc))
        except PaiJupyterError as exc:
            return SendOutcome(result="refused", why=str(exc).rstrip("."))
        except Exception as exc:  # noqa: BLE001  MLflow's client raises those of many libraries
            from pai_jupyter.delivery.tracking.trouble import outcome_of

            return outcome_of(exc, job.clean)

    def _secrets(self, folder: JobFolder) -> list[str]:
        values: list[str] = []
        with suppress(PaiJupyterError):  # the job was deleted
            values = [*secret_values(folder.record.spec.hyperparameters)]
        return [*self._settings.loaded_secrets(), *values]


def said_mark(folder: JobFolder) -> tuple[int, ...]:
    """Return what tells apart what the user has said of a job at different times; () if nothing was ever said."""
    return folder.annotations_mark()
