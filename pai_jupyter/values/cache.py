"""The cache of sent values below the home of the jobs: every content once, for as long as a job of the home needs it.

    <home>/cache/values/
        content/<address>     a file, a hard link of those in `sets`: its checksum, with a number if another has the same
        sets/<digest>/        the values of a job as it sees them: `values.json` and its files, read-only
        users/<digest>/<job>  the jobs that were given it
        <token>.tmp/          one that is being written

Rule 1: a set appears by a rename, complete, and never changes; its name is the digest of its manifest, which has those of the files.
Rule 2: a set stays while a job that was given it is in the home, so that the job can be run again; one that no job was given stays
    for an hour. Then `sweep_values` deletes it.
"""

import os
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_BLOCK = 1 << 20  # bytes
UNUSED = 3600.0  # seconds that a set without a job stays


def cache_of(home: Path) -> Path:
    return home / "cache" / "values"


@contextmanager
def new_set(home: Path) -> Iterator[Path]:
    """Create a directory to write values into; the end of the block deletes what is left of it.

    Raises:
        OSError: the home cannot be written.
    """
    cache = cache_of(home)
    for name in ("content", "sets", "users"):
        (cache / name).mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = cache / f"{secrets.token_hex(8)}.tmp"
    draft.mkdir(mode=0o700)
    try:
        yield draft
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def share(home: Path, path: Path, checksum: str) -> str:
    """Make `path` a link of the file in the cache that has its content, or the other way round; return the content's address.

    Two files may have one checksum, so their bytes are compared; the other one gets a number.
    """
    path.chmod(0o444)
    address, number = checksum, 1
    while True:
        known = cache_of(home) / "content" / address
        try:
            os.link(path, known)
        except FileExistsError:
            if _is_same(path, known):
                twin = path.with_name(f"{path.name}.tmp")
                os.link(known, twin)
                twin.replace(path)
                return address
            number += 1
            address = f"{checksum}-{number}"
        except OSError:  # a disk without hard links: nothing is shared
            return f"{checksum}-{secrets.token_hex(8)}"
        else:
            return address


def _is_same(one: Path, other: Path) -> bool:
    with one.open("rb") as first, other.open("rb") as second:
        while (block := first.read(_BLOCK)) == second.read(_BLOCK):
            if not block:
                return True
    return False


def keep_set(home: Path, draft: Path, digest: str) -> Path:
    """Give a complete set its name; return its place."""
    place = cache_of(home) / "sets" / digest
    draft.chmod(0o755)  # any user of a container may read it; the home is private
    try:
        draft.rename(place)
    except OSError:
        if not place.is_dir():
            raise
    os.utime(place)
    return place


def use_values(home: Path, place: str, job_id: str) -> None:
    """Note that the job is given the values at `place`, unless they are none of this cache."""
    path = Path(place)
    if path.parent == cache_of(home) / "sets":
        users = cache_of(home) / "users" / path.name
        users.mkdir(parents=True, exist_ok=True, mode=0o700)
        (users / job_id).touch()


def sweep_values(home: Path) -> None:
    """Delete the values that no job of the home was given; never fails."""
    cache, jobs = cache_of(home), home / "jobs"
    with suppress(OSError):
        for place in [*(cache / "sets").iterdir(), *cache.glob("*.tmp")]:
            if not _is_used(cache / "users" / place.name, jobs) and time.time() - place.lstat().st_mtime > UNUSED:
                shutil.rmtree(place, ignore_errors=True)
                shutil.rmtree(cache / "users" / place.name, ignore_errors=True)
        for path in (cache / "content").iterdir():
            with suppress(OSError):
                if path.stat().st_nlink == 1:
                    path.unlink()


def _is_used(users: Path, jobs: Path) -> bool:
    with suppress(OSError):
        return any((jobs / mark.name).is_dir() for mark in users.iterdir())
    return False
