"""Look at a run that PAIFlow drives: ask for its nodes, keep them in its folder, take its jobs into the list of jobs."""

import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cached_property

from pai_jupyter.backends import ShowsNodes, find_backend, read_only_infos
from pai_jupyter.cloud.flow import FlowNode, FlowRun, FlowService
from pai_jupyter.cloud.flow.pipelines import asking
from pai_jupyter.errors import NotFoundError, PaiJupyterError
from pai_jupyter.jobs import Job, import_job
from pai_jupyter.runs.state import RunState, RunStatus
from pai_jupyter.workflow.remote_folder import RemoteFolder, RemoteRecord, Seen
from pai_jupyter.workflow.remote_state import JobNode, RemoteDrawing
from pai_jupyter.workflow.remote_steps import RemoteManifest

SHORTEST, LONGEST = (
    2.0,
    15.0,
)  # seconds between two questions to the service, while something happens and while nothing does
GROWTH = 1.3


class RemoteWatcher:
    """Tells how one run stands, as often as it is asked; it asks the service seldom, and not at all about a run that has ended."""

    def __init__(self, folder: RemoteFolder) -> None:
        self._folder = folder
        self._seen = folder.seen()
        self._told: RunState | None = None
        self._due = 0.0
        self._pause = SHORTEST
        self._drawn: tuple[Seen | None, RunState] | None = None
        self._job_ids: dict[str, str] = {}  # by node
        self._adopted: set[str] = set()  # nodes
        self.trouble = ""  # why the service did not answer when it was last asked

    @property
    def record(self) -> RemoteRecord:
        return self._folder.record

    @cached_property
    def drawing(self) -> RemoteDrawing:
        return RemoteDrawing(RemoteManifest(self.record.documents), self._job_id)

    def poll(self) -> RunState | None:
        """Return how the run stands, None if nothing has changed since the last call.

        Raises:
            PaiJupyterError: the service does not answer; what was known before stays.
        """
        now = time.monotonic()
        if not self._is_over and now >= self._due:
            self._due = now + self._pause  # also after a failure
            before = self._seen
            self._look()
            self._pause = SHORTEST if self._seen != before else min(GROWTH * self._pause, LONGEST)
            self._due = now + self._pause
        state = self.state()
        if state is self._told:
            return None
        self._told = state
        return state

    def _look(self) -> None:
        try:
            self.look()
        except PaiJupyterError as exc:
            self.trouble = str(exc)  # until it answers: polls between two questions do not know better
            raise
        self.trouble = ""

    def look(self) -> None:
        """Ask the service now.

        Raises:
            PaiJupyterError: it does not answer, or has no such run any more.
        """
        if self._is_over:
            return
        before = self._seen
        known = {node.id: node for node in _walk(before.root)} if before and before.root else {}
        self._seen = asking(self.record.site.session, lambda service: _ask(service, self.record.flow_run, known))
        if self._seen != before:
            self._folder.note(self._seen)
            self.adopt()

    def state(self) -> RunState:
        """Return how the run stood when the service was last asked; while nothing changes, the same object."""
        if self._drawn is None or self._drawn[0] is not self._seen:
            state = self._draw()
            same = self._drawn is not None and self._drawn[1] == state
            self._drawn = self._seen, self._drawn[1] if same and self._drawn else state
        return self._drawn[1]

    def _draw(self) -> RunState:
        record, seen = self.record, self._seen
        inputs = {**record.parameters, **record.artifacts}
        if seen is None:
            return RunState(
                id=record.id,
                name=record.name,
                status=RunStatus.RUNNING,
                notes=record.notes,
                inputs=inputs,
                created=record.created,
            )
        state = self.drawing.draw(
            seen.run, seen.root, run_id=record.id, name=record.name, created=record.created, notes=record.notes
        )
        return replace(state, inputs=inputs)

    def adopt(self) -> None:
        """Take nodes that have begun into the list of jobs, each once: a job that was deleted since stays deleted."""
        for found in self._job_nodes():
            if found.node.id not in self._adopted:
                self._adopted.add(found.node.id)
                self._import(found)

    def jobs(self) -> list[Job]:
        """Return the jobs of all nodes that have begun, in the order of steps."""
        return [job for found in self._job_nodes() if (job := self._import(found)) is not None]

    def _job_nodes(self) -> list[JobNode]:
        root = self._seen.root if self._seen else None
        return list(self.drawing.job_nodes(root)) if root is not None else []

    def _import(self, found: JobNode) -> Job | None:
        shows, record = _shows_nodes(), self.record
        if shows is None:
            return None
        name, backend = shows
        told = replace(found.node, name=found.step.name, inputs={**found.step.inputs, **found.node.inputs})
        job = backend.node_job(record.site, record.flow_run, told, created=record.created, title=record.name)
        return import_job(name, job, backend.node_spec(told), run=record.id, step=found.path)

    def _job_id(self, node: FlowNode) -> str:
        if node.id not in self._job_ids:
            shows, record = _shows_nodes(), self.record
            if shows is None:
                return ""
            job = shows[1].node_job(record.site, record.flow_run, node, created=record.created, title=record.name)
            self._job_ids[node.id] = job.ref.job_id
        return self._job_ids[node.id]

    @property
    def _is_over(self) -> bool:
        return self._seen is not None and self._seen.run.is_over


async def _ask(service: FlowService, run_id: str, known: Mapping[str, FlowNode]) -> Seen:
    run = await service.get_run(run_id)
    root = None
    if run.node_id:
        with suppress(NotFoundError):  # a run that ended before it began has none
            root = await service.tree(run_id, run.node_id, known=known)
    return Seen(run=replace(run, manifest=""), root=root)


def _walk(node: FlowNode) -> list[FlowNode]:
    return [node, *(each for child in node.children for each in _walk(child))]


def _shows_nodes() -> tuple[str, ShowsNodes] | None:
    """Return the backend that shows nodes as jobs, with its name."""
    for info in read_only_infos():
        backend = find_backend(info.name)
        if isinstance(backend, ShowsNodes):
            return info.name, backend
    return None


def terminate(record: RemoteRecord) -> None:
    """End the run at the service; one that has ended stays as it is."""

    async def end(service: FlowService) -> None:
        if not (await service.get_run(record.flow_run)).is_over:
            try:
                await service.terminate_run(record.flow_run)
            except PaiJupyterError:
                if not (await service.get_run(record.flow_run)).is_over:
                    raise  # unless it has just ended by itself

    asking(record.site.session, end)


def described(record: RemoteRecord) -> FlowRun:
    """Return what the service says of the run itself."""
    return asking(record.site.session, lambda service: service.get_run(record.flow_run))
