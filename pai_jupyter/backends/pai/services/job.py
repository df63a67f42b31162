"""The data of this backend's JobRef, and the note that locates a job whose submitter died before recording one.

    {"kind": "training" | "dlc", "id": ..., "region": ..., "workspace": ..., "address": ... of an emulator, or absent}

Rule 1: before a job is created, its site is written to the job folder (run/pai.json). A job with an empty ref is looked up at
    that site by its unique label. Without that file it was never created; an unreadable or damaged file proves nothing.
Rule 2: neither contains a key. Later processes use the keys of that time.
"""

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Self

from pai_jupyter.cloud.session import Site
from pai_jupyter.errors import NotFoundError, PaiJupyterError, ProtocolError, UnavailableError
from pai_jupyter.spec import JobRef
from pai_jupyter.store import JobStore
from pai_jupyter.store.disk import read_plain, replace_file, to_bytes, translated
from pai_jupyter.typed_json import FieldError, Fields

LABEL = "pai_jupyter_job_id"
Kind = Literal["training", "dlc"]


@dataclass(frozen=True, kw_only=True)
class PaiJob:
    """One job of the service; `id` is the service's own."""

    job_id: str
    kind: Kind
    id: str
    site: Site

    @property
    def ref(self) -> JobRef:
        return JobRef(backend="pai", job_id=self.job_id, data={"kind": self.kind, "id": self.id, **self.site.to_json()})

    @classmethod
    def from_ref(cls, ref: JobRef) -> Self:
        """Read the data of a ref.

        Raises:
            ProtocolError: it is not a ref of this backend.
        """
        try:
            given = Fields.of(ref.data, "ref.data")
            kind: Kind = "dlc" if given.line("kind") == "dlc" else "training"
            return cls(job_id=ref.job_id, kind=kind, id=given.line("id"), site=Site.from_json(ref.data))
        except FieldError as exc:
            raise ProtocolError(f"the record of job {ref.job_id} does not say where it is: state.json: {exc}") from exc


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """The note written before a job is created."""

    kind: Kind
    site: Site
    time: float

    @classmethod
    def read(cls, job_id: str) -> Self | None:
        """Read the note about the attempt to create this job; None only if none was ever made.

        Raises:
            DamagedNoteError: it does not say where the job is.
            UnavailableError: it cannot be read now.
        """
        path = _note(job_id)
        try:
            said = Fields.of(json.loads(read_plain(path)))
            kind: Kind = "dlc" if said.line("kind") == "dlc" else "training"
            return cls(kind=kind, site=Site.from_json(said.values), time=said.time("time"))
        except FileNotFoundError:
            return None
        except OSError as exc:
            raise UnavailableError(
                f"'{path}' cannot be read: {exc.strerror or exc}. It says where the job is."
            ) from exc
        except (PaiJupyterError, ValueError, RecursionError) as exc:
            raise DamagedNoteError(
                f"'{path}' is damaged, so nobody knows whether job {job_id} was created. Look for it in the console; if it is "
                "not there, delete this file."
            ) from exc

    def write(self, job_id: str) -> None:
        """Write the note, unless the job has no folder."""
        path = _note(job_id)
        if path.parents[1].is_dir():
            with translated(path):
                path.parent.mkdir(exist_ok=True)
                replace_file(path, to_bytes({"kind": self.kind, **self.site.to_json(), "time": self.time}))

    @property
    def age(self) -> float:
        return time.time() - self.time


class DamagedNoteError(UnavailableError):
    """The note about an attempt does not say where the job is."""


def folder_of(job_id: str) -> Path:
    return JobStore().path(job_id)


def unknown(job_id: str) -> NotFoundError:
    return NotFoundError(f"backend 'pai' knows no job {job_id}.")


def _note(job_id: str) -> Path:
    return folder_of(job_id) / "run" / "pai.json"
