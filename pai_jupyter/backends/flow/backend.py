import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from pai_jupyter.backends import LogHome, RemoteJob, StatusReport
from pai_jupyter.backends.flow import outputs
from pai_jupyter.backends.flow.following import follow
from pai_jupyter.backends.flow.info import INFO
from pai_jupyter.backends.flow.node_job import NAME, NodeJob, job_id_of, spec_of
from pai_jupyter.backends.flow.snapshots import FlowConnection, FlowConnections
from pai_jupyter.backends.flow.status_map import report_of
from pai_jupyter.cloud.flow import FlowNode
from pai_jupyter.cloud.session import Site
from pai_jupyter.errors import SpecError
from pai_jupyter.events import Event, Position
from pai_jupyter.package import Package
from pai_jupyter.spec import JobRef, JobSpec

__all__ = ["FlowBackend"]

_READ_ONLY = "PAIFlow runs steps of pipelines, and no single job. Leave out the backend, or run a pipeline: %%pai_pipeline NAME --run"


class FlowBackend:
    """The backend of PAIFlow's steps."""

    info = INFO
    log_home = LogHome.SERVICE

    def __init__(self) -> None:
        self._connections = FlowConnections()

    def check(self, spec: JobSpec) -> list[str]:
        return [_READ_ONLY]

    async def submit(self, spec: JobSpec, package: Package, *, job_id: str) -> JobRef:
        raise SpecError(_READ_ONLY, field="backend")

    def node_job(self, site: Site, run_id: str, node: FlowNode, *, created: float, title: str) -> RemoteJob:
        """Describe a node as a job of this machine; asks nobody. `title`: of its run; `created`: when that began."""
        job_id = job_id_of(site, run_id, node.id, created=created)
        return RemoteJob(
            ref=NodeJob(job_id=job_id, run=run_id, node=node.id, site=site).ref,
            name=spec_of(node).name,
            place=f"{self.info.emulator if site.address else NAME} (step of {title})",
            report=report_of(node),
            created=node.started or created,
        )

    def node_spec(self, node: FlowNode) -> JobSpec:
        """Reconstruct a spec from a node, for display."""
        return spec_of(node)

    async def status(self, ref: JobRef) -> StatusReport:
        async with self._reach(ref) as (connection, job):
            return report_of(await connection.run(job.run).look(job.node))

    async def follow(self, ref: JobRef, after: Position) -> AsyncGenerator[Event, None]:
        async with self._reach(ref) as (connection, job):
            async for event in follow(connection, job, after):
                yield event

    async def stop(self, ref: JobRef) -> None:
        async with self._reach(ref) as (connection, job):
            node = await connection.service.get_node(job.run, job.node)
        if not report_of(node).status.is_terminal:
            raise SpecError(
                "PAIFlow stops a step only with its whole run. Type %pai_runs to see the runs, and stop that one.",
                field="job",
            )

    async def fetch(self, ref: JobRef, channel: str, to: Path) -> Path:
        async with self._reach(ref) as (connection, job):
            return await outputs.fetch(connection, job, channel, to)

    async def aclose(self) -> None:
        await self._connections.aclose()

    @asynccontextmanager
    async def _reach(self, ref: JobRef) -> AsyncIterator[tuple[FlowConnection, NodeJob]]:
        job = await asyncio.to_thread(NodeJob.from_ref, ref)
        async with self._connections.to(job.site) as connection:
            yield connection, job
