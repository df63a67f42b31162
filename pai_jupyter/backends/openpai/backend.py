import asyncio
import getpass
import shutil
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from pai_jupyter.backends import LogHome, RemoteJob, StatusReport
from pai_jupyter.backends.openpai import files, submission
from pai_jupyter.backends.openpai.clusters import (
    Cluster,
    Secret,
    add_cluster,
    cluster_of,
    clusters,
    find_cluster,
    hold_secret,
    secret_of,
    use_cluster,
)
from pai_jupyter.backends.openpai.following import follow
from pai_jupyter.backends.openpai.info import INFO
from pai_jupyter.backends.openpai.job_file import validate, version_of
from pai_jupyter.backends.openpai.rest.connection import ClusterConnection
from pai_jupyter.backends.openpai.rest.jobs import ClusterJobs, ListedJob
from pai_jupyter.errors import NotFoundError, PaiJupyterError, SpecError
from pai_jupyter.events import Event, Position
from pai_jupyter.package import Package
from pai_jupyter.spec import JobRef, JobSpec, Json
from pai_jupyter.store import JobStore
from pai_jupyter.typed_json import Fields

__all__ = ["OpenPaiBackend"]

LISTED_EVERY = 30.0  # seconds between two lists of one cluster


class OpenPaiBackend:
    """The backend for clusters of OpenPAI."""

    info = INFO
    log_home = LogHome.SERVICE

    def __init__(self) -> None:
        self._connections: dict[str, ClusterConnection] = {}
        self._lists: dict[str, tuple[float, list[ListedJob]]] = {}

    def check(self, spec: JobSpec) -> list[str]:
        problems = submission.check(spec)
        try:
            _cluster_for(spec)
        except SpecError as exc:
            problems.append(str(exc))
        return problems

    def request(self, spec: JobSpec, *, job_id: str) -> Mapping[str, Json]:
        text, version = submission.job_text(spec, b"", job_id=job_id, user=_cluster_for(spec).user, is_shown=True)
        return {"version": version, "job": text}

    async def submit(self, spec: JobSpec, package: Package, *, job_id: str) -> JobRef:
        cluster, code = _cluster_for(spec), package.path.read_bytes()
        text, version = submission.job_text(spec, code, job_id=job_id, user=cluster.user)
        name = submission.job_name(spec, job_id)
        await self._jobs(cluster).submit(name, text, version)
        return _ref(cluster, job_id, name)

    async def status(self, ref: JobRef) -> StatusReport:
        cluster, name = self._place(ref)
        return (await self._jobs(cluster).get(name)).report

    async def follow(self, ref: JobRef, after: Position) -> AsyncGenerator[Event, None]:
        cluster, name = self._place(ref)
        async for event in follow(self._connection(cluster), name, JobStore().path(ref.job_id), after):
            yield event

    async def stop(self, ref: JobRef) -> None:
        cluster, name = self._place(ref)
        jobs = self._jobs(cluster)
        if not (await jobs.get(name)).report.status.is_terminal:
            await jobs.stop(name)

    async def fetch(self, ref: JobRef, channel: str, to: Path) -> Path:
        cluster, name = self._place(ref)
        await self._jobs(cluster).get(name)
        if (place := await asyncio.to_thread(_mounted, ref.job_id)) is not None:
            if not await asyncio.to_thread((place / channel).is_dir):
                raise NotFoundError(f"job {ref.job_id} has no output {channel!r}.")
            await asyncio.to_thread(shutil.copytree, place / channel, to, dirs_exist_ok=True)
            return to
        raise NotFoundError(
            f"output {channel!r} of job {ref.job_id} cannot be reached from here: the cluster has no HDFS. It lies in the storage "
            "that the job named (--option openpai.storage=NAME), else it is gone with its task. Where that storage is mounted here, "
            "say it: --option openpai.storage_at=DIRECTORY"
        )

    async def find(self, job_id: str) -> JobRef:
        cluster, name = self._place(JobRef(backend=self.info.name, job_id=job_id))
        await self._jobs(cluster).get(name)
        return _ref(cluster, job_id, name)

    async def recorded(self) -> list[RemoteJob]:
        try:
            cluster = find_cluster()
        except SpecError:
            return []
        if secret_of(cluster) is None:
            return []
        here = await asyncio.to_thread(_recorded_here)
        return [
            RemoteJob(
                ref=_ref(cluster, here.get((cluster.key, row.name), f"{cluster.name}-{row.name}"), row.name),
                name=row.name,
                place=f"{self.info.name} (submitted elsewhere, {cluster.name})",
                report=row.report,
                created=row.created,
            )
            for row in await self._listed(cluster)
        ]

    async def recall(self, ref: JobRef) -> JobSpec:
        cluster, name = self._place(ref)
        await self._jobs(cluster).get(name)
        return JobSpec(name=name[:100], command="(submitted elsewhere)")

    def file_problems(self, text: str) -> list[str]:
        return validate(text, version_of(text))

    def file_warnings(self, text: str, files_beside: Mapping[str, bytes]) -> list[str]:
        return files.warnings(text, files_beside)

    def travelling(self, folder: Path, patterns: Sequence[str]) -> dict[str, bytes]:
        return files.travelling(folder, patterns)

    def cluster_job(self, text: str, *, cluster: str | None, files_beside: Mapping[str, bytes]) -> JobSpec:
        files.check_code(text, files_beside)
        return files.cluster_job(text, cluster=cluster, user=find_cluster(cluster).user)

    def local_job(
        self, text: str, *, cluster: str | None, images: Sequence[tuple[str, str]]
    ) -> tuple[JobSpec, list[str]]:
        is_known = cluster is not None or bool(clusters())
        return files.local_job(text, user=find_cluster(cluster).user if is_known else getpass.getuser(), images=images)

    def known_clusters(self) -> list[tuple[str, str, str]]:
        return [(each.name, each.address, each.user) for each in clusters().values()]

    def add_cluster(self, name: str, host: str, user: str, *, password: str, is_kept: bool) -> None:
        cluster = cluster_of(name, host, user)
        add_cluster(cluster)
        hold_secret(cluster, Secret(kind="password", value=password), is_kept=is_kept)

    def use_cluster(self, name: str) -> None:
        use_cluster(name)

    async def aclose(self) -> None:
        for connection in self._connections.values():
            await connection.aclose()
        self._connections.clear()

    async def _listed(self, cluster: Cluster) -> list[ListedJob]:
        """Return the list of at most 30 s ago: a cluster answers 60 lists a minute."""
        at, rows = self._lists.get(cluster.key, (0.0, []))
        if not at or time.monotonic() - at > LISTED_EVERY:
            rows = await self._jobs(cluster).newest()
            self._lists[cluster.key] = (time.monotonic(), rows)
        return rows

    def _jobs(self, cluster: Cluster) -> ClusterJobs:
        return ClusterJobs(self._connection(cluster))

    def _connection(self, cluster: Cluster) -> ClusterConnection:
        if cluster.key not in self._connections:
            self._connections[cluster.key] = ClusterConnection(cluster)
        return self._connections[cluster.key]

    def _place(self, ref: JobRef) -> tuple[Cluster, str]:
        """Return the cluster of a job and its name there; of a job without a recorded reference, by its record."""
        if ref.data:
            given = Fields.of(ref.data, "ref.data")
            cluster = Cluster(name=given.line("cluster"), address=given.line("address"), user=given.line("user"))
            return cluster, given.line("name")
        try:
            spec = JobStore().open(ref.job_id).record.spec
        except PaiJupyterError as exc:
            raise NotFoundError(f"backend {self.info.name!r} knows no job {ref.job_id}.") from exc
        return _cluster_for(spec), submission.job_name(spec, ref.job_id)


def _mounted(job_id: str) -> Path | None:
    """Return the job's folder in the storage that it named, where this machine has that mounted; None if it has not."""
    with suppress(PaiJupyterError):
        options = JobStore().open(job_id).record.spec.backend_options.get(INFO.name, {})
        if options.get("storage") and options.get("storage_at"):
            return Path(str(options["storage_at"])) / job_id
    return None


def _recorded_here() -> dict[tuple[str, str], str]:
    """Return the ids of this machine's jobs, by cluster and by the name that they have there: it knows no ids."""
    found = {}
    for folder in JobStore().folders(lambda job_id, damage: None):
        with suppress(PaiJupyterError):
            record = folder.record
            if record.backend == INFO.name:
                found[_cluster_for(record.spec).key, submission.job_name(record.spec, record.id)] = record.id
    return found


def _cluster_for(spec: JobSpec) -> Cluster:
    named = spec.backend_options.get(INFO.name, {}).get("cluster")
    return find_cluster(str(named) if named else None)


def _ref(cluster: Cluster, job_id: str, name: str) -> JobRef:
    data: dict[str, Json] = {"cluster": cluster.name, "address": cluster.address, "user": cluster.user, "name": name}
    return JobRef(backend=INFO.name, job_id=job_id, data=data)
