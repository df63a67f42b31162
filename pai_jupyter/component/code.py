"""The code of a component: its files as a directory here, and a digest that says whether they are the same.

Code in OSS is not fetched for a digest: names, sizes and checksums of its objects are listed.
"""

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

from pai_jupyter.cloud.session import get_default_session
from pai_jupyter.component import git_clone
from pai_jupyter.component.addresses import source_kind
from pai_jupyter.component.component import Component
from pai_jupyter.config import loaded_secrets
from pai_jupyter.contract.masking import without_login
from pai_jupyter.errors import PackageError
from pai_jupyter.jobs import entry_point_of
from pai_jupyter.jobs.provenance import CodeOrigin, RecordedCode
from pai_jupyter.package import Package, build
from pai_jupyter.shards import find_shards
from pai_jupyter.storage import Storage, open_storage
from pai_jupyter.store import JobStore, Scratch
from pai_jupyter.store.provenance import GitState

_MANY = 1_000  # files in OSS beyond which a job begins late


@dataclass(frozen=True, kw_only=True)
class CodeState:
    """What the code is now: a digest, and one for each file by its path; `size` in bytes; `notes` on what it lacks."""

    digest: str
    files: Mapping[str, str] = field(default_factory=dict)
    count: int = 0
    size: int = 0
    commit: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class OpenedCode:
    """Code that is here: a directory to pack, None without one, and files that are added to it."""

    directory: Path | None
    files: Mapping[str, bytes]
    commit: str | None = None
    notes: tuple[str, ...] = ()


@contextmanager
def opened(component: Component) -> Iterator[OpenedCode]:
    """Provide the code while the block runs; a repository is fetched, code in OSS is not (`directory` None).

    Raises:
        PackageError: there is no such directory, or the repository cannot be fetched.
    """
    kind = source_kind(component.source) if component.source is not None else None
    if kind == "git":
        with Scratch(JobStore().home) as scratch:
            directory = scratch.path / "code"
            clone = git_clone.fetch(component, directory)
            files = _files(component, directory, clone.ignored)
            yield OpenedCode(directory=directory, files=files, commit=clone.commit, notes=clone.notes)
    else:
        own = _directory(str(component.source)) if kind == "directory" else None
        yield OpenedCode(directory=own, files=_files(component, own))


def _files(
    component: Component, directory: Path | None, ignored: Mapping[str, bytes] = MappingProxyType({})
) -> dict[str, bytes]:
    """Return what is added to the directory: the component's own files, and `pai_shards` if the code imports it."""
    files = {**ignored, **component.files}
    shards = find_shards(entry_point_of(component.command), directory=directory, files=files)
    return {**files, **shards.files}


def origin_of(component: Component, code: OpenedCode) -> CodeOrigin:
    """Return where opened code is from: a directory here, or a commit that was fetched."""
    if code.commit is None:
        return CodeOrigin(directory=code.directory)
    git = GitState(commit=code.commit, branch=component.branch or "", remote=without_login(str(component.source)))
    return CodeOrigin(known=RecordedCode(git=git))


@contextmanager
def packed(component: Component, code: OpenedCode) -> Iterator[Package]:
    """Pack opened code into a file that exists while the block runs."""
    home = JobStore().home
    with Scratch(home) as scratch:
        yield build(
            code.directory,
            to=scratch.path / "code.tar.gz",
            overlay=code.files,
            without=home,
            secrets=[*loaded_secrets(), *([component.login] if component.login else [])],
        )


def state_of(component: Component) -> CodeState:
    """Look at the code as it is now. Blocking; may fetch a repository or list a bucket."""
    if component.source is not None and source_kind(component.source) == "oss":
        return _state_in_oss(component.source)
    with opened(component) as code, packed(component, code) as package:
        return replace(state_of_package(package), commit=code.commit, notes=code.notes)


def state_of_package(package: Package) -> CodeState:
    """Return the state of packed code."""
    files = {each.name: each.sha256 for each in package.files}
    return CodeState(digest=package.digest, files=files, count=len(files), size=package.size)


def in_words(component: Component, state: CodeState) -> str:
    """Describe the code: where it is, its commit, how many files, and their size."""
    where = component.source or component.name
    commit = f" @ {state.commit[:12]}" if state.commit else ""
    if state.count == 1:
        return f"the code in {where}{commit} is 1 file of {state.size:,} bytes."
    return f"the code in {where}{commit} is {state.count:,} files of {state.size:,} bytes."


def about_code(component: Component, state: CodeState) -> list[str]:
    """Return notes on the code: what it is, whether a job of it begins late, and what it lacks."""
    return [in_words(component, state), *_slow_start(state), *state.notes]


def _slow_start(state: CodeState) -> list[str]:
    """Return a note on code of so many files that a job begins late."""
    if state.count <= _MANY:
        return []
    return [
        f"the code has {state.count:,} files, all of which PAI downloads first: a job begins late. Keep only what it needs."
    ]


def directory_problem(source: str) -> list[str]:
    """Return the sentence about a directory that is not there."""
    try:
        is_there = Path(source).expanduser().is_dir()
    except (RuntimeError, ValueError, OSError):  # "~nobody/x", a null character, a name that is too long
        is_there = False
    return (
        []
        if is_there
        else [f"the code's directory {source!r} is not there. Give the directory of your code, e.g. ./src"]
    )


def fetch_file(source: str, name: str, to: Path) -> None:
    """Fetch one file of a directory in OSS into the directory `to`.

    Raises:
        PackageError: it is not there.
    """
    storage = _storage(source)
    if Path(name).is_absolute() or ".." in Path(name).parts or storage.head(name) is None:
        raise PackageError(f"there is no {name!r} at {source!r}. Name the script with --entry-point.")
    place = to / name
    place.parent.mkdir(parents=True, exist_ok=True)
    storage.get(name, place)


def _directory(source: str) -> Path:
    for sentence in directory_problem(source):
        raise PackageError(sentence)
    return Path(source).expanduser()


def _state_in_oss(source: str) -> CodeState:
    base, slash, name = source.rpartition("/")
    storage = _storage(f"{base}{slash}")
    if name:
        entry = storage.head(name)
        entries = [entry] if entry is not None else []
    else:
        entries = [entry for entry in storage.list(recursive=True) if not entry.is_directory]
    if not entries:
        raise PackageError(
            f"there is no code at {source!r}. Check the address, and upload it first: %pai_oss cp SRC {source}"
        )
    files = {entry.key: entry.etag or f"{entry.size}" for entry in entries}
    listed = "".join(
        f"{entry.key}\0{entry.size}\0{entry.etag}\n" for entry in sorted(entries, key=lambda each: each.key)
    )
    return CodeState(
        digest=hashlib.sha256(listed.encode()).hexdigest(),
        files=files,
        count=len(entries),
        size=sum(entry.size for entry in entries),
    )


def _storage(uri: str) -> Storage:
    session = get_default_session()
    return session.open_storage(uri) if session is not None else open_storage(uri)
