"""The two services that run PAI jobs, the training service and DLC, behind one protocol.

DLC runs jobs with several roles. Its answers are converted to the training service's form, so that all other code handles one
form.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Protocol

from pai_jupyter.backends.pai.services.logs import LogReader, PagedLog
from pai_jupyter.backends.pai.services.status_map import Fields, objects, write_time
from pai_jupyter.cloud.client import Client, Operation, Query, paistudio
from pai_jupyter.errors import ProtocolError
from pai_jupyter.spec import Json

DEADLINE = 15.0  # seconds per call; followers retry themselves
AT_ONCE = 8  # parallel calls about single jobs; more would wait in the HTTP library and use up their deadline


class JobService(Protocol):
    """One of the services, in one workspace; jobs have the service's ids. Every method may raise a PaiJupyterError."""

    async def create(self, body: Mapping[str, Json]) -> str: ...

    async def get(self, job: str) -> Fields:
        """Return the current full description of the job."""
        ...

    def newest(self, since: float) -> AsyncIterator[list[Fields]]:
        """Yield pages of jobs created after `since` (epoch seconds), newest first, without all their details."""
        ...

    def labelled(self, key: str, value: str, since: float) -> AsyncIterator[list[Fields]]:
        """Yield pages of jobs created after `since` (epoch seconds) with this label, including their `Labels`."""
        ...

    async def stop(self, job: str) -> None: ...

    def log(self, job: str, instance: str, *, job_id: str, cursor: int) -> LogReader:
        """Create a reader for an instance's log from line `cursor` on; `job_id` is ours, not the service's."""
        ...

    async def events(self, job: str) -> list[str]:
        """Return the job's event messages, in the service's words."""
        ...

    async def error_info(self, job: str) -> str:
        """Return why the job failed, if its description does not say."""
        ...


class TrainingService:
    """PaiStudio's training jobs."""

    def __init__(self, client: Client, workspace: str) -> None:
        self._client = client
        self._workspace = workspace
        self._free = asyncio.Semaphore(AT_ONCE)

    async def create(self, body: Mapping[str, Json]) -> str:
        return id_of(await self._client.call(paistudio.CREATE_TRAINING_JOB, body=body), "TrainingJobId")

    async def get(self, job: str) -> Fields:
        return await self._ask(paistudio.GET_TRAINING_JOB, job)

    async def newest(self, since: float) -> AsyncIterator[list[Fields]]:
        query: Query = {**self._after(since), "SortBy": "GmtCreateTime", "Order": "DESC"}
        async for items in self._client.pages(paistudio.LIST_TRAINING_JOBS, query=query):
            yield objects({"Items": items}, "Items")

    async def labelled(self, key: str, value: str, since: float) -> AsyncIterator[list[Fields]]:
        query: Query = {**self._after(since), "Labels": {key: value}}
        async for items in self._client.pages(paistudio.LIST_TRAINING_JOBS, query=query):
            yield objects({"Items": items}, "Items")

    async def stop(self, job: str) -> None:
        await self._client.call(paistudio.STOP_TRAINING_JOB, path={"training_job_id": job})

    def log(self, job: str, instance: str, *, job_id: str, cursor: int) -> LogReader:
        async def ask(number: int, size: int) -> dict[str, Json]:
            query: Query = {"InstanceId": instance, "PageNumber": number, "PageSize": size}
            return await self._ask(paistudio.LIST_TRAINING_JOB_LOGS, job, query)

        return PagedLog(job_id, ask, cursor=cursor)

    async def events(self, job: str) -> list[str]:
        return texts(await self._ask(paistudio.LIST_TRAINING_JOB_EVENTS, job, {"PageSize": 100}), "Events")

    async def error_info(self, job: str) -> str:
        info = (await self._ask(paistudio.GET_TRAINING_JOB_ERROR_INFO, job)).get("ErrorInfo")
        return str(info.get("Message") or info.get("Code") or "") if isinstance(info, dict) else ""

    async def _ask(self, operation: Operation, job: str, query: Query | None = None) -> dict[str, Json]:
        async with self._free:
            return await self._client.call(operation, path={"training_job_id": job}, query=query, deadline=DEADLINE)

    def _after(self, since: float) -> dict[str, str]:
        return {"WorkspaceId": self._workspace, "StartTime": write_time(since)}


def id_of(answer: Mapping[str, Json], name: str) -> str:
    """Return the id under `name` in the answer of a call that created a job."""
    job = answer.get(name)
    if not isinstance(job, str) or not job:
        raise ProtocolError("the service created a job without returning its id. Look for it in the console.")
    return job


def texts(answer: Mapping[str, Json], name: str) -> list[str]:
    """Return the strings in the list `name` of an answer; [] if it is no list."""
    items = answer.get(name)
    return [item for item in items if isinstance(item, str)] if isinstance(items, list) else []
