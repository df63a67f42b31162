import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from pai_jupyter.backends import LogHome, RemoteJob, StatusReport
from pai_jupyter.backends.local import is_remote_source
from pai_jupyter.backends.pai import outputs
from pai_jupyter.backends.pai.following.followed_job import follow
from pai_jupyter.backends.pai.info import INFO
from pai_jupyter.backends.pai.remote_listing import list_recorded, owner_of
from pai_jupyter.backends.pai.services import status_map
from pai_jupyter.backends.pai.services.connections import ConnectionPool, ServiceConnection
from pai_jupyter.backends.pai.services.job import (
    Attempt,
    DamagedNoteError,
    Kind,
    PaiJob,
    folder_of,
    unknown,
)
from pai_jupyter.backends.pai.spec_from_remote import spec_of
from pai_jupyter.backends.pai.submission import creation, dlc_request, input_check, spec_check, uploads
from pai_jupyter.backends.pai.submission.creation import find
from pai_jupyter.backends.pai.submission.dlc_request import with_worker_alone
from pai_jupyter.backends.pai.submission.training_request import UploadedPlaces, code_dir, training_job
from pai_jupyter.backends.threads import in_thread
from pai_jupyter.cloud.session import Session, Site, get_default_session, need_session, session_for
from pai_jupyter.contract import RETURNED, is_secret
from pai_jupyter.errors import NotFoundError, PaiJupyterError, SpecError
from pai_jupyter.events import Event, Notice, Position, StatusChanged
from pai_jupyter.package import Package
from pai_jupyter.spec import JobRef, JobSpec, Json
from pai_jupyter.storage import Storage, parse_oss_url
from pai_jupyter.store import JobFolder, JobStore

if TYPE_CHECKING:
    from pai_jupyter.tensorboard import BoardService

__all__ = ["PaiBackend"]


class PaiBackend:
    """The backend for PAI."""

    info = INFO
    log_home = LogHome.SERVICE

    def __init__(self) -> None:
        self._connections = ConnectionPool()
        self._submitting: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._owners: dict[Session, str] = {}  # the owner of listed jobs; requested once per session

    def check(self, spec: JobSpec) -> list[str]:
        return spec_check.check(spec)

    def output_path(self, job_id: str) -> str:
        """Return the default output directory in OSS of a job whose spec names none."""
        return uploads.output_path(need_session(), job_id)

    def open_output(self, ref: JobRef | None, place: str) -> Storage | None:
        """Open an OSS location with this process's key, in the region of the job if known."""
        if not place.startswith("oss://"):
            return None
        site = ref.data if ref is not None else {}
        if "region" not in site:
            return need_session().open_storage(place)
        address, workspace = site.get("address"), site.get("workspace")
        session = session_for(str(site["region"]), str(address) if address else None, str(workspace or "") or None)
        return session.open_storage(place)

    def takes_source(self, address: str) -> bool:
        return is_remote_source(address)

    def component_options(self, name: str, version: str, provider: str) -> dict[str, Json]:
        named: dict[str, Json] = {"AlgorithmName": name, "AlgorithmVersion": version}
        return {f"{self.info.name}.algorithm": {**named, **({"AlgorithmProvider": provider} if provider else {})}}

    def code_location(self, uri: str) -> Json:
        return code_dir(parse_oss_url(uri), need_session().oss_endpoint)

    def request(self, spec: JobSpec, *, job_id: str) -> dict[str, Json]:
        session, spec = need_session(), with_worker_alone(spec)
        environments = {name: "***" if is_secret(name, value) else value for name, value in spec.environments.items()}
        places = UploadedPlaces(code=uploads.code_there(spec), inputs=spec.inputs)
        shown = replace(spec, environments=environments)
        return _body(shown, places, job_id=job_id, workspace=session.workspace_id or "", endpoint=session.oss_endpoint)

    async def submit(self, spec: JobSpec, package: Package, *, job_id: str) -> JobRef:
        lock = self._submitting.setdefault(job_id, asyncio.Lock())
        async with lock:
            with suppress(NotFoundError):
                return (await self._found(job_id)).ref
            return (await self._submit(spec, package, job_id)).ref

    async def find(self, job_id: str) -> JobRef:
        return (await self._found(job_id)).ref

    async def recorded(self) -> list[RemoteJob]:
        place = await asyncio.to_thread(_listed_place)
        if place is None:
            return []
        session, workspace = place
        site = Site.of(session, workspace)
        async with self._connections.to(site, session) as connection:
            with suppress(PaiJupyterError):  # a key that may list jobs may lack this permission
                if session not in self._owners:
                    self._owners[session] = await owner_of(connection.client)
            return await list_recorded(connection, site, self._owners.get(session, ""))

    async def recall(self, ref: JobRef) -> JobSpec:
        async with self._reach(ref) as (connection, job):
            return spec_of(await connection.services[job.kind].get(job.id))

    async def status(self, ref: JobRef) -> StatusReport:
        async with self._reach(ref) as (connection, job):
            poller = connection.pollers[job.kind]
            with poller.watch(job.id) as watch:
                return status_map.report_of(await poller.look(watch))

    async def follow(self, ref: JobRef, after: Position) -> AsyncGenerator[Event, None]:
        async with self._reach(ref) as (connection, job):
            async for event in follow(connection, job, after):
                if isinstance(event, StatusChanged) and event.status.is_terminal:
                    for sentence in await self._unreturned(connection, job):
                        yield Notice(text=sentence, time=event.time, level="warning")
                yield event

    async def _unreturned(self, connection: ServiceConnection, job: PaiJob) -> list[str]:
        """Return a sentence for each variable that the job could not write for the kernel."""
        with suppress(PaiJupyterError):  # what is wrong with the channel is said when it is read
            if not JobFolder(folder_of(job.job_id)).record.spec.returns:
                return []
            place = outputs.place_of(await connection.services[job.kind].get(job.id), RETURNED, job_id=job.job_id)
            return await asyncio.to_thread(outputs.unreturned, connection.session, place)
        return []

    async def stop(self, ref: JobRef) -> None:
        async with self._reach(ref) as (connection, job):
            service = connection.services[job.kind]
            if not status_map.report_of(await service.get(job.id)).status.is_terminal:
                try:
                    await service.stop(job.id)
                except PaiJupyterError:
                    if not status_map.report_of(await service.get(job.id)).status.is_terminal:
                        raise  # unless it has just ended by itself

    async def fetch(self, ref: JobRef, channel: str, to: Path) -> Path:
        async with self._reach(ref) as (connection, job):
            fields = await connection.services[job.kind].get(job.id)
            place = outputs.place_of(fields, channel, job_id=job.job_id)
            return await outputs.bring(connection.session, place, to, without=outputs.channels_in(fields, channel))

    def board_service(self) -> "BoardService":
        from pai_jupyter.backends.pai.tensorboards import AppService  # imported late: most sessions open no TensorBoard

        return AppService(self.info.name, get_default_session())

    async def aclose(self) -> None:
        await self._connections.aclose()

    @asynccontextmanager
    async def _reach(self, ref: JobRef) -> AsyncIterator[tuple[ServiceConnection, PaiJob]]:
        job = PaiJob.from_ref(ref) if ref.data else await self._found(ref.job_id)
        async with self._connections.to(job.site) as connection:
            yield connection, job

    async def _found(self, job_id: str) -> PaiJob:
        """Find a job whose submitter died before recording its `JobRef`, at the place of its attempt.

        If that note is damaged, look at the place of this process; a job missing there may exist elsewhere.
        """
        try:
            attempt, damage = Attempt.read(job_id), None
        except DamagedNoteError as exc:
            attempt, damage = await asyncio.to_thread(_likely_attempt, job_id, exc), exc
        if attempt is None:
            raise unknown(job_id)
        try:
            async with self._connections.to(attempt.site) as connection:
                found = await find(connection.services[attempt.kind], attempt, job_id=job_id)
        except NotFoundError as exc:
            raise damage or exc from None
        return PaiJob(job_id=job_id, kind=attempt.kind, id=found, site=attempt.site)

    async def _submit(self, spec: JobSpec, package: Package, job_id: str) -> PaiJob:
        spec = with_worker_alone(spec)
        session, workspace = await asyncio.to_thread(_place, spec)
        await asyncio.to_thread(input_check.need_inputs, session, spec)
        places = await in_thread(
            lambda cancel: uploads.upload(session, spec, package, cancel, folder=folder_of(job_id))
        )
        if not spec.output_path:
            spec = replace(spec, output_path=uploads.output_path(session, job_id))
        kind = _kind_of(spec)
        body = _body(spec, places, job_id=job_id, workspace=workspace, endpoint=session.oss_endpoint)
        site = Site.of(session, workspace)
        async with self._connections.to(site, session) as connection:
            Attempt(kind=kind, site=site, time=time.time()).write(job_id)
            created = await creation.create(connection.services[kind], body, job_id=job_id)
        return PaiJob(job_id=job_id, kind=kind, id=created, site=site)


def _body(
    spec: JobSpec, places: UploadedPlaces, *, job_id: str, workspace: str, endpoint: str | None
) -> dict[str, Json]:
    """Build the request body: for DLC if the job has roles, else for the training service."""
    if spec.roles:
        return dlc_request.job(spec, places, job_id=job_id, workspace=workspace)
    return training_job(spec, places, job_id=job_id, workspace=workspace, endpoint=endpoint)


def _kind_of(spec: JobSpec) -> Kind:
    return "dlc" if spec.roles else "training"


def _likely_attempt(job_id: str, damage: DamagedNoteError) -> Attempt:
    """Return the attempt that this process would make now for a recorded job; raise `damage` if there is no record."""
    try:
        record = JobStore().open(job_id).record
    except NotFoundError as exc:
        raise damage from exc
    session = need_session()
    return Attempt(
        kind=_kind_of(with_worker_alone(record.spec)),
        site=Site.of(session, _workspace(session, record.spec)),
        time=record.created,
    )


def _place(spec: JobSpec) -> tuple[Session, str]:
    """Return the session and the workspace of a new job; may query the cloud."""
    session = need_session()
    session.require_bucket()
    return session, _workspace(session, spec)


def _workspace(session: Session, spec: JobSpec) -> str:
    return str(spec.backend_options.get("pai", {}).get("workspace_id") or session.require_workspace())


def _listed_place() -> tuple[Session, str] | None:
    """Return the session and the workspace whose jobs can be listed; None if they are not configured."""
    session = get_default_session()
    try:
        return None if session is None else (session, session.require_workspace())
    except SpecError:
        return None
