"""PAI's TensorBoard apps as boards of a service."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pai_jupyter.backends.tensorboards import not_submitted
from pai_jupyter.cloud.session import Session
from pai_jupyter.cloud.tensorboard import LIMIT, TensorBoardApp, find_app, list_apps, open_app, open_job_app
from pai_jupyter.spec import JobRef, Json
from pai_jupyter.tensorboard import BoardSource


@dataclass(frozen=True)
class AppService:
    """The apps of `session`; without a session or workspace they cannot be listed."""

    name: str
    session: Session | None

    @property
    def limit(self) -> int | None:
        return LIMIT if self._listed is not None else None

    @property
    def is_emulated(self) -> bool:
        return self._listed is not None and self._listed.is_emulator

    def can_show(self, uri: str) -> bool:
        return uri.startswith("oss://")

    def list_boards(self) -> Sequence[TensorBoardApp]:
        return [] if self._listed is None else [self._own(app) for app in list_apps(session=self._listed)]

    def open_board(self, source: BoardSource, *, wait: bool) -> TensorBoardApp:
        if source.job is None:
            return self._own(open_app(source.uri, session=self.session, wait=wait))
        return self._own(open_job_app(_place(source.job), source.uri, source.name, wait=wait))

    def find_board(self, source: BoardSource) -> TensorBoardApp | None:
        place = None if source.job is None else _place(source.job)
        found = find_app(source.uri, place=place, session=self.session)
        return None if found is None else self._own(found)

    @property
    def _listed(self) -> Session | None:
        """Return the session if it has a workspace, which the service needs to list apps; else None."""
        return self.session if self.session is not None and self.session.workspace_id else None

    def _own(self, app: TensorBoardApp) -> TensorBoardApp:
        app.service = self.name
        return app


def _place(ref: JobRef) -> Mapping[str, Json]:
    """Return where on PAI the job is; {} for a submission whose outcome was never noted."""
    if not ref.data:
        raise not_submitted(ref.job_id)
    return ref.data
