"""The `overview` and `changes` requests: what a job was started from, the difference to its commit, the sizes of its outputs.

Values, times and metrics are in the snapshot of the job, and in the pushes that follow it.

Rule 1: a job of an older version, and a damaged record, give an answer that says so; outputs are counted all the same.
Rule 2: counting takes at most `MOST_COUNTED` files and `SECONDS`, for all outputs together; the rest is told as more.
"""

import time
from typing import TYPE_CHECKING

from pai_jupyter.errors import NotFoundError, PaiJupyterError
from pai_jupyter.jobs import Job
from pai_jupyter.store.provenance import Provenance
from pai_jupyter.wire.files.file_roots import Root, file_channels, root_of
from pai_jupyter.wire.schema.limits import MOST_PACKAGES

if TYPE_CHECKING:
    from pai_jupyter.wire.schema.tabs import ChangesAnswer, GitStateJson, OutputSize, OverviewAnswer, PythonStateJson

MOST_COUNTED = 10_000  # files
SECONDS = 2.0
_PAGE = 1_000  # entries of a directory that are read at once


def overview(job: Job) -> "OverviewAnswer":
    """Answer an `overview` request. Blocking.

    Raises:
        PaiJupyterError: the job's record cannot be read.
    """
    spec, note = job.spec, ""
    try:
        known = job.provenance
    except PaiJupyterError as exc:
        known, note = None, str(exc)
    told = known or Provenance()
    return {
        "is_recorded": known is not None,
        "note": note,
        "code_of": told.code_of,
        "source": str(spec.source_dir) if "://" in str(spec.source_dir) else "",
        "git": _git(told),
        "git_note": told.git_note,
        "python": _python(told),
        "requirements": [*spec.requirements],
        "images": [{"uri": image.uri, "digest": image.digest, "python": image.python} for image in told.images],
        "outputs": _sizes(job),
    }


def changes(job: Job) -> "tuple[ChangesAnswer, bytes]":
    """Answer a `changes` request: the difference as its bytes are.

    Raises:
        NotFoundError: none was recorded.
    """
    known = job.provenance
    if known is None or not known.diff:
        raise NotFoundError(f"no uncommitted changes were recorded with job {job.id}.")
    data = known.diff.encode("utf-8", "surrogateescape")
    return {"size": len(data)}, data


def _git(known: Provenance) -> "GitStateJson | None":
    git = known.git
    if git is None:
        return None
    return {
        "root": git.root,
        "commit": git.commit,
        "branch": git.branch,
        "remote": git.remote,
        "changed": git.changed,
        "untracked": git.untracked,
        "is_tracked": git.is_tracked,
        "diff": len(known.diff.encode("utf-8", "surrogateescape")),
        "is_diff_cut": git.is_diff_cut,
        "masked": git.masked,
        "diff_note": git.diff_note,
    }


def _python(known: Provenance) -> "PythonStateJson | None":
    python = known.python
    if python is None:
        return None
    packages = [*python.packages[:MOST_PACKAGES]]
    return {"version": python.version, "executable": python.executable, "packages": packages}


def _sizes(job: Job) -> "list[OutputSize]":
    counter = _Counter(deadline=time.monotonic() + SECONDS)
    return [counter.size_of(job, channel) for channel in file_channels(job)]


class _Counter:
    """Counts files of channels until there were too many or it took too long."""

    def __init__(self, deadline: float) -> None:
        self._deadline, self._left = deadline, MOST_COUNTED

    def size_of(self, job: Job, channel: str) -> "OutputSize":
        found: OutputSize = {"channel": channel, "count": 0, "size": 0, "is_more": False, "note": ""}
        try:
            self._count(root_of(job, channel), found)
        except PaiJupyterError as exc:
            found["note"] = str(exc)
        return found

    def _count(self, root: Root, found: "OutputSize") -> None:
        waiting = [("", "")]  # directories, each with where its listing goes on
        while waiting:
            path, after = waiting.pop()
            if self._left <= 0 or time.monotonic() > self._deadline:
                found["is_more"] = True
                return
            page = root.page(path, _PAGE, after)
            self._left -= max(len(page.items), 1)
            for item in page.items:
                if item.is_directory:
                    waiting.append((f"{path}/{item.name}" if path else item.name, ""))
                else:
                    found["count"], found["size"] = found["count"] + 1, found["size"] + item.size
            if page.after is not None:
                waiting.append((path, page.after))
