"""Reports of chosen jobs over REST: the file that `report` makes, below the server's root directory.

POST report {jobs, path, title?, replace?}    write it, unless there is a file already that is not to be replaced

Rule 1: nothing is written outside of the root directory, nor hidden, nor through a link: the walk goes down by descriptors.
Rule 2: a file that is there is replaced only as a whole, and only if that is asked for.
"""

import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from pai_jupyter.errors import SpecError
from pai_jupyter.path_guard import JobDirectory, hold
from pai_jupyter.server.below import below
from pai_jupyter.server.rest import ApiRoute
from pai_jupyter.wire.protocol.jobs import find_job
from pai_jupyter.wire.protocol.requests import RequestFields
from pai_jupyter.wire.schema.rest import ReportAsked

if TYPE_CHECKING:
    from pai_jupyter.view.words import Language
    from pai_jupyter.wire.schema.panel import ReportAnswer

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def write(body: Mapping[str, object], root: str, language: "Language") -> "ReportAnswer":
    """Write a report of jobs.

    Raises:
        SpecError: the path is none for a report, or it cannot be written there, or the title holds a known secret.
        PaiJupyterError: a job does not exist, or none can be read.
    """
    from pai_jupyter.report.writing import report_text  # charts and pages: only who asks for a report needs them

    fields = RequestFields(body, ReportAsked)
    path = _path(fields.text("path"))
    folder = _folder(path, Path(root).expanduser())
    is_replaced = fields.has("replace") and fields.flag("replace")
    with hold(folder, what="the server's directory") as handle:
        if not is_replaced and _is_there(path.name, handle):
            return {"path": str(path), "is_written": False, "notes": []}
        jobs = [find_job(job) for job in dict.fromkeys(fields.texts("jobs"))]
        title, notes = fields.text("title", default="").strip(), list[str]()
        text = report_text(path.suffix, jobs, title=title, language=language, on_damage=notes.append)
        is_written = _write(path.name, text, handle, is_replaced=is_replaced)
        return {"path": str(path), "is_written": is_written, "notes": notes}


def _path(given: str) -> PurePosixPath:
    """Return the path of a report, without what means nothing in it."""
    path = PurePosixPath(given)
    if path.is_absolute() or "\0" in given or ".." in path.parts:
        raise SpecError(f"the report {given[:200]!r} must be a path below the server's directory.", field="path")
    if path.suffix not in (".html", ".ipynb"):
        raise SpecError(f"the report {given[:200]!r} must end in .html or .ipynb.", field="path")
    if any(part.startswith(".") for part in path.parts):
        raise SpecError(
            f"the report {given[:200]!r} would be hidden. Choose a name without a leading dot.", field="path"
        )
    return path


def _folder(path: PurePosixPath, root: Path) -> JobDirectory:
    """Return the directory of a report: one that is there, below the root wherever links lead, and not hidden."""
    found = below(root, str(path.parent))
    top = Path(os.path.realpath(root))
    if found is None or not found.is_dir() or any(part.startswith(".") for part in found.relative_to(top).parts):
        raise SpecError(f"there is no directory {str(path.parent)[:200]!r} below the server's directory.", field="path")
    return JobDirectory(top, found.relative_to(top).parts)


def _is_there(name: str, folder: int) -> bool:
    with _errors(name):
        try:
            os.stat(name, dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:
            return False
    return True


def _write(name: str, text: str, folder: int, *, is_replaced: bool) -> bool:
    """Write the file; False if one has come meanwhile that is not to be replaced."""
    target = f".{secrets.token_hex(8)}.part" if is_replaced else name
    with _errors(name):
        try:
            handle = os.open(target, _NEW, 0o666, dir_fd=folder)
        except FileExistsError:
            return False
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            if is_replaced:
                os.replace(target, name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            with suppress(OSError):
                os.unlink(target, dir_fd=folder)
            raise
    return True


@contextmanager
def _errors(name: str) -> Iterator[None]:
    try:
        yield
    except OSError as exc:
        raise SpecError(f"the report {name[:200]!r} cannot be written: {exc.strerror}", field="path") from exc


REPORT = {"post": ApiRoute(kind="report", answer=write, has_body=True, has_root=True, has_language=True)}
