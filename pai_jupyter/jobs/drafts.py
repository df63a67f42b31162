"""A checked and packed job, and how it is started: record first, then submit.

Rule 1: an error or interrupt leaves nothing behind: no file, no folder, no job.
Rule 2: the record is written before the submission, and `follow.lock` is held until its outcome is recorded. So after a crash
    in between, the next follower finds the job by its id or records that it was lost (see follower).
"""

import asyncio
import hashlib
import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from types import TracebackType
from typing import Any

from pai_jupyter import callbacks, contract
from pai_jupyter.backends import Backend, HoldsOutputs, get_backend
from pai_jupyter.backends.local import disk_errors
from pai_jupyter.contract import SENT
from pai_jupyter.errors import NotFoundError, PaiJupyterError
from pai_jupyter.events import JobState, Notice, Status, StatusChanged
from pai_jupyter.jobs import pending
from pai_jupyter.jobs.duplicates import find_open, may_run
from pai_jupyter.jobs.images import with_images
from pai_jupyter.jobs.job import Job, detached
from pai_jupyter.jobs.job_index.facts import MAX_VALUES
from pai_jupyter.jobs.log_secrets import note_variables
from pai_jupyter.jobs.present import passing_progress, presenter
from pai_jupyter.jobs.provenance import Recording, image_states, looked_up_again
from pai_jupyter.jobs.runtime import job_store, runtime
from pai_jupyter.jobs.target import Target
from pai_jupyter.package import Package
from pai_jupyter.spec import JobSpec
from pai_jupyter.store import MASKED, JobFolder, JobNames, JobRecord, JobStore, Scratch
from pai_jupyter.store.provenance import Provenance, write_provenance
from pai_jupyter.values import use_values

_STAMP = re.compile(r"_\d{8}-\d{6}(-\d+)?$")


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
        recording: Recording | None = None,
        notify: bool | None = None,
    ) -> None:
        self.spec = spec
        self.place = place
        self.package = package
        self.notes = tuple(notes)
        self.fingerprint = _fingerprint(spec, place.backend, package.digest, job_id)
        self.job_id = job_id
        self._record = dict(record)
        self._notify = notify  # whether alerts of it are wanted; None: as the settings say
        self._scratch = scratch  # directory of the package
        self._recording = recording  # what the job is started from
        self.sent: tuple[str, ...] = ()  # the values of the kernel that the job gets, one sentence each

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._recording is not None:
            self._recording.cancel()
        if self._scratch is not None:
            self._scratch.drop()

    @property
    def cost(self) -> str:
        """What the job will cost, as a sentence; "" if nobody has set a price for this machine."""
        from pai_jupyter.jobs.pricing import cost_line  # late, with `decimal`: whoever lists jobs needs neither

        return cost_line(self.spec, self.place, self._record.get("price"))

    def running_duplicate(self) -> Job | None:
        """Return an unfinished job with the same code, values and target; None if there is none."""
        for folder in job_store().folders():
            if folder.record.fingerprint == self.fingerprint and _is_alive(folder):
                return Job(folder)
        return None

    def submit(self, *, progress_callback: Callable[[str], None] | None = None, is_forced: bool = False) -> Job:
        """Start the job and follow it; if the same one was submitted with unknown outcome, return that.

        A job that exists under the id of this draft is returned, whatever became of it. The try of a run is only itself: another
        job that is like it is not taken for it.

        `progress_callback` (default: the current presenter) is called on this thread with the progress of slow preparation.
        `is_forced`: start it in any case. A returned job with status `submitting` may turn out not to be started.

        Raises:
            BackendError: nothing was started.
            KeyboardInterrupt: interrupted; the job was stopped again and nothing is left behind.
            JobDetached: interrupted after the start; the job goes on.
        """
        store = job_store()
        if (same := self._submitted(store)) is not None:
            return same
        if not (is_forced or self._record.get("run")) and (found := find_open(self.fingerprint)) is not None:
            return Job(found)
        try:
            with passing_progress(store.path(self.job_id), progress_callback or presenter().tell) as look:
                work = self._submit(store, get_backend(self.place.backend))
                folder = runtime().run(work, meanwhile=look)
        except KeyboardInterrupt:
            if not (store.path(self.job_id) / "state.json").exists():
                raise
            job = Job(store.open(self.job_id))
            runtime().follow(job.folder)
            raise detached(job.id, job.state) from None
        runtime().follow(folder)
        if callbacks.keep_delivering is not None:
            callbacks.keep_delivering(True)
        return Job(folder)

    def _submitted(self, store: JobStore) -> Job | None:
        """Return the job of this draft's id; None if it was not submitted yet."""
        try:
            folder = store.open(self.job_id)
        except NotFoundError:
            return None
        job = Job(folder)
        if not job.status.is_terminal:
            runtime().follow(folder)
        return job

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
        note_variables(self.job_id, spec)
        try:
            if SENT in spec.inputs:
                with suppress(OSError):  # `create` reports what is wrong with the home
                    use_values(store.home, spec.inputs[SENT], self.job_id)
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
            if callbacks.job_starts is not None:
                callbacks.job_starts(folder.id, job_store().home, self._notify)
            packed = folder.path / "package.tar.gz"
            with disk_errors(packed):
                self.package.path.replace(packed)
            if self._scratch is not None:
                self._scratch.drop()  # the scratch directory is empty now, so a kill leaves nothing in it
            known = await asyncio.to_thread(self._record_provenance, folder, spec)
            ref = await backend.submit(spec, replace(self.package, path=packed), job_id=folder.id)
            created = StatusChanged(status=Status.CREATED, time=folder.record.created)
            queued = StatusChanged(status=Status.QUEUED, time=time.time())
            try:
                folder.start(ref, _noted(JobState().apply(created).apply(queued), spec))
            except BaseException:
                await pending.take_back(backend, ref)
                raise
        if known is not None and not all(image.digest for image in known.images):
            await asyncio.to_thread(self._complete_images, folder, known)

    def _record_provenance(self, folder: JobFolder, spec: JobSpec) -> Provenance | None:
        """Write down what the job is started from; None if that fails, which is no failure of the job. Blocking."""
        if self._recording is None:
            return None
        with suppress(PaiJupyterError):  # a full disk is told by the submission
            known = self._recording.result(image_states(spec, self.place.backend))
            write_provenance(folder.path, known)
            return known
        return None

    def _complete_images(self, folder: JobFolder, known: Provenance) -> None:
        """Write down the digests of images that were pulled for the job."""
        images = looked_up_again(known.images, self.place.backend)
        if images != known.images:
            with suppress(PaiJupyterError):
                write_provenance(folder.path, replace(known, images=images, diff=""))


async def _with_output_path(spec: JobSpec, backend: Backend, job_id: str) -> JobSpec:
    """Fill in `output_path` for backends that keep outputs in their own storage."""
    if spec.output_path or not isinstance(backend, HoldsOutputs):
        return spec
    return replace(spec, output_path=await asyncio.to_thread(backend.output_path, job_id))


def _noted(state: JobState, spec: JobSpec) -> JobState:
    """Note that a job has more values than lists, tables and its view hold."""
    count = len(spec.hyperparameters)
    if count <= MAX_VALUES:
        return state
    text = f"Only the first {MAX_VALUES} values are shown, compared and searched; the job gets all {count}."
    return state.apply(Notice(text=text, time=time.time(), level="warning"))


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
