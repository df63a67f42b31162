"""One run in a list: `RunRow`. That of an ended run is kept in end.json, so that a list reads one small file for it."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.runs.labels import count_jobs, input_labels
from pai_jupyter.runs.run_folder import RunFolder
from pai_jupyter.runs.state import RunState, RunStatus
from pai_jupyter.spec import Json
from pai_jupyter.store.disk import read_json, replace_file, to_bytes, translated
from pai_jupyter.typed_json import FieldError, Fields, whole_of

_ROW = "end.json"


@dataclass(frozen=True, kw_only=True)
class RunRow:
    """A run in a list. `status`: one of `RunStatus`, "unknown" if it cannot be read (`reason` says why). Times: since the epoch.

    `counts`: its jobs' steps by status; a loop or a pipeline that has not begun, or was skipped, counts as one. `inputs`: its values, as
    short texts. `place`: where it runs, for a list of several places.
    """

    id: str
    name: str
    status: str
    reason: str = ""
    created: float = 0.0
    ended: float | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    notebook: str = ""
    inputs: Mapping[str, str] = field(default_factory=dict)
    place: str = ""

    def to_json(self) -> dict[str, Json]:
        return {
            "id": self.id,
            "name": self.name,
            "status": self.status,
            "reason": self.reason,
            "created": self.created,
            "ended": self.ended,
            "counts": dict(self.counts),
            "notebook": self.notebook,
            "inputs": dict(self.inputs),
        }


def row_of_state(folder: RunFolder, state: RunState) -> RunRow:
    return RunRow(
        id=folder.id,
        name=state.name,
        status=state.status.value,
        reason=state.reason or "",
        created=state.created,
        ended=state.ended,
        counts={status.value: count for status, count in count_jobs(state.steps).items()},
        notebook=folder.record.notebook,
        inputs=input_labels(state.inputs),
    )


def unreadable_row(folder: RunFolder, exc: PaiJupyterError) -> RunRow:
    return RunRow(id=folder.id, name=folder.id, status="unknown", reason=str(exc))


def write_row(folder: RunFolder, state: RunState) -> None:
    """Keep the row of an ended run; without it, a list reads the whole run."""
    with suppress(PaiJupyterError), translated(folder.path):
        replace_file(folder.path / _ROW, to_bytes(row_of_state(folder, state).to_json()))


def read_row(folder: RunFolder) -> RunRow | None:
    """Read the row of an ended run; None if there is none, or it is damaged."""
    try:
        given = Fields.of(read_json(folder.path / _ROW), "row")
        return RunRow(
            id=folder.id,
            name=given.line("name"),
            status=RunStatus(given.line("status")).value,
            reason=given.text("reason", ""),
            created=given.time("created"),
            ended=given.time("ended"),
            counts={name: whole_of(count, path) for name, count, path in given.inside("counts").all()},
            notebook=given.text("notebook", ""),
            inputs=given.texts("inputs"),
        )
    except (PaiJupyterError, FieldError, ValueError):
        return None
