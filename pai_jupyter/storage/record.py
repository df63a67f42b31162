"""Record a transfer in parts in a small file, so that a killed one can resume.

Rule 1: a record is a hint. It is verified against the bytes before it is used.
Rule 2: one transfer at a time holds a record. A second transfer of the same file, or one that cannot write it, runs without.
Rule 3: a record grows line by line. An incomplete line of a killed process is ignored.
"""

import fcntl
import hashlib
import json
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

TOKEN = 16  # hexadecimal digits


class TransferRecord:
    """The lines of one transfer and its unique token. Without `fd` nothing is stored."""

    def __init__(self, token: str, path: Path | None = None, fd: int = -1) -> None:
        self.token = token
        self._path = path
        self._fd = fd
        self.lines = self._read()

    @property
    def is_kept(self) -> bool:
        return self._fd >= 0

    def append(self, line: dict[str, Any]) -> None:  # Any: JSON values
        self.lines.append(line)
        if self.is_kept:
            with suppress(OSError):  # a full disk only prevents resuming
                os.write(self._fd, json.dumps(line).encode() + b"\n")

    def clear(self) -> None:
        """Discard all lines."""
        self.lines = []
        if self.is_kept:
            os.ftruncate(self._fd, 0)

    def remove(self) -> None:
        """Delete the record of a finished transfer."""
        if self._path is not None:
            self._path.unlink(missing_ok=True)

    def _read(self) -> list[dict[str, Any]]:  # Any: parsed JSON
        lines = []
        if self.is_kept:
            for text in os.pread(self._fd, os.fstat(self._fd).st_size, 0).split(b"\n"):
                with suppress(ValueError):
                    line = json.loads(text)
                    lines += [line] if isinstance(line, dict) else []
        return lines


def records_folder() -> Path:
    """Return `transfers/` in $PAI_JUPYTER_HOME, else in the user's cache directory; losing it only costs time."""
    if given := os.environ.get("PAI_JUPYTER_HOME"):
        return Path(given).expanduser().absolute() / "transfers"
    from platformdirs import user_cache_path  # imported late: most kernels never need it

    return user_cache_path("pai_jupyter", appauthor=False) / "transfers"


@contextmanager
def recorded(folder: Path, *identity: str) -> Iterator[TransferRecord]:
    """Open the record of the transfer with this `identity` (kind, source, target)."""
    text = "\0".join(identity).encode(errors="surrogateescape")
    token = hashlib.sha256(text).hexdigest()[:TOKEN]
    path = folder / f"{token}.jsonl"
    fd = _claim(path)
    if fd is None:
        yield TransferRecord(secrets.token_hex(TOKEN // 2))
        return
    try:
        yield TransferRecord(token, path, fd)
    finally:
        os.close(fd)


def _claim(path: Path) -> int | None:
    """Lock a record and return its descriptor; None if another transfer holds it or the disk has no locks."""
    with suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        while True:
            fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if os.fstat(fd).st_ino == path.stat().st_ino:  # else its holder has just deleted it
                    return fd
            except FileNotFoundError:
                pass
            except OSError:
                os.close(fd)
                return None
            os.close(fd)
    return None
