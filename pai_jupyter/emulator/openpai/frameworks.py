"""The jobs of the emulated cluster: records of job files, run as jobs of task roles, told in each generation's words."""

import asyncio
import hashlib
import shlex
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pai_jupyter.backends.info import HOST_NETWORK, NETWORK
from pai_jupyter.backends.openpai.job_file.hiding import hidden, references, restored
from pai_jupyter.backends.openpai.job_file.running import runnable
from pai_jupyter.contract import Replica, environment, replicas
from pai_jupyter.emulator.calls.context import EmulatorContext
from pai_jupyter.emulator.openpai.code import FILE_SYSTEM, bring_code
from pai_jupyter.emulator.protocol.refusal import Fields
from pai_jupyter.emulator.webhdfs.namespace import Namespace
from pai_jupyter.errors import PaiJupyterError, SpecError
from pai_jupyter.events import JobState, ReplicaChanged, Status
from pai_jupyter.jobs import Job
from pai_jupyter.spec import JobSpec, Json

RECORDS = "openpai"
ERRORS = "stderr"  # DIR/stderr/JOB-TASK: what a task of v0.14 says there
STORAGE = "nfs"  # the only storage of the cluster: DIR/storages/nfs
STOPPED = {"yarn": -7351, "kubernetes": -220}  # exit codes of a job that was stopped
TASK_STOPPED = {"yarn": -7400, "kubernetes": -210}
WORDS = {
    Status.SUCCEEDED: "SUCCEEDED",
    Status.FAILED: "FAILED",
    Status.STOPPED: "STOPPED",
    Status.RUNNING: "RUNNING",
}
_FIRST_PORT = 40_000
_PREFIX = "openpai-"


class Frameworks:
    """The jobs of one emulated cluster; `generation` is "yarn" or "kubernetes", `files` its HDFS."""

    def __init__(self, world: EmulatorContext, generation: str, files: Namespace | None = None) -> None:
        self._world = world
        self._files = files
        self._generation = generation
        self._records = world.records(RECORDS)
        self._secrets: dict[str, dict[str, str]] = {}  # of job files, by job; in no record
        self._tasks: set[asyncio.Task[None]] = set()

    def resume(self) -> None:
        """Go on with the jobs of an earlier emulator."""
        for record in self._records.all():
            self._go_on(record)

    async def aclose(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def create(self, user: str, name: str, config: Fields, version: str) -> Fields:
        """Create a job; it begins to run by itself."""
        framework = f"{user}~{name}"
        config, self._secrets[framework] = hidden(config)
        record: Fields = {
            "framework": framework,
            "user": user,
            "name": name,
            "config": config,
            "version": version,
            "submitted": int(self._world.now() * 1000),
            "executionType": "START",
            "attempt": 0,
            "problem": "",
        }
        self._records.put(framework, record)
        self._go_on(record)
        return record

    def find(self, framework: str) -> Fields | None:
        return self._records.get(framework)

    def rows(self) -> list[Fields]:
        """Return all jobs, the newest first."""
        return [*self._records.all()][::-1]

    async def execute(self, record: Fields, value: str) -> None:
        self._records.change(str(record["framework"]), executionType=value)
        if value == "STOP":
            await self._world.runner.stop(job_id_of(record))

    def job(self, record: Fields) -> Job | None:
        return self._world.runner.job(job_id_of(record))

    def has_begun(self, record: Fields) -> bool:
        """Whether the tasks of the job's attempt run, or have run."""
        job = self.job(record)
        return job is not None and str(Status.RUNNING) in job.state.entered

    def summary(self, record: Fields) -> Fields:
        """Return a job as a list tells it."""
        state = self._state(record)
        config, roles = _table(record, "config"), self._spec(record).roles
        return {
            "name": record["name"],
            "username": record["user"],
            "state": self._word(record, state),
            "subState": "FRAMEWORK_COMPLETED" if state and state.status.is_terminal else "",
            "executionType": record["executionType"],
            "retries": _attempt(record),
            "retryDetails": {"user": _attempt(record), "platform": 0, "resource": 0},
            "submissionTime": record["submitted"],
            "createdTime": record["submitted"],
            "launchedTime": _ms(state, Status.RUNNING),
            "completedTime": _end(state),
            "appExitCode": self._exit_code(record, state),
            "virtualCluster": str(config.get("virtualCluster") or "default"),
            "totalGpuNumber": sum((role.gpus or 0) * role.instance_count for role in roles),
            "totalTaskNumber": sum(role.instance_count for role in roles),
            "totalTaskRoleNumber": len(roles),
        }

    def detail(self, record: Fields, address: str) -> Fields:
        """Return a job with its tasks; just after its submission it has none."""
        state, summary = self._state(record), self.summary(record)
        spec = self._spec(record)
        roles: Fields = {}
        if state is not None:
            for role in spec.roles:
                every = [each for each in replicas(spec) if each.role == role.name.lower()]
                tasks: list[Json] = [self._task(record, spec, each, state, address) for each in every]
                roles[role.name] = {"taskRoleStatus": {"name": role.name}, "taskStatuses": tasks}
        message = str(record["problem"]) or (state.reason if state else "")
        return {
            "name": record["name"],
            "jobStatus": {**summary, "appExitDiagnostics": message, "appExitType": None},
            "taskRoles": roles,
        }

    def _task(self, record: Fields, spec: JobSpec, replica: Replica, state: JobState, address: str) -> Fields:
        name, change = f"{record['framework']}", state.replicas.get(replica.name)
        has_begun = str(Status.RUNNING) in state.entered
        role = next(each.name for each in spec.roles if each.name.lower() == replica.role)
        task = f"taskRoles/{role}/taskIndex/{replica.index}/attempts/0/logs"
        log = f"/api/v2/jobs/{name}/attempts/{_attempt(record)}/{task}"
        if self._generation == "yarn":
            container = job_id_of(record).removeprefix(_PREFIX)
            log = f"{address}/node/containerlogs/{container}_{replica.name}/{record['user']}/"
        return {
            "taskIndex": replica.index,
            "taskState": self._task_word(state, change, has_begun=has_begun),
            "containerId": replica.name if has_begun else None,
            "containerIp": "127.0.0.1" if has_begun else None,
            "containerPorts": {"http": _FIRST_PORT, "ssh": _FIRST_PORT + 1},
            "containerGpus": None,
            "containerLog": log if has_begun or self._generation == "kubernetes" else None,  # the list answers 404 then
            "containerExitCode": self._task_code(state, change),
        }

    def _task_word(self, state: JobState, change: ReplicaChanged | None, *, has_begun: bool) -> str:
        if change is not None and change.status.is_terminal:
            return WORDS[change.status]
        if state.status.is_terminal:
            return WORDS[state.status]
        return "RUNNING" if has_begun else "WAITING"

    def _task_code(self, state: JobState, change: ReplicaChanged | None) -> int | None:
        if change is not None and change.exit_code is not None:
            return change.exit_code
        if state.status is Status.STOPPED:
            return TASK_STOPPED[self._generation]
        return state.exit_code if state.status.is_terminal else None

    def _exit_code(self, record: Fields, state: JobState | None) -> int | None:
        if record["problem"]:
            return -1
        if state is None or not state.status.is_terminal:
            return None
        return STOPPED[self._generation] if state.status is Status.STOPPED else state.exit_code

    def _word(self, record: Fields, state: JobState | None) -> str:
        if record["problem"]:
            return "FAILED"
        if state is None:
            return "STOPPED" if record["executionType"] == "STOP" else "WAITING"
        if not state.status.is_terminal and record["executionType"] == "STOP" and self._generation == "kubernetes":
            return "STOPPING"
        return WORDS.get(state.status, "WAITING")

    def _state(self, record: Fields) -> JobState | None:
        """Return how the job's newest attempt stands; None before it has begun."""
        job = self.job(record)
        return None if job is None or _will_retry(record, job.state) else job.state

    def _spec(self, record: Fields) -> JobSpec:
        joined = " && " if self._generation == "yarn" else "\n"
        config: Mapping[str, Any] = _table(record, "config")  # Any: JSON
        config = restored(config, self._secrets.get(str(record["framework"]), {}))
        spec = runnable(
            config,
            str(record["version"]),
            user=str(record["user"]),
            file_system=FILE_SYSTEM if self._files is not None else "",
            joined_by=joined,
        )
        for name, mount in storages(config).items():
            (place := self._world.data / "storages" / name).mkdir(parents=True, exist_ok=True)
            roles = tuple(replace(role, command=(role.command or "").replace(mount, str(place))) for role in spec.roles)
            spec = replace(spec, roles=roles)
        return spec

    def _go_on(self, record: Fields) -> None:
        task = asyncio.get_running_loop().create_task(self._run(record))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, record: Fields) -> None:
        """Run the job's attempts, as many as it asks for."""
        framework = str(record["framework"])
        try:
            while (state := await self._run_attempt(record)) is not None:
                record = self.find(framework) or record
                if not _will_retry(record, state):
                    break
                record = self._records.change(framework, attempt=_attempt(record) + 1)
        except PaiJupyterError as exc:
            self._records.change(framework, problem=str(exc))

    async def _run_attempt(self, record: Fields) -> JobState | None:
        """Submit an attempt, unless an earlier emulator has, and follow it to its end; None if it never began."""
        job_id, framework = job_id_of(record), str(record["framework"])
        source = self._world.data / "work" / job_id
        if self.job(record) is None:
            if (self.find(framework) or record)["executionType"] == "STOP":
                return None
            if lost := set(references(_table(record, "config"))) - self._secrets.get(framework, {}).keys():
                raise SpecError(
                    f"the emulator was started again and has no value of {min(lost)}. Submit the job again."
                )
            spec = self._spec(record)
            await asyncio.to_thread(self._prepare, spec, str(record["user"]), source)
            await self._world.runner.submit(self._on_machine(_bare(spec), job_id), source, job_id=job_id)
        if (self.find(framework) or record)["executionType"] == "STOP":
            await self._world.runner.stop(job_id)
        job = self.job(record)
        return None if job is None else await self._world.runner.follow(job, lambda state: None)

    def _prepare(self, spec: JobSpec, user: str, source: Path) -> None:
        """Make the directory in which the tasks begin, with their code."""
        shutil.rmtree(source, ignore_errors=True)  # of an emulator that was killed meanwhile
        source.mkdir(parents=True)
        code = spec.environments.get("PAI_CODE_DIR")
        if code and self._files is not None:
            bring_code(self._files, code, source, user=user)

    def _on_machine(self, spec: JobSpec, job_id: str) -> JobSpec:
        """Name local images, and give containers the machine's network, as on a cluster.

        As at v0.14, stderr of a process is in a file of its own; a container has it in its only log.
        """
        runner, errors = self._world.runner, ""
        if self._generation == "yarn" and self._world.backend != "docker":
            (place := self._world.data / ERRORS).mkdir(exist_ok=True)
            errors = f'exec 2>{shlex.quote(str(place / job_id))}-"$PAI_CONTAINER_ID"\n'
        roles = tuple(
            replace(role, image_uri=runner.image(str(role.image_uri)), command=f"{errors}{role.command}")
            for role in spec.roles
        )
        spec = replace(spec, roles=roles, image_uri=roles[0].image_uri)
        if self._world.backend == "docker":
            spec = replace(spec, options={f"docker.{NETWORK}": HOST_NETWORK})
        return spec


def storages(config: Mapping[str, Any]) -> dict[str, str]:  # Any: JSON
    """Return the storages that a job file names, with the paths at which its tasks have them."""
    given = (config.get("extras") or {}).get("storages") or ()
    return {str(each["name"]): str(each.get("mountPath") or f"/mnt/{each['name']}") for each in given}


def _bare(spec: JobSpec) -> JobSpec:
    """Take away the variables that a local job has and a task on a cluster has not."""
    ours = environment(replace(spec, job_type="PyTorchJob", roles=(), environments={}), Replica(role="master", index=0))
    unset = f"unset {' '.join(sorted(name for name in ours if name.startswith('PAI_')))}\n"
    return replace(spec, roles=tuple(replace(role, command=f"{unset}{role.command}") for role in spec.roles))


def job_id_of(record: Mapping[str, Any]) -> str:  # Any: JSON
    """Return the id under which the runner has the job's newest attempt."""
    return attempt_id(hashlib.md5(str(record["framework"]).encode()).hexdigest(), _attempt(record))  # noqa: S324  as the log manager names it


def attempt_id(digest: str, attempt: int) -> str:
    return f"{_PREFIX}{digest}" + (f"-{attempt}" if attempt else "")


def _attempt(record: Mapping[str, Any]) -> int:  # Any: JSON
    return int(record.get("attempt") or 0)


def _will_retry(record: Mapping[str, Any], state: JobState) -> bool:  # Any: JSON
    config = _table(record, "config")
    most = int(config.get("retryCount") or config.get("jobRetryCount") or 0)
    return state.status is Status.FAILED and record["executionType"] == "START" and _attempt(record) < most


def _table(record: Mapping[str, Any], name: str) -> Mapping[str, Any]:  # Any: JSON
    found = record.get(name)
    return found if isinstance(found, dict) else {}


def _ms(state: JobState | None, status: Status) -> int | None:
    at = state.entered.get(str(status)) if state else None
    return None if at is None else int(at * 1000)


def _end(state: JobState | None) -> int | None:
    ends: Iterator[int | None] = (_ms(state, each) for each in (Status.SUCCEEDED, Status.FAILED, Status.STOPPED))
    return next((end for end in ends if end is not None), None)
