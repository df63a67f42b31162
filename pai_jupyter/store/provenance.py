"""provenance.json and git.diff: what a job was started from. They stand beside its record, which never changes.

Rule 1: what is not known is missing, with a sentence that says why. A job of an older version has neither file.
Rule 2: no secrets: `jobs.provenance`, which writes them, masks them first.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Self

from pai_jupyter.errors import NotFoundError
from pai_jupyter.spec import Json
from pai_jupyter.store.disk import read_json, read_plain, replace_file, to_bytes, translated
from pai_jupyter.store.record import SCHEMA, damaged
from pai_jupyter.typed_json import FieldError, Fields, line_of

FILE, DIFF = "provenance.json", "git.diff"
MAX_DIFF = 1024 * 1024  # bytes of a recorded difference


@dataclass(frozen=True, kw_only=True)
class GitState:
    """A repository when the job was submitted.

    `changed` counts tracked files that differ from the commit, `untracked` files and whole directories, as `git status` does.
    """

    root: str = ""  # its directory; "" for one that was only fetched
    commit: str = ""  # "" before the first one
    branch: str = ""  # "" if none is checked out
    remote: str = ""  # the address of `origin`, without a login
    changed: int = 0
    untracked: int = 0
    is_tracked: bool = True  # False: no file of the code's directory is in the repository
    is_diff_cut: bool = False  # it was larger than `MAX_DIFF`
    masked: int = 0  # secrets in the difference, which are masked
    diff_note: str = ""  # why there is no difference, if it could not be recorded

    @property
    def is_dirty(self) -> bool:
        """Whether the code may be another than that of the commit."""
        return self.changed > 0 or self.untracked > 0

    def to_json(self) -> dict[str, Json]:
        return _set_fields(self)

    @classmethod
    def from_json(cls, given: Fields) -> Self:
        texts = {name: given.line(name, "") for name in ("root", "commit", "branch", "remote", "diff_note")}
        return cls(
            **texts,
            changed=given.whole("changed", 0),
            untracked=given.whole("untracked", 0),
            is_tracked=given.flag("is_tracked", default=True),
            is_diff_cut=given.flag("is_diff_cut"),
            masked=given.whole("masked", 0),
        )


@dataclass(frozen=True, kw_only=True)
class PythonState:
    """The Python that runs the job, and its packages as `pip freeze` writes them. The job's own requirements come on top."""

    version: str
    executable: str
    packages: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True, kw_only=True)
class ImageState:
    """An image of the job; `digest` and `python`, the version in it, are "" if they are not known."""

    uri: str
    digest: str = ""
    python: str = ""


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """What a job was started from. `job.provenance` returns it.

    `git` None: `git_note` says why, if the code is from a repository at all. `python` None: not that of this machine.
    """

    code_of: str = ""  # the id of the job whose package this one took over
    git: GitState | None = None
    git_note: str = ""
    diff: str = field(default="", repr=False)  # `git diff HEAD`, secrets masked
    python: PythonState | None = None
    images: tuple[ImageState, ...] = ()

    def to_json(self) -> dict[str, Json]:
        """Return all but the difference."""
        return {
            "schema": SCHEMA,
            **{name: text for name, text in (("code_of", self.code_of), ("git_note", self.git_note)) if text},
            **({"git": self.git.to_json()} if self.git is not None else {}),
            **({"python": _python_json(self.python)} if self.python is not None else {}),
            **({"images": [_set_fields(image) for image in self.images]} if self.images else {}),
        }

    @classmethod
    def from_json(cls, value: Mapping[str, object]) -> Self:
        """Read what `to_json` wrote.

        Raises:
            FieldError: it is damaged.
        """
        given = Fields.of(value)
        return cls(
            code_of=given.line("code_of", ""),
            git=GitState.from_json(given.inside("git")) if given.has("git") else None,
            git_note=given.line("git_note", ""),
            python=_python_from(given.inside("python")) if given.has("python") else None,
            images=tuple(_image_from(Fields.of(item, path)) for item, path in given.items("images")),
        )


def write_provenance(folder: Path, known: Provenance) -> None:
    """Write both files into the folder of a job, that of the difference if there is one.

    Raises:
        PaiJupyterError: the disk is full, or not writable.
    """
    with translated(folder):
        if known.diff:
            replace_file(folder / DIFF, known.diff.encode("utf-8", "surrogateescape"))
        replace_file(folder / FILE, to_bytes(known.to_json()))


def read_provenance(folder: Path, *, has_diff: bool = True) -> Provenance | None:
    """Read both files from the folder of a job, without `has_diff` the first only; None if nothing was recorded.

    Raises:
        PaiJupyterError: a file is damaged, or cannot be read.
    """
    try:
        value = read_json(folder / FILE)
    except NotFoundError:
        return None
    try:
        known = Provenance.from_json(value)
    except FieldError as exc:
        raise damaged(FILE, exc, value) from exc
    return replace(known, diff=_read_diff(folder)) if has_diff and known.git is not None else known


def _read_diff(folder: Path) -> str:
    path = folder / DIFF
    with suppress(NotFoundError), translated(path):
        return read_plain(path, 2 * MAX_DIFF).decode("utf-8", "surrogateescape")
    return ""


def _set_fields(value: GitState | ImageState) -> dict[str, Json]:
    """Return the fields that do not have their default."""
    defaults = {name: it.default for name, it in value.__dataclass_fields__.items()}
    return {name: given for name, given in vars(value).items() if given != defaults[name]}


def _python_json(python: PythonState) -> dict[str, Json]:
    return {"version": python.version, "executable": python.executable, "packages": [*python.packages]}


def _python_from(given: Fields) -> PythonState:
    packages = tuple(line_of(item, path) for item, path in given.items("packages"))
    return PythonState(version=given.line("version", ""), executable=given.line("executable", ""), packages=packages)


def _image_from(given: Fields) -> ImageState:
    return ImageState(uri=given.line("uri"), digest=given.line("digest", ""), python=given.line("python", ""))
