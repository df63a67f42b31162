"""Where the services answer: a host for each in a region, or one address for all of them.

The official clients' own tables of hosts are unreliable (entries with a trailing TAB, a region-less host, another domain),
so hosts are formed by the one rule that holds: `{service}[-vpc].{region}.aliyuncs.com`.

Rule: what is signed with somebody's key goes to the cloud over https or to this machine, and nowhere else. A region or an
address that would form another host is refused before anything is sent.
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
    """The services of `region`, on the public network or inside its VPCs; all at `address` if there is one (an emulator)."""

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
        """Whether requests stay on this machine, where no proxy belongs in between."""
        return self.address is not None and _is_loopback(urlsplit(self.address).hostname or "")

    def base_url(self, origin: str) -> str:
        """Return the address of the service whose addresses begin so (`https://pai-dlc`), without a slash at the end."""
        if self.address is not None:
            return self.address.rstrip("/")
        return f"{origin}{'-vpc' if self.network == 'vpc' else ''}.{self.region}.aliyuncs.com"


def _check(address: str) -> None:
    try:
        parts = urlsplit(address)
        host = parts.netloc.rsplit(":", 1)[0] if parts.port else parts.netloc  # refuses a port that is no number
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
