"""What the emulator of this user says of itself in its home: which place of the cloud it stands for, and what it mounts.

It writes `emulator/address.json` when it answers. Of any other emulator only the address is known, and for that the usual
place counts, unless somebody sets another one.
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
    """An emulator; `mounts` are addresses for which it has a directory of this machine. None: nobody knows."""

    port: int | None = None
    region: str = EMULATOR["region"]
    workspace: str = EMULATOR["workspace"]
    bucket: str = EMULATOR["bucket"]
    mounts: tuple[str, ...] | None = None

    @property
    def values(self) -> Mapping[str, str]:
        """What counts while it is in force, by the names of settings."""
        return {"region": self.region, "workspace": self.workspace, "bucket": self.bucket}

    def has(self, uri: str) -> bool:
        """Return whether the emulator provides `uri`; True if its mounts are unknown."""
        return self.mounts is None or any(
            f"{uri.rstrip('/')}/".startswith(f"{each.rstrip('/')}/") for each in self.mounts
        )


def port_of(address: str) -> int | None:
    """Return the port in `address`, by which emulators are told apart; None if there is none."""
    try:
        return urlsplit(address).port
    except ValueError:
        return None


def parse_emulated(_: Path, text: str) -> Emulated:
    """Read what it has written; whatever cannot be understood is somebody else's file, and says nothing."""
    try:
        told = json.loads(text)
        values = {name: check_value(name, told[name]) for name in EMULATOR if name in told}
        mounts = told.get("mounts")
        return Emulated(
            port=port_of(str(told["address"])),
            mounts=tuple(map(str, mounts)) if isinstance(mounts, list) else None,
            **values,
        )
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError, SpecError):
        return Emulated()
