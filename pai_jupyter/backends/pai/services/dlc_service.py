"""Present DLC's jobs in the training service's form: pods as instances, data sources as output channels.

DLC returns a pod's log by time, not by line: `MaxLines` from `StartTime` on, without the times of lines. So the only reliable
way to the lines after a cursor is to request all lines, with a limit above their number. So a long log is requested less often.
"""

import time
from collections.abc import AsyncIterator, Mapping

from pai_jupyter.backends.pai.services.job_service import DEADLINE, id_of, texts
from pai_jupyter.backends.pai.services.logs import LogPage, LogReader
from pai_jupyter.backends.pai.services.status_map import Fields, objects, write_time
from pai_jupyter.cloud.client import Client, Query
from pai_jupyter.cloud.client import dlc as table
from pai_jupyter.contract import BESIDE, PATHS, WORKDIR
from pai_jupyter.errors import NotFoundError
from pai_jupyter.spec import STANDARD_OUTPUTS, Json

FIRST, LARGEST = 2000, 4_000_000  # lines per request
SECONDS_A_LINE, LONGEST = 1e-4, 2.0  # seconds between two requests of a log: per line, and the maximum
_OF_PODS = ("Status", "GmtStartTime", "GmtFinishTime", "HistoryPods")
_BEFORE = 24 * 3600.0  # seconds before a job's creation, since clocks differ


class DlcService:
    """DLC in one workspace, as a `JobService`."""

    def __init__(self, client: Client, workspace: str, *, region: str, is_emulator: bool) -> None:
        self._client = client
        self._workspace = workspace
        self._region = region
        self._is_emulator = is_emulator

    async def create(self, body: Mapping[str, Json]) -> str:
        return id_of(await self._client.call(table.CREATE_JOB, body=body), "JobId")

    async def get(self, job: str) -> Fields:
        return self._translated(await self._client.call(table.GET_JOB, path={"job_id": job}, deadline=DEADLINE))

    async def newest(self, since: float) -> AsyncIterator[list[Fields]]:
        query: Query = {**self._after(since), "SortBy": "GmtCreateTime", "Order": "DESC"}
        async for items in self._client.pages(table.LIST_JOBS, query=query):
            yield [self._translated(fields) for fields in objects({"Items": items}, "Items")]

    async def labelled(self, key: str, value: str, since: float) -> AsyncIterator[list[Fields]]:
        query: Query = {**self._after(since), "Tags": {key: value}}
        async for items in self._client.pages(table.LIST_JOBS, query=query):
            yield [self._translated(fields) for fields in objects({"Items": items}, "Items")]

    async def stop(self, job: str) -> None:
        await self._client.call(table.STOP_JOB, path={"job_id": job})

    def log(self, job: str, instance: str, *, job_id: str, cursor: int) -> LogReader:
        return WholeLog(self._client, job, instance, job_id=job_id, cursor=cursor)

    async def events(self, job: str) -> list[str]:
        query: Query = {"MaxEventsNum": 100}
        answer = await self._client.call(table.GET_JOB_EVENTS, path={"job_id": job}, query=query, deadline=DEADLINE)
        return texts(answer, "Events")

    async def error_info(self, job: str) -> str:
        return ""  # the job's reason has everything

    def _after(self, since: float) -> dict[str, str]:
        return {"WorkspaceId": self._workspace, "StartTime": write_time(since)}

    def _translated(self, fields: Fields) -> Fields:
        job = translated(fields)
        if not self._is_emulator and "TrainingJobId" in job:
            page = f"regionId={self._region}&workspaceId={self._workspace}#/dlc/jobs/{job['TrainingJobId']}/overview"
            job["TrainingJobUrl"] = f"https://pai.console.aliyun.com/?{page}"
        return job


def translated(fields: Fields) -> dict[str, Json]:
    """Convert a DLC job to the training service's format; pure."""
    settings = fields.get("Settings")
    tags = settings.get("Tags") if isinstance(settings, dict) else None
    job: dict[str, Json] = {
        "TrainingJobId": fields.get("JobId"),
        "TrainingJobName": fields.get("DisplayName"),
        "AlgorithmSpec": {"Command": fields.get("UserCommand"), "JobType": fields.get("JobType")},
        "Environments": fields.get("Envs"),
        "GmtModifiedTime": fields.get("GmtFinishTime") or fields.get("GmtModifiedTime"),
        "StatusTransitions": fields.get("StatusHistory"),
        "Labels": [{"Key": key, "Value": value} for key, value in tags.items()] if isinstance(tags, dict) else [],
        "OutputChannels": _outputs(fields),
        **{
            name: fields.get(name)
            for name in ("Status", "ReasonCode", "ReasonMessage", "GmtCreateTime", "UserId", "JobSpecs")
        },
    }
    if "Pods" in fields:
        job["Instances"] = [
            {"Name": pod.get("PodId"), "Role": pod.get("Type"), **{name: pod[name] for name in _OF_PODS if name in pod}}
            for pod in objects(fields, "Pods")
        ]
    return job


def _outputs(fields: Fields) -> list[Json]:
    """Derive the output channels from the data sources mounted at or below /ml/output."""
    places: dict[str, str] = {}
    for source in objects(fields, "DataSources"):
        mount, uri = f"{str(source.get('MountPath') or '').rstrip('/')}/", str(source.get("Uri") or "")
        if mount == PATHS.output_dir:
            every = {name: f"{uri.rstrip('/')}/{name}/" for name in (*STANDARD_OUTPUTS, WORKDIR)}
            places = {**every, BESIDE: f"{uri.rstrip('/')}/", **places}
        elif mount.startswith(PATHS.output_dir):
            places[mount.removeprefix(PATHS.output_dir).rstrip("/")] = uri
    return [{"Name": name, "OutputUri": uri} for name, uri in places.items()]


class WholeLog(LogReader):
    """The log of one pod, which is requested as a whole."""

    def __init__(self, client: Client, job: str, pod: str, *, job_id: str, cursor: int) -> None:
        super().__init__(job_id, cursor)
        self._client = client
        self._path = {"job_id": job, "pod_id": pod}
        self._since = write_time(time.time() - 90 * _BEFORE)
        self._due = 0.0

    async def read(self) -> AsyncIterator[LogPage]:
        if self.is_over or time.monotonic() < self._due:
            return
        wanted = max(FIRST, 2 * self.cursor)
        lines = await self._ask(wanted)
        while len(lines) >= wanted and wanted < LARGEST:  # there may be more lines before or after these
            wanted *= 4
            lines = await self._ask(wanted)
        self._due = time.monotonic() + min(LONGEST, len(lines) * SECONDS_A_LINE)
        if found := self.take(lines[self.cursor :]):
            yield found

    async def _ask(self, wanted: int) -> list[str]:
        query: Query = {"MaxLines": wanted, "StartTime": self._since}
        try:
            answer = await self._client.call(table.GET_POD_LOGS, path=self._path, query=query, deadline=DEADLINE)
        except NotFoundError as exc:
            if "Pod" in exc.code:  # the pod has no output yet
                return []
            raise
        return texts(answer, "Logs")
