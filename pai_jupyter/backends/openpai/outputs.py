"""Outputs of a job in a cluster's HDFS: `outputDir` of a job file, where a cell's task copies its /ml/output."""

import threading
from pathlib import Path

from pai_jupyter import contract
from pai_jupyter.backends.openpai import submission
from pai_jupyter.backends.openpai.clusters import Cluster
from pai_jupyter.backends.openpai.code import directory_url, hdfs_of
from pai_jupyter.backends.openpai.epilogue import OutputsPlace
from pai_jupyter.spec import JobSpec
from pai_jupyter.storage import download


def outputs_place(cluster: Cluster, spec: JobSpec, job_id: str) -> OutputsPlace:
    """Return where the tasks of a cell copy their outputs."""
    directory = submission.output_dir_of(spec, job_id=job_id, user=cluster.user)
    return OutputsPlace(base=hdfs_of(cluster).base, user=cluster.user, directory=directory)


def bring(cluster: Cluster, spec: JobSpec, job_id: str, channel: str, to: Path, cancel: threading.Event) -> Path:
    """Download an output into the directory `to`; `beside_channels` of a job file is all that is there. Blocking.

    Raises:
        NotFoundError: there is nothing.
        PaiJupyterError: it cannot be downloaded.
    """
    access = hdfs_of(cluster)
    directory = submission.output_dir_of(spec, job_id=job_id, user=cluster.user)
    url = directory_url(directory, access.host, field="outputDir")
    is_all, has_channels = channel == contract.BESIDE, submission.job_file_of(spec) is None
    place = f"{url}/" if is_all else f"{url}/{channel}/"
    without = contract.output_channels(spec) if is_all and has_channels else ()
    return download(place, to.expanduser().absolute(), hdfs=access, without=without, cancel=cancel)
