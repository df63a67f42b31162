"""PyODPS as far as a snapshot of a table needs it: its names, a table in memory, its errors. No network."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.machinery import ModuleSpec
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

ERRORS = ("NoSuchProject", "NoSuchTable", "NoSuchPartition", "NoPermission", "Unauthorized", "SignatureNotMatch")


@dataclass(kw_only=True)
class FakeOdps:
    """The service, with one table; `asked` is who asked where, and for what."""

    columns: tuple[str, ...] = ("id", "名字")
    rows: list[tuple[Any, ...]] = field(default_factory=list)  # Any: values of any column
    asked: dict[str, Any] = field(default_factory=dict)  # Any: as PyODPS was given it
    error: Exception | None = None

    def get_table(self, name: str) -> "FakeOdps":
        self.asked["table"] = name
        if self.error is not None:
            raise self.error
        return self

    @property
    def table_schema(self) -> Any:  # Any: of the shape of PyODPS'
        return SimpleNamespace(simple_columns=[SimpleNamespace(name=name) for name in self.columns])

    @contextmanager
    def open_reader(self, partition: str | None = None) -> Iterator[list[Mapping[str, Any]]]:  # Any: as in `rows`
        self.asked["partition"] = partition
        yield [dict(zip(self.columns, row, strict=True)) for row in self.rows]


def install(monkeypatch: pytest.MonkeyPatch) -> FakeOdps:
    """Put it in the place of the package, for a test."""
    service = FakeOdps()

    def connect(key_id: str = "", secret: str = "", *, account: object = None, project: str, endpoint: str) -> FakeOdps:
        service.asked |= {"account": account or (key_id, secret), "project": project, "endpoint": endpoint}
        return service

    package, accounts, errors = (ModuleType(name) for name in ("odps", "odps.accounts", "odps.errors"))
    package.__spec__ = ModuleSpec("odps", None)
    package.__dict__["ODPS"] = connect
    accounts.__dict__["StsAccount"] = lambda key_id, secret, token: (key_id, secret, token)
    base = errors.__dict__["BaseODPSError"] = type("BaseODPSError", (Exception,), {})
    for name in ERRORS:
        errors.__dict__[name] = type(name, (base,), {})
    for module in (package, accounts, errors):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    return service
