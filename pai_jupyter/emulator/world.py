"""What all services of one emulator share: its directory, who may call, the objects, the records, the runner of jobs."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pai_jupyter.config import EMULATOR
from pai_jupyter.emulator.access import Keys
from pai_jupyter.emulator.faults import Faults
from pai_jupyter.emulator.oss import ObjectStore
from pai_jupyter.emulator.records import Records

if TYPE_CHECKING:
    from pai_jupyter.emulator.dlc.boards import Boards
    from pai_jupyter.emulator.runner import Runner

REGION, WORKSPACE_ID, BUCKET = EMULATOR["region"], EMULATOR["workspace"], EMULATOR["bucket"]
ACCOUNT_ID = "1000000000000001"


@dataclass(frozen=True, kw_only=True)
class World:
    """`address` is where the emulator answers: http://127.0.0.1:PORT. `images` maps patterns of image names to local ones.

    `mounts` has directories of this machine by the addresses that they stand for (`mounts`).
    """

    data: Path
    address: str = ""
    keys: Keys = field(default_factory=Keys)
    backend: Literal["process", "docker"] = "process"
    images: Mapping[str, str] = field(default_factory=dict)
    region: str = REGION
    account_id: str = ACCOUNT_ID
    workspace_id: str = WORKSPACE_ID
    bucket: str = BUCKET
    mounts: Mapping[str, Path] = field(default_factory=dict)
    faults: Faults = field(default_factory=Faults)
    _records: dict[str, Records] = field(default_factory=dict, init=False)

    def now(self) -> float:
        """Return the services' time in epoch seconds; faults may shift it."""
        return time.time() + self.faults.skew

    @cached_property
    def objects(self) -> ObjectStore:
        return ObjectStore(self.data / "oss", now=self.now)

    @cached_property
    def boards(self) -> "Boards":
        """The processes of TensorBoard apps: `resume` when the emulator begins, `aclose` when it ends."""
        from pai_jupyter.emulator.dlc.boards import Boards

        return Boards(self)

    @cached_property
    def runner(self) -> "Runner":
        from pai_jupyter.emulator.runner import Runner  # with it comes all that runs jobs

        return Runner(backend=self.backend, images=self.images)

    def records(self, kind: str) -> Records:
        """Return the records of this kind, e.g. "trainingjobs"."""
        if kind not in self._records:
            self._records[kind] = Records(self.data / "state" / kind)
        return self._records[kind]
