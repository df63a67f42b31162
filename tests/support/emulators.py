"""An emulator for tests: a process of its own on a free port, with a directory of the test's, ended behind it."""

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TypeVar

import httpx

from pai_jupyter.backends.process import life
from pai_jupyter.cloud.client import Client, Credential, Endpoints, StaticCredentials, paistudio
from pai_jupyter.errors import NotFoundError
from pai_jupyter.spec import Json
from pai_jupyter.storage.oss.connection import load
from tests.support.patience import DEADLINE as DEADLINE

T = TypeVar("T")
KEY, SECRET = "test-key-id", "test-key-secret-0123456789"
STS_KEY, STS_SECRET, STS_TOKEN = "sts-key-id", "sts-key-secret-0123456789", "sts-token-0123456789"
REGION, WORKSPACE, BUCKET = "cn-emulator", "10001", "emulator"
TERMINAL = ("Succeed", "Failed", "Terminated", "CreateFailed", "InitializeFailed")


@dataclass
class Emulator:
    """A running emulator: where it is, who may call it, and the calls that tests make most."""

    data: Path
    arguments: Sequence[str] = ()
    module: str = "pai_jupyter.emulator"
    address: str = ""
    process: "subprocess.Popen[str] | None" = None

    def start(self) -> Self:
        words = [sys.executable, "-m", self.module, "--data", str(self.data), *self.arguments]
        words += ["--access-key", f"{KEY}:{SECRET}", "--sts", f"{STS_KEY}:{STS_SECRET}:{STS_TOKEN}"]
        with self._errors.open("a") as errors:
            self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=errors, text=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line.startswith("listening on "), self._errors.read_text()
        self.address = line.split()[-1]
        return self

    def end(self) -> int:
        """End it as its user would; its exit code."""
        assert self.process is not None
        self.process.terminate()
        return self._reap()

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self._reap()

    @property
    def host(self) -> str:
        """127.0.0.1:PORT, as the official clients want their endpoint."""
        return self.address.partition("://")[2]

    @property
    def log(self) -> str:
        return self._errors.read_text()

    def client(self, *, key: str = KEY, secret: str = SECRET, token: str | None = None, **options: Any) -> Client:
        credential = Credential(access_key_id=key, access_key_secret=secret, security_token=token)
        return Client(Endpoints(region=REGION, address=self.address), StaticCredentials(credential), **options)

    def config(self, **changes: Any) -> Any:  # Any: a Config, whose fields `changes` gives
        """What an official generated client is made with: unchanged but for endpoint and protocol."""
        from alibabacloud_tea_openapi.models import Config

        key = {"access_key_id": KEY, "access_key_secret": SECRET}
        return Config(**{**key, "endpoint": self.host, "protocol": "http", "region_id": REGION, **changes})

    def ask(self, call: Callable[[Client], Awaitable[T]], **options: Any) -> T:
        """What `call` gives with a client of its own; for tests that are not asynchronous."""

        async def run() -> T:
            async with self.client(**options) as client:
                return await call(client)

        return asyncio.run(run())

    def fault(self, name: str, **rule: Json) -> None:
        """Have something go wrong: `action`, `times`, `seconds`."""
        self._control("POST", {"name": name, **rule})

    def clear_faults(self) -> None:
        self._control("DELETE")

    def put(self, key: str, content: bytes | str, *, bucket: str = BUCKET) -> None:
        """Make an object."""
        self.bucket(bucket).put_object(key, content)

    def get(self, key: str, *, bucket: str = BUCKET) -> bytes:
        return bytes(self.bucket(bucket).get_object(key).read())

    def keys(self, prefix: str = "", *, bucket: str = BUCKET) -> list[str]:
        oss2 = load()
        return [each.key for each in oss2.ObjectIterator(self.bucket(bucket), prefix=prefix)]

    def bucket(self, name: str = BUCKET) -> Any:  # Any: oss2 has no types
        oss2 = load()
        return oss2.Bucket(oss2.AuthV4(KEY, SECRET), self.address, name, region=REGION)

    async def create(self, client: Client, command: str = "true", **more: Any) -> str:
        """Create a training job that runs `command`; its id. (Any: JSON values)"""
        answer = await client.call(paistudio.CREATE_TRAINING_JOB, body=training_job(command, **more))
        return str(answer["TrainingJobId"])

    async def ended(self, client: Client, job_id: str) -> dict[str, Any]:  # Any: JSON values
        """The job as soon as it has ended."""
        return await self.until(client, job_id, *TERMINAL)

    async def until(self, client: Client, job_id: str, *statuses: str) -> dict[str, Any]:  # Any: JSON values
        deadline = time.monotonic() + DEADLINE
        while True:
            job: dict[str, Any] = await client.call(paistudio.GET_TRAINING_JOB, path={"training_job_id": job_id})
            if job["Status"] in statuses:
                return job
            assert time.monotonic() < deadline, (job, self.log)
            assert job["Status"] not in TERMINAL, (job, self.log)
            await asyncio.sleep(0.05)

    async def run(self, client: Client, command: str = "true", **more: Any) -> dict[str, Any]:  # Any: JSON values
        """Create a training job and wait for its end."""
        return await self.ended(client, await self.create(client, command, **more))

    async def lines(self, client: Client, job_id: str) -> list[str]:
        """The log of the job's first instance."""
        pages = client.pages(paistudio.LIST_TRAINING_JOB_LOGS, path={"training_job_id": job_id})
        return [str(line) async for page in pages for line in page]

    @property
    def _errors(self) -> Path:
        return self.data.with_name(f"{self.data.name}.log")

    def _reap(self) -> int:
        assert self.process is not None
        code = self.process.wait(DEADLINE)
        assert self.process.stdout is not None
        self.process.stdout.close()
        self.process = None
        return code

    def _control(self, method: str, body: Json = None) -> None:
        headers = {"x-emulator-token": (self.data / "control.token").read_text()}
        with httpx.Client(trust_env=False) as http:
            http.request(method, f"{self.address}/emulator/faults", headers=headers, json=body).raise_for_status()


@contextmanager
def emulator(data: Path, *arguments: str, module: str = "pai_jupyter.emulator") -> Iterator[Emulator]:
    """An emulator on the directory `data`; what its jobs have left running is ended with it."""
    running = Emulator(data, arguments, module)
    try:
        yield running.start()
    finally:
        if running.process is not None:
            running.end()
        _end_jobs(data)


def training_job(command: str = "true", **more: Any) -> dict[str, Any]:
    """A body of CreateTrainingJob; fields of its AlgorithmSpec are found there by their names. (Any: JSON values)"""
    algorithm: dict[str, Any] = {
        "Command": ["sh", "-c", command],
        "Image": "registry.cn-emulator.aliyuncs.com/pai-dlc/pytorch-training:2.0-cpu-py310-ubuntu22.04",
        "JobType": "PyTorchJob",
    }
    for name in ("Command", "Image", "JobType", "CodeDir", "MetricDefinitions", "ProgressDefinitions"):
        if name in more:
            algorithm[name] = more.pop(name)
    return {
        "TrainingJobName": "a job",
        "WorkspaceId": WORKSPACE,
        "AlgorithmSpec": algorithm,
        "ComputeResource": {"EcsCount": 1, "EcsSpec": "ecs.c6.large"},
        **more,
    }


def json_of(path: Path) -> Any:  # Any: JSON values
    return json.loads(path.read_text())


def _end_jobs(data: Path) -> None:
    """End what runs and jobs have left running: they go on without their emulator."""
    for run in (data / "home" / "runs").glob("*"):
        (run / "stop").touch()
    for folder in (data / "home" / "jobs").glob("*"):
        with suppress(NotFoundError):
            life.stop(folder, 0.0)
