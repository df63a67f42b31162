"""Jobs recorded by earlier versions, as their own files have them: `tests/data/recorded`."""

import json
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.recorder import BASE, DATA
from tests.support.storages import write_tree


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """A job as its files have it."""

    path: Path
    record: dict[str, Any]  # Any: JSON values
    state: dict[str, Any]

    @classmethod
    def read(cls, path: Path) -> "Recorded":
        record, snapshot = (json.loads((path / name).read_text()) for name in ("job.json", "state.json"))
        return cls(path=path, record=record, state=snapshot["state"])

    def __str__(self) -> str:
        return f"{self.path.parent.name}-{self.name}-{self.path.name[-4:]}"

    @property
    def id(self) -> str:
        return self.path.name

    @property
    def name(self) -> str:
        return str(self.record["spec"]["name"])

    @property
    def values(self) -> dict[str, Any]:
        return dict(self.record["spec"].get("hyperparameters", {}))

    @property
    def is_remote(self) -> bool:
        return bool(self.record["backend"] == "pai")

    @property
    def logs(self) -> dict[str, str]:
        return {path.stem: path.read_text() for path in sorted((self.path / "logs").glob("*.log"))}

    @property
    def lines(self) -> list[str]:
        return [line for log in self.logs.values() for line in log.splitlines()]


RECORDED = [Recorded.read(path.parent) for path in sorted(DATA.glob("*/*/job.json"))]
every = pytest.mark.parametrize("recorded", RECORDED, ids=str)


def store(recorded: Iterable[Recorded], home: Path) -> None:
    """Put these jobs into the store below `home`, as if they had been recorded there."""
    for each in recorded:
        folder = home / "jobs" / each.id
        shutil.copytree(each.path, folder, symlinks=True)
        for name in ("job.json", "state.json", "run/outputs.json"):  # events.jsonl has no paths, but lengths that count
            if (file := folder / name).exists():
                file.write_text(file.read_text().replace(str(BASE), str(home)).replace(f"{home}/home", str(home)))
    write_tree(home / "work", {"data/a.csv": b"1,2\n"})
