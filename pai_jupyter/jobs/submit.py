"""From a spec to a running job: checked, packed, recorded, submitted, in this order.

Whatever goes wrong on the way, nothing stays behind: no file, no folder, no job. The record is written before the
submission, so that a crash in between is found later and the job is either found again by its id or noted as lost.
"""

import hashlib
import json
import os
import secrets
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from types import TracebackType

from pai_jupyter import contract
from pai_jupyter.backends import Backend, get_backend
from pai_jupyter.config import loaded_secrets
from pai_jupyter.errors import SpecError
from pai_jupyter.events import JobState, Status, StatusChanged
from pai_jupyter.jobs.job import Job
from pai_jupyter.jobs.place import Place, place_of
from pai_jupyter.jobs.runtime import job_store, runtime
from pai_jupyter.package import Package, build
from pai_jupyter.spec import JobSpec
from pai_jupyter.store import JobFolder, JobRecord, JobStore, new_job_id

NOTE = "note: "  # a sentence of Backend.check that begins so does not stop the job


class Draft(AbstractContextManager["Draft"]):
    """A job that is checked and packed, with nothing started yet. Leaving the `with` block drops what was not sent."""

    def __init__(self, spec: JobSpec, place: Place, package: Package, *, notes: Sequence[str], record: Mapping[str, str]) -> None:
        self.spec = spec
        self.place = place
        self.package = package
        self.notes = tuple(notes)
        self._record = dict(record)
        self.fingerprint = _fingerprint(spec, place.backend, package.digest)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.package.path.unlink(missing_ok=True)

    def running_twin(self) -> Job | None:
        """The job with the same code, values and place that has not ended yet."""
        for folder in job_store().folders():
            if folder.record.fingerprint == self.fingerprint and not folder.read().state.status.is_terminal:
                return Job(folder)
        return None

    def submit(self) -> Job:
        """Start the job and follow it.

        Raises:
            BackendError: nothing was started.
        """
        store = job_store()
        submission = runtime().call(self._submit(store, get_backend(self.place.backend)))
        try:
            folder = submission.result()
        except (KeyboardInterrupt, CancelledError):
            submission.cancel()
            raise
        runtime().follow(folder)
        return Job(folder)

    async def _submit(self, store: JobStore, backend: Backend) -> JobFolder:
        now = time.time()
        folder = store.create(
            JobRecord(
                id=new_job_id(now, secrets.randbits(64)),
                spec=self.spec,
                backend=self.place.backend,
                created=now,
                digest=self.package.digest,
                fingerprint=self.fingerprint,
                place=str(self.place),
                **self._record,
            )
        )
        try:
            packed = folder.path / "package.tar.gz"
            os.replace(self.package.path, packed)
            package = Package(path=packed, digest=self.package.digest, files=self.package.files)
            ref = await backend.submit(self.spec, package, job_id=folder.id)
        except BaseException:
            store.remove(folder.id)
            raise
        state = JobState().apply(StatusChanged(status=Status.CREATED, time=now))
        folder.start(ref, state.apply(StatusChanged(status=Status.QUEUED, time=time.time())))
        return folder


def draft(
    spec: JobSpec,
    place: Place,
    *,
    files: Mapping[str, bytes] | None = None,
    overlay: Mapping[str, bytes] | None = None,
    include: Sequence[Path] = (),
    allow_large: bool = False,
    cell: str | None = None,
    notebook: str | None = None,
    entry_point: str | None = None,
) -> Draft:
    """Check `spec` against its backend and pack its source; nothing is started.

    `files` are put beside those of `source_dir`, `overlay` over those of the same name. Local paths become absolute.

    Raises:
        SpecError: the backend cannot honour the spec.
        PackageError: the source cannot be packed.
    """
    spec = _with_absolute_paths(spec)
    notes = check(spec, place)
    record = {name: value for name, value in (("cell", cell), ("notebook", notebook), ("entry_point", entry_point)) if value}
    package = _pack(spec, files=files or {}, overlay=overlay or {}, include=include, allow_large=allow_large)
    return Draft(spec, place, package, notes=[*notes, *contract.quoting_needed(spec, spec.command), *package.warnings], record=record)


def check(spec: JobSpec, place: Place) -> list[str]:
    """Ask the backend whether it can honour `spec`; returns its notes."""
    sentences = get_backend(place.backend).check(spec)
    problems = [sentence for sentence in sentences if not sentence.startswith(NOTE)]
    if problems:
        raise SpecError("\n".join(problems))
    return [sentence.removeprefix(NOTE) for sentence in sentences]


def _pack(
    spec: JobSpec, *, files: Mapping[str, bytes], overlay: Mapping[str, bytes], include: Sequence[Path], allow_large: bool
) -> Package:
    """Pack the source of `spec` into a file of the store's own that the caller takes or drops."""
    home = job_store().home
    waiting = home / "packing"
    waiting.mkdir(parents=True, exist_ok=True, mode=0o700)
    return build(
        _directory(spec),
        to=waiting / f"{secrets.token_hex(8)}.tar.gz",
        files=files,
        overlay=overlay,
        include=include,
        secrets=loaded_secrets(),
        allow_large=allow_large,
        cache_dir=home / "cache" / "packages",
    )


def _with_absolute_paths(spec: JobSpec) -> JobSpec:
    """Local paths as they are meant here and now: the job, and whoever attaches to it, may have another directory."""

    def absolute(place: str) -> str:
        return place if "://" in place else str(Path(place).expanduser().absolute())

    return replace(
        spec,
        inputs={name: place if _is_dataset(place) else absolute(place) for name, place in spec.inputs.items()},
        outputs={name: absolute(place) for name, place in spec.outputs.items()},
        output_path=absolute(spec.output_path) if spec.output_path else None,
    )


def _is_dataset(place: str) -> bool:
    """Whether an input names a dataset of PAI (`d-...`) and no file of this machine."""
    return place.startswith("d-") and not Path(place).exists()


def _directory(spec: JobSpec) -> Path | None:
    if spec.source_dir is None:
        return None
    directory = Path(spec.source_dir).expanduser()
    if not directory.is_dir():
        raise SpecError(f"`source_dir` {str(spec.source_dir)!r} is not a directory. Give one that is there: --source-dir ./src", field="source_dir")
    return directory


def submit(spec: JobSpec, *, backend: str | None = None) -> Job:
    """Pack and start `spec`; the plain door for Python programs, under `Estimator` and `%%pai_train`.

    Raises:
        SpecError, PackageError, BackendError: nothing was started, nothing is left behind.
    """
    with draft(spec, place_of(spec, backend=backend)) as ready:
        return ready.submit()


def _fingerprint(spec: JobSpec, backend: str, digest: str) -> str:
    text = json.dumps([backend, digest, spec.to_json()], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:32]
