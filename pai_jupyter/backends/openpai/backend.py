import asyncio
import getpass
import shutil
import time
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path

from pai_jupyter import contract
from pai_jupyter.backends import ClusterReport, KnownCluster, LogHome, RemoteJob, StatusReport
from pai_jupyter.backends.openpai import files, job_folder, submission
from pai_jupyter.backends.openpai.cluster_check import check_cluster
from pai_jupyter.backends.openpai.clusters import (
    Cluster,
    Secret,
    add_cluster,
    cluster_at,
    cluster_of,
    clusters,
    find_cluster,
    hold_secret,
    remove_cluster,
    secret_of,
    secret_place,
    use_cluster,
)
from pai_jupyter.backends.openpai.code import CodeDirectory, hdfs_of, packed_code, send_code, send_packed
from pai_jupyter.backends.openpai.epilogue import OutputsPlace
from pai_jupyter.backends.openpai.following import follow
from pai_jupyter.backends.openpai.info import INFO
from pai_jupyter.backends.openpai.outputs import bring, outputs_place
from pai_jupyter.backends.openpai.prologue import PackedCode, has_storage, most_code
from pai_jupyter.backends.openpai.rest.connection import NO_TOKEN, ClusterConnection, ClusterKnowledge, is_token_text
from pai_jupyter.backends.openpai.rest.jobs import ClusterJobs, JobAnswer, ListedJob
from pai_jupyter.backends.shared_connections import SharedConnections
from pai_jupyter.backends.threads import in_thread
from pai_jupyter.errors import NotFoundError, PaiJupyterError, SpecError, UnavailableError, UncertainError
from pai_jupyter.events import Event, Position
from pai_jupyter.package import Package
from pai_jupyter.spec import JobRef, JobSpec, Json
from pai_jupyter.storage.hdfs import HdfsAccess
from pai_jupyter.store import JobStore
from pai_jupyter.typed_json import Fields

__all__ = ["OpenPaiBackend"]

LISTED_EVERY = 30.0  # seconds between two lists of one cluster
LISTED_WITHIN = 15.0  # seconds; the other clusters do not wait longer for one
_NO_LIST: tuple[float, list[ListedJob]] = (0.0, [])


class OpenPaiBackend:
    """The backend for clusters of OpenPAI."""

    info = INFO
    log_home = LogHome.SERVICE

    def __init__(self) -> None:
        self._known: dict[str, ClusterKnowledge] = {}
        self._connections = SharedConnections[Cluster, ClusterConnection](self._connect)
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
        cluster, name, mark = _cluster_for(spec), submission.job_name(spec, job_id), submission.mark_of(spec, job_id)
        code, outputs = await self._code_and_outputs(cluster, spec, package, job_id)
        text, version = submission.job_text(
            spec, code, job_id=job_id, user=cluster.user, outputs=outputs, is_yarn=await self._has_hdfs(cluster)
        )
        async with self._jobs(cluster) as jobs:
            await jobs.check_new(name, version, mark=mark)
            code_dir, folder = submission.code_dir_of(spec, job_id=job_id, user=cluster.user), JobStore().path(job_id)
            if isinstance(code, PackedCode):
                place: CodeDirectory | None = await send_packed(cluster, code, package, folder=folder)
            else:
                place = await send_code(cluster, code_dir, package, folder=folder)
            try:
                await jobs.submit(name, text, version, mark=mark, secrets=submission.secrets_of(spec))
            except UncertainError:  # it may be there, and need its code
                raise
            except BaseException:
                if place is not None:
                    await asyncio.to_thread(place.take_back)
                raise
        return _ref(cluster, job_id, name)

    async def status(self, ref: JobRef) -> StatusReport:
        cluster, name = self._place(ref)
        return (await self._job(cluster, name)).report

    async def follow(self, ref: JobRef, after: Position) -> AsyncGenerator[Event, None]:
        cluster, name = self._place(ref)
        folder = JobStore().path(ref.job_id)
        async with (
            self._connections.to(cluster) as connection,
            aclosing(follow(connection, name, folder, after)) as events,
        ):
            async for event in events:
                yield event

    async def stop(self, ref: JobRef) -> None:
        cluster, name = self._place(ref)
        async with self._jobs(cluster) as jobs:
            if not (await jobs.get(name)).report.status.is_terminal:
                await jobs.stop(name)

    async def fetch(self, ref: JobRef, channel: str, to: Path) -> Path:
        cluster, name = self._place(ref)
        await self._job(cluster, name)
        spec = await asyncio.to_thread(_spec_of, ref.job_id)
        if spec is not None and self.is_as_given(spec):
            return await self._fetch_of_file(cluster, spec, ref.job_id, channel, to)
        if channel == contract.WORKDIR:
            raise NotFoundError(
                "a cell's job on OpenPAI leaves what it writes into its outputs, and not its working directory. Write into an output in "
                "the script, e.g. into os.environ['PAI_OUTPUT_MODEL']"
            )
        if (place := await asyncio.to_thread(_mounted, ref.job_id)) is not None:
            if not await asyncio.to_thread((place / channel).is_dir):
                raise NotFoundError(f"job {ref.job_id} has no output {channel!r}.")
            await asyncio.to_thread(shutil.copytree, place / channel, to, dirs_exist_ok=True)
            return to
        if spec is not None and not has_storage(spec) and await self._has_hdfs(cluster):
            return await in_thread(lambda cancel: bring(cluster, spec, ref.job_id, channel, to, cancel))
        raise NotFoundError(
            f"output {channel!r} of job {ref.job_id} cannot be reached from here. It lies in the storage "
            "that the job named (--option openpai.storage=NAME), else it is gone with its task. Where that storage is mounted here, "
            "say it: --option openpai.storage_at=DIRECTORY"
        )

    def is_as_given(self, spec: JobSpec) -> bool:
        return submission.job_file_of(spec) is not None

    def given_variables(self, spec: JobSpec, *, job_id: str) -> Mapping[str, Mapping[str, str]]:
        told: dict[str, str] = {}
        with suppress(SpecError):  # the cluster is not known any more
            user = _cluster_for(spec).user
            told = {"PAI_USER_NAME": user, "PAI_JOB_NAME": f"{user}~{submission.job_name(spec, job_id)}"}
        return files.known_variables(spec, submission.job_file_of(spec) or {}, told)

    async def find(self, job_id: str) -> JobRef:
        cluster, name = self._place(JobRef(backend=self.info.name, job_id=job_id))
        await self._job(cluster, name)
        return _ref(cluster, job_id, name)

    async def recorded(self) -> list[RemoteJob]:
        """List the jobs of all clusters; of one that does not answer those of its last list, if another one answers."""
        known = list({each.key: each for each in clusters().values() if secret_of(each) is not None}.values())
        lists = await asyncio.gather(*map(self._listed, known), return_exceptions=True)
        faults = [each for each in lists if isinstance(each, BaseException)]
        bugs = [each for each in faults if not isinstance(each, PaiJupyterError)]
        if bugs or (faults and len(faults) == len(known)):
            raise (bugs or faults)[0]
        here = await asyncio.to_thread(_recorded_here)
        return [
            RemoteJob(
                ref=_ref(cluster, here.get((cluster.key, row.name), f"{cluster.name}-{row.name}"), row.name),
                name=row.name,
                place=f"{self.info.name} (submitted elsewhere, {cluster.name})",
                report=row.report,
                created=row.created,
            )
            for cluster in known
            for row in self._lists.get(cluster.key, _NO_LIST)[1]
        ]

    async def recall(self, ref: JobRef) -> JobSpec:
        cluster, name = self._place(ref)
        await self._job(cluster, name)
        return JobSpec(name=name[:100], command="(submitted elsewhere)")

    def file_problems(self, text: str) -> list[str]:
        return files.problems(text)

    def file_warnings(self, text: str, files_beside: Mapping[str, bytes]) -> list[str]:
        return files.warnings(text, files_beside)

    def travelling(self, folder: Path, patterns: Sequence[str]) -> dict[str, bytes]:
        return job_folder.travelling(folder, patterns)

    def upload_notes(self, text: str, folder: Path, *, is_asked: bool) -> list[str]:
        return files.upload_notes(text, folder, is_asked=is_asked)

    def code_files(self, text: str, files_beside: Mapping[str, bytes], *, is_asked: bool) -> dict[str, bytes]:
        return files.code_files(text, files_beside, is_asked=is_asked)

    def cluster_job(self, text: str, *, cluster: str | None, folder: Path | None = None) -> JobSpec:
        has_own_name = folder is not None and job_folder.read_settings(folder).has_own_name
        return files.cluster_job(text, cluster=cluster, user=find_cluster(cluster).user, has_own_name=has_own_name)

    def with_cluster(self, spec: JobSpec) -> JobSpec:
        return replace(spec, options={**spec.options, f"{INFO.name}.cluster": _cluster_for(spec).name})

    def file_images(self, text: str) -> list[str]:
        return files.file_images(text)

    def local_job(
        self, text: str, *, cluster: str | None, images: Sequence[tuple[str, str]]
    ) -> tuple[JobSpec, list[str]]:
        is_known = cluster is not None or bool(clusters())
        return files.local_job(text, user=find_cluster(cluster).user if is_known else getpass.getuser(), images=images)

    def known_clusters(self) -> list[KnownCluster]:
        return [
            KnownCluster(name=each.name, address=each.address, user=each.user, password_in=secret_place(each))
            for each in clusters().values()
        ]

    def add_cluster(
        self, name: str, host: str, user: str, *, password: str, is_kept: bool, is_token: bool = False
    ) -> None:
        cluster, secret = cluster_of(name, host, user), _secret(password, is_token=is_token)
        add_cluster(cluster)
        self._log_in(cluster, secret, is_kept=is_kept)

    def log_in(self, name: str, *, password: str, is_kept: bool) -> None:
        self._log_in(find_cluster(name), _secret(password), is_kept=is_kept)

    def remove_cluster(self, name: str) -> None:
        gone = find_cluster(name)
        remove_cluster(name)
        self._log_out(gone)

    def use_cluster(self, name: str) -> None:
        use_cluster(name)

    async def check_cluster(self, name: str | None) -> ClusterReport:
        return await check_cluster(find_cluster(name))

    def file_access(self, host: str = "") -> HdfsAccess | None:
        cluster = cluster_at(host)
        return hdfs_of(cluster) if cluster is not None else None

    async def check_files(self, host: str = "") -> None:
        if (cluster := cluster_at(host)) is not None and not await self._has_hdfs(cluster):
            raise NotFoundError(
                f"the cluster {cluster.name} (v1.x) has no HDFS: its jobs have storages, which are not reached from here."
            )

    async def aclose(self) -> None:
        await self._connections.aclose()

    def _log_in(self, cluster: Cluster, secret: Secret, *, is_kept: bool) -> None:
        hold_secret(cluster, secret, is_kept=is_kept)
        self._log_out(cluster)

    def _log_out(self, cluster: Cluster) -> None:
        """Log in anew before the next request: what an older password has opened no longer counts."""
        if cluster.key in self._known:
            self._known[cluster.key].log_out()

    async def _listed(self, cluster: Cluster) -> list[ListedJob]:
        """Return the list of at most 30 s ago: a cluster answers 60 lists a minute."""
        at, rows = self._lists.get(cluster.key, _NO_LIST)
        if not at or time.monotonic() - at > LISTED_EVERY:
            try:
                async with asyncio.timeout(LISTED_WITHIN), self._jobs(cluster) as jobs:
                    rows = await jobs.newest()
            except TimeoutError as exc:
                raise UnavailableError(
                    f"the cluster at {cluster.address} did not answer: {type(exc).__name__}."
                ) from exc
            self._lists[cluster.key] = (time.monotonic(), rows)
        return rows

    async def _code_and_outputs(
        self, cluster: Cluster, spec: JobSpec, package: Package, job_id: str
    ) -> tuple[bytes | PackedCode, OutputsPlace | None]:
        """Return the code of a cell, or where it will lie if it is too large for a job file; and where its outputs go."""
        is_cell = submission.job_file_of(spec) is None
        has_hdfs = is_cell and await self._has_hdfs(cluster)
        outputs = outputs_place(cluster, spec, job_id) if has_hdfs and not has_storage(spec) else None
        if has_hdfs and package.path.stat().st_size > most_code(spec):
            return packed_code(cluster, submission.job_name(spec, job_id)), outputs
        return (package.path.read_bytes() if is_cell else b""), outputs

    async def _fetch_of_file(self, cluster: Cluster, spec: JobSpec, job_id: str, channel: str, to: Path) -> Path:
        """Bring an output from the `outputDir` of a job file; its commands may have put what they made elsewhere."""
        if await self._has_hdfs(cluster):
            with suppress(NotFoundError):
                return await in_thread(lambda cancel: bring(cluster, spec, job_id, channel, to, cancel))
        raise NotFoundError(
            f"the commands of a job file decide where its results go, and job {job_id} has no output {channel!r}. Copy them from there, "
            "e.g. from HDFS: %pai_hdfs get PATH ."
        )

    async def _has_hdfs(self, cluster: Cluster) -> bool:
        async with self._connections.to(cluster) as connection:
            return await connection.generation() == "yarn"

    async def _job(self, cluster: Cluster, name: str) -> JobAnswer:
        """Return how a job stands; raise `NotFoundError` if there is none of this name."""
        async with self._jobs(cluster) as jobs:
            return await jobs.get(name)

    @asynccontextmanager
    async def _jobs(self, cluster: Cluster) -> AsyncIterator[ClusterJobs]:
        async with self._connections.to(cluster) as connection:
            yield ClusterJobs(connection)

    def _connect(self, cluster: Cluster) -> ClusterConnection:
        return ClusterConnection(cluster, known=self._known.setdefault(cluster.key, ClusterKnowledge()))

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


def _secret(given: str, *, is_token: bool = False) -> Secret:
    """Return what a user has typed to log in; a token may be broken into lines.

    Raises:
        SpecError: it can be none.
    """
    if not is_token:
        if not given:
            raise SpecError("the password is empty. Type the one that logs in at the cluster.", field="password")
        return Secret(kind="password", value=given)
    if not is_token_text(token := "".join(given.split())):
        raise SpecError(f"that is no token: {NO_TOKEN}", field="password")
    return Secret(kind="token", value=token)


def _spec_of(job_id: str) -> JobSpec | None:
    with suppress(PaiJupyterError):
        return JobStore().open(job_id).record.spec
    return None


def _mounted(job_id: str) -> Path | None:
    """Return the job's folder in the storage that it named, where this machine has that mounted; None if it has not."""
    spec = _spec_of(job_id)
    options = spec.backend_options.get(INFO.name, {}) if spec is not None else {}
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
