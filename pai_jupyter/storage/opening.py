"""Open the storage at a URI. A new kind of storage is one line in `_OPENERS`."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pai_jupyter.errors import SpecError
from pai_jupyter.storage.address import parse_oss_url, shown
from pai_jupyter.storage.local import LocalStorage
from pai_jupyter.storage.protocol import Credentials, Storage

if TYPE_CHECKING:
    from pai_jupyter.storage.hdfs import HdfsAccess

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")


@dataclass(frozen=True, kw_only=True)
class Access:
    """What a storage may need to be opened, besides its address."""

    credentials: Credentials | None
    endpoint: str | None
    region: str | None
    hdfs: "HdfsAccess | None"


def open_storage(
    uri: str,
    *,
    credentials: Credentials | None = None,
    endpoint: str | None = None,
    region: str | None = None,
    hdfs: "HdfsAccess | None" = None,
) -> Storage:
    """Open the storage at `uri` (a local path, `oss://bucket[.endpoint]/directory`, `hdfs://host/directory`), without a request.

    `endpoint` and `region` apply if the address has no endpoint; without `credentials` only public objects can be read. HDFS is
    asked as `hdfs` says, else as the user of this process at the host's port 50070.

    Raises:
        SpecError: the address is invalid, or the bucket's endpoint is unknown.
        BackendError: a package for this kind of storage is not installed.
    """
    scheme = scheme_of(uri)
    if scheme not in _OPENERS:
        known = ", ".join(f"{name}://" if name else "a local path" for name in _OPENERS)
        raise SpecError(f"{shown(uri)} is at no storage that is known; there are {known}.", field="uri")
    return _OPENERS[scheme](uri, Access(credentials=credentials, endpoint=endpoint, region=region, hdfs=hdfs))


def scheme_of(uri: str) -> str:
    """Return the scheme of `uri` in lower case; "" for a local path."""
    found = _SCHEME.match(uri)
    return found[1].lower() if found else ""


def _open_local(uri: str, access: Access) -> Storage:
    return LocalStorage(Path(uri).expanduser())


def _open_oss(uri: str, access: Access) -> Storage:
    from pai_jupyter.storage.oss import OssStorage, bucket  # imported late: most jobs have local files

    url, endpoint = parse_oss_url(uri), access.endpoint
    if url.endpoint and (endpoint or "").rstrip("/").partition("://")[2] != url.endpoint:
        endpoint = url.endpoint
    opened = bucket(url.bucket_name, credentials=access.credentials, endpoint=endpoint, region=access.region)
    return OssStorage(opened, url.object_key)


def _open_hdfs(uri: str, access: Access) -> Storage:
    from pai_jupyter.storage.hdfs import HdfsAccess, HdfsStorage  # imported late, as above

    return HdfsStorage.at(uri, access.hdfs or HdfsAccess())


_OPENERS: dict[str, Callable[[str, Access], Storage]] = {
    "": _open_local,
    "oss": _open_oss,
    "hdfs": _open_hdfs,
}
