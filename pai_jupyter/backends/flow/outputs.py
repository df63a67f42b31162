"""Download what a node has written: its output parameters, its artifacts in OSS, the channels below its `output_path`."""

import asyncio
import json
import re
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from pai_jupyter.backends.flow.node_job import NodeJob, output_path_of
from pai_jupyter.backends.flow.snapshots import FlowConnection
from pai_jupyter.cloud.flow.artifact_values import artifact_place
from pai_jupyter.cloud.flow.flow_runs import output_of
from pai_jupyter.errors import BackendError, NotFoundError, PaiJupyterError
from pai_jupyter.spec import Json
from pai_jupyter.store import JobStore
from pai_jupyter.store.disk import translated

PARAMETERS = "output_parameters"
_PARAMETER = re.compile(r"\w[\w.-]{0,99}")  # a name that can be a file's


async def fetch(connection: FlowConnection, job: NodeJob, channel: str, to: Path) -> Path:
    """Copy an output into the directory `to`: an archived artifact by its name, else a channel below `output_path`.

    Raises:
        NotFoundError: the node has no such output.
        BackendError: it is nowhere that can be reached from here.
    """
    node = await connection.service.get_node(job.run, job.node)
    place = await asyncio.to_thread(lambda: to.expanduser().absolute())
    if channel == PARAMETERS and node.parameters:
        await asyncio.to_thread(_write, node.parameters, place)
        return place
    archived = [output_of(fields) for fields in await connection.service.outputs(job.run, job.node)]
    places: dict[str, Json] = {**node.artifacts, **{it.name: it.value for it in archived}}
    if channel in places:
        return await _download(connection, _oss_place(places[channel], channel, job), place)
    if base := output_path_of(node) or await asyncio.to_thread(_recorded_path, job):
        return await _download(connection, f"{base.rstrip('/')}/{channel}/", place)
    known = ", ".join(sorted({*places, *([PARAMETERS] if node.parameters else [])})) or "none"
    raise NotFoundError(f"job {job.job_id} has no output {channel!r}; it has {known}.")


def _recorded_path(job: NodeJob) -> str:
    """Return the output path in the job's record, which comes from the manifest where PAIFlow does not tell it; "" without one."""
    with suppress(PaiJupyterError):
        path = JobStore().open(job.job_id).record.spec.output_path
        return path if path and path.startswith("oss://") else ""
    return ""


def _oss_place(value: Json, channel: str, job: NodeJob) -> str:
    place = artifact_place(value)
    if not isinstance(place, str) or not place.startswith("oss://"):
        raise BackendError(
            f"output {channel!r} of job {job.job_id} is not in OSS, so it cannot be copied here: {value!s:.200}"
        )
    return place


async def _download(connection: FlowConnection, place: str, to: Path) -> Path:
    cancel = threading.Event()
    running = asyncio.ensure_future(asyncio.to_thread(connection.session.download, place, to, cancel=cancel))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        cancel.set()
        await asyncio.wait({running})
        running.exception()  # cancelled, so its error does not matter
        raise


def _write(parameters: Mapping[str, Json], to: Path) -> None:
    """Write each output parameter as the file that the script would have left."""
    with translated(to):
        to.mkdir(parents=True, exist_ok=True)
        for name, value in parameters.items():
            if _PARAMETER.fullmatch(name):
                text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
                (to / name).write_text(text, encoding="utf-8", errors="surrogatepass")
