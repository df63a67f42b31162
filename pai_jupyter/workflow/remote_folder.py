"""The folder of a run that PAIFlow drives, `$PAI_JUPYTER_HOME/runs/f.../`. Folders 0700, files 0600.

    remote.json   the run as it was started: its id there, its site, its manifest; written once
    nodes.json    its nodes as they were when somebody last looked; it is final for a run that has ended

Rule 1: ids begin with `f`, those of runs that are driven here with `r`: who lists one kind passes over the other.
Rule 2: no key and no secret value is in either file.
"""

import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from pai_jupyter.cloud.flow import FlowNode, FlowRun
from pai_jupyter.cloud.session import Site
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.runs.damage import read_record
from pai_jupyter.runs.run_folder import meant_run, runs_directory
from pai_jupyter.spec import Json
from pai_jupyter.store.disk import make_folder, make_new_folder, read_json, replace_file, to_bytes, translated
from pai_jupyter.typed_json import Fields

SCHEMA = 1
_ID = re.compile(r"f[A-Za-z0-9_-]{3,63}")


@dataclass(frozen=True, kw_only=True)
class RemoteRecord:
    """A run as it was started, with the values of its inputs. `flow_run`: the service's id; `created`: in seconds since the epoch."""

    id: str
    name: str
    flow_run: str
    site: Site
    created: float
    documents: tuple[Mapping[str, Json], ...] = ()
    notes: tuple[str, ...] = ()
    pipeline_id: str = ""  # of the saved pipeline that it is a run of
    parameters: Mapping[str, Json] = field(default_factory=dict)
    artifacts: Mapping[str, Json] = field(default_factory=dict)

    def to_json(self) -> dict[str, Json]:
        return {
            "schema": SCHEMA,
            "id": self.id,
            "name": self.name,
            "flow_run": self.flow_run,
            "site": self.site.to_json(),
            "created": self.created,
            "documents": [dict(each) for each in self.documents],
            "notes": list(self.notes),
            "pipeline_id": self.pipeline_id,
            "parameters": dict(self.parameters),
            "artifacts": dict(self.artifacts),
        }

    @classmethod
    def from_json(cls, value: object) -> "RemoteRecord":
        """Read what `to_json` wrote; raise `FieldError` for anything else."""
        given = Fields.of(value, "run")
        documents = tuple(dict(Fields.of(each, path).values) for each, path in given.items("documents"))
        return cls(
            id=given.line("id"),
            name=given.text("name"),
            flow_run=given.line("flow_run"),
            site=Site.from_json(given.inside("site").values),
            created=given.time("created"),
            documents=documents,  # type: ignore[arg-type]  # JSON of our own file
            notes=tuple(str(note) for note, _ in given.items("notes")),
            pipeline_id=given.line("pipeline_id", ""),
            parameters=given.inside("parameters").values,  # type: ignore[arg-type]  # as above
            artifacts=given.inside("artifacts").values,  # type: ignore[arg-type]  # as above
        )


@dataclass(frozen=True, kw_only=True)
class Seen:
    """A run and its nodes as they were when somebody last looked."""

    run: FlowRun
    root: FlowNode | None = None


@dataclass(frozen=True)
class RemoteFolder:
    """The files of one run."""

    path: Path

    @property
    def id(self) -> str:
        return self.path.name

    @cached_property
    def record(self) -> RemoteRecord:
        """The run as it was started.

        Raises:
            PaiJupyterError: remote.json is missing or damaged.
        """
        return read_record(self.path / "remote.json", RemoteRecord.from_json)

    def seen(self) -> Seen | None:
        """Return the run as it was when somebody last looked; None if nobody has, or that cannot be read."""
        with suppress(PaiJupyterError, TypeError, ValueError, KeyError, AttributeError, RecursionError):
            found = read_json(self.path / "nodes.json")
            return Seen(run=FlowRun(**found["run"]), root=_node(found["root"]) if found["root"] else None)
        return None

    def note(self, seen: Seen) -> None:
        """Keep what was seen, for lists and for the time after the service has forgotten it."""
        data = {"run": {**asdict(seen.run), "manifest": ""}, "root": asdict(seen.root) if seen.root else None}
        with translated(self.path):
            replace_file(self.path / "nodes.json", to_bytes(data))

    def delete(self) -> None:
        with translated(self.path):
            shutil.rmtree(self.path)


def create_remote_folder(record: RemoteRecord, home: Path | None = None) -> RemoteFolder:
    """Write down a run that was started.

    Raises:
        PaiJupyterError: it cannot be written; nothing is left behind.
    """
    path = runs_directory(home) / record.id
    with translated(path):
        make_folder(path.parent)
        make_new_folder(path)
        try:
            replace_file(path / "remote.json", to_bytes(record.to_json()))
        except BaseException:
            shutil.rmtree(path, ignore_errors=True)
            raise
    return RemoteFolder(path)


def open_remote_folder(run_id: str, home: Path | None = None) -> RemoteFolder:
    """Open the folder of the run with this id, or whose id alone begins so.

    Raises:
        NotFoundError: there is no such run.
        SpecError: several ids begin so.
    """
    return RemoteFolder(runs_directory(home) / meant_run(run_id, remote_run_ids(home)))


def remote_run_ids(home: Path | None = None) -> Sequence[str]:
    """Return the ids of the runs of PAIFlow that were started from this home, newest first."""
    try:
        with os.scandir(runs_directory(home)) as entries:
            names = [it.name for it in entries if is_remote_id(it.name) and os.path.lexists(f"{it.path}/remote.json")]
    except OSError:  # none yet; who lists the runs of this machine reports anything else
        return []
    return sorted(names, reverse=True)


def remote_folders(home: Path | None = None) -> Iterator[RemoteFolder]:
    return (RemoteFolder(runs_directory(home) / run_id) for run_id in remote_run_ids(home))


def is_remote_id(run_id: str) -> bool:
    """Return whether this is an id of a run that PAIFlow drives, by its form."""
    return _ID.fullmatch(run_id) is not None


def _node(given: Mapping[str, Any]) -> FlowNode:  # Any: JSON of our own file
    return FlowNode(**{**given, "children": tuple(_node(child) for child in given["children"])})
