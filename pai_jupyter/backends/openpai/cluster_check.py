"""Ask a cluster who it is: its generation, whether it takes the password, and whether its HDFS answers.

Rule 1: the cluster is asked anew: nothing that this process remembers of it counts, and nothing is remembered.
Rule 2: what is found out before something goes wrong is told with it.
"""

import asyncio

from pai_jupyter.backends.openpai.clusters import Cluster, secret_of
from pai_jupyter.backends.openpai.code import hdfs_of
from pai_jupyter.backends.openpai.rest.connection import ClusterConnection
from pai_jupyter.backends.openpai.rest.jobs import ClusterJobs
from pai_jupyter.backends.reports import ClusterReport
from pai_jupyter.errors import AuthError, PaiJupyterError, UnavailableError
from pai_jupyter.storage import open_storage


async def check_cluster(cluster: Cluster) -> ClusterReport:
    """Ask the cluster, and report facts until something is wrong."""
    connection, facts = ClusterConnection(cluster), list[str]()
    try:
        await _find_out(cluster, connection, facts)
    except PaiJupyterError as exc:
        return ClusterReport(facts=tuple(facts), problem=str(exc))
    finally:
        await connection.aclose()
    return ClusterReport(facts=tuple(facts))


async def _find_out(cluster: Cluster, connection: ClusterConnection, facts: list[str]) -> None:
    is_yarn = await connection.generation() == "yarn"
    facts.append("OpenPAI before v1.0 (YARN)" if is_yarn else f"OpenPAI {connection.version or 'v1.x'} (Kubernetes)")
    facts.append(await _user(cluster, connection))
    if is_yarn:
        await asyncio.to_thread(_ask_hdfs, cluster)
    facts.append("HDFS, which answers" if is_yarn else "no HDFS")


async def _user(cluster: Cluster, connection: ClusterConnection) -> str:
    """Say as whom requests are made; a password has been taken then, and a token where a request can tell."""
    user, secret = await connection.log_in(), secret_of(cluster)
    if secret is None or secret.kind == "password":
        return f"logged in as {user}"
    if user != cluster.user:
        raise AuthError(
            f"the token is of {user}, and the cluster was added for {cluster.user}. Add it for {user}: "
            f"%pai_openpai cluster add {cluster.name} {cluster.address} {user} --token"
        )
    if await connection.generation() == "yarn":  # it tells everybody what it tells at all
        return f"a token of {user}, which is checked when a job is submitted"
    await ClusterJobs(connection).newest()
    return f"logged in as {user}, by a token"


def _ask_hdfs(cluster: Cluster) -> None:
    """Ask the name node for the root directory. Blocking."""
    access = hdfs_of(cluster)
    if open_storage(f"hdfs://{access.host}/", hdfs=access).head("/") is None:
        raise UnavailableError(f"the HDFS of {cluster.name} has no root directory. Check hdfs_url, and the network.")
