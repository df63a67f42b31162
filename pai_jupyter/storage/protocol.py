"""The interface of a storage: a local directory, a bucket, or a directory of HDFS."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pai_jupyter.storage.progress import TransferProgress

LARGE = 20 * 1024 * 1024  # bytes; a larger file is moved alone, since the storage may use threads for it


class AccessKey(Protocol):
    """One access key, temporary with a `security_token`."""

    @property
    def access_key_id(self) -> str: ...
    @property
    def access_key_secret(self) -> str: ...
    @property
    def security_token(self) -> str | None: ...


class Credentials(Protocol):
    """A source of access keys."""

    def get(self) -> AccessKey:
        """Return the key for the next request; called for each one, from any thread, so that tokens can be renewed."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One line of a listing. The key of a directory ends with a slash; `modified` is in seconds since the epoch.

    `etag` changes with the content; "" if the storage has none.
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
    """Bytes under keys below one base address. Keys are relative and use `/`; no directory has to be created first.

    Every method may raise a `PaiJupyterError`, and is safe to call from several threads.
    """

    uri: str
    """The base address, ending with a slash; `open_storage` accepts it."""

    def put(self, key: str, source: Path | bytes, *, progress: TransferProgress | None = None) -> None:
        """Store a file's content or these bytes under `key`, completely or not at all. `sub/` with b"" creates a directory."""

    def put_if_absent(self, key: str, source: Path | bytes, *, progress: TransferProgress | None = None) -> bool:
        """Store it unless `key` exists, which then stays unchanged; return whether it existed."""

    def get(self, key: str, to: Path, *, listed: Entry | None = None, progress: TransferProgress | None = None) -> None:
        """Write the object to the file `to` in an existing directory, complete and verified or not at all.

        `listed` is its entry from a recent listing; it saves requests, and what it says is not relied on.

        Raises:
            NotFoundError: there is no such object.
        """

    def read(self, key: str, *, start: int = 0, size: int | None = None) -> bytes:
        """Return `size` bytes from `start`; fewer at the end of the object."""

    def head(self, key: str) -> Entry | None:
        """Return the entry of `key`, or None."""

    def holds(
        self, key: str, path: Path, *, listed: Entry | None = None, progress: TransferProgress | None = None
    ) -> bool:
        """Return whether size and checksum show that the object equals the file `path`.

        `listed` is its entry from a recent listing; if that is enough proof, no request is made.
        """

    def list(self, prefix: str = "", *, recursive: bool = False, after: str = "") -> Iterator[Entry]:
        """Yield the entries whose keys begin with `prefix`, in key order, after the key `after`.

        Unless `recursive`, a directory is one entry, without its content. With `recursive`, the entries are files and
        explicitly created directories.
        """

    def delete(self, keys: Iterable[str]) -> None:
        """Delete these keys; missing ones are ignored."""

    def delete_tree(self, key: str) -> int:
        """Delete the directory `key`, which ends with a slash, with everything in it; return the number of files deleted."""

    def presign(self, key: str, *, seconds: int) -> str:
        """Create a URL that gives everybody read access to the object for `seconds`.

        Raises:
            SpecError: this kind of storage has none.
        """
