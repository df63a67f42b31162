"""HDFS as this process's settings describe it: `hdfs_url`, `hdfs_user`, `hdfs_datanodes`."""

import os
import threading
from dataclasses import dataclass
from pathlib import Path

from pai_jupyter import storage
from pai_jupyter.config import settings
from pai_jupyter.errors import SpecError
from pai_jupyter.storage.hdfs import HdfsAccess, parse_hdfs_url
from pai_jupyter.storage.progress import Note, Report


@dataclass(frozen=True, kw_only=True)
class HdfsSession:
    """The HDFS of a notebook, and the user who asks for its files."""

    access: HdfsAccess

    def uri(self, path: str = "") -> str:
        """Return the address of `path` in the HDFS that is set.

        Raises:
            SpecError: none is set.
        """
        if not self.access.host:
            raise SpecError(
                "no HDFS is set. Type: %pai_config set hdfs_url=http://HOST:50070, or write hdfs://HOST/PATH",
                field="hdfs_url",
            )
        return f"hdfs://{self.access.host}/{path.lstrip('/')}"

    def open_storage(self, uri: str) -> storage.Storage:
        """Open the directory at `uri`, without a request."""
        return storage.open_storage(uri, hdfs=self.access)

    def whole(self, uri: str) -> tuple[storage.Storage, str]:
        """Open the file system of `uri`, and return it with the path in it."""
        url = parse_hdfs_url(uri)
        return self.open_storage(url.root), url.path

    def upload(
        self, path: str | os.PathLike[str], uri: str, *, progress: Report, note: Note, cancel: threading.Event
    ) -> str:
        """Call `storage.upload` as this user."""
        return storage.upload(path, uri, progress=progress, note=note, cancel=cancel, hdfs=self.access)

    def download(
        self, uri: str, path: str | os.PathLike[str], *, progress: Report, note: Note, cancel: threading.Event
    ) -> Path:
        """Call `storage.download` as this user."""
        return storage.download(uri, path, progress=progress, note=note, cancel=cancel, hdfs=self.access)


def hdfs_session() -> HdfsSession:
    """Return the session of the settings.

    Raises:
        SpecError: a setting is invalid.
    """
    user, base, nodes = (settings().get(name) or "" for name in ("hdfs_user", "hdfs_url", "hdfs_datanodes"))
    return HdfsSession(access=HdfsAccess.of(user=user, base=base, data_nodes=nodes))
