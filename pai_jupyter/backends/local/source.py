"""Fetch the code of a local job whose `source_dir` is in OSS: a directory, or a tar.gz of one."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pai_jupyter.backends.local.cache import DataCache
from pai_jupyter.backends.local.remote import check_oss, remote_data
from pai_jupyter.errors import PackageError
from pai_jupyter.package import unpack
from pai_jupyter.storage.address import shown
from pai_jupyter.storage.opening import scheme_of
from pai_jupyter.store import JobStore, Scratch

_ARCHIVES = (".tar.gz", ".tgz")


def is_remote_source(source_dir: Path | str | None) -> bool:
    """Return whether `source_dir` is an OSS address, to be downloaded by `source_at`."""
    return isinstance(source_dir, str) and scheme_of(source_dir) == "oss"


def check_source(source_dir: Path | str | None, backend: str) -> list[str]:
    """Return sentences for a `source_dir` that is neither a local directory nor can be fetched."""
    if not isinstance(source_dir, str):
        return []
    if is_remote_source(source_dir):
        problem = check_oss(source_dir) or _check_kind(source_dir)
        return [f"`source_dir`: {problem}"] if problem else []
    if scheme_of(source_dir) or source_dir.startswith("git@"):
        return [
            f"`source_dir` is {source_dir!r}, which backend {backend!r} cannot read yet. "
            "Fetch it first and give the directory: --source-dir DIR"
        ]
    return []


@contextmanager
def source_at(uri: str, *, allow_large: bool = False) -> Iterator[Path]:
    """Provide the code at `uri` as a local directory while the block runs; blocking.

    Raises:
        PackageError: the archive is damaged, would write outside its directory, or is too large.
        PaiJupyterError: the download failed.
    """
    data = remote_data(uri)
    tree = DataCache(JobStore().home).bring(data, user=None, cancel=threading.Event()).tree
    if data.name is None:
        yield tree
        return
    with Scratch(JobStore().home) as scratch:
        source = scratch.path / "source"
        _unpack(tree / data.name, source, shown(uri), allow_large=allow_large)
        yield source


def _unpack(archive: Path, to: Path, uri: str, *, allow_large: bool) -> None:
    from pai_jupyter.package.member_tree import TooLargeError  # imported late, as in `package.unpack`

    try:
        unpack(archive, to, allow_large=allow_large)
    except TooLargeError as exc:
        raise PackageError(
            f"`source_dir` {uri}: {exc} If it is yours and meant to be so, allow it: --option package.allow_large=true"
        ) from exc
    except PackageError as exc:  # the message names the local copy, which the user does not know
        raise PackageError(f"`source_dir`: {str(exc).replace(repr(str(archive)), uri)}") from exc


def _check_kind(uri: str) -> str:
    if uri.endswith(("/", *_ARCHIVES)):
        return ""
    return f"{shown(uri)} is neither a directory, whose address ends with a slash, nor a .tar.gz. Give one of these."
