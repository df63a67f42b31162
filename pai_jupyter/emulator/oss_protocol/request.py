"""Parse a request: bucket, key, query and headers. No I/O.

    path style       /BUCKET/KEY at an IP address, at localhost, or at an endpoint itself
    virtual-hosted   /KEY at the host BUCKET.ENDPOINT; ENDPOINT is an IP address, localhost, or a name like oss-...

Rule 1: the bucket is split off the undecoded path, then the key is decoded once: `%2F` is a slash of the key, `+` is a plus.
        In a query `+` is a space.
Rule 2: a client that uses the emulator as its proxy sends an absolute URL instead of a path; its host is ignored, since the
        header `Host` has the same.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, unquote

_ENDPOINT = re.compile(r"localhost|\d+(?:\.\d+){3}|(?:[\w-]+[.-])*?oss[.-][\w.-]+")
_ABSOLUTE = re.compile(r"https?://[^/]*", re.IGNORECASE)
_KEEP_BYTES = "surrogateescape"  # keeps bytes that are not UTF-8, since signatures cover them


@dataclass(frozen=True, kw_only=True)
class OssRequest:
    """A request; header names are in lower case, `query` is decoded. An empty `bucket` means all buckets."""

    method: str
    bucket: str
    key: str
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def is_conditional_put(self) -> bool:
        """Whether the request forbids overwriting an object."""
        return self.headers.get("x-oss-forbid-overwrite") == "true"


def read(method: str, target: bytes, query: bytes, headers: Iterable[tuple[bytes, bytes]]) -> OssRequest:
    """Build the request from its undecoded path and query, and its headers."""
    told = _headers(headers)
    path = _ABSOLUTE.sub("", target.decode("latin-1"), count=1)
    bucket, rest = _bucket_of(told.get("host", "")), path.removeprefix("/")
    if bucket is None:
        bucket, _, rest = rest.partition("/")
    return OssRequest(
        method=method,
        bucket=unquote(bucket),
        key=unquote(rest, errors=_KEEP_BYTES),
        query=dict(parse_qsl(query.decode("latin-1"), keep_blank_values=True, errors=_KEEP_BYTES)),
        headers=told,
    )


def _headers(pairs: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    told: dict[str, str] = {}
    for raw, value in pairs:
        name, text = raw.decode("latin-1").lower(), value.decode(errors=_KEEP_BYTES).strip()
        told[name] = f"{told[name]},{text}" if name in told else text
    return told


def _bucket_of(host: str) -> str | None:
    name, _, above = host.partition(":")[0].partition(".")
    return name if above and _ENDPOINT.fullmatch(above) else None
