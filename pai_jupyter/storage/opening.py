"""From a URI to the storage that it names. A new kind of storage is one line in `_OPENERS`."""

import re
from collections.abc import Callable
from pathlib import Path

from pai_jupyter.errors import SpecError
from pai_jupyter.storage.address import parse_oss_url, shown
from pai_jupyter.storage.local import LocalStorage
from pai_jupyter.storage.protocol import Credentials, Storage

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")


def open_storage(
    uri: str, *, credentials: Credentials | None = None, endpoint: str | None = None, region: str | None = None
) -> Storage:
    """Open the storage at `uri`: a local path, or `oss://bucket[.endpoint]/directory`. Ask it nothing yet.

    `endpoint` and `region` count where the address itself names no other endpoint; without `credentials` only what is
    public can be read.

    Raises:
        SpecError: the address is none, or nothing says where the bucket is.
        BackendError: a package that this kind of storage needs is not installed.
    """
    scheme = scheme_of(uri)
    if scheme not in _OPENERS:
        known = ", ".join(f"{name}://" if name else "a local path" for name in _OPENERS)
        raise SpecError(f"{shown(uri)} is at no storage that is known; there are {known}.", field="uri")
    return _OPENERS[scheme](uri, credentials, endpoint, region)


def scheme_of(uri: str) -> str:
    """Return the scheme of `uri` in lower case; "" for a local path."""
    found = _SCHEME.match(uri)
    return found[1].lower() if found else ""


def _open_local(uri: str, credentials: Credentials | None, endpoint: str | None, region: str | None) -> Storage:
    return LocalStorage(Path(uri).expanduser())


def _open_oss(uri: str, credentials: Credentials | None, endpoint: str | None, region: str | None) -> Storage:
    from pai_jupyter.storage.oss import OssStorage, bucket  # late: most jobs have their files here

    url = parse_oss_url(uri)
    if url.endpoint and (endpoint or "").rstrip("/").partition("://")[2] != url.endpoint:
        endpoint = url.endpoint
    opened = bucket(url.bucket_name, credentials=credentials, endpoint=endpoint, region=region)
    return OssStorage(opened, url.object_key)


_OPENERS: dict[str, Callable[[str, Credentials | None, str | None, str | None], Storage]] = {
    "": _open_local,
    "oss": _open_oss,
}
