"""Job files of a cluster, and clusters, over REST: what the file browser's menu and the panel ask.

    GET    jobfile?path=                                  what is wrong with a job file, warnings about it; the clusters
    POST   jobfile/submit {path, cluster?}                submit it; POST jobfile/simulate {path} runs it on this machine
    GET    clusters                                       POST clusters {name, address, user, password, keep?} adds one
    DELETE clusters?name=                                 POST clusters/use {name}, clusters/login {name, password, keep?}

Rule 1: sentences and what is done are those of `%pai_openpai`, by `jobs.job_files`.
Rule 2: a path is below the server's root directory.
Rule 3: no answer holds a password: it goes to the backend, and is kept where the user has chosen.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from pai_jupyter.errors import SpecError
from pai_jupyter.jobs import Job
from pai_jupyter.jobs.job_files import check_file, job_files, read_job_file, simulate_file, submit_file
from pai_jupyter.server.answers import started
from pai_jupyter.server.below import below
from pai_jupyter.server.rest import ApiRoute
from pai_jupyter.wire.protocol.requests import RequestFields
from pai_jupyter.wire.schema.rest import ClusterAdded, ClusterLogin, ClusterNamed, JobFileSubmitted

if TYPE_CHECKING:
    from pai_jupyter.wire.schema.panel import ClusterRow, ClustersAnswer, JobFileAnswer, SubmitAnswer


def check(path: str, root: str) -> "JobFileAnswer":
    """Check a job file, and list the clusters that it can be submitted to."""
    file = _file(path, root)
    errors, warnings = check_file(read_job_file(file), file.parent)
    return {"errors": errors, "warnings": warnings, "clusters": _clusters()}


def submit(body: Mapping[str, object], root: str) -> "SubmitAnswer":
    """Submit a job file to a cluster, by default the chosen one."""
    return _start(submit_file, body, root)


def simulate(body: Mapping[str, object], root: str) -> "SubmitAnswer":
    """Run a job file in containers of this machine."""
    return _start(simulate_file, body, root)


def clusters() -> "ClustersAnswer":
    """List the clusters."""
    return {"clusters": _clusters()}


def add(body: Mapping[str, object]) -> "ClustersAnswer":
    """Add a cluster and choose it."""
    fields = RequestFields(body, ClusterAdded)
    name, address, user = (fields.text(each).strip() for each in ("name", "address", "user"))
    job_files().add_cluster(name, address, user, password=_password(fields), is_kept=fields.flag("keep"))
    return clusters()


def log_in(body: Mapping[str, object]) -> "ClustersAnswer":
    """Take another password for a cluster."""
    fields = RequestFields(body, ClusterLogin)
    job_files().log_in(fields.text("name"), password=_password(fields), is_kept=fields.flag("keep"))
    return clusters()


def choose(body: Mapping[str, object]) -> "ClustersAnswer":
    """Choose a cluster for what names none."""
    job_files().use_cluster(RequestFields(body, ClusterNamed).text("name"))
    return clusters()


def delete(name: str) -> "ClustersAnswer":
    """Forget a cluster and its password; its jobs go on."""
    job_files().remove_cluster(name)
    return clusters()


def _start(start: Callable[..., tuple[Job, list[str]]], body: Mapping[str, object], root: str) -> "SubmitAnswer":
    fields = RequestFields(body, JobFileSubmitted)
    file = _file(fields.text("path"), root)
    cluster = fields.text("cluster", default="") or None
    return started(*start(read_job_file(file), file.parent, cluster=cluster, upload=(), images=()))


def _clusters() -> list["ClusterRow"]:
    return [
        {"name": each.name, "address": each.address, "user": each.user, "password_in": each.password_in}
        for each in job_files().known_clusters()
    ]


def _file(path: str, root: str) -> Path:
    found = below(Path(root).expanduser(), path)
    if found is None or not found.is_file():
        raise SpecError(f"there is no file {path[:200]!r} below the server's directory.", field="path")
    return found


def _password(fields: RequestFields) -> str:
    password = fields.text("password")
    if not password:
        raise SpecError("the password is empty. Type the one that logs in at the cluster.", field="password")
    return password


CHECKED = {"get": ApiRoute(kind="jobfile", answer=check, needs=("path",), has_root=True)}
SUBMITTED = {"post": ApiRoute(kind="jobfile_submit", answer=submit, has_body=True, has_root=True)}
SIMULATED = {"post": ApiRoute(kind="jobfile_simulate", answer=simulate, has_body=True, has_root=True)}
CLUSTERS = {
    "get": ApiRoute(kind="clusters", answer=clusters),
    "post": ApiRoute(kind="clusters", answer=add, has_body=True),
    "delete": ApiRoute(kind="cluster", answer=delete, needs=("name",)),
}
CHOSEN = {"post": ApiRoute(kind="cluster_use", answer=choose, has_body=True)}
LOGIN = {"post": ApiRoute(kind="cluster_login", answer=log_in, has_body=True)}
