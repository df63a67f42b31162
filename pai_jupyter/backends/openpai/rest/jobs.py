"""Jobs of a cluster, whatever its generation: submit, get, list, stop; what they say in our words.

Rule: a job is submitted under a name that its id gives it, so a second submission is refused by the cluster and is the same job.
"""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from pai_jupyter.backends.openpai.rest.answers import ConflictError, fields_of, list_of
from pai_jupyter.backends.openpai.rest.connection import ClusterConnection
from pai_jupyter.backends.reports import StatusReport
from pai_jupyter.errors import BackendError, NotFoundError, ProtocolError, SpecError, UncertainError
from pai_jupyter.events import Status

STATUSES = {  # the documented words of jobs and tasks
    "WAITING": Status.QUEUED,
    "RUNNING": Status.RUNNING,
    "STOPPING": Status.RUNNING,
    "SUCCEEDED": Status.SUCCEEDED,
    "STOPPED": Status.STOPPED,
    "FAILED": Status.FAILED,
    "UNKNOWN": Status.UNKNOWN,
}
LISTED = 200  # newest jobs
_LATE = (0.2, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0)  # seconds between two looks for a job that was just taken
TASK_ATTEMPTS, MOST_ATTEMPTS = 64, 128  # of a task in an attempt of its job; of a job
_ATTEMPTS = re.compile(r"(.*/attempts/)(\d+)(/taskRoles/.*/attempts/)(\d+)(/logs)")
_LONGEST = 400  # characters of a reason
_LAST_TIME = 2**53  # milliseconds
_ROLE = re.compile(r"[A-Za-z0-9_~][A-Za-z0-9._~]{0,88}")


@dataclass(frozen=True, kw_only=True)
class TaskAnswer:
    """One task: `replica` as we name it, `role` as the cluster does; `attempt` counts those of job and task."""

    replica: str
    role: str
    index: int
    status: Status
    exit_code: int | None
    log: str | None
    attempt: int = 0


@dataclass(frozen=True, kw_only=True)
class JobAnswer:
    """A job as the cluster tells it now."""

    report: StatusReport
    tasks: tuple[TaskAnswer, ...] = ()
    retries: int = 0


@dataclass(frozen=True, kw_only=True)
class ListedJob:
    name: str
    report: StatusReport
    created: float


class ClusterJobs:
    """The jobs of one user at one cluster."""

    def __init__(self, connection: ClusterConnection) -> None:
        self._connection = connection
        self._user = connection.cluster.user

    async def check_new(self, name: str, version: str, *, mark: str) -> None:
        """Refuse what the cluster would: a job file of a version that it does not take, a name that another job has.

        `mark`: a text that the config of this job has; "" for a name that is its own.
        """
        if version == "v1" and await self._connection.generation() == "kubernetes":
            raise ProtocolError(
                "this cluster (v1.x) takes job files of version 2 only, and this one is of version 1. Write it as *.pai.yaml"
            )
        if mark and (config := await self._config(name)) is not None:
            _check_own(name, config, mark)

    async def _config(self, name: str) -> str | None:
        """Return a job's file as the cluster has it; None if there is no job of this name."""
        try:
            path = f"{await self._path(name)}/config"
            return (await self._connection.ask("GET", path, f"to show the job {name}")).text
        except NotFoundError:
            return None

    async def submit(self, name: str, text: str, version: str, *, mark: str = "", secrets: Sequence[str] = ()) -> None:
        """Submit a job file, YAML or JSON; do nothing if this job is there. `mark` as in `check_new`, `secrets` as in `ask`.

        Raises:
            BackendError: the cluster refused it, or it is not known whether it took it.
        """
        what = f"the job {name}"
        await self.check_new(name, version, mark="")
        path = f"/api/v1/user/{quote(self._user)}/jobs" if version == "v1" else "/api/v2/jobs"
        kind = "application/json" if version == "v1" else "text/yaml"
        try:
            await self._connection.ask("POST", path, what, text=text, kind=kind, secrets=secrets)
        except ConflictError:
            _check_own(name, await self._config(name) or "" if mark else "", mark)
        except UncertainError:
            try:
                await self.get(name)
            except NotFoundError:
                await self.submit(name, text, version, mark=mark, secrets=secrets)
        else:
            await self._until_known(name)

    async def _until_known(self, name: str) -> None:
        """Wait for a job that was taken: the launcher of v0.14 learns of it a moment later.

        Raises:
            UncertainError: the cluster does not say that it has it.
        """
        for pause in (*_LATE, None):
            try:
                await self.get(name)
                return
            except NotFoundError as exc:
                if pause is None:
                    raise UncertainError(
                        f"the cluster has taken the job {name}, and does not say that it has it."
                    ) from exc
            except BackendError:  # it was taken, and whoever follows it asks again
                return
            await asyncio.sleep(pause)

    async def get(self, name: str) -> JobAnswer:
        """Return how the job stands; raise `NotFoundError` if there is none of this name."""
        answer = await self._connection.ask("GET", await self._path(name), f"to show the job {name}")
        fields = fields_of(answer)
        job = fields.get("jobStatus")
        if not isinstance(job, dict):
            raise ProtocolError(f"the cluster's answer about the job {name} has no jobStatus.")
        retries = _whole(job.get("retries")) or 0
        tasks = tuple(_tasks(fields.get("taskRoles"), retries))
        return JobAnswer(report=report_of(job), tasks=tasks, retries=retries)

    def page(self, name: str) -> str:
        """Return the address of the job's page at the portal; known when a job was asked for."""
        return f"{self._connection.portal}/job-detail.html?{urlencode({'username': self._user, 'jobName': name})}"

    async def stop(self, name: str) -> None:
        path = f"{await self._path(name)}/executionType"
        await self._connection.ask("PUT", path, f"to stop the job {name}", body={"value": "STOP"})

    async def newest(self) -> list[ListedJob]:
        """List this user's newest jobs with one request."""
        if await self._connection.generation() == "kubernetes":
            path = f"/api/v2/jobs?username={quote(self._user)}&limit={LISTED}&order=submissionTime,DESC"
        else:
            path = f"/api/v1/jobs?username={quote(self._user)}"
        rows = list_of(await self._connection.ask("GET", path, "to list jobs"))[:LISTED]
        return [
            ListedJob(name=str(row["name"]), report=report_of(row), created=_seconds(row.get("submissionTime")) or 0.0)
            for row in rows
            if isinstance(row.get("name"), str)
        ]

    async def _path(self, name: str) -> str:
        if await self._connection.generation() == "kubernetes":
            return f"/api/v2/jobs/{quote(f'{self._user}~{name}', safe='~')}"
        return f"/api/v1/user/{quote(self._user)}/jobs/{quote(name)}"


def _check_own(name: str, config: str, mark: str) -> None:
    """Refuse a name that another job has."""
    if mark not in config:
        raise SpecError(
            f"there is a job {name} already. Change its name in the job file, or let it be completed: write "
            '"pai.job.generateJobName.enabled": true to .vscode/settings.json',
            field="file",
        )


def report_of(job: Mapping[str, Any]) -> StatusReport:  # Any: JSON
    """Return a job's status in our words; a word that nobody has documented is `unknown`."""
    status = STATUSES.get(str(job.get("state")), Status.UNKNOWN)
    code = _whole(job.get("appExitCode")) if status in (Status.SUCCEEDED, Status.FAILED) else None
    return StatusReport(
        status=status,
        reason=_reason(job) if status is Status.FAILED else "",
        exit_code=code,
        started=_seconds(job.get("launchedTime") or job.get("createdTime")),
        ended=_seconds(job.get("completedTime")),
    )


def _reason(job: Mapping[str, Any]) -> str:  # Any: JSON
    """Return why a job failed: what the cluster says for people, else its diagnostics, else the exit code."""
    spec = job.get("appExitSpec")
    said = (
        [_text(spec.get(key)) for key in ("phrase", "reason", "solution") if spec.get(key)]
        if isinstance(spec, dict)
        else []
    )
    text = (
        "; ".join(filter(None, said)) or _text(job.get("appExitTriggerMessage")) or _text(job.get("appExitDiagnostics"))
    )
    code = _whole(job.get("appExitCode"))
    return " ".join(text.split())[:_LONGEST] or ("" if code is None else f"exit code {code}")


def log_of(log: str, attempt: int) -> str | None:
    """Return where another attempt's log is; None where addresses do not say attempts (v0.14)."""
    found = _ATTEMPTS.fullmatch(log)
    job, task = divmod(attempt, TASK_ATTEMPTS)
    return f"{found[1]}{job}{found[3]}{task}{found[5]}" if found else None


def _attempt_of(log: object, retries: int) -> int:
    found = _ATTEMPTS.fullmatch(log) if isinstance(log, str) else None
    job, task = (int(found[2]), int(found[4])) if found else (retries, 0)
    return min(job, MOST_ATTEMPTS - 1) * TASK_ATTEMPTS + min(task, TASK_ATTEMPTS - 1)


def _tasks(roles: object, retries: int) -> list[TaskAnswer]:
    """Return the tasks; just after a submission there is none, and times and indexes may be missing."""
    found = []
    for role, value in roles.items() if isinstance(roles, dict) else ():
        tasks = value.get("taskStatuses") if isinstance(value, dict) and _ROLE.fullmatch(str(role)) else None
        for task in tasks if isinstance(tasks, list) else ():
            if isinstance(task, dict) and (index := _whole(task.get("taskIndex"))) is not None and index >= 0:
                log = task.get("containerLog")
                found.append(
                    TaskAnswer(
                        replica=f"{str(role).lower()}-{index}",
                        role=str(role),
                        index=index,
                        status=STATUSES.get(str(task.get("taskState")), Status.UNKNOWN),
                        exit_code=_whole(task.get("containerExitCode")),
                        log=log if isinstance(log, str) and log else None,
                        attempt=_attempt_of(log, retries),
                    )
                )
    return found


def _whole(value: object) -> int | None:
    """Return a number that a code, a count or an index can be."""
    return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**31 else None


def _seconds(value: object) -> float | None:
    """Return a time that there is, of milliseconds since 1970."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value < _LAST_TIME:
        return None
    return value / 1000


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
