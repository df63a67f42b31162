"""The addresses of the services: one host per service and region, or one address for all.

The host tables of the official clients are unreliable (a trailing TAB, a host without region, another domain), so hosts follow
the one rule that holds: `{service}[-vpc].{region}.aliyuncs.com`.

Rule: signed requests go to the cloud over https or to this machine, and nowhere else. A region or address that would give
another host is rejected before anything is sent.
"""

import ipaddress
import re
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from pai_jupyter.errors import SpecError

Network = Literal["public", "vpc"]
_REGION = re.compile(r"[a-z]{2,}(-[a-z0-9]+)+")
_HOST = re.compile(r"[A-Za-z0-9.-]+|\[[0-9a-f:.]+\]")


@dataclass(frozen=True, kw_only=True)
class Endpoints:
    """The addresses of the services of `region`, public or in its VPCs; all are `address` if given (an emulator)."""

    region: str
    network: Network = "public"
    address: str | None = None

    def __post_init__(self) -> None:
        if not _REGION.fullmatch(self.region):
            raise SpecError(
                f"{self.region!r} is no region. Type e.g.: %pai_config set region=cn-shanghai", field="region"
            )
        if self.address is not None:
            _check(self.address)

    @property
    def is_local(self) -> bool:
        """Whether requests stay on this machine, so that no proxy is used."""
        return self.address is not None and _is_loopback(urlsplit(self.address).hostname or "")

    def base_url(self, origin: str) -> str:
        """Return the service's address for its `origin` (e.g. `https://pai-dlc`), without a final slash."""
        if self.address is not None:
            return self.address.rstrip("/")
        return f"{origin}{'-vpc' if self.network == 'vpc' else ''}.{self.region}.aliyuncs.com"


def _check(address: str) -> None:
    try:
        parts = urlsplit(address)
        host = parts.netloc.rsplit(":", 1)[0] if parts.port else parts.netloc  # raises for a port that is not a number
    except ValueError:
        parts, host = urlsplit(""), ""
    if parts.scheme not in ("http", "https") or not _HOST.fullmatch(host) or parts.path.strip("/") or parts.query:
        raise SpecError(
            "Invalid endpoint; expected http://… or https://…, e.g. https://pai.example.com.",
            field="endpoint",
        )
    if parts.scheme == "http" and not _is_loopback(parts.hostname or ""):
        raise SpecError(
            f"the services at {parts.hostname} must be asked over https: http would show your key's use to the network.",
            field="endpoint",
        )


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
