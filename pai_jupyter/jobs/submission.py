"""Turn a spec into a running job: check, pack, record, submit.

Rule 1: an error or interrupt leaves nothing behind: no file, no folder, no job.
Rule 2: the record is written before the submission, and `follow.lock` is held until its outcome is recorded. So after a crash
    in between, the next follower finds the job by its id or records that it was lost (see follower).
"""

import asyncio
import hashlib
import json
import re
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any

from pai_jupyter import contract
from pai_jupyter.backends import Backend, HoldsOutputs, Inherits, get_backend
from pai_jupyter.backends.local import disk_errors
from pai_jupyter.config import loaded_secrets
from pai_jupyter.errors import PaiJupyterError, SpecError
from pai_jupyter.events import JobState, Status, StatusChanged
from pai_jupyter.jobs import pending
from pai_jupyter.jobs.duplicates import find_open, may_run
from pai_jupyter.jobs.images import with_images
from pai_jupyter.jobs.job import Job, detached
from pai_jupyter.jobs.options import ALLOW_LARGE, check_options
from pai_jupyter.jobs.present import passing_progress, presenter
from pai_jupyter.jobs.python_words import for_python
from pai_jupyter.jobs.runtime import job_store, runtime
from pai_jupyter.jobs.source import directory_of, is_passed_on, with_absolute_paths
from pai_jupyter.jobs.target import Target, place_of
from pai_jupyter.package import Package, build
from pai_jupyter.spec import JobSpec, Json
from pai_jupyter.store import MASKED, JobFolder, JobNames, JobRecord, JobStore, Scratch, new_job_id

_STAMP = re.compile(r"_\d{8}-\d{6}(-\d+)?$")
NOTE = "note: "  # prefix of sentences of Backend.check that do not stop the job


class Draft(AbstractContextManager["Draft"]):
    """A checked and packed job that is not started yet. The end of the `with` block deletes an unsent package."""

    def __init__(
        self,
        spec: JobSpec,
        place: Target,
        package: Package,
        *,
        job_id: str,
        notes: Sequence[str],
        record: Mapping[str, Any],
        scratch: Scratch | None = None,
    ) -> None:
        self.spec = spec
        self.place = place
        self.package = package
        self.notes = tuple(notes)
        self.fingerprint = _fingerprint(spec, place.backend, package.digest, job_id)
        self.job_id = job_id
        self._record = dict(record)
        self._scratch = scratch  # directory of the package

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._scratch is not None:
            self._scratch.drop()

    def running_duplicate(self) -> Job | None:
        """Return an unfinished job with the same code, values and target; None if there is none."""
        for folder in job_store().folders():
            if folder.record.fingerprint == self.fingerprint and _is_alive(folder):
                return Job(folder)
        return None

    def submit(self, *, progress_callback: Callable[[str], None] | None = None, is_forced: bool = False) -> Job:
        """Start the job and follow it; if the same one was submitted with unknown outcome, return that.

        `progress_callback` (default: the current presenter) is called on this thread with the progress of slow preparation.
        `is_forced`: start it in any case. A returned job with status `submitting` may turn out not to be started.

        Raises:
            BackendError: nothing was started.
            KeyboardInterrupt: interrupted; the job was stopped again and nothing is left behind.
            JobDetached: interrupted after the start; the job goes on.
        """
        store = job_store()
        if not is_forced and (found := find_open(self.fingerprint)) is not None:
            return Job(found)
        try:
            with passing_progress(store.path(self.job_id), progress_callback or presenter().tell) as look:
                work = self._submit(store, get_backend(self.place.backend))
                folder = runtime().run(work, meanwhile=look)
        except KeyboardInterrupt:
            if not (store.path(self.job_id) / "state.json").exists():
                raise
            runtime().follow(store.open(self.job_id))
            raise detached(self.job_id) from None
        runtime().follow(folder)
        return Job(folder)

    async def _submit(self, store: JobStore, backend: Backend) -> JobFolder:
        spec = await asyncio.to_thread(with_images, self.spec, self.place.backend)
        spec = await _with_output_path(spec, backend, self.job_id)
        spec = await asyncio.to_thread(self._named, store, spec)
        record = JobRecord(
            id=self.job_id,
            spec=spec,
            backend=self.place.backend,
            created=time.time(),
            digest=self.package.digest,
            fingerprint=self.fingerprint,
            place=str(self.place),
            **self._record,
        )
        try:
            folder = store.create(record)
        except BaseException:
            self._unname(store, spec)
            raise
        try:
            await self._start(folder, spec, backend)
        except BaseException:  # not for an `UncertainError`, which `_start` has recorded
            with suppress(PaiJupyterError):  # the first error is reported
                store.remove(folder.id)
            self._unname(store, spec)
            raise
        return folder

    def _named(self, store: JobStore, spec: JobSpec) -> JobSpec:
        """Return `spec` with a unique name, unless the user has given one."""
        names, stem = JobNames(store), self._record.get("stem")
        if stem:
            return replace(spec, name=names.take(stem, self.job_id))
        names.note(spec.name)
        return spec

    def _unname(self, store: JobStore, spec: JobSpec) -> None:
        if stem := self._record.get("stem"):
            with suppress(PaiJupyterError):
                JobNames(store).give_back(stem, spec.name)

    async def _start(self, folder: JobFolder, spec: JobSpec, backend: Backend) -> None:
        lock = folder.try_lock()
        assert lock is not None, "nobody knows the job yet"
        with lock, pending.keeping(folder):
            packed = folder.path / "package.tar.gz"
            with disk_errors(packed):
                self.package.path.replace(packed)
            if self._scratch is not None:
                self._scratch.drop()  # the scratch directory is empty now, so a kill leaves nothing in it
            ref = await backend.submit(spec, replace(self.package, path=packed), job_id=folder.id)
            created = StatusChanged(status=Status.CREATED, time=folder.record.created)
            queued = StatusChanged(status=Status.QUEUED, time=time.time())
            try:
                folder.start(ref, JobState().apply(created).apply(queued))
            except BaseException:
                await pending.take_back(backend, ref)
                raise


def draft(
    spec: JobSpec,
    place: Target,
    *,
    files: Mapping[str, bytes] | None = None,
    overlay: Mapping[str, bytes] | None = None,
    include: Sequence[Path] = (),
    allow_large: bool = False,
    source: Path | None = None,
    cell: str | None = None,
    notebook: str | None = None,
    entry_point: str | None = None,
    asked_by: str | None = None,
    given: Mapping[str, Json] | None = None,
    has_own_name: bool = True,
    job_id: str | None = None,
) -> Draft:
    """Check `spec` with its backend and pack its source; start nothing.

    `files` are added to those of `source_dir`; `overlay` replaces files of the same name. `source` is packed instead of
    `source_dir`. Local paths become absolute. Unless `has_own_name`, the job gets a unique name that begins with that of
    `spec`. `job_id` is for a spec that contains its own id.

    Raises:
        SpecError: the backend cannot run the spec.
        PackageError: the source cannot be packed.
    """
    allow_large = allow_large or spec.options.get(ALLOW_LARGE) is True
    spec = replace(spec, options={name: value for name, value in spec.options.items() if name != ALLOW_LARGE})
    spec = with_absolute_paths(spec)
    notes = [
        *check(spec, place),
        *_held_back(spec, place),
        *contract.quoting_needed(spec, spec.command),
        *contract.exposed_secrets(spec),
        *contract.not_used(spec),
    ]
    stem = "" if has_own_name else spec.name
    fields = {
        "cell": cell,
        "notebook": notebook,
        "entry_point": entry_point,
        "asked_by": asked_by,
        "given": given,
        "stem": stem,
    }
    record = {name: value for name, value in fields.items() if value}
    brought = nullcontext(source) if source else directory_of(spec, place.backend, allow_large=allow_large)
    scratch = Scratch(job_store().home)
    try:
        with brought as directory:
            package = _pack(
                directory, scratch, files=files or {}, overlay=overlay or {}, include=include, allow_large=allow_large
            )
        if source is None and is_passed_on(spec, place.backend):
            _check_alone(spec, package)
    except BaseException:
        scratch.drop()
        raise
    notes += package.warnings
    return Draft(spec, place, package, job_id=job_id or fresh_id(), notes=notes, record=record, scratch=scratch)


def _check_alone(spec: JobSpec, package: Package) -> None:
    """Reject additional files if the backend fetches the code itself."""
    if package.files:
        raise SpecError(
            f"`source_dir` lies at {spec.source_dir!r} and is used there as it is, so {package.files[0].name!r} cannot be added "
            "to it. Put it there and run what is there (%pai_train, with one %), or give a directory of this machine: "
            "--source-dir ./src",
            field="source_dir",
        )


def fresh_id() -> str:
    """Generate the id of a new job."""
    return new_job_id(time.time(), secrets.randbits(64))


def check(spec: JobSpec, place: Target) -> list[str]:
    """Ask the backend whether it can run `spec`; return its notes."""
    sentences = [*check_options(spec), *get_backend(place.backend).check(spec)]
    problems = [sentence for sentence in sentences if not sentence.startswith(NOTE)]
    if problems and place.is_emulated and place.is_configured:
        problems.append(
            "Jobs go to the emulator, as %pai_config says. To run this one on this machine, type --backend process; "
            "to leave the emulator, type %pai_config use emulator --stop."
        )
    if problems:
        raise SpecError("\n".join(problems))
    return [sentence.removeprefix(NOTE) for sentence in sentences]


_named: set[str] = set()  # variables already named in a note


def _held_back(spec: JobSpec, place: Target) -> list[str]:
    """Return a note naming the variables that the job does not inherit; each is named once per process."""
    backend = get_backend(place.backend)
    names = [name for name in backend.held_back(spec) if name not in _named] if isinstance(backend, Inherits) else []
    if not names:
        return []
    _named.update(names)
    return [
        f"not passed on, since they may be secrets: {', '.join(names)}. What the job needs, give it with --pass-env {names[0]}"
    ]


@for_python()
def submit(spec: JobSpec, *, backend: str | None = None) -> Job:
    """Pack and start `spec`; the basic Python API, also used by `Estimator` and `%%pai_train`.

    Raises:
        SpecError, PackageError, BackendError: nothing was started or left behind.

    Example:
        >>> from pai_jupyter import JobSpec
        >>> job = submit(JobSpec(name="demo", command="echo hello"), backend="process").wait()
        >>> [line.text for line in job.tail(1)]
        ['hello']
    """
    with draft(spec, place_of(spec, backend=backend)) as ready:
        return ready.submit()


def _pack(
    directory: Path | None,
    scratch: Scratch,
    *,
    files: Mapping[str, bytes],
    overlay: Mapping[str, bytes],
    include: Sequence[Path],
    allow_large: bool,
) -> Package:
    """Pack `directory` into a file in `scratch`."""
    home = job_store().home
    return build(
        directory,
        to=scratch.path / "package.tar.gz",
        files=files,
        overlay=overlay,
        include=include,
        without=home,  # a home inside the source would be packed with all its jobs
        secrets=loaded_secrets(),
        allow_large=allow_large,
        cache_dir=home / "cache" / "packages",
    )


async def _with_output_path(spec: JobSpec, backend: Backend, job_id: str) -> JobSpec:
    """Fill in `output_path` for backends that keep outputs in their own storage."""
    if spec.output_path or not isinstance(backend, HoldsOutputs):
        return spec
    return replace(spec, output_path=await asyncio.to_thread(backend.output_path, job_id))


def _fingerprint(spec: JobSpec, backend: str, digest: str, job_id: str) -> str:
    """Hash the code, values and target of a job, without the values of secrets.

    It also leaves out the job's id, which a rerun appends to output locations, and the time in an estimator's job name.
    """
    public = {name: MASKED if contract.is_secret(name, value) else value for name, value in spec.environments.items()}
    text = json.dumps([backend, digest, replace(spec, environments=public).to_json()], sort_keys=True, default=str)
    stamp = _STAMP.search(spec.name)
    for own in (job_id, *([stamp[0]] if stamp else [])):
        text = text.replace(own, "")
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _is_alive(folder: JobFolder) -> bool:
    """Return whether the job runs or is being submitted; False if its record is damaged."""
    try:
        snapshot = folder.read()
        if snapshot.ref is not None or snapshot.state.status.is_terminal:
            return not snapshot.state.status.is_terminal
        lock = folder.try_lock()  # the submitter holds this lock
        if lock is None:
            return True
        with lock:
            pass
        return may_run(folder)
    except PaiJupyterError:
        return False
