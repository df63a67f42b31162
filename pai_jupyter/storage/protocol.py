"""What the rest of the package knows of a storage. An implementation may be a local directory or a bucket."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pai_jupyter.storage.progress import TransferProgress

LARGE = 20 * 1024 * 1024  # bytes; a larger file is moved alone, since a storage may spread it over threads itself


class AccessKey(Protocol):
    """One access key; with a `security_token` it is a temporary one."""

    @property
    def access_key_id(self) -> str: ...
    @property
    def access_key_secret(self) -> str: ...
    @property
    def security_token(self) -> str | None: ...


class Credentials(Protocol):
    """Where access keys come from."""

    def get(self) -> AccessKey:
        """Return the key for the next request; called for each one, from any thread, so that tokens can be renewed."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One line of a listing. The key of a directory ends with a slash; `modified` is in seconds since the epoch.

    `etag` is another one when the content is; empty where a storage has none.
    """

    key: str
    size: int = 0
    modified: float | None = None
    etag: str = ""

    @property
    def is_directory(self) -> bool:
        return self.key.endswith("/")

    @property
    def name(self) -> str:
        """The last part of the key, without the slash of a directory."""
        return self.key.rstrip("/").rpartition("/")[2]


class Storage(Protocol):
    """Bytes under keys, below one place. Keys are relative to it and use `/`; no method needs a directory made before.

    Every method may raise a `PaiJupyterError` for what the place answers, and is safe to call from several threads.
    """

    uri: str
    """The place itself, ending with a slash, as it may be opened again."""

    def put(self, key: str, source: Path | bytes, *, progress: TransferProgress | None = None) -> None:
        """Store a file's content, or these bytes, under `key`: the whole of it or nothing. `sub/` and b"" make a directory."""

    def put_if_absent(self, key: str, source: Path | bytes, *, progress: TransferProgress | None = None) -> bool:
        """Store it unless there is something under `key`, then touch nothing; returns whether there was."""

    def get(self, key: str, to: Path, *, progress: TransferProgress | None = None) -> None:
        """Write the object to the file `to`, whose directory exists: the whole of it, verified, or nothing.

        Raises:
            NotFoundError: there is no such object.
        """

    def read(self, key: str, *, start: int = 0, size: int | None = None) -> bytes:
        """`size` bytes from `start`; fewer, or none, at the end of the object."""

    def head(self, key: str) -> Entry | None:
        """Return what is stored under `key`, or None."""

    def holds(
        self, key: str, path: Path, *, told: Entry | None = None, progress: TransferProgress | None = None
    ) -> bool:
        """Return whether the object equals the file `path`, as far as size and checksum tell.

        `told` is what a listing has just said of it: where that is proof enough, nobody is asked again.
        """

    def list(self, prefix: str = "", *, recursive: bool = False, after: str = "") -> Iterator[Entry]:
        """Yield the entries whose keys begin with `prefix`, in key order; only those after the key `after`.

        Not `recursive`, a directory is one entry and nothing below it is told. `recursive`, only the files are, and
        directories that were made as such.
        """

    def delete(self, keys: Iterable[str]) -> None:
        """Remove these; one that is not there is no error."""

    def presign(self, key: str, *, seconds: int) -> str:
        """Create an address from which anybody can read the object for `seconds` without credentials."""
