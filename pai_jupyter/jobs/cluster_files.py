"""HDFS for the explorer and `%pai_hdfs`: that of the settings, and those of clusters.

Rule 1: what the settings say of a host counts before what its cluster says.
Rule 2: a cluster is asked once whether it has HDFS, and for a few seconds: who lists places waits for the answer.
"""

import asyncio
from collections.abc import Iterator

from pai_jupyter.backends.capabilities import TakesJobFiles
from pai_jupyter.cloud.hdfs import HdfsSession, hdfs_session
from pai_jupyter.errors import SpecError, UnavailableError
from pai_jupyter.jobs.job_files import job_files
from pai_jupyter.jobs.runtime import runtime

ANSWERS_WITHIN = 5.0  # seconds


def file_sessions() -> Iterator[tuple[str, HdfsSession]]:
    """Yield the HDFS of the settings, then that of the chosen cluster, each with its name. Blocking.

    Raises:
        SpecError: a setting is invalid.
        BackendError: the chosen cluster has no HDFS, or does not answer.
    """
    session, backend = hdfs_session(), _backend()
    if session.access.host:
        yield session.access.host, session
    access = backend.file_access() if backend is not None else None
    if backend is not None and access is not None and access.host != session.access.host:
        _check(backend, access.host)
        yield f"{backend.known_clusters()[0].name} ({access.host})", HdfsSession(access=access)


def session_at(host: str) -> HdfsSession:
    """Return who asks for files at `host`: the user of the settings, or of the cluster that is there. Blocking.

    Raises:
        SpecError: a setting is invalid.
        BackendError: there is a cluster that has no HDFS, or does not answer.
    """
    session, backend = hdfs_session(), _backend()
    access = backend.file_access(host) if backend is not None else None
    if backend is None or access is None or session.access.host.lower() == host.lower():
        return session
    _check(backend, host)
    return HdfsSession(access=access)


def _check(backend: TakesJobFiles, host: str) -> None:
    async def ask() -> None:
        try:
            await asyncio.wait_for(backend.check_files(host), ANSWERS_WITHIN)
        except TimeoutError:
            raise UnavailableError(
                f"the cluster at {host} did not answer within {ANSWERS_WITHIN:g} s. Check the host and the network."
            ) from None

    runtime().run(ask())


def _backend() -> TakesJobFiles | None:
    try:
        return job_files()
    except SpecError:  # none is installed
        return None
