"""Where the code of a job is from: a directory here, another job, a package that was packed earlier.

A package that is kept (the code of a step) has beside it what was recorded when it was packed: `NAME.tar.gz.code.json`.
"""

from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from pai_jupyter.contract.masking import masked
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.jobs.provenance.git import GitCalls, GitTrouble, read_diff, read_state
from pai_jupyter.store import JobFolder
from pai_jupyter.store.disk import read_json, replace_file, to_bytes, translated
from pai_jupyter.store.provenance import MAX_DIFF, GitState, read_provenance
from pai_jupyter.typed_json import FieldError, Fields

BESIDE = ".code.json"  # behind the name of a package


@dataclass(frozen=True, kw_only=True)
class RecordedCode:
    """The repository of some code, and the difference to its commit; without one, a sentence about why if there is any."""

    git: GitState | None = None
    note: str = ""
    diff: str = field(default="", repr=False)


@dataclass(frozen=True, kw_only=True)
class CodeOrigin:
    """The directory whose repository is recorded, or what is known already; `of_job`: of the job that had this code first."""

    directory: Path | None = None
    known: RecordedCode | None = None
    of_job: str = ""


def read_code(calls: GitCalls, secrets: Collection[str]) -> RecordedCode:
    """Ask for the state of a repository. Blocking; what cannot be found out is in the note."""
    try:
        git = read_state(calls)
    except GitTrouble as exc:
        return RecordedCode(note=masked(str(exc), secrets)[0])
    git = replace(git, remote=masked(git.remote, secrets)[0], branch=masked(git.branch, secrets)[0])
    if not git.changed:
        return RecordedCode(git=git)
    if not git.commit:
        return RecordedCode(git=replace(git, diff_note="there is no commit yet"))
    try:
        found, is_cut = read_diff(calls)
    except GitTrouble as exc:
        return RecordedCode(git=replace(git, diff_note=masked(str(exc), secrets)[0]))
    text, count = masked(found, secrets)
    diff = _cut(text)
    return RecordedCode(git=replace(git, masked=count, is_diff_cut=is_cut or len(diff) < len(text)), diff=diff)


def _cut(text: str) -> str:
    """Cut a difference behind a whole line, at `MAX_DIFF` bytes."""
    data = text.encode("utf-8", "surrogateescape")
    if len(data) <= MAX_DIFF:
        return text
    end = data.rfind(b"\n", 0, MAX_DIFF) + 1 or MAX_DIFF
    return data[:end].decode("utf-8", "surrogateescape")


def code_of_job(folder: JobFolder) -> CodeOrigin:
    """Return the origin of a package that is taken over from this job."""
    with suppress(PaiJupyterError):  # a damaged file
        if (known := read_provenance(folder.path)) is not None:
            code = RecordedCode(git=known.git, note=known.git_note, diff=known.diff)
            return CodeOrigin(known=code, of_job=folder.id)
    return CodeOrigin(known=RecordedCode(note=f"nothing was recorded with job {folder.id}"), of_job=folder.id)


def keep_code(package: Path, code: RecordedCode) -> None:
    """Write down, beside a package that is kept, where its code is from.

    Raises:
        PaiJupyterError: it cannot be written.
    """
    path = package.with_name(package.name + BESIDE)
    git = {} if code.git is None else {"git": code.git.to_json()}
    with translated(path):
        if code == RecordedCode():
            path.unlink(missing_ok=True)  # the same code was in a repository before
            return
        replace_file(path, to_bytes({**git, "note": code.note, "diff": code.diff}))


def kept_code(package: Path | None) -> CodeOrigin:
    """Return the origin of a package that is kept; nothing is known of one of an older version."""
    if package is None:
        return CodeOrigin()
    with suppress(PaiJupyterError, FieldError):
        given = Fields.of(read_json(package.with_name(package.name + BESIDE)))
        git = GitState.from_json(given.inside("git")) if given.has("git") else None
        return CodeOrigin(known=RecordedCode(git=git, note=given.line("note", ""), diff=given.text("diff", "")))
    return CodeOrigin()
