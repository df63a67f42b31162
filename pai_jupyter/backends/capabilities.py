"""Optional abilities of backends: one small protocol each, checked by `isinstance`.

A backend implements those that fit it, and callers check for the one that they need. `BackendInfo` has a backend's properties,
these are its methods.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from pai_jupyter.backends.reports import ClusterReport, ImageFacts, KnownCluster, RemoteJob
from pai_jupyter.spec import JobRef, JobSpec, Json

if TYPE_CHECKING:
    from pai_jupyter.cloud.flow import FlowNode
    from pai_jupyter.cloud.session import Site
    from pai_jupyter.storage import Storage
    from pai_jupyter.storage.hdfs import HdfsAccess
    from pai_jupyter.tensorboard import BoardService


@runtime_checkable
class Recoverable(Protocol):
    """Finds a job by its id alone if the submitter died before recording its `JobRef`."""

    async def find(self, job_id: str) -> JobRef:
        """Find a job whose submitter died before recording its `JobRef`.

        Raises:
            NotFoundError: no job was created under this id.
        """
        ...


@runtime_checkable
class Listable(Protocol):
    """Lists the jobs of its service, also those submitted from other machines."""

    async def recorded(self) -> list[RemoteJob]:
        """List this user's newest jobs with one request; [] if nothing is configured.

        Raises:
            PaiJupyterError: the service does not answer or rejects the request.
        """
        ...

    async def recall(self, ref: JobRef) -> JobSpec:
        """Reconstruct the spec from the service's answer; raise `NotFoundError` for an unknown job."""
        ...


@runtime_checkable
class HoldsOutputs(Protocol):
    """Keeps outputs in its own storage, not in the job folder."""

    def output_path(self, job_id: str) -> str:
        """Return the address for outputs of a job that has no `output_path`; may ask the service."""
        ...

    def open_output(self, ref: JobRef | None, place: str) -> "Storage | None":
        """Open an output at `place` for reading; None for an address that only jobs can reach. `ref` is None before submission.

        Raises:
            PaiJupyterError: the storage cannot be opened.
        """
        ...


@runtime_checkable
class TakesSource(Protocol):
    """Fetches code from an address itself, so that it is not packed here."""

    def takes_source(self, address: str) -> bool:
        """Return whether the backend fetches code from this address (`oss://...`, a Git address) itself."""
        ...


@runtime_checkable
class Previewable(Protocol):
    """Shows the request of a job, for `--dry-run`."""

    def request(self, spec: JobSpec, *, job_id: str) -> Mapping[str, Json]:
        """Return the request as known before uploads, without secrets and without network access."""
        ...


@runtime_checkable
class Inherits(Protocol):
    """Passes variables of the submitting process to jobs, except possible secrets."""

    def held_back(self, spec: JobSpec) -> list[str]:
        """Return the names of the variables that the job does not get because they may be secrets."""
        ...


@runtime_checkable
class RecordsVariables(Protocol):
    """Records the variables of a job beyond those of the contract."""

    def variables(self, spec: JobSpec, folder: Path) -> Mapping[str, Mapping[str, str]] | None:
        """Return replica -> name -> value from the job's `folder`; None if the record is missing."""
        ...


@runtime_checkable
class RunsAsGiven(Protocol):
    """Runs some jobs as its service has them: without the channels, paths and variables of the training contract."""

    def is_as_given(self, spec: JobSpec) -> bool:
        """Return whether the job is such a one; asks nobody."""
        ...

    def given_variables(self, spec: JobSpec, *, job_id: str) -> Mapping[str, Mapping[str, str]]:
        """Return replica -> name -> value of such a job, as far as they are known without its service."""
        ...


@runtime_checkable
class StopsRemoved(Protocol):
    """Can end a job of this machine whose record was deleted."""

    async def stop_removed(self, job_id: str) -> bool:
        """Start ending everything that runs under this id; return whether anything did.

        Raises:
            BackendError: that is unknown.
        """
        ...


@runtime_checkable
class LosesJobs(Protocol):
    """Runs jobs on this machine, so that a job can end with the machine, and not by itself."""

    def is_lost(self, folder: Path) -> bool:
        """Return whether the failed job of this folder ended without anybody left to see how."""
        ...


@runtime_checkable
class TellsProcesses(Protocol):
    """Runs jobs on this machine, and knows their processes."""

    async def processes(self, ref: JobRef) -> Mapping[str, Sequence[int]]:
        """Return the PIDs, as they are here, of each replica's living processes, parents first; {} if nothing runs.

        Raises:
            BackendError: they cannot be seen from here; the sentence says why.
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


@runtime_checkable
class ShowsNodes(Protocol):
    """Shows a node of a run that its service drives (PAIFlow) as a job."""

    def node_job(self, site: "Site", run_id: str, node: "FlowNode", *, created: float, title: str) -> RemoteJob:
        """Describe a node as a job of this machine; asks nobody. `title`: of its run; `created`: when that began."""
        ...

    def node_spec(self, node: "FlowNode") -> JobSpec:
        """Reconstruct a spec from a node, for display."""
        ...


@runtime_checkable
class LooksIntoImages(Protocol):
    """Has images on this machine, and says what they are."""

    def image_facts(self, image: str, *, is_looked_into: bool) -> ImageFacts | None:
        """Return the digests of an image; None if it is not on this machine. Blocking.

        `is_looked_into`: start it once, to see which of sh, python and pip it lacks.

        Raises:
            BackendError: that cannot be found out.
        """
        ...


@runtime_checkable
class RunsComponents(Protocol):
    """Its service keeps components, which jobs run by name and version."""

    def component_options(self, name: str, version: str, provider: str) -> dict[str, Json]:
        """Return the options of a job that runs this component in place of a command; `provider` "": of any."""
        ...

    def code_location(self, uri: str) -> Json:
        """Return an address in OSS as the service wants the location of a component's code; asks nobody."""
        ...


@runtime_checkable
class TakesJobFiles(Protocol):
    """Its service has job files of its own, and this user perhaps several clusters."""

    def file_problems(self, text: str) -> list[str]:
        """Return sentences about what is wrong with a job file; [] if nothing is."""
        ...

    def file_warnings(self, text: str, files: Mapping[str, bytes]) -> list[str]:
        """Return warnings about a job file, and about the files that travel with it."""
        ...

    def travelling(self, folder: Path, patterns: Sequence[str]) -> dict[str, bytes]:
        """Return the files of a job file's folder that travel with it, by path; `patterns`: in place of the usual ones.

        Raises:
            SpecError: they cannot be found out, or are too many.
        """
        ...

    def upload_notes(self, text: str, folder: Path, *, is_asked: bool) -> list[str]:
        """Return notes about files of the folder that its settings name in vain; `is_asked`: other patterns were given."""
        ...

    def code_files(self, text: str, files: Mapping[str, bytes], *, is_asked: bool) -> dict[str, bytes]:
        """Return those of the files that go to the cluster; raise `SpecError` if they were asked for, and none can go."""
        ...

    def cluster_job(self, text: str, *, cluster: str | None, folder: Path | None = None) -> JobSpec:
        """Return the job that submits a job file of `folder`; raise `SpecError` if something in it is wrong."""
        ...

    def with_cluster(self, spec: JobSpec) -> JobSpec:
        """Return the job with the cluster named that it goes to now: another one may be chosen before it is found again."""
        ...

    def file_images(self, text: str) -> list[str]:
        """Return the images that a job file names for its tasks, each once; raise `SpecError` if something in it is wrong."""
        ...

    def local_job(
        self, text: str, *, cluster: str | None, images: Sequence[tuple[str, str]]
    ) -> tuple[JobSpec, list[str]]:
        """Return the job that simulates a job file on this machine, and notes; `images`: patterns and local images."""
        ...

    def known_clusters(self) -> list[KnownCluster]:
        """Return the clusters, the chosen one first."""
        ...

    def add_cluster(
        self, name: str, host: str, user: str, *, password: str, is_kept: bool, is_token: bool = False
    ) -> None:
        """Add a cluster and choose it; raise `SpecError` if it cannot be one. `is_token`: the password is a token."""
        ...

    def log_in(self, name: str, *, password: str, is_kept: bool) -> None:
        """Take another password for a known cluster."""
        ...

    def remove_cluster(self, name: str) -> None:
        """Forget a known cluster and its password; its jobs go on."""
        ...

    def use_cluster(self, name: str) -> None:
        """Choose a known cluster."""
        ...

    async def check_cluster(self, name: str | None) -> ClusterReport:
        """Ask a known cluster, by default the chosen one, who it is, whether it takes the password, and for its HDFS.

        Raises:
            SpecError: there is no such cluster.
        """
        ...

    def file_access(self, host: str = "") -> "HdfsAccess | None":
        """Return who asks for files in the HDFS of the cluster at `host`, by default the chosen one; None without one."""
        ...

    async def check_files(self, host: str = "") -> None:
        """Ask that cluster, once, whether it has HDFS.

        Raises:
            BackendError: it has none, or does not answer.
        """
        ...
