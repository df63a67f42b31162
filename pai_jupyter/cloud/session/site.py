"""Where a job or a run of a service is, as records have it: a region and a workspace, of the cloud or of an emulator. No key."""

import socket
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self
from urllib.parse import urlsplit

from pai_jupyter.cloud.session.default import get_default_session, session_for
from pai_jupyter.cloud.session.session import Session
from pai_jupyter.spec import Json
from pai_jupyter.typed_json import Fields


@dataclass(frozen=True, kw_only=True)
class Site:
    """A region and workspace of the cloud, or those of an emulator at `address`."""

    region: str
    workspace: str
    address: str | None = None

    @classmethod
    def of(cls, session: Session, workspace: str) -> Self:
        return cls(region=session.region_id, workspace=workspace, address=session.endpoints.address)

    @property
    def session(self) -> Session:
        """Return the session of this site. A restarted emulator may have another address: then use the active one."""
        address, here = self.address, get_default_session()
        if address is not None and here is not None and here.is_emulator and not _answers(address):
            address = here.endpoints.address
        return session_for(self.region, address=address, workspace_id=self.workspace)

    def to_json(self) -> dict[str, Json]:
        return {
            "region": self.region,
            "workspace": self.workspace,
            **({"address": self.address} if self.address else {}),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:  # Any: parsed JSON
        """Read what `to_json` wrote; raise `FieldError` for anything else."""
        given = Fields.of(data, "ref.data")
        address = given.line("address", "")
        return cls(region=given.line("region"), workspace=given.line("workspace"), address=address or None)


def _answers(address: str) -> bool:
    """Return whether `address` accepts a TCP connection within 1 s."""
    place = urlsplit(address)
    try:
        with socket.create_connection((place.hostname or "", place.port or 80), timeout=1.0):
            return True
    except OSError:
        return False
