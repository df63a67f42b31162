"""Run the services' jobs as jobs of this package, in a home directory of the emulator's own.

It uses the package `jobs`: a supervisor outlives the emulator; a follower records logs, events and usage, and a later
emulator continues. A job has the id that its service gave it.
"""

import asyncio
import hashlib
import tarfile
from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path

from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.events import JobState
from pai_jupyter.jobs import Draft, Job, Target, close_runtime, runtime
from pai_jupyter.jobs.submission import check
from pai_jupyter.package import Package
from pai_jupyter.spec import JobSpec
from pai_jupyter.store import JobStore, Scratch


class Runner:
    """The jobs of one emulator; `images` maps patterns of image names to local images."""

    def __init__(self, *, backend: str, images: Mapping[str, str]) -> None:
        self._place = Target(backend=backend, reason="emulator")
        self._images = images
        self._jobs: dict[str, Job] = {}  # kept, since each caches what it has read of its files

    def image(self, name: str) -> str:
        """Return the local image to run for an image name."""
        return next((local for pattern, local in self._images.items() if fnmatchcase(name, pattern)), name)

    async def submit(self, spec: JobSpec, source: Path, *, job_id: str) -> None:
        """Start a job with all files of the directory `source`; no ignore files apply.

        Raises:
            PaiJupyterError: it cannot be run; nothing is left behind.
        """
        await asyncio.to_thread(self._submit, spec, source, job_id)

    def job(self, job_id: str) -> Job | None:
        """Return the job with this id; None if it has not been submitted, or could not be."""
        known = self._jobs.get(job_id)
        if known is not None and known.folder.path.exists():
            return known
        self._jobs.pop(job_id, None)
        try:
            job = Job(JobStore().open(job_id))
            job.spec  # noqa: B018  read and kept: a submission that fails takes its folder away at any moment
        except PaiJupyterError:
            return None
        self._jobs[job_id] = job
        return job

    async def follow(self, job: Job, changed: Callable[[JobState], None]) -> JobState:
        """Follow a job until its end; `changed` is called on this event loop."""
        loop = asyncio.get_running_loop()
        following = await asyncio.to_thread(runtime().follow, job.folder)

        def pass_on(state: JobState) -> None:
            loop.call_soon_threadsafe(changed, state)

        unwatch = following.watch(pass_on)
        try:
            changed(following.state)
            return await asyncio.shield(asyncio.wrap_future(following.ended))
        finally:
            unwatch()

    async def stop(self, job_id: str) -> None:
        """Stop the job with this id, if there is one."""
        if (job := self.job(job_id)) is not None:
            await asyncio.to_thread(job.stop)

    async def remove(self, job_id: str) -> None:
        """Delete a job that has ended, with its log and its files."""
        if self.job(job_id) is not None:
            await asyncio.to_thread(JobStore().remove, job_id)
            self._jobs.pop(job_id, None)

    async def close(self) -> None:
        """Stop following; the jobs go on."""
        await asyncio.to_thread(close_runtime)

    def _submit(self, spec: JobSpec, source: Path, job_id: str) -> None:
        notes = check(spec, self._place)
        with Scratch(JobStore().home) as scratch:
            package = _pack(source, scratch.path / "package.tar.gz")
            with Draft(spec, self._place, package, job_id=job_id, notes=notes, record={}) as ready:
                ready.submit()


def _pack(source: Path, to: Path) -> Package:
    with tarfile.open(to, "w:gz", compresslevel=1) as tar:
        tar.add(source, arcname=".")
    return Package(path=to, digest=hashlib.sha256(to.read_bytes()).hexdigest(), files=())
