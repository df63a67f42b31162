"""Handlers of the requests that need only the job's folder, the same for REST, WebSocket and comm.

A handler is a plain function of a job and the request's parameters. It may block: each call runs on a thread.

Rule 1: a job is named by its full id, and no request reaches outside its folder: every package that opens files by names
    from a client checks them (`JobStore`, `JobFolder.log`, `path_guard`).
Rule 2: searches may take long, so they run on a few threads of their own and never delay lines or pushes.
"""

import asyncio
import sys
from array import array
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from pai_jupyter.errors import NotFoundError, SpecError
from pai_jupyter.jobs import Job, rerun, stop_removed
from pai_jupyter.store import Query
from pai_jupyter.wire.files.output_files import files
from pai_jupyter.wire.job_view.job_events import snapshot
from pai_jupyter.wire.job_view.lines import picked, window_of
from pai_jupyter.wire.job_view.live import notes_of, points_message
from pai_jupyter.wire.job_view.merged import merged_of
from pai_jupyter.wire.job_view.points import PointsReader
from pai_jupyter.wire.protocol.jobs import ALL, Handler, Parameters, find_job, replica_of
from pai_jupyter.wire.protocol.messages import Message
from pai_jupyter.wire.protocol.requests import Difference, Hello, LinesRequest, Points, Search
from pai_jupyter.wire.tabs.difference import difference
from pai_jupyter.wire.tabs.environment import environment
from pai_jupyter.wire.tabs.overview import changes, overview
from pai_jupyter.wire.tabs.source import source
from pai_jupyter.wire.tabs.stacks import profile, stacks

if TYPE_CHECKING:
    from pai_jupyter.wire.schema.tabs import SearchAnswer, StopAnswer
    from pai_jupyter.wire.schema.values import JobNamed


SEARCH_SECONDS = 10.0  # after this time a search answers with what it has found so far
_search_threads = ThreadPoolExecutor(max_workers=3, thread_name_prefix="pai-jupyter-search")


async def answer(
    kind: str, job_id: str, parameters: Parameters, *, more: Mapping[str, Handler] | None = None
) -> Message:
    """Answer a request that needs no view; the message's body is the value of `ok`.

    `more` has handlers that only this host provides, by kind.

    Raises:
        SpecError: the request is invalid.
        PaiJupyterError: it failed; the message says why.
    """
    handler = {**HANDLERS, **(more or {})}.get(kind)
    if handler is None:
        raise SpecError(
            f"unknown kind of request {kind[:40]!r}; it must be one of {', '.join(HANDLERS)}.", field="kind"
        )
    threads = _search_threads if kind == "search" else None
    return await asyncio.get_running_loop().run_in_executor(
        threads, lambda: _handled(kind, handler, job_id, parameters)
    )


def _handled(kind: str, handler: Handler, job_id: str, parameters: Parameters) -> Message:
    try:
        job = find_job(job_id)
    except NotFoundError:
        if kind != "stop":
            raise
        stopped: StopAnswer = {"note": stop_removed(job_id)}
        return Message(body=stopped)
    return handler(job, parameters)


def _snapshot(job: Job, parameters: Parameters) -> Message:
    return Message(body=snapshot(job, Hello.parse(parameters).replica))


def _lines(job: Job, parameters: Parameters) -> Message:
    asked = LinesRequest.parse(parameters)
    replica = replica_of(job, asked.replica)
    if replica == ALL:
        every = merged_of(job)
        window = every.window(asked.start, asked.stop) if asked.numbers is None else every.picked(asked.numbers)
        return Message(body=window.body())
    log = job.folder.log(replica)
    window = window_of(log, asked.start, asked.stop) if asked.numbers is None else picked(log, asked.numbers)
    return Message(body=window.body())


def _search(job: Job, parameters: Parameters) -> Message:
    asked = Search.parse(parameters)
    query = Query(
        pattern=asked.pattern,
        regex=asked.regex,
        ignore_case=asked.ignore_case,
        level=asked.level,
        after=asked.after,
        limit=asked.limit,
        seconds=SEARCH_SECONDS,
    )
    replica = replica_of(job, asked.replica)
    found = merged_of(job).find(query) if replica == ALL else job.folder.log(replica).find(query)
    body: SearchAnswer = {"count": len(found.numbers), "searched": found.searched, "is_more": found.is_more}
    return Message(body=body, buffers=(_doubles(found.numbers),))


def _doubles(numbers: "array[int]") -> bytes:
    doubles = array("d", numbers)
    if sys.byteorder == "big":
        doubles.byteswap()
    return doubles.tobytes()


def _points(job: Job, parameters: Parameters) -> Message:
    asked = Points.parse(parameters)
    if asked.is_live:
        raise SpecError("live points need a view. Send `hello` first.", field="live")
    reader = PointsReader(job)
    return points_message(reader.read(asked.group), notes_of(reader, asked.group))


def _files(job: Job, parameters: Parameters) -> Message:
    body, buffers = files(job, parameters)
    return Message(body=body, buffers=buffers)


def _source(job: Job, parameters: Parameters) -> Message:
    return Message(body=source(job))


def _overview(job: Job, parameters: Parameters) -> Message:
    return Message(body=overview(job))


def _changes(job: Job, parameters: Parameters) -> Message:
    body, difference = changes(job)
    return Message(body=body, buffers=(difference,))


def _environment(job: Job, parameters: Parameters) -> Message:
    return Message(body=environment(job))


def _difference(job: Job, parameters: Parameters) -> Message:
    return Message(body=difference(job, find_job(Difference.parse(parameters).to)))


def _cell(job: Job, parameters: Parameters) -> Message:
    cell = job.folder.record.cell
    if not cell:
        raise NotFoundError(f"job {job.id} has no cell to copy: it was not started by a cell on this machine.")
    return Message(body={"cell": cell})


def _stop(job: Job, parameters: Parameters) -> Message:
    job.stop()
    return Message(body={})


def _rerun(job: Job, parameters: Parameters) -> Message:
    again = rerun(job)
    named: JobNamed = {"job": again.id, "name": again.name}
    return Message(body=named)


HANDLERS: Mapping[str, Handler] = {
    "job": _snapshot,
    "lines": _lines,
    "search": _search,
    "points": _points,
    "files": _files,
    "overview": _overview,
    "changes": _changes,
    "source": _source,
    "environment": _environment,
    "difference": _difference,
    "cell": _cell,
    "stacks": stacks,
    "profile": profile,
    "stop": _stop,
    "rerun": _rerun,
}
