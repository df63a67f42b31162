"""Which place of the cloud an emulator stands for: its region, its workspace, the bucket that is there from the beginning.

What was chosen is kept in `DIR/site.json`: records and objects of that directory belong to it, and so a later emulator
stands for the same place, unless it is told otherwise.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from pai_jupyter.config import EMULATOR, check_value
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.store.disk import read_json, replace_file, to_bytes

NAME = "site.json"


@dataclass(frozen=True, kw_only=True)
class EmulatorSite:
    """`bucket` is made when the emulator starts; others are made as in OSS."""

    region: str = EMULATOR["region"]
    workspace: str = EMULATOR["workspace"]
    bucket: str = EMULATOR["bucket"]

    @classmethod
    def of(cls, data: Path, given: Mapping[str, str | None]) -> "EmulatorSite":
        """Return what is `given`, else what the last emulator with this directory stood for, else the default."""
        values = {**EMULATOR, **_kept(data), **{name: value for name, value in given.items() if value}}
        return cls(**{name: check_value(name, values[name]) for name in EMULATOR})

    def keep(self, data: Path) -> None:
        """Note it for the next one."""
        replace_file(data / NAME, to_bytes(asdict(self)))


def _kept(data: Path) -> dict[str, str]:
    try:
        told = read_json(data / NAME)
        return {name: check_value(name, told[name]) for name in EMULATOR if name in told}
    except (PaiJupyterError, TypeError, ValueError):  # there is none, or somebody else's file
        return {}
