"""What all services of one emulator share: directory, keys, objects, records, runner of jobs."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pai_jupyter.config import EMULATOR
from pai_jupyter.emulator.execution.board_processes import KIND as TENSORBOARDS
from pai_jupyter.emulator.execution.board_processes import Boards
from pai_jupyter.emulator.object_store.store import ObjectStore
from pai_jupyter.emulator.state.access import Keys
from pai_jupyter.emulator.state.faults import Faults
from pai_jupyter.emulator.state.records import Records

if TYPE_CHECKING:
    from pai_jupyter.emulator.execution.runner import Runner

REGION, WORKSPACE_ID, BUCKET = EMULATOR["region"], EMULATOR["workspace"], EMULATOR["bucket"]
ACCOUNT_ID = "1000000000000001"


@dataclass(frozen=True, kw_only=True)
class EmulatorContext:
    """The context of one emulator.

    `address`: its own, http://127.0.0.1:PORT. `images`: patterns of image names -> local images. `mounts`: addresses -> local
    directories (`jobs.mounts`).
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
        """Return the services' time as Unix seconds; faults may shift it."""
        return time.time() + self.faults.skew

    @cached_property
    def objects(self) -> ObjectStore:
        return ObjectStore(self.data / "oss", now=self.now)

    @cached_property
    def boards(self) -> Boards:
        """The processes of TensorBoard apps; call `resume` at the emulator's start and `aclose` at its end."""
        return Boards(self.data, self.records(TENSORBOARDS), self.objects)

    @cached_property
    def runner(self) -> "Runner":
        from pai_jupyter.emulator.execution.runner import Runner  # late: it imports everything that runs jobs

        return Runner(backend=self.backend, images=self.images)

    def records(self, kind: str) -> Records:
        """Return the records of this kind, e.g. "trainingjobs"."""
        if kind not in self._records:
            self._records[kind] = Records(self.data / "state" / kind)
        return self._records[kind]
