"""A request as it came: its bucket, its key, and what of it is signed. No I/O.

    path style       /BUCKET/KEY at an IP address, at localhost, or at an endpoint itself
    virtual-hosted   /KEY, at the host BUCKET.ENDPOINT, where ENDPOINT is an IP address, localhost, or named oss-...

Rule 1: the bucket is split off the path as it came, then the key is unquoted once: a `%2F` in it is a slash of the key,
        and a `+` is a plus. In a query a `+` is a space.
Rule 2: a client that takes us for its proxy sends a whole address in the place of a path; its host is not looked at: the
        header `Host` says the same.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, unquote

_ENDPOINT = re.compile(r"localhost|\d+(?:\.\d+){3}|(?:[\w-]+[.-])*?oss[.-][\w.-]+")
_ABSOLUTE = re.compile(r"https?://[^/]*", re.IGNORECASE)
_AS_IT_CAME = "surrogateescape"  # bytes that are no UTF-8 are kept, to be compared with what was signed


@dataclass(frozen=True, kw_only=True)
class OssRequest:
    """Names of headers are in lower case; `query` is decoded. Without a bucket it is about all of them."""

    method: str
    bucket: str
    key: str
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def is_conditional_put(self) -> bool:
        """Whether nothing is to be overwritten."""
        return self.headers.get("x-oss-forbid-overwrite") == "true"


def read(method: str, target: bytes, query: bytes, headers: Iterable[tuple[bytes, bytes]]) -> OssRequest:
    """Build the request from path and query, as they stand on its first line, and its headers."""
    told = _headers(headers)
    path = _ABSOLUTE.sub("", target.decode("latin-1"), count=1)
    bucket, rest = _bucket_of(told.get("host", "")), path.removeprefix("/")
    if bucket is None:
        bucket, _, rest = rest.partition("/")
    return OssRequest(
        method=method,
        bucket=unquote(bucket),
        key=unquote(rest, errors=_AS_IT_CAME),
        query=dict(parse_qsl(query.decode("latin-1"), keep_blank_values=True, errors=_AS_IT_CAME)),
        headers=told,
    )


def _headers(pairs: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    told: dict[str, str] = {}
    for raw, value in pairs:
        name, text = raw.decode("latin-1").lower(), value.decode(errors=_AS_IT_CAME).strip()
        told[name] = f"{told[name]},{text}" if name in told else text
    return told


def _bucket_of(host: str) -> str | None:
    name, _, above = host.partition(":")[0].partition(".")
    return name if above and _ENDPOINT.fullmatch(above) else None
