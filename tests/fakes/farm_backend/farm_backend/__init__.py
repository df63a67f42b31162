"""A backend as somebody else would write it: a farm with a storage of its own, where every job is a group of processes.

It is installed beside `pai_jupyter` (pyproject.toml, tests/support/farm.py) and knows nothing but its public names. What it has on
its disk, $FARM_HOME, is "elsewhere": jobs are found there from any machine.

    jobs/<id>/      spec.json, ml/ (the tree), log, lock, pid, stopped, exit
    shared/<path>   whatever lies at farm://shared/<path>
    draft-*/        jobs that are being laid out, or whose submitter died meanwhile

Rule 1: a job is laid out beside its place and moved there whole. So one that is there has all that it needs.
Rule 2: `lock` is held by its submitter, then by its processes. Where it is free and there is no `exit`, nobody runs the job,
    and nobody will: whoever was killed, it does not stay `running`.
"""

import asyncio
import fcntl
import json
import os
import shutil
import signal
import subprocess
import tarfile
import tempfile
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pai_jupyter import contract
from pai_jupyter.backends import BackendInfo, BackendOption, Check, Health, LogHome, RemoteJob, StatusReport
from pai_jupyter.errors import NotFoundError, UnavailableError
from pai_jupyter.events import Event, LogChunk, Position, Status, StatusChanged
from pai_jupyter.package import Package
from pai_jupyter.spec import JobRef, JobSpec, Json
from pai_jupyter.storage import Storage, open_storage

MACHINES = 4  # each takes any number of jobs
SCHEME = "farm://"
# `pid` is written before the look for `stopped`, and `stop` goes the other way round: so one of the two sees the other.
RUN = 'echo $$ > "$0/pid"; { [ -e "$0/stopped" ] || "$@"; echo $? > "$0/code"; mv "$0/code" "$0/exit"; } &'


@dataclass(frozen=True, kw_only=True)
class FarmInfo(BackendInfo):
    """Says of the farm what only its disk tells."""

    @property
    def literal_ml(self) -> bool:
        return False

    def health(self, *, is_asked: bool = False) -> Health:
        if not os.environ.get("FARM_HOME"):
            return Health.of([Check(what="farm", found="none", remedy="Set FARM_HOME.", is_good=False)])
        checks = (Check(what="farm", found=f"{MACHINES} machines" if is_asked else "configured"),)
        return Health(is_ready=True if is_asked else None, note=checks[0].found, checks=checks)


INFO = FarmInfo(
    name="farm",
    title="Render farm",
    instance_types=("farm.small", "farm.large"),
    inherits="The job also has the PATH of the farm's machines.",
    options=(
        BackendOption(name="queue", help="the queue", example="night", chosen_because="a queue of the farm is given"),
        BackendOption(name="nice", help="priority, 0 to 19", kind="number"),
    ),
)


class FarmBackend:
    info = INFO
    log_home = LogHome.SERVICE

    def check(self, spec: JobSpec) -> list[str]:
        problems = self.info.option_problems(spec)
        if not self.info.has_instance(spec.instance_type):
            problems.append(f"the farm has no {spec.instance_type!r}; it has {', '.join(self.info.instance_types)}.")
        if spec.roles:
            problems.append("the farm runs jobs of one machine. Leave out --role.")
        return problems

    async def submit(self, spec: JobSpec, package: Package, *, job_id: str) -> JobRef:
        folder = _jobs() / job_id
        if not folder.exists():
            await asyncio.to_thread(_start, spec, package, folder)
        return await self.find(job_id)

    async def status(self, ref: JobRef) -> StatusReport:
        return _report(_folder(ref.job_id))

    async def follow(self, ref: JobRef, after: Position) -> AsyncGenerator[Event, None]:
        folder, cursor = _folder(ref.job_id), after.get("master-0", 0)
        yield StatusChanged(status=Status.RUNNING, time=time.time())
        with (folder / "log").open("rb") as log:
            log.seek(cursor)
            while True:
                report = _report(folder)  # before reading: what is read behind the end is complete
                while data := log.read(2**20):
                    cursor += len(data)
                    yield LogChunk(replica="master-0", data=data, cursor=cursor, time=time.time())
                if report.status.is_terminal:
                    break
                await asyncio.sleep(0.02)
        yield StatusChanged(status=report.status, time=time.time(), reason=report.reason, exit_code=report.exit_code)

    async def stop(self, ref: JobRef) -> None:
        folder = _folder(ref.job_id)
        if not _report(folder).status.is_terminal:
            (folder / "stopped").touch()
            with suppress(FileNotFoundError, ProcessLookupError):
                os.killpg(int((folder / "pid").read_text()), signal.SIGKILL)

    async def fetch(self, ref: JobRef, channel: str, to: Path) -> Path:
        folder = _folder(ref.job_id)
        place = _path(str(_spec(folder).output_path or self.output_path(ref.job_id))) / channel
        if not place.is_dir():
            raise NotFoundError(f"job {ref.job_id} has no output {channel!r}.")
        await asyncio.to_thread(shutil.copytree, place, to, dirs_exist_ok=True)
        return to

    async def aclose(self) -> None: ...

    # --- what else it can

    async def find(self, job_id: str) -> JobRef:
        return JobRef(backend=self.info.name, job_id=_folder(job_id).name, data={"home": str(_home())})

    async def recorded(self) -> list[RemoteJob]:
        return [
            RemoteJob(
                ref=await self.find(folder.name),
                name=_spec(folder).name,
                place=f"{self.info.name} (submitted elsewhere)",
                report=_report(folder),
                created=(folder / "spec.json").stat().st_mtime,
            )
            for folder in sorted(_jobs().glob("*"))
        ]

    async def recall(self, ref: JobRef) -> JobSpec:
        return _spec(_folder(ref.job_id))

    def output_path(self, job_id: str) -> str:
        return f"{SCHEME}jobs/{job_id}/ml/output/"

    def open_output(self, ref: JobRef | None, place: str) -> Storage | None:
        return open_storage(str(_path(place))) if place.startswith(SCHEME) else None

    def takes_source(self, address: str) -> bool:
        return address.startswith(SCHEME)

    def request(self, spec: JobSpec, *, job_id: str) -> Mapping[str, Json]:
        return {"farm_job": job_id, "run": spec.command, **spec.backend_options.get(self.info.name, {})}


def _home() -> Path:
    if not os.environ.get("FARM_HOME"):
        raise UnavailableError("the farm cannot be reached: FARM_HOME is not set. Set it to the directory of the farm.")
    return Path(os.environ["FARM_HOME"])


def _jobs() -> Path:
    return _home() / "jobs"


def _path(place: str) -> Path:
    return _home() / place.removeprefix(SCHEME)


def _folder(job_id: str) -> Path:
    if not (_jobs() / job_id).is_dir():
        raise NotFoundError(f"the farm has no job {job_id!r}.")
    return _jobs() / job_id


def _spec(folder: Path) -> JobSpec:
    return JobSpec.from_json(json.loads((folder / "spec.json").read_text()))


def _report(folder: Path) -> StatusReport:
    if _is_locked(folder) and not (folder / "exit").exists():
        return StatusReport(status=Status.RUNNING)
    if (folder / "stopped").exists():
        return StatusReport(status=Status.STOPPED)
    if not (folder / "exit").exists():
        return StatusReport(status=Status.FAILED, reason="nobody runs it: its submitter or its machine was killed")
    code = int((folder / "exit").read_text())
    status = Status.FAILED if code else Status.SUCCEEDED
    return StatusReport(status=status, exit_code=code, reason=f"exit code {code}" if code else "")


def _is_locked(folder: Path) -> bool:
    with (folder / "lock").open() as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def _start(spec: JobSpec, package: Package, folder: Path) -> None:
    """Start the job, unless another submission of it was quicker."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix="draft-", dir=_home()))
    _lay_out(spec, package, draft)
    with (draft / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            draft.rename(folder)
        except OSError:
            shutil.rmtree(draft)
            if not folder.is_dir():
                raise
        else:
            _run(spec, folder, lock.fileno())


def _lay_out(spec: JobSpec, package: Package, folder: Path) -> None:
    tree = folder / "ml"
    (tree / "usercode").mkdir(parents=True)
    if isinstance(spec.source_dir, str) and spec.source_dir.startswith(SCHEME):
        shutil.copytree(_path(spec.source_dir), tree / "usercode", dirs_exist_ok=True)
    else:
        with tarfile.open(package.path) as tar:
            tar.extractall(tree / "usercode", filter="data")
    for name, content in contract.files(spec).items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_bytes(content)
    (tree / "input" / "data").mkdir(parents=True)
    for channel, place in spec.inputs.items():
        (tree / "input" / "data" / channel).symlink_to(place)
    for channel in contract.output_channels(spec):
        (tree / "output" / channel).mkdir(parents=True)
    (folder / "log").touch()
    (folder / "spec.json").write_text(json.dumps(spec.to_json()))


def _run(spec: JobSpec, folder: Path, lock: int) -> None:
    """Run the command in processes that hold `lock` and need this one no more."""
    paths, replica = contract.Paths(root=f"{folder / 'ml'}/"), contract.replicas(spec)[0]
    variables = {"PATH": os.environ["PATH"], **contract.environment(spec, replica, paths=paths)}
    words = ["sh", "-c", RUN, str(folder), *contract.command(spec, replica).argv]
    with (folder / "log").open("wb", buffering=0) as log:
        subprocess.run(  # returns at once: the shell leaves the command behind
            words,
            check=True,
            cwd=folder / "ml" / "usercode",
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            pass_fds=[lock],
        )
