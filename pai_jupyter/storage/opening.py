"""Open the storage at a URI. A new kind of storage is one line in `_OPENERS`."""

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
    """Open the storage at `uri` (a local path, or `oss://bucket[.endpoint]/directory`) without any request.

    `endpoint` and `region` apply if the address has no endpoint; without `credentials` only public objects can be read.

    Raises:
        SpecError: the address is invalid, or the bucket's endpoint is unknown.
        BackendError: a package for this kind of storage is not installed.
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
    from pai_jupyter.storage.oss import OssStorage, bucket  # imported late: most jobs have local files

    url = parse_oss_url(uri)
    if url.endpoint and (endpoint or "").rstrip("/").partition("://")[2] != url.endpoint:
        endpoint = url.endpoint
    opened = bucket(url.bucket_name, credentials=credentials, endpoint=endpoint, region=region)
    return OssStorage(opened, url.object_key)


_OPENERS: dict[str, Callable[[str, Credentials | None, str | None, str | None], Storage]] = {
    "": _open_local,
    "oss": _open_oss,
}
