"""The emulated region and workspace, and the bucket created at the start.

They are stored in `DIR/site.json`, since the records and objects of that directory belong to them; a later emulator uses
them again unless other values are given.
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
    """Region, workspace and bucket; `bucket` is created when the emulator starts, others by OSS calls."""

    region: str = EMULATOR["region"]
    workspace: str = EMULATOR["workspace"]
    bucket: str = EMULATOR["bucket"]

    @classmethod
    def of(cls, data: Path, given: Mapping[str, str | None]) -> "EmulatorSite":
        """Return the `given` values, else those of the last emulator with this directory, else the defaults."""
        values = {**EMULATOR, **_kept(data), **{name: value for name, value in given.items() if value}}
        return cls(**{name: check_value(name, values[name]) for name in EMULATOR})

    def keep(self, data: Path) -> None:
        """Store the values for the next emulator."""
        replace_file(data / NAME, to_bytes(asdict(self)))


def _kept(data: Path) -> dict[str, str]:
    try:
        told = read_json(data / NAME)
        return {name: check_value(name, told[name]) for name in EMULATOR if name in told}
    except (PaiJupyterError, TypeError, ValueError):  # no such file, or not ours
        return {}
