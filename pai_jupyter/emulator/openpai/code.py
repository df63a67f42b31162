"""The code of a job of v0.14: what lies in its `codeDir` on HDFS is copied into the working directory before a task runs.

As the cluster's own script does it: `codeDir` becomes a directory of its last name there. An empty one is left out, one of more than
200,000,000 bytes fails the task, and so does one that is not there.
"""

import shutil
from pathlib import Path
from urllib.parse import urlsplit

from pai_jupyter.emulator.webhdfs.namespace import Namespace
from pai_jupyter.emulator.webhdfs.refusal import HdfsRefusal
from pai_jupyter.errors import BackendError

FILE_SYSTEM = "hdfs://127.0.0.1:9000"  # PAI_DEFAULT_FS_URI; nothing listens there: its files are had by WebHDFS
MOST_CODE = 200_000_000  # bytes


def bring_code(files: Namespace, code: str, to: Path, *, user: str) -> None:
    """Copy the directory or file of HDFS into the directory `to`.

    Raises:
        BackendError: what the cluster says when it cannot.
    """
    path = "/".join(part for part in urlsplit(code).path.split("/") if part)
    found = files.find(path)
    if found is None or not path:
        raise BackendError(f"Can not stat {code}")
    inside = [found, *files.below(path)]
    if (size := sum(each.length for each in inside)) > MOST_CODE:
        raise BackendError(f"{code} is larger than 200MB, exit.")
    if not size:
        return
    try:
        for each in inside:
            place = to / found.name / each.path.removeprefix(path).lstrip("/")
            if each.is_file:
                shutil.copyfile(files.content(files.file(each.path, user=user)), place)
            else:
                place.mkdir()
    except (HdfsRefusal, OSError, ValueError) as exc:
        raise BackendError("Can not get code from HDFS.") from exc
