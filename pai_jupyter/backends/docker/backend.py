import asyncio
import re
import threading
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from pai_jupyter import contract
from pai_jupyter.backends import ImageFacts, LogHome, StatusReport
from pai_jupyter.backends.docker import containers, queueing, submission
from pai_jupyter.backends.docker.cards import GPUS, count_cards, gpus_of, read_own
from pai_jupyter.backends.docker.deployment import Deployment, check_outputs, engine_of
from pai_jupyter.backends.docker.engine import Client, connect, engine_address, must_answer
from pai_jupyter.backends.docker.following import STOP_MARK, end_of, ends_in, known_states, life
from pai_jupyter.backends.docker.host_processes import host_processes
from pai_jupyter.backends.docker.image_facts import image_facts
from pai_jupyter.backends.docker.images import find_image
from pai_jupyter.backends.docker.info import INFO
from pai_jupyter.backends.docker.outcome import EXIT, read_exit
from pai_jupyter.backends.docker.watch import EngineWatch
from pai_jupyter.backends.info import HOST_NETWORK, IMAGE_WORKDIR, NETWORK
from pai_jupyter.backends.local import check_gpus, check_local, disk_errors, fetch, follow_logs, remove_credential
from pai_jupyter.errors import BackendError, SpecError
from pai_jupyter.events import Event, Position, Status
from pai_jupyter.package import Package
from pai_jupyter.spec import JobRef, JobSpec


class DockerBackend:
    """The backend for the local container engine."""

    info = INFO
    log_home = LogHome.FOLDER

    def __init__(self) -> None:
        self._clients: dict[str, Client] = {}  # by engine address; shared by all threads and jobs
        self._connecting = threading.Lock()
        self._watches: dict[str, EngineWatch] = {}

    def check(self, spec: JobSpec) -> list[str]:
        problems = check_local(spec, self.info) + _check_limits(spec)
        with suppress(SpecError):  # reported by `check_local`
            problems += check_outputs(spec)
        problems += check_gpus(spec, count_cards())
        if not spec.image_uri:
            return [*problems, "backend 'docker' needs an image: --image python:3.11-slim, or use --backend process."]
        try:
            client = self._client(engine_address())
            images = {spec.image_uri, *(role.image_uri for role in spec.roles if role.image_uri)}
            missing = sorted(name for name in images if find_image(client, name) is None)
        except BackendError as exc:
            return [*problems, str(exc)]
        return problems + [f"note: image {name!r} is not on this machine yet; it is pulled first." for name in missing]

    def image_facts(self, image: str, *, is_looked_into: bool) -> ImageFacts | None:
        return image_facts(self._client(engine_address()), image, is_looked_into=is_looked_into)

    def variables(self, spec: JobSpec, folder: Path) -> Mapping[str, Mapping[str, str]]:
        """Return the variables that depend on this machine: the GPUs that a container sees."""
        found = {}
        for replica in contract.replicas(spec):
            seen = gpus_of(spec, replica, read_own(folder / "run"))
            found[replica.name] = {GPUS: ",".join(seen)} if seen else {}
        return found

    async def submit(self, spec: JobSpec, package: Package, *, job_id: str) -> JobRef:
        job = Deployment.plan(spec, job_id, engine_of(job_id))
        cancelled = threading.Event()
        work = asyncio.ensure_future(
            asyncio.to_thread(lambda: submission.run(self._client(job.engine), spec, package, job, cancelled))
        )
        try:
            await asyncio.shield(work)
        except asyncio.CancelledError:
            cancelled.set()
            await asyncio.wait({work})
            if not work.exception():  # the job was started before the cancellation
                queueing.call_off(job)
                await asyncio.to_thread(lambda: containers.remove(self._client(job.engine), job))
            raise
        return job.ref

    async def status(self, ref: JobRef) -> StatusReport:
        job = Deployment.from_ref(ref)
        if not ref.data:
            await asyncio.to_thread(lambda: submission.take_over(self._client(job.engine), job))
        states = await asyncio.to_thread(lambda: known_states(self._client(job.engine), job))
        exits = ends_in(states)
        started = min((state.started for state in states.values() if state.started is not None), default=None)
        if len(exits) == len(states):
            end = end_of(job, exits)
            return StatusReport(
                status=end.status, reason=end.reason, exit_code=end.exit_code, started=started, ended=end.time
            )
        if started is None:
            return StatusReport(status=Status.QUEUED, reason=queueing.reason(job) if queueing.is_waiting(job) else "")
        return StatusReport(status=Status.RUNNING, started=started)

    async def follow(self, ref: JobRef, after: Position) -> AsyncGenerator[Event, None]:
        job = Deployment.from_ref(ref)
        watch = self._watches.setdefault(job.engine, EngineWatch(job.engine))
        facts = life(job, lambda: self._client(job.engine), watch)
        async for event in follow_logs(job.folder, job.replicas, after, facts):
            yield event

    async def stop(self, ref: JobRef) -> None:
        job = Deployment.from_ref(ref)
        await asyncio.to_thread(lambda: self._stop(job))

    def _stop(self, job: Deployment) -> None:
        if queueing.cancel(job, job.run / STOP_MARK, lambda: self._client(job.engine)):
            remove_credential(job.folder)
            return
        client, mark = self._client(job.engine), job.run / STOP_MARK
        running = [replica for replica, state in known_states(client, job).items() if state.exit is None]
        if running:
            with disk_errors(mark):
                mark.touch()
            containers.stop(client, job, running)
        remove_credential(job.folder)

    async def processes(self, ref: JobRef) -> Mapping[str, Sequence[int]]:
        job = Deployment.from_ref(ref)
        return await asyncio.to_thread(lambda: host_processes(self._client(job.engine), job))

    async def stop_removed(self, job_id: str) -> bool:
        return await asyncio.to_thread(lambda: containers.end_labelled(self._client(engine_address()), job_id))

    def is_lost(self, folder: Path) -> bool:
        names = [path.name.removesuffix(EXIT) for path in (folder / "run").glob(f"*{EXIT}")]
        found = [read_exit(folder / "run", name) for name in names]
        return any(item is not None and item.is_lost for item in found)

    async def fetch(self, ref: JobRef, channel: str, to: Path) -> Path:
        return await fetch(Deployment.from_ref(ref).folder, channel, to)

    async def aclose(self) -> None:
        while self._clients:
            self._clients.popitem()[1].close()

    def _client(self, address: str) -> Client:
        """Return a cached client after checking that the engine answers."""
        must_answer(address)
        with self._connecting:
            if address not in self._clients:
                self._clients[address] = connect(address)
            return self._clients[address]


def _check_limits(spec: JobSpec) -> list[str]:
    """Return a sentence for each option whose value the engine would reject."""
    options = spec.backend_options.get("docker", {})
    problems = []
    if not isinstance(options.get(IMAGE_WORKDIR, False), bool):
        problems.append(
            f"option docker.{IMAGE_WORKDIR} is {options[IMAGE_WORKDIR]!r}; write docker.{IMAGE_WORKDIR}=true"
        )
    if (network := options.get(NETWORK)) is not None and network != HOST_NETWORK:
        problems.append(f"option docker.{NETWORK} is {network!r}; write docker.{NETWORK}={HOST_NETWORK}")
    for key in ("memory", "shm_size"):
        value = options.get(key)
        if value is not None and not re.fullmatch(r"\d+[bkmgBKMG]?", str(value)):
            problems.append(f"option docker.{key} is {value!r}; it is a number with a unit, e.g. docker.{key}=4g")
    cpus = options.get("cpus")
    if cpus is not None and not (re.fullmatch(r"\d+(\.\d+)?", str(cpus)) and float(str(cpus)) > 0):
        problems.append(f"option docker.cpus is {cpus!r}; it is a number of cores, e.g. docker.cpus=1.5")
    return problems
