"""Fetch data from OSS for a local job: a directory or one object, with this kernel's session.

Rule 1: an address that ends with a slash is a directory, any other is one object. A mere key prefix is an error that suggests
    the slash.
Rule 2: checking an address (`check_oss`) makes no request; `look` and `download` do.
"""

import hashlib
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pai_jupyter.errors import NotFoundError, SpecError
from pai_jupyter.storage import Entry, OssUrl, Storage, download, open_storage, parse_oss_url
from pai_jupyter.storage.address import check_key, endpoint_url, shown
from pai_jupyter.storage.progress import Report

Listing = Mapping[str, Entry]
"""The entries by key: all below a directory, or an object under its name."""


@dataclass(frozen=True, kw_only=True)
class RemoteData:
    """The data at an OSS address; `name` is an object's, None for a directory. `above` ends with a slash."""

    above: str
    name: str | None
    access: Mapping[str, Any] = field(repr=False)  # Any: arguments of `storage`, each with its own type

    @property
    def uri(self) -> str:
        return self.above + (self.name or "")

    def look(self) -> dict[str, Entry]:
        """List the current entries.

        Raises:
            NotFoundError: there are none.
            SpecError: it is a directory, but the address has no final slash.
        """
        storage = open_storage(self.above, **self.access)
        if self.name is not None:
            found = storage.head(self.name)
            if found is None:
                raise self._missing(storage)
            return {self.name: found}
        entries = {entry.key: entry for entry in storage.list(recursive=True)}
        if not entries and not self._is_marked():
            raise _nothing(self.uri)
        return entries

    def download(self, to: Path, cancel: threading.Event, progress: Report | None = None) -> None:
        """Download the data into the directory `to`; unchanged files there stay."""
        download(self.uri, to, cancel=cancel, progress=progress, **self.access)

    def _is_marked(self) -> bool:
        """Return whether the directory has a marker object or is a whole bucket."""
        url = parse_oss_url(self.above)
        above, _, name = url.object_key.rstrip("/").rpartition("/")
        if not name:
            return True  # a whole bucket
        storage = open_storage(
            str(OssUrl(bucket_name=url.bucket_name, endpoint=url.endpoint, object_key=above)), **self.access
        )
        return storage.head(name + "/") is not None

    def _missing(self, storage: Storage) -> Exception:
        below = f"{self.name}/"
        if next(iter(storage.list(below)), None) is None and storage.head(below) is None:
            return _nothing(self.uri)
        return SpecError(
            f"{shown(self.uri)} is a directory, and an address of one ends with a slash: {shown(self.uri + '/')}",
            field="inputs",
        )


def remote_data(uri: str) -> RemoteData:
    """Parse the OSS address `uri` into a data source, without a request.

    Raises:
        SpecError: the address is invalid, or the bucket's endpoint is unknown.
    """
    url, access = parse_oss_url(uri), _access()
    above, slash, name = url.object_key.rpartition("/")
    if name:
        check_key(name)
    elif not slash and not uri.endswith("/"):
        raise SpecError(f"{shown(uri)} is a whole bucket. If that is meant, write {shown(uri + '/')}.", field="inputs")
    endpoint = endpoint_url(url.endpoint or access.get("endpoint"), access.get("region"))
    # with the host, since other clouds may have a bucket of the same name
    place = OssUrl(bucket_name=url.bucket_name, endpoint=endpoint.partition("://")[2], object_key=above + slash)
    return RemoteData(above=str(place), name=name or None, access=access)


def check_oss(uri: str) -> str:
    """Why jobs of this machine cannot have what is at `uri`, as far as known without a request; "" if they can."""
    if find_spec("oss2") is None:
        return "data in OSS need the package 'oss2'. Type: %pip install 'pai_jupyter[oss]'"
    try:
        remote_data(uri)
    except SpecError as exc:
        return str(exc)
    return ""


def version_of(listing: Listing) -> str:
    """Hash a listing's keys, sizes and ETags (or modification times) to identify its content."""
    lines = [f"{e.key}\0{e.size}\0{e.etag or e.modified}\n" for _, e in sorted(listing.items())]
    return hashlib.sha256("".join(lines).encode(errors="surrogateescape")).hexdigest()[:16]


def _access() -> dict[str, Any]:  # Any: as in RemoteData
    from pai_jupyter.cloud.session import get_default_session  # imported late: the cloud's clients are slow to import

    session = get_default_session()
    if session is None:
        return {}  # without keys only public data can be read
    return {"credentials": session.credentials, "endpoint": session.oss_endpoint, "region": session.region_id}


def _nothing(uri: str) -> NotFoundError:
    return NotFoundError(f"there is nothing at {shown(uri)}. Check the address, upper and lower case included.")
