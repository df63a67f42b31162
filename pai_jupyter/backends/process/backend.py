import asyncio
import os
import threading
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from pathlib import Path

from pai_jupyter.backends import LogHome, StatusReport
from pai_jupyter.backends.local import (
    addresses,
    check_gpus,
    check_local,
    choose_gpus,
    count_gpus,
    disk_errors,
    fetch,
    follow_logs,
    passed_names,
    passed_variables,
    prepare,
    remove_credential,
    visible_gpus,
)
from pai_jupyter.backends.local.parallel import slot_order, takes_slots
from pai_jupyter.backends.process import fence, isolation, life, report
from pai_jupyter.backends.process.info import INFO, wanted_isolation
from pai_jupyter.backends.process.launch import launch
from pai_jupyter.backends.process.order import base_environment, make_order
from pai_jupyter.backends.process.replica_processes import replica_processes
from pai_jupyter.backends.process.requirements import environment_for
from pai_jupyter.backends.process.supervisor.job import JobOrder
from pai_jupyter.config import held_back, inherited_environment
from pai_jupyter.errors import NotFoundError, PaiJupyterError, ProtocolError, SpecError
from pai_jupyter.events import Event, Position
from pai_jupyter.package import Package
from pai_jupyter.spec import JobRef, JobSpec
from pai_jupyter.store import JobStore


class ProcessBackend:
    """Runs jobs as local processes."""

    info = INFO
    log_home = LogHome.INDEXED
    grace = 10.0  # seconds from TERM to KILL when a job is stopped

    def __init__(self, home: Path | None = None) -> None:
        self._home = home

    def check(self, spec: JobSpec) -> list[str]:
        sentences = check_local(spec, self.info)
        try:
            isolation.choose(wanted_isolation())
        except SpecError as exc:
            sentences.append(str(exc))
        gpus = count_gpus()
        if "local_gpu" in _instance_types(spec) and not gpus:
            sentences.append(
                "`instance_type` is 'local_gpu', but this machine has no NVIDIA GPU. Use --instance-type local."
            )
        images = dict.fromkeys(filter(None, [spec.image_uri, *(role.image_uri for role in spec.roles)]))
        sentences += [f"note: the image {image} is not used by the process backend." for image in images]
        return [*sentences, *check_gpus(spec, gpus), *_check_addresses(spec)]

    def held_back(self, spec: JobSpec) -> list[str]:
        return [
            name for name in held_back(os.environ) if name not in spec.environments and name not in passed_names(spec)
        ]

    def variables(self, spec: JobSpec, folder: Path) -> Mapping[str, Mapping[str, str]] | None:
        """Return the variables given to each replica; None if the supervisor's order is missing."""
        return report.read_variables(folder) or None

    async def submit(self, spec: JobSpec, package: Package, *, job_id: str) -> JobRef:
        cancelled = threading.Event()
        starting = asyncio.ensure_future(asyncio.to_thread(self._submit, spec, package, job_id, cancelled))
        try:
            return await asyncio.shield(starting)
        except asyncio.CancelledError:
            # The thread cancels its downloads. After these it cannot be cancelled: let it finish, then stop the job, or it
            # would run unrecorded.
            cancelled.set()
            await asyncio.wait({starting})
            if not starting.cancelled() and starting.exception() is None:
                await self.stop(starting.result())
            raise

    async def status(self, ref: JobRef) -> StatusReport:
        folder = self._folder(ref.job_id)
        try:
            return report.read_status(folder)
        except NotFoundError as exc:
            _deny_end(ref, folder, exc)
            # Without data the submitter died before saving a ref. Its supervisor may still be starting, so block that
            # before reporting "not found".
            if not ref.data:
                with disk_errors(folder):
                    if not fence.give_up(folder):
                        return report.read_status(folder)
            remove_credential(folder)
            raise

    async def follow(self, ref: JobRef, after: Position) -> AsyncGenerator[Event, None]:
        folder = self._folder(ref.job_id)
        try:
            replicas = report.read_replicas(folder)
            async with aclosing(follow_logs(folder, replicas, after, life.live(folder))) as events:
                async for event in events:
                    yield event
        except NotFoundError as exc:
            _deny_end(ref, folder, exc)
            raise

    async def stop(self, ref: JobRef) -> None:
        await asyncio.to_thread(self._stop, self._folder(ref.job_id))

    async def fetch(self, ref: JobRef, channel: str, to: Path) -> Path:
        return await fetch(self._folder(ref.job_id), channel, to)

    async def aclose(self) -> None:
        """Do nothing: there are no connections."""

    def _folder(self, job_id: str) -> Path:
        return JobStore(self._home).path(job_id)

    async def processes(self, ref: JobRef) -> Mapping[str, Sequence[int]]:
        return await asyncio.to_thread(replica_processes, self._folder(ref.job_id))

    async def stop_removed(self, job_id: str) -> bool:
        return await asyncio.to_thread(life.stop_unrecorded, job_id, self.grace)

    def is_lost(self, folder: Path) -> bool:
        with disk_errors(folder):
            return not report.is_supervised(folder) and not report.has_ended(folder)

    def _stop(self, folder: Path) -> None:
        try:
            life.stop(folder, self.grace)
            is_supervised = report.is_supervised(folder)
        except PaiJupyterError:  # the folder or the supervisor's record is missing or damaged
            is_supervised = False
            if not life.stop_unrecorded(folder.name, self.grace):
                raise
        if not is_supervised:
            remove_credential(folder)

    def _submit(self, spec: JobSpec, package: Package, job_id: str, cancelled: threading.Event) -> JobRef:
        folder = self._folder(job_id)
        environment = base_environment(spec, inherited_environment(os.environ), passed_variables(spec, os.environ))

        def make() -> JobOrder:
            way = isolation.choose(wanted_isolation())
            tree = prepare(spec, package, folder, cancelled)
            way = isolation.suited(way, tree)
            if way is isolation.Isolation.PLAIN:
                isolation.link(tree)
            home, count = JobStore(self._home).home, count_gpus()
            available = visible_gpus(count, os.environ)
            own = choose_gpus(spec, home, available) if takes_slots() else []
            return make_order(
                spec,
                tree,
                job_id=job_id,
                isolation=way,
                environment=environment_for(spec, package, tree, home=home),
                inherited=environment,
                grace=self.grace,
                slot=slot_order(home, self.info.name, own),
                gpus=own or available,
                has_own_gpus=0 < len(own) < count,
            )

        with disk_errors(folder):
            launch(folder, make, environment=environment)
        supervisor = report.read_supervisor(folder)
        return JobRef(
            backend=self.info.name, job_id=job_id, data={"pid": supervisor["pid"], "birth": supervisor["birth"]}
        )


def _deny_end(ref: JobRef, folder: Path, exc: NotFoundError) -> None:
    """Raise if the supervisor named in `ref` is alive: then only its record is lost, not the job.

    Raises:
        ProtocolError: it is alive.
    """
    with disk_errors(folder):
        if folder.is_dir() and report.lives(ref.data.get("pid"), ref.data.get("birth")):
            raise ProtocolError(
                f"run/supervisor.json of job {ref.job_id} is gone or damaged, so it cannot be followed; its process lives."
            ) from exc


def _check_addresses(spec: JobSpec) -> list[str]:
    """Refuse workers that listen at one port, but have one address as well."""
    has_workers = len(spec.roles) > 1 or (not spec.roles and spec.instance_count > 1)
    if spec.effective_job_type != "XGBoostJob" or not has_workers or addresses.has_whole_loopback():
        return []
    return [
        "the workers of an XGBoostJob listen at one port (WORKER_PORT), so each needs an address of its own, and this system "
        "has 127.0.0.1 alone. Use --backend docker."
    ]


def _instance_types(spec: JobSpec) -> set[str]:
    return {spec.instance_type, *(role.instance_type for role in spec.roles if role.instance_type)}
