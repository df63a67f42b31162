"""The properties of the OpenPAI backend; light to import: no HTTP client."""

import asyncio
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pai_jupyter.backends.health import Check, Health
from pai_jupyter.backends.info import BackendInfo, BackendOption
from pai_jupyter.errors import SpecError

if TYPE_CHECKING:
    from pai_jupyter.backends.openpai.clusters import Cluster
    from pai_jupyter.config import Settings


@dataclass(frozen=True, kw_only=True)
class OpenPaiInfo(BackendInfo):
    """The OpenPAI backend's properties, from the clusters that are known."""

    def is_emulated(self, settings: "Settings") -> bool:
        return False

    def health(self, *, is_asked: bool = False) -> Health:
        from pai_jupyter.backends.openpai.clusters import clusters, find_cluster  # imported late: few have a cluster

        try:
            cluster = find_cluster()
        except SpecError as exc:  # most users have none: nothing is wrong with that
            return Health(is_ready=False, note=str(exc))
        note, checks = f"{cluster.user} at {cluster.address}", tuple(map(_check, clusters().values()))
        if not is_asked:
            return Health(note=note, checks=checks)
        problem = _ask(cluster)
        return Health(is_ready=not problem, note=problem or note, checks=checks)

    def secrets(self) -> Collection[str]:
        from pai_jupyter.backends.openpai.clusters import known_secrets  # imported late, as above

        return known_secrets()


def _ask(cluster: "Cluster") -> str:
    """Return what is wrong with a cluster, asking it; the caller's thread may have a loop that runs."""
    from pai_jupyter.backends.openpai.cluster_check import check_cluster  # imported late, as above

    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(asyncio.run, check_cluster(cluster)).result().problem


def _check(cluster: "Cluster") -> Check:
    """Say which cluster is known and where its password is; asks nobody."""
    from pai_jupyter.backends.openpai.clusters import secret_place  # imported late, as above

    what, found = f"OpenPAI {cluster.name}", f"{cluster.user} at {cluster.address}"
    match secret_place(cluster):
        case "memory":
            return Check(what=what, found=f"{found}, logged in until this process ends")
        case "file":
            return Check(what=what, found=f"{found}, with a password that is kept")
    again = f"Type: %pai_openpai cluster add {cluster.name} {cluster.address} {cluster.user}"
    return Check(what=what, found=f"{found}, without a password", remedy=again, is_there=False)


INFO = OpenPaiInfo(
    name="openpai",
    title="OpenPAI",
    takes_images=True,
    takes_job_files=True,
    options=(
        BackendOption(name="cluster", help="the cluster, in place of the chosen one", example="lab"),
        BackendOption(name="virtual_cluster", help="the virtual cluster", example="default"),
        BackendOption(name="cpus", help="CPUs of each task", kind="number", example="4"),
        BackendOption(name="memory", help="memory of each task, in MB", kind="number", example="8192"),
        BackendOption(name="gpus", help="GPUs of each task", kind="number", example="1"),
        BackendOption(name="storage", help="a storage of the cluster, where outputs go", example="nfs"),
        BackendOption(name="storage_at", help="where this machine has that storage mounted", example="/mnt/nfs"),
        BackendOption(name="own_name", help="true: a job file's name stays as it is", kind="flag", example="true"),
        BackendOption(name="job", help="a job file, as an object, in place of a command", kind="mapping"),
    ),
)
