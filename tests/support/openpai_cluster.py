"""An emulated cluster of OpenPAI for tests, known to this process and to its children as `lab`."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from pai_jupyter.backends.openpai.clusters import Cluster, Secret, add_cluster, cluster_of, hold_secret
from tests.support.emulators import Emulator


class LabCluster:
    """A running emulator of a cluster, its user, and faults on demand."""

    version = ""  # v0.14 or v1.x

    def __init__(self, emulator: Emulator) -> None:
        self.emulator = emulator
        given = json.loads((emulator.data / "openpai.json").read_text())
        self.user, self.password = given["user"], given["password"]

    @property
    def cluster(self) -> Cluster:
        return cluster_of("lab", self.emulator.address, self.user)

    def know(self) -> None:
        """Add it to the clusters of the test's home."""
        add_cluster(self.cluster)
        hold_secret(self.cluster, Secret(kind="password", value=self.password), is_kept=True)

    def token(self, *, is_endless: bool = False) -> str:
        """A token of the user; `is_endless`: an application token."""
        place, body = f"{self.emulator.address}/rest-server/api/v1", {"username": self.user, "password": self.password}
        token = str(httpx.post(f"{place}/authn/basic/login", json=body).raise_for_status().json()["token"])
        if not is_endless:
            return token
        asked = httpx.post(f"{place}/token/application", headers={"Authorization": f"Bearer {token}"})
        return str(asked.raise_for_status().json()["token"])

    def fault(self, name: str, *, action: str | None = None, times: int | None = 1) -> None:
        token = (self.emulator.data / "control.token").read_text()
        body: dict[str, Any] = {"name": name, "action": action, "times": times}  # Any: JSON
        address = f"{self.emulator.address}/emulator/faults"
        httpx.post(address, json=body, headers={"x-emulator-token": token}).raise_for_status()


@contextmanager
def lab_cluster(data: Path, version: str, *arguments: str) -> Iterator[LabCluster]:
    emulator = Emulator(data, ("--openpai", version, *arguments)).start()
    try:
        yield LabCluster(emulator)
    finally:
        emulator.end()
