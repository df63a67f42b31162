"""Parse addresses `oss://bucket[.endpoint]/key`, keys and endpoints. No I/O.

Rule 1: a key is taken literally, `%`, `#` and `?` included; `oss://` addresses are not percent-encoded.
Rule 2: a key is valid as a local path only if it stays below its directory: no `..`, no leading slash, no NUL.
"""

import re
from dataclasses import dataclass

from pai_jupyter.errors import SpecError

_BUCKET = r"[a-z0-9][a-z0-9-]{1,61}[a-z0-9]"
_OSS_URL = re.compile(rf"oss://({_BUCKET})(?:\.([A-Za-z0-9][\w.-]*(?::\d+)?))?(?:/(.*))?", re.DOTALL)
_ENDPOINT = re.compile(r"(?:(https?)://)?([A-Za-z0-9][\w.-]*)(:\d+)?/?")
_REGION = re.compile(r"(?:.*[.-])?oss-([a-z]{2}-[a-z0-9-]+?)(?:-internal)?\.aliyuncs\.com")
_OWN_MACHINE = re.compile(r"localhost|[\d.]+")
_SHOWN = 200  # characters of a hostile key in a message


@dataclass(frozen=True, kw_only=True)
class OssUrl:
    """A parsed `oss://` address; `endpoint` is `host` or `host:port`, None if the address has none."""

    bucket_name: str
    object_key: str
    endpoint: str | None = None

    def __str__(self) -> str:
        endpoint = f".{self.endpoint}" if self.endpoint else ""
        return f"oss://{self.bucket_name}{endpoint}/{self.object_key}"


def parse_oss_url(url: str) -> OssUrl:
    """Parse `oss://bucket/key` or `oss://bucket.endpoint/key`, with or without a port; the endpoint may be an IP address.

    Raises:
        SpecError: it is not such an address.

    Example:
        >>> url = parse_oss_url("oss://bucket.oss-cn-shanghai.aliyuncs.com/data/train.csv")
        >>> url.bucket_name, url.object_key
        ('bucket', 'data/train.csv')
    """
    found = _OSS_URL.fullmatch(url)
    if found is None or (found[3] or "").startswith("/"):
        raise SpecError(
            f"{shown(url)} is no address in OSS. Write it as oss://BUCKET/KEY, or oss://BUCKET.ENDPOINT/KEY."
        )
    return OssUrl(bucket_name=found[1], endpoint=found[2], object_key=found[3] or "")


def check_key(key: str) -> None:
    """Reject a key that is not a path below a directory; a final slash names a directory.

    Raises:
        SpecError: it leaves the directory, or would be the same file name as another key.
    """
    parts = key.removesuffix("/").split("/")
    if "\0" in key or any(part in ("", ".", "..") for part in parts):
        raise SpecError(
            f"the key {shown(key)} is refused: as a file name it would be empty, hold a NUL, or lead out of its directory. "
            "Rename the object.",
            field="key",
        )


def endpoint_url(endpoint: str | None, region: str | None) -> str:
    """Add a scheme to the endpoint: https, but http on this machine; without an endpoint, use the region's public one.

    Raises:
        SpecError: neither is given, or the endpoint is invalid.
    """
    if not endpoint:
        if not region:
            raise SpecError(
                "the address of the bucket is unknown. Set its region (%pai_config set region=cn-shanghai), or write "
                "oss://BUCKET.ENDPOINT/KEY.",
                field="endpoint",
            )
        return f"https://oss-{region}.aliyuncs.com"
    found = _ENDPOINT.fullmatch(endpoint)
    if found is None:
        raise SpecError(f"{shown(endpoint)} is no endpoint; an example: oss-cn-shanghai.aliyuncs.com", field="endpoint")
    scheme = found[1] or ("http" if _OWN_MACHINE.fullmatch(found[2]) else "https")
    return f"{scheme}://{found[2]}{found[3] or ''}"


def region_of(endpoint: str) -> str | None:
    """Read the region from a cloud endpoint, e.g. `cn-shanghai`; None if it has none."""
    found = _REGION.fullmatch(endpoint.partition("://")[2] or endpoint)
    return found[1] if found else None


def shown(text: str) -> str:
    """Quote `text` for a message: one line, shortened, without terminal control sequences."""
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "…")
