"""A backend as somebody else would write it: a farm whose machines are threads with processes, with a storage of its own.

It is installed beside `pai_jupyter` (tests/support/farm.py) and knows nothing but its public names. What it has on its disk,
$FARM_HOME, is "elsewhere": jobs are found there from any machine.

    jobs/<id>/      spec.json, ml/ (the tree), log, pid, stopped, exit
    shared/<path>   whatever lies at farm://shared/<path>
"""

import asyncio
import json
import os
import shutil
import signal
import subprocess
import tarfile
import time
from collections.abc import AsyncGenerator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pai_jupyter import contract
from pai_jupyter.backends import BackendInfo, BackendOption, Check, Health, LogHome, RemoteJob, StatusReport
from pai_jupyter.errors import NotFoundError
from pai_jupyter.events import Event, LogChunk, Position, Status, StatusChanged
from pai_jupyter.package import Package
from pai_jupyter.spec import JobRef, JobSpec, Json
from pai_jupyter.storage import Storage, open_storage

MACHINES = 4
SCHEME = "farm://"


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

    def __init__(self) -> None:
        self._machines = ThreadPoolExecutor(MACHINES, thread_name_prefix="farm")

    def check(self, spec: JobSpec) -> list[str]:
        problems = self.info.option_problems(spec)
        if not self.info.has_instance(spec.instance_type):
            problems.append(f"the farm has no {spec.instance_type!r}; it has {', '.join(self.info.instance_types)}.")
        return problems

    async def submit(self, spec: JobSpec, package: Package, *, job_id: str) -> JobRef:
        ref, folder = JobRef(backend=self.info.name, job_id=job_id, data={"home": str(_home())}), _jobs() / job_id
        with suppress(FileExistsError):
            folder.mkdir(parents=True)
            await asyncio.to_thread(_lay_out, spec, package, folder)
            self._machines.submit(_run, spec, folder)
        return ref

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
    return Path(os.environ["FARM_HOME"])


def _jobs() -> Path:
    return _home() / "jobs"


def _path(place: str) -> Path:
    return _home() / place.removeprefix(SCHEME)


def _folder(job_id: str) -> Path:
    if not (_jobs() / job_id / "spec.json").exists():
        raise NotFoundError(f"the farm has no job {job_id!r}.")
    return _jobs() / job_id


def _spec(folder: Path) -> JobSpec:
    return JobSpec.from_json(json.loads((folder / "spec.json").read_text()))


def _report(folder: Path) -> StatusReport:
    if not (folder / "exit").exists():
        return StatusReport(status=Status.RUNNING)
    code = int((folder / "exit").read_text())
    if (folder / "stopped").exists():
        return StatusReport(status=Status.STOPPED)
    status = Status.FAILED if code else Status.SUCCEEDED
    return StatusReport(status=status, exit_code=code, reason=f"exit code {code}" if code else "")


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


def _run(spec: JobSpec, folder: Path) -> None:
    """Run the command on a machine of the farm, that is, on this thread's turn."""
    paths, replica = contract.Paths(root=f"{folder / 'ml'}/"), contract.replicas(spec)[0]
    variables = {"PATH": os.environ["PATH"], **contract.environment(spec, replica, paths=paths)}
    code = 0
    if not (folder / "stopped").exists():
        argv, where = contract.command(spec, replica).argv, folder / "ml" / "usercode"
        with (folder / "log").open("wb", buffering=0) as log:
            job = subprocess.Popen(argv, cwd=where, env=variables, stdout=log, stderr=log, start_new_session=True)
            (folder / "pid").write_text(str(job.pid))
            code = job.wait()
    (folder / "exit.draft").write_text(str(code))
    (folder / "exit.draft").replace(folder / "exit")
