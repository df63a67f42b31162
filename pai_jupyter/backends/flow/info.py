"""The properties of the backend of PAIFlow's steps; light to import: no HTTP client or cloud library."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pai_jupyter.backends.health import Health
from pai_jupyter.backends.info import BackendInfo

if TYPE_CHECKING:
    from pai_jupyter.config import Settings


@dataclass(frozen=True, kw_only=True)
class FlowInfo(BackendInfo):
    """The properties, from the settings and, on request, the service."""

    def is_emulated(self, settings: "Settings") -> bool:
        return settings.get("services") is not None

    def health(self, *, is_asked: bool = False) -> Health:
        from pai_jupyter.backends.flow.health import checks  # imported late: it needs the HTTP client

        return Health.of(checks()) if is_asked else Health()


INFO = FlowInfo(name="flow", title="PAIFlow", takes_images=True, takes_cloud_keys=True, emulator="flow-emulator")
