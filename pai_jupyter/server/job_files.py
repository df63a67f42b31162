"""Job files of a cluster, and clusters, over REST: what the file browser's menu and the panel ask.

    GET    jobfile?path=                                  what is wrong with a job file, warnings about it; its images, the clusters
    POST   jobfile/submit {path, cluster?}                submit it; POST jobfile/simulate {path, images?} runs it on this machine
    GET    clusters                                       POST clusters {name, address, user, password, keep?} adds one
    DELETE clusters?name=                                 POST clusters/use {name}, clusters/login {name, password, keep?}
    GET    clusters/check?name=                           ask it who it is, whether it takes the password, and for its HDFS

Rule 1: sentences and what is done are those of `%pai_openpai`, by `jobs.job_files`.
Rule 2: a path is below the server's root directory.
Rule 3: no answer holds a password: it goes to the backend, and is kept where the user has chosen.
"""

import glob
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from pai_jupyter.errors import SpecError
from pai_jupyter.jobs import runtime
from pai_jupyter.jobs.job_files import check_file, job_files, read_job_file, simulate_file, submit_file
from pai_jupyter.server.answers import started
from pai_jupyter.server.below import below
from pai_jupyter.server.rest import ApiRoute
from pai_jupyter.wire.protocol.requests import RequestFields
from pai_jupyter.wire.schema.rest import ClusterAdded, ClusterLogin, ClusterNamed, JobFileSimulated, JobFileSubmitted

if TYPE_CHECKING:
    from pai_jupyter.wire.schema.panel import (
        ClusterReportAnswer,
        ClusterRow,
        ClustersAnswer,
        JobFileAnswer,
        SubmitAnswer,
    )


def check(path: str, root: str) -> "JobFileAnswer":
    """Check a job file, and list its images and the clusters that it can be submitted to."""
    file = _file(path, root)
    text = read_job_file(file)
    errors, warnings = check_file(text, file.parent)
    images = [] if errors else job_files().file_images(text)
    return {"errors": errors, "warnings": warnings, "images": images, "clusters": _clusters()}


def submit(body: Mapping[str, object], root: str) -> "SubmitAnswer":
    """Submit a job file to a cluster, by default the chosen one."""
    fields = RequestFields(body, JobFileSubmitted)
    file = _file(fields.text("path"), root)
    cluster = fields.text("cluster", default="") or None
    return started(*submit_file(read_job_file(file), file.parent, cluster=cluster, upload=(), images=()))


def simulate(body: Mapping[str, object], root: str) -> "SubmitAnswer":
    """Run a job file in containers of this machine, with local images in place of its own."""
    file = _file(RequestFields(body, JobFileSimulated).text("path"), root)
    text = read_job_file(file)
    images = _local_images(body.get("images"), text)
    return started(*simulate_file(text, file.parent, cluster=None, upload=(), images=images))


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


def ask(name: str) -> "ClusterReportAnswer":
    """Ask a cluster who it is."""
    report = runtime().run(job_files().check_cluster(name))
    return {"facts": list(report.facts), "problem": report.problem}


def _local_images(given: object, text: str) -> list[tuple[str, str]]:
    """Return patterns of images and local ones in their place, from what a request says of a job file's images."""
    if given is None:
        return []
    if not isinstance(given, dict) or not all(isinstance(local, str) for local in given.values()):
        raise SpecError("`images` must be an object: an image of the job file, and a local one.", field="images")
    if missing := given.keys() - set(job_files().file_images(text)):
        raise SpecError(f"the job file has no image {min(missing)[:100]!r}. Open its dialog again.", field="images")
    return [(glob.escape(image), local) for image, local in given.items()]


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
ASKED = {"get": ApiRoute(kind="cluster_check", answer=ask, needs=("name",))}
CHOSEN = {"post": ApiRoute(kind="cluster_use", answer=choose, has_body=True)}
LOGIN = {"post": ApiRoute(kind="cluster_login", answer=log_in, has_body=True)}
