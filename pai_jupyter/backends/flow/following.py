"""Follow one node by PAIFlow's answers: status, log and end, as events.

Rule 1: the terminal status comes last, once the log has had no new line for `QUIET` seconds: PAIFlow's log has no end mark. An
    emulator's log is complete when its node has ended.
Rule 2: failed requests are repeated with growing pauses and one notice.
Rule 3: a cursor is the number of lines before it; several followers may start anywhere.
"""

import asyncio
import time
from collections.abc import AsyncIterator

from pai_jupyter import contract
from pai_jupyter.backends.flow.node_job import NodeJob
from pai_jupyter.backends.flow.snapshots import FlowConnection
from pai_jupyter.backends.flow.status_map import has_run, report_of
from pai_jupyter.cloud.flow import FlowNode
from pai_jupyter.errors import AuthError, NotFoundError, PaiJupyterError, ProtocolError, SpecError
from pai_jupyter.events import Event, LogChunk, Notice, Position, Status, StatusChanged
from pai_jupyter.spec import JobSpec
from pai_jupyter.store import JobStore
from pai_jupyter.store.attention import is_looked_at

[_ONLY] = contract.replicas(JobSpec(name="a", command="true"))
REPLICA = _ONLY.name  # the name of the only replica of a job
SHORTEST, LONGEST = 1.0, 30.0  # seconds between two looks at the node: while somebody views it, and else after a while
GROWTH = 1.5
FIRST_LOOK = 10.0  # seconds from the start in which a job counts as viewed
RETRY, LONGEST_RETRY = 1.0, 30.0  # seconds between two tries if the service does not answer
QUIET = 4.0  # seconds without a new line after which the log of an ended node is complete
LATE = 20 * 60.0  # seconds after a node's end when no more lines are expected; clocks may differ by 15 minutes
DRAIN_PAUSE = 0.5  # seconds between two requests for the last lines
_SLICE = 1.5  # seconds between two checks whether the job is viewed


async def follow(connection: FlowConnection, job: NodeJob, after: Position) -> AsyncIterator[Event]:
    """Yield the node's events after `after` until its end."""
    followed = FollowedNode(connection, job, after)
    snapshot, pause, is_announced = connection.run(job.run), RETRY, False
    while not followed.is_over:
        try:
            node = await snapshot.look(job.node)
            async for event in followed.news(node):
                yield event
            if is_announced and not followed.is_over and followed.status is not None:
                yield followed.status
            pause, is_announced = RETRY, False
            await followed.rest()
        except (AuthError, NotFoundError, ProtocolError):
            raise
        except SpecError as exc:
            raise ProtocolError(f"PAIFlow rejects requests about job {job.job_id}: {exc}") from exc
        except PaiJupyterError as exc:
            if not is_announced:
                text = f"{exc} It is tried again and again; the job itself goes on."
                yield Notice(text=text, time=time.time(), level="warning")
            yield StatusChanged(status=Status.UNKNOWN, time=time.time(), reason=f"{exc} The job itself goes on.")
            is_announced = True
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_RETRY)


class FollowedNode:
    """The follower's state of one node: what was yielded and what is new."""

    def __init__(self, connection: FlowConnection, job: NodeJob, after: Position) -> None:
        self.is_over = False
        self.status: StatusChanged | None = None  # the last yielded status
        self._connection = connection
        self._job = job
        self._cursor = after.get(REPLICA, 0)
        self._folder = JobStore().path(job.job_id)
        self._begun = time.monotonic()
        self._pause = SHORTEST

    async def news(self, node: FlowNode) -> AsyncIterator[Event]:
        """Yield what is new of the node; after its end the rest of its log and its terminal status."""
        report = report_of(node)
        if report.status is Status.QUEUED:
            for event in self._changed(report.status, time.time(), report.reason):
                yield event
        elif report.status is Status.UNKNOWN:
            for event in self._changed(
                report.status, time.time(), f"{report.reason or node.status!r} The job goes on."
            ):
                yield event
        elif has_run(node):
            for event in self._changed(Status.RUNNING, node.started or time.time()):
                yield event
            async for chunk in self._log():
                yield chunk
        if report.status.is_terminal:
            if has_run(node):
                async for chunk in self._drain(node):
                    yield chunk
            at = report.ended or time.time()
            yield StatusChanged(status=report.status, time=at, reason=report.reason, exit_code=report.exit_code)
            self.is_over = True

    async def rest(self) -> None:
        """Wait until the next look at the node, or until somebody views the job."""
        if self.is_over:
            return
        is_watched = time.monotonic() - self._begun < FIRST_LOOK or self._is_looked_at
        self._pause = SHORTEST if is_watched else min(GROWTH * self._pause, LONGEST)
        due = time.monotonic() + self._pause
        while (left := due - time.monotonic()) > 0:
            await asyncio.sleep(min(left, _SLICE))
            if self._pause > SHORTEST and self._is_looked_at:
                return

    @property
    def _is_looked_at(self) -> bool:
        return not self._folder.is_dir() or is_looked_at(self._folder)

    def _changed(self, status: Status, at: float, reason: str = "") -> list[StatusChanged]:
        if self.status is not None and (self.status.status, self.status.reason) == (status, reason):
            return []
        self.status = StatusChanged(status=status, time=at, reason=reason)
        return [self.status]

    async def _log(self) -> AsyncIterator[LogChunk]:
        async for lines in self._connection.service.logs(self._job.run, self._job.node, offset=self._cursor):
            self._cursor += len(lines)
            data = "".join(f"{line}\n" for line in lines).encode(errors="surrogatepass")
            yield LogChunk(replica=REPLICA, data=data, cursor=self._cursor, time=time.time())

    async def _drain(self, node: FlowNode) -> AsyncIterator[LogChunk]:
        """Yield the remaining lines until there was none for `QUIET` s, or none is expected any more."""
        last_news = time.monotonic()
        while not self._is_complete(node) and time.monotonic() - last_news < QUIET:
            await asyncio.sleep(DRAIN_PAUSE)
            async for chunk in self._log():
                last_news = time.monotonic()
                yield chunk

    def _is_complete(self, node: FlowNode) -> bool:
        if self._connection.session.is_emulator:
            return True
        now = time.time() + self._connection.client.clock_skew
        return node.ended is not None and now - node.ended > LATE
