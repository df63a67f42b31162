"""Compute the checksums of OSS: CRC-64 (the SDK's, in C), and the MD5 of an object uploaded in one piece.

A listing has the ETag of each object but no CRC. The ETag of an object uploaded in one piece is its MD5; for others (in parts,
appended, encrypted) it may be anything. So an ETag equal to a file's MD5 proves that both are the same; a different one proves
nothing.
"""

import hashlib
from collections.abc import Callable, Iterable
from copy import copy
from functools import lru_cache
from pathlib import Path
from typing import Any

from pai_jupyter.storage.disk import reading
from pai_jupyter.storage.progress import TransferProgress


def crc64() -> Any:  # Any: oss2 has no types
    """Create a running checksum: `update(bytes)`, and `crc` for its value."""
    running = copy(_blank())
    running.crc64 = running.crc64.copy()
    return running


def crc_of_file(path: Path, progress: TransferProgress, *, start: int = 0, size: int | None = None) -> int:
    """Compute the CRC-64 of `size` bytes from `start`, or of all; stop if the transfer is cancelled."""
    crc = crc64()
    with reading(path, TransferProgress(), start=start, size=size) as body:
        for block in body:
            progress.check()
            crc.update(block)
    return int(crc.crc)


def md5_of_file(path: Path, progress: TransferProgress) -> str:
    """Compute the MD5 of a file, formatted as an ETag."""
    return md5_of(path, progress)


def md5_of(source: Path | bytes, progress: TransferProgress, *, start: int = 0, size: int | None = None) -> str:
    """Compute the MD5 of `size` bytes of `source` from `start`, or of all, formatted as an ETag."""
    digest = hashlib.md5(usedforsecurity=False)
    with reading(source, TransferProgress(), start=start, size=size) as body:
        for block in body:
            progress.check()
            digest.update(block)
    return digest.hexdigest().upper()


def combined(crcs: Iterable[tuple[int, int]]) -> int:
    """Combine the checksums of consecutive parts, given as (checksum, size)."""
    combine: Callable[[int, int, int], int] = crc64().combine
    whole = 0
    for crc, size in crcs:
        whole = combine(whole, crc, size)
    return whole


@lru_cache(maxsize=1)
def _blank() -> Any:  # Any: oss2 has no types
    """Return the checksum of zero bytes, to be copied: creating one computes tables, which takes longer than a small file."""
    import oss2.utils

    return oss2.utils.Crc64()
