"""Cache cloud data on this machine: downloaded once, verified, shared by jobs, never changed while a job reads it.

    <home>/cache/data/<address>/      one per address, named by its digest
        lock               held to check, download and clean up; others wait
        next/              an unfinished download, to be resumed after a kill
        <version>.<token>/ a tree as jobs see it: complete, with read-only files
        current.json       the newest tree and its listing
        users/<job id>     the tree that a job reads

Rule 1: a tree appears by a rename once all files have OSS's checksums and OSS's listing is still the same. It never changes.
    Changed data give a new tree that shares unchanged files.
Rule 2: data count as unchanged if names, sizes and ETags in OSS and sizes and times of the local files are as recorded; else
    local files are compared by checksum.
Rule 3: a tree is deleted when there is a newer one and all jobs that read it have ended.
"""

import hashlib
import json
import os
import secrets
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pai_jupyter.backends.local.remote import Listing, RemoteData, version_of
from pai_jupyter.errors import LimitExceededError, NotFoundError, PaiJupyterError, UnavailableError
from pai_jupyter.storage import TransferCancelled
from pai_jupyter.storage.address import shown
from pai_jupyter.storage.disk import disk_errors, draft, is_draft, walk
from pai_jupyter.storage.progress import Report, in_words
from pai_jupyter.store import JobStore
from pai_jupyter.store.disk import make_folder, translated
from pai_jupyter.store.lock import try_lock

LOOKS = 3  # tries to download data that change meanwhile
SHORTEST, LONGEST = 0.05, 1.0  # seconds between two tries to get the lock

Files = dict[str, list[float]]
"""Size and mtime of every file in a tree, by key."""


@dataclass(frozen=True, kw_only=True)
class CachedData:
    """Local data: `count` files of `size` bytes in `tree`; `is_new`: they were downloaded just now."""

    tree: Path
    count: int
    size: int
    is_new: bool


class DataCache:
    """The data cache below `home`, the home of the jobs that read it."""

    def __init__(self, home: Path) -> None:
        self._root = home / "cache" / "data"
        self._jobs = JobStore(home)

    def bring(
        self, data: RemoteData, *, user: str | None, cancel: threading.Event, progress: Report | None = None
    ) -> CachedData:
        """Provide `data` locally for the job `user` until it ends. Blocking; concurrent calls for the same data wait.

        `progress` receives the progress of a download, if there is one.

        Raises:
            TransferCancelled: `cancel` was set; the next call resumes.
            PaiJupyterError: the download failed. Finished parts stay for the next call.
        """
        place = self._root / hashlib.sha256(data.uri.encode(errors="surrogateescape")).hexdigest()[:16]
        with translated(place):
            make_folder(place / "users")
        with _alone(place / "lock", cancel):
            listing: Listing = data.look()
            current = _read_current(place)
            is_new = current.version != version_of(listing) or not current.is_intact
            if is_new:
                current, listing = _renew(place, data, listing, current, cancel, progress)
            with disk_errors(place):
                if user is not None:
                    (place / "users" / user).write_text(current.tree.name)
                self._sweep(place, current.tree)
        files = [entry for entry in listing.values() if not entry.is_directory]
        return CachedData(tree=current.tree, count=len(files), size=sum(entry.size for entry in files), is_new=is_new)

    def _sweep(self, place: Path, newest: Path) -> None:
        """Delete trees without readers."""
        kept = {newest.name, "next", "users"}
        for mark in (place / "users").iterdir():
            if self._has_ended(mark.name):
                mark.unlink()
            else:
                kept.add(mark.read_text())
        for tree in place.iterdir():
            if tree.is_dir() and tree.name not in kept:
                shutil.rmtree(tree, ignore_errors=True)

    def _has_ended(self, job_id: str) -> bool:
        try:
            return self._jobs.open(job_id).read().state.status.is_terminal
        except NotFoundError:
            return True
        except PaiJupyterError:
            return False  # a damaged record: unknown


@dataclass(frozen=True, kw_only=True)
class _Current:
    """The newest tree; a missing one is not intact."""

    tree: Path
    version: str
    files: Files

    @property
    def is_intact(self) -> bool:
        """Whether its files are unchanged."""
        try:
            return _files_in(self.tree) == self.files
        except PaiJupyterError:
            return False


def _read_current(place: Path) -> _Current:
    try:
        current: dict[str, Any] = json.loads((place / "current.json").read_bytes())  # Any: parsed JSON
        return _Current(tree=place / Path(current["tree"]).name, version=current["version"], files=current["files"])
    except (OSError, ValueError, LookupError, TypeError):
        return _Current(tree=place / "none", version="", files={})


def _renew(
    place: Path,
    data: RemoteData,
    listing: Listing,
    old: _Current,
    cancel: threading.Event,
    progress: Report | None,
) -> tuple[_Current, Listing]:
    """Download new data and build a tree from them."""
    coming = place / "next"
    for _ in range(LOOKS):
        with disk_errors(coming):
            if not coming.exists():
                _seed(coming, old, listing)
            _prune(coming, listing)
            _check_room(coming, data, listing)
        data.download(coming, cancel, progress)
        before, listing = listing, data.look()
        if version_of(before) == version_of(listing):
            with disk_errors(coming):
                return _finish(coming, data, listing), listing
    raise UnavailableError(f"{shown(data.uri)} changes while it is downloaded. Try again when nobody writes there.")


def _seed(coming: Path, old: _Current, listing: Listing) -> None:
    """Link the files of the old tree; the download compares them by checksum."""
    coming.mkdir(mode=0o700)
    for key, (size, _) in old.files.items():
        if key in listing and listing[key].size == size and not key.endswith("/"):
            (coming / key).parent.mkdir(parents=True, exist_ok=True)
            with suppress(OSError):  # missing, or a disk without hard links: download the file again
                os.link(old.tree / key, coming / key)


def _prune(coming: Path, listing: Listing) -> None:
    """Delete files missing from the listing; keep partial downloads."""
    folders = {str(above) for key in listing for above in Path(key.removesuffix("/")).parents}
    folders |= {key.removesuffix("/") for key in listing if key.endswith("/")}
    for parent, names, files in os.walk(coming):
        for name in [name for name in names if str((Path(parent) / name).relative_to(coming)) not in folders]:
            names.remove(name)
            shutil.rmtree(Path(parent) / name)
        for path in (Path(parent) / name for name in files if not is_draft(name)):
            if str(path.relative_to(coming)) not in listing:
                path.unlink()


def _check_room(coming: Path, data: RemoteData, listing: Listing) -> None:
    """Raise before the download if the disk is too small."""
    here = sum(path.lstat().st_blocks * 512 for path in coming.rglob("*") if path.is_file())
    whole = sum(entry.size for entry in listing.values())
    free = shutil.disk_usage(coming).free
    if whole - here > free:
        raise LimitExceededError(
            f"{shown(data.uri)} holds {in_words(whole)}, of which {in_words(whole - here)} must still be downloaded, but the "
            f"disk that holds {coming.parents[1]} has only {in_words(free)} left. Make room there (what is in that directory "
            "may be deleted while no job runs), or set PAI_JUPYTER_HOME to a larger disk."
        )


def _finish(coming: Path, data: RemoteData, listing: Listing) -> _Current:
    """Turn a complete download into a tree."""
    for parent, _, files in os.walk(coming):
        Path(parent).chmod(0o755)  # readable for any user of a container; the home above is private
        for path in (Path(parent) / name for name in files):
            if is_draft(path.name):
                path.unlink()
            else:
                path.chmod(0o444)
    version = version_of(listing)
    tree = coming.with_name(f"{version}.{secrets.token_hex(4)}")
    coming.rename(tree)
    current = _Current(tree=tree, version=version, files=_files_in(tree))
    record = {"uri": data.uri, "version": version, "tree": tree.name, "files": current.files}
    with draft(tree.parent / "current.json") as out:
        out.write(json.dumps(record).encode())
    return current


def _files_in(tree: Path) -> Files:
    return {found.key: [found.size, found.modified] for found in walk(tree)}


@contextmanager
def _alone(lock: Path, cancel: threading.Event) -> Iterator[None]:
    """Hold `lock`, waiting for other holders."""
    pause = SHORTEST
    while (held := try_lock(lock)) is None:
        if cancel.wait(pause):
            raise TransferCancelled(
                "the submission was interrupted while it waited for data that another one downloads."
            )
        pause = min(2 * pause, LONGEST)
    with held:
        yield
