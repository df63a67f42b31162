"""All views of one client: a browser tab with its WebSocket, or a widget with its comm. Knows no transport.

    receive(request) ── hello, points ────► View: pushes of one job         bye ends it
                     ├─ watch_jobs ───────► ListView: pushes of all jobs    bye ends it; select_jobs: which are shown
                     ├─ watch_run ────────► RunView: pushes of one run      bye ends it; open_run: which levels are shown
                     ├─ stop_run, rerun_run ► run_view.actions
                     └─ everything else ──► answers, on threads

Rule 1: every request gets an answer or an error message, and no request can end the feed.
Rule 2: `receive` returns when its request is answered. A host may call it concurrently; more than `MOST_AT_ONCE` requests
    at a time are refused, so that no queue grows here.
Rule 3: requests of one view take effect in the order in which they arrive.
"""

import asyncio
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

from pai_jupyter.errors import LimitExceededError, PaiJupyterError, SpecError
from pai_jupyter.jobs import Job, JobSelection
from pai_jupyter.store import JobStore
from pai_jupyter.wire.connection.answers import answer
from pai_jupyter.wire.connection.listing import ListView
from pai_jupyter.wire.connection.selection import read_selection
from pai_jupyter.wire.connection.sparklines import sparks
from pai_jupyter.wire.job_view.pushes import Send, View
from pai_jupyter.wire.protocol.jobs import Handler, find_job, replica_of
from pai_jupyter.wire.protocol.language import spoken
from pai_jupyter.wire.protocol.messages import Body, Message, error_body, error_of_type
from pai_jupyter.wire.protocol.requests import Hello, Points, RequestHead, RunRequest, Sparks, id_of
from pai_jupyter.wire.run_view.actions import ACTIONS
from pai_jupyter.wire.run_view.pushes import RunView
from pai_jupyter.wire.run_view.runs import watcher_of

API: Literal[1] = 1  # version of the wire format
MOST_AT_ONCE = 32
MOST_VIEWS = 100
_FAILURE = "pai_jupyter failed at this request. See the log of the Jupyter server or of the kernel."

_log = logging.getLogger(__name__)


@dataclass
class _Place:
    """A view's place in its feed, from its hello to its bye."""

    view: View | ListView | RunView | None = None  # None until its job or run is found
    is_settled: asyncio.Event = field(
        default_factory=asyncio.Event
    )  # set when the job or run was found or is known to be missing
    task: "asyncio.Task[None] | None" = None


class Feed:
    """The views and requests of one client. Use it on one event loop only."""

    def __init__(self, send: Send, *, more: Mapping[str, Handler] | None = None, language: str = "en") -> None:
        """Create the feed of a client; `language` of its messages to users: "en" or "zh".

        `send` returns when the client has taken the message; `more` has handlers that only this host provides, by kind.
        """
        self._send = send if language == "en" else lambda message: send(spoken(message, language))
        self._more = more
        self._places: dict[str, _Place] = {}
        self._at_work = 0
        self._is_closed = False

    async def receive(self, request: object) -> None:
        """Answer one request: parsed JSON of any shape."""
        if self._is_closed:
            return
        self._at_work += 1
        try:
            message = await self._answered(request)
            if not self._is_closed:
                await self._send(message)
                self._start(request)
        finally:
            self._at_work -= 1

    async def aclose(self) -> None:
        """End all views; nothing is sent afterwards."""
        self._is_closed = True
        tasks = [place.task for place in self._places.values() if place.task]
        for name in list(self._places):
            self._unmount(name)
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _answered(self, request: object) -> Message:
        body: Body = {"id": id_of(request)}
        try:
            done = await self._dispatch(request)
            return Message(body={**body, "ok": dict(done.body)}, buffers=done.buffers)
        except PaiJupyterError as exc:
            return Message(body={**body, "error": error_body(exc)})
        except Exception:  # noqa: BLE001  a bug of ours must not end the feed
            _log.exception("a request failed")
            return Message(body={**body, "error": error_of_type("InternalError", _FAILURE)})

    async def _dispatch(self, request: object) -> Message:
        if self._at_work > MOST_AT_ONCE:
            raise LimitExceededError(f"more than {MOST_AT_ONCE} requests at once. Retry when some are answered.")
        if not isinstance(request, Mapping):
            raise SpecError("a request is a JSON object with `id`, `kind` and `job`.")
        call = RequestHead.parse(request)
        match call.kind:
            case "hello":
                return await self._mount(call, Hello.parse(request))
            case "watch_jobs":
                return await self._mount_list(call, read_selection(request))
            case "select_jobs":
                return await self._select(call, read_selection(request))
            case "watch_run":
                return await self._mount_run(call, RunRequest.parse(request))
            case "open_run":
                return await self._open_levels(call, RunRequest.parse(request))
            case kind if kind in ACTIONS:
                return Message(body=await asyncio.to_thread(ACTIONS[kind], call.job, request))
            case "sparks":
                return await asyncio.to_thread(sparks, Sparks.parse(request).jobs)
            case "bye":
                self._unmount(call.view)
                return Message(body={})
            case "points" if call.view in self._places:
                return await self._view_points(call, Points.parse(request))
            case _:
                return await answer(call.kind, call.job, request, more=self._more)

    async def _mount(self, call: RequestHead, asked: Hello) -> Message:
        with self._mounting(call) as place:
            job, replica = await asyncio.to_thread(_find, call.job, asked.replica)
            place.view = View(call.view, job, replica, self._send)
        return Message(body={"api": API})

    async def _mount_run(self, call: RequestHead, asked: RunRequest) -> Message:
        with self._mounting(call) as place:
            watcher = await asyncio.to_thread(watcher_of, call.job)
            place.view = RunView(call.view, call.job, watcher, asked.open_levels, self._send)
        return Message(body={})

    async def _open_levels(self, call: RequestHead, asked: RunRequest) -> Message:
        view = await self._settled(call.view)
        if not isinstance(view, RunView) or view.run_id != call.job:
            raise SpecError(f"this view does not show run {call.job!r}. Ask for `watch_run` first.", field="view")
        view.open_levels(asked.open_levels)
        return Message(body={})

    async def _mount_list(self, call: RequestHead, selection: JobSelection) -> Message:
        place = self._make_place(call)
        count = await asyncio.to_thread(_count)
        place.view = ListView(call.view, self._send, selection)
        place.is_settled.set()
        return Message(body={"count": count})

    async def _select(self, call: RequestHead, selection: JobSelection) -> Message:
        view = await self._settled(call.view)
        if not isinstance(view, ListView):
            raise SpecError("this view does not list jobs. Ask for `watch_jobs` first.", field="view")
        view.select(selection)
        return Message(body={})

    async def _settled(self, name: str) -> View | ListView | RunView | None:
        """Return the view of this name, when what it shows has been found; None if there is none."""
        place = self._places.get(name)
        if place is None:
            return None
        await place.is_settled.wait()
        return place.view

    @contextmanager
    def _mounting(self, call: RequestHead) -> Iterator[_Place]:
        """Create the place for the view of `call`; it goes again if what it is to show cannot be found."""
        place = self._make_place(call)
        try:
            yield place
        except BaseException:
            if self._places.get(call.view) is place:
                self._unmount(call.view)
            raise
        finally:
            place.is_settled.set()

    def _make_place(self, call: RequestHead) -> _Place:
        """Create the place for the view of `call`; an earlier view of the same name ends."""
        if not call.view:
            raise SpecError(f"a {call.kind} request needs `view`, a name that the client chooses.", field="view")
        self._unmount(call.view)
        if len(self._places) >= MOST_VIEWS:
            raise LimitExceededError(f"more than {MOST_VIEWS} views are open. Close some of them.")
        place = self._places[call.view] = _Place()
        return place

    def _start(self, request: object) -> None:
        """Start the pushes of a view after its hello was answered."""
        name = request.get("view") if isinstance(request, Mapping) else None
        place = self._places.get(name) if isinstance(name, str) else None
        if place is not None and place.view is not None and place.task is None:
            place.task = asyncio.create_task(_run(place.view))

    def _unmount(self, name: str) -> None:
        place = self._places.pop(name, None)
        if place is not None and place.task is not None:
            place.task.cancel()

    async def _view_points(self, call: RequestHead, asked: Points) -> Message:
        view = await self._settled(call.view)
        if not isinstance(view, View) or view.job.id != call.job:
            raise SpecError(f"this view does not show job {call.job!r}. Send `hello` first.", field="view")
        return await view.points(asked.group, is_live=asked.is_live)


def _find(job_id: str, replica: str | None) -> tuple[Job, str]:
    job = find_job(job_id)
    return job, replica_of(job, replica)


def _count() -> int:
    """Count the job folders; 0 if they cannot be read, which the pushes report."""
    try:
        return len(JobStore().ids())
    except PaiJupyterError:
        return 0


async def _run(view: View | ListView | RunView) -> None:
    try:
        await view.run()
    except Exception:  # noqa: BLE001  nobody awaits this task, so it logs its own errors
        _log.exception("a view ended: %s", type(view).__name__)
