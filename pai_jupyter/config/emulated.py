"""Read what this user's emulator reports about itself: the region and workspace it emulates, and its mounts.

The emulator writes `emulator/address.json` once it answers. Of any other emulator only the address is known; its region and
workspace are the defaults unless set.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from pai_jupyter.config.names import EMULATOR, check_value
from pai_jupyter.errors import SpecError


@dataclass(frozen=True, kw_only=True)
class Emulated:
    """An emulator; None = unknown.

    `mounts` are the addresses that it maps to directories of this machine, `runner` the backend that runs its jobs.
    """

    port: int | None = None
    region: str = EMULATOR["region"]
    workspace: str = EMULATOR["workspace"]
    bucket: str = EMULATOR["bucket"]
    mounts: tuple[str, ...] | None = None
    runner: str | None = None

    @property
    def values(self) -> Mapping[str, str]:
        """The settings that apply while the emulator is active, by name."""
        return {"region": self.region, "workspace": self.workspace, "bucket": self.bucket}

    def has(self, uri: str) -> bool:
        """Return whether the emulator has `uri`; True if its mounts are unknown."""
        return self.mounts is None or any(
            f"{uri.rstrip('/')}/".startswith(f"{each.rstrip('/')}/") for each in self.mounts
        )


def port_of(address: str) -> int | None:
    """Return the port in `address`, which identifies an emulator; None if there is none."""
    try:
        return urlsplit(address).port
    except ValueError:
        return None


def parse_emulated(_: Path, text: str) -> Emulated:
    """Parse the emulator's file; ignore one that cannot be understood, since it is not the emulator's."""
    try:
        content = json.loads(text)
        values = {name: check_value(name, content[name]) for name in EMULATOR if name in content}
        mounts = content.get("mounts")
        return Emulated(
            port=port_of(str(content["address"])),
            mounts=tuple(map(str, mounts)) if isinstance(mounts, list) else None,
            runner=str(content["runner"]) if "runner" in content else None,
            **values,
        )
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError, SpecError):
        return Emulated()
