"""Outputs at a cluster with HDFS: those of a cell are copied there, those of a job file lie where it says; both come back."""

import hashlib
import json
import os
import subprocess
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path

import hdfs
import pytest

from pai_jupyter.backends.openpai import files, submission
from pai_jupyter.backends.openpai.backend import OpenPaiBackend
from pai_jupyter.backends.openpai.prologue import MOST_CODE
from pai_jupyter.errors import AuthError, NotFoundError, SpecError
from pai_jupyter.events import LogChunk, Status, StatusChanged
from pai_jupyter.package import build
from pai_jupyter.spec import JobRef, JobSpec, Role
from pai_jupyter.store import JobRecord, JobStore
from tests.support.openpai_cluster import LabCluster, lab_cluster
from tests.support.openpai_files import V1, changed
from tests.support.storages import read_tree

WRITES = """
import os, sys
root = os.environ["PAI_OUTPUT_MODEL"]
os.makedirs(root + "a b", exist_ok=True)
for name, content in {"50%.txt": "per cent", "a b/训练+1.txt": "words", "empty": "", "x%25y#?&=.txt": "odd"}.items():
    with open(root + name, "w") as file:
        file.write(content)
with open(os.environ["PAI_OUTPUT_OUTPUT_PARAMETERS"] + "accuracy", "w") as file:
    file.write("0.9")
with open("/ml/output/beside.txt", "w") as file:
    file.write("beside")
os.symlink("/etc/passwd", root + "link")
sys.exit(int(sys.argv[1]))
"""
MODEL = {"50%.txt": b"per cent", "a b/训练+1.txt": b"words", "empty": b"", "x%25y#?&=.txt": b"odd"}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabCluster]:
    with lab_cluster(tmp_path_factory.mktemp("cluster") / "data", "v0.14") as lab:
        yield lab


@pytest.fixture
def lab(cluster: LabCluster) -> Iterator[LabCluster]:
    cluster.know()
    yield cluster
    cluster.emulator.clear_faults()


@pytest.fixture
async def backend(lab: LabCluster) -> AsyncIterator[OpenPaiBackend]:
    backend = OpenPaiBackend()
    yield backend
    await backend.aclose()


async def ended(backend: OpenPaiBackend, spec: JobSpec, folder: Path) -> tuple[JobRef, StatusChanged, str]:
    """Submit a job and follow it to its end; also its log."""
    job_id = f"outputs-{time.monotonic_ns()}"
    JobStore().create(JobRecord(id=job_id, spec=spec, backend="openpai", created=0.0))
    code = {} if "openpai.job" in spec.options else {"write.py": WRITES.encode()}
    ref = await backend.submit(spec, build(None, to=folder / f"{job_id}.tar.gz", files=code), job_id=job_id)
    events = [event async for event in backend.follow(ref, {})]
    assert isinstance(events[-1], StatusChanged)
    log = b"".join(event.data for event in events if isinstance(event, LogChunk)).decode()
    return ref, events[-1], log


def cell(code: int = 0) -> JobSpec:
    return JobSpec(name="a", command=f"python write.py {code}", image_uri="python:3.11")


@pytest.mark.parametrize(("code", "status"), [(0, Status.SUCCEEDED), (3, Status.FAILED)])
async def test_outputs_of_a_cell_come_back_whatever_became_of_it(
    backend: OpenPaiBackend, tmp_path: Path, code: int, status: Status
) -> None:
    ref, end, log = await ended(backend, cell(code), tmp_path)
    assert (end.status, end.exit_code) == (status, code), log
    assert read_tree(await backend.fetch(ref, "model", tmp_path / "model")) == MODEL
    assert read_tree(await backend.fetch(ref, "output_parameters", tmp_path / "parameters")) == {"accuracy": b"0.9"}
    assert read_tree(await backend.fetch(ref, "beside_channels", tmp_path / "beside")) == {"beside.txt": b"beside"}
    assert read_tree(await backend.fetch(ref, "checkpoints", tmp_path / "checkpoints")) == {}
    with pytest.raises(NotFoundError, match=r"and not its working directory\. Write into an output in the script"):
        await backend.fetch(ref, "workdir", tmp_path / "workdir")


async def test_a_job_whose_outputs_cannot_be_copied_fails_and_says_why(
    lab: LabCluster, backend: OpenPaiBackend, tmp_path: Path
) -> None:
    lab.fault("no-permission", action="HDFS:MKDIRS", times=None)
    ref, end, log = await ended(backend, cell(), tmp_path)
    assert (end.status, end.exit_code) == (Status.FAILED, 1)
    assert "/ml/output cannot be copied to HDFS: " in log
    with pytest.raises(NotFoundError, match="there is nothing at"):
        await backend.fetch(ref, "model", tmp_path / "model")


@pytest.mark.parametrize("directory", ["$PAI_DEFAULT_FS_URI/results/$PAI_JOB_NAME", ""])
async def test_outputs_of_a_job_file_come_back_from_its_output_directory(
    lab: LabCluster, backend: OpenPaiBackend, tmp_path: Path, directory: str
) -> None:
    client = f"hdfs.InsecureClient('{lab.emulator.address}', user=os.environ['PAI_USER_NAME'])"
    place = "os.environ['PAI_OUTPUT_DIR'].replace(os.environ['PAI_DEFAULT_FS_URI'], '')"
    command = f"python -c \"import hdfs, os; {client}.write({place} + '/model/weights', b'w')\""
    fields = {
        "taskRoles/0/taskNumber": 1,
        "taskRoles/0/command": command,
        **({"outputDir": directory} if directory else {}),
    }
    spec = files.cluster_job(json.dumps(changed(V1, fields)), cluster=None, user=lab.user)
    ref, end, log = await ended(backend, spec, tmp_path)
    assert end.status is Status.SUCCEEDED, log
    assert read_tree(await backend.fetch(ref, "model", tmp_path / "model")) == {"weights": b"w"}
    assert read_tree(await backend.fetch(ref, "beside_channels", tmp_path / "all")) == {"model/weights": b"w"}
    with pytest.raises(
        NotFoundError, match=r"commands of a job file decide where its results go.*no output 'checkpoints'"
    ):
        await backend.fetch(ref, "checkpoints", tmp_path / "none")


async def test_large_code_of_a_cell_goes_through_hdfs(lab: LabCluster, backend: OpenPaiBackend, tmp_path: Path) -> None:
    noise = os.urandom(2 * MOST_CODE)
    spec = JobSpec(name="训练", command="sha256sum data.bin && ls", image_uri="python:3.11")
    job_id = f"large-{time.monotonic_ns()}"
    JobStore().create(JobRecord(id=job_id, spec=spec, backend="openpai", created=0.0))
    package = build(None, to=tmp_path / "code.tar.gz", files={"data.bin": noise, "a b.py": b"1"})
    ref = await backend.submit(spec, package, job_id=job_id)
    events = [event async for event in backend.follow(ref, {})]
    log = b"".join(event.data for event in events if isinstance(event, LogChunk)).decode()
    assert hashlib.sha256(noise).hexdigest() in log
    assert "a b.py" in log
    files = hdfs.InsecureClient(lab.emulator.address, user=lab.user)
    assert files.list(f"/{lab.user}/{ref.data['name']}") == ["code.tar.gz"]
    lab.fault("no-permission", action="OpenPAI:POST")
    with pytest.raises(AuthError):
        await backend.submit(spec, package, job_id="large-refused")
    assert files.list(f"/{lab.user}") == [ref.data["name"]]


async def test_code_that_is_gone_from_hdfs_fails_the_job_and_says_why(
    lab: LabCluster, backend: OpenPaiBackend, tmp_path: Path
) -> None:
    spec = JobSpec(name="a", command="true", image_uri="python:3.11")
    job_id = f"gone-{time.monotonic_ns()}"
    JobStore().create(JobRecord(id=job_id, spec=spec, backend="openpai", created=0.0))
    package = build(None, to=tmp_path / "code.tar.gz", files={"data.bin": os.urandom(2 * MOST_CODE)})
    lab.fault("no-permission", action="HDFS:OPEN", times=None)
    ref = await backend.submit(spec, package, job_id=job_id)
    events = [event async for event in backend.follow(ref, {})]
    log = b"".join(event.data for event in events if isinstance(event, LogChunk)).decode()
    assert "the code cannot be fetched from HDFS: " in log
    assert isinstance(events[-1], StatusChanged)
    assert events[-1].status is Status.FAILED


def test_a_cells_task_writes_one_log(tmp_path: Path) -> None:
    text, _ = submission.job_text(cell(), b"", job_id="j", user="bob")
    [command] = json.loads(text)["taskRoles"]["master"]["commands"]
    run = f"run() {{ eval {command.replace('/ml', str(tmp_path / 'ml'))} || exit $?; exit 0; }}\n"
    subprocess.run(["bash", "-c", f"{run}run >out 2>err"], cwd=tmp_path, check=False)  # as clusters of v0.14 do it
    assert "tar" in (tmp_path / "out").read_text()  # the code is none
    assert (tmp_path / "err").read_text() == ""


def test_roles_share_what_a_job_file_can_hold() -> None:
    roles = tuple(Role(name=name) for name in ("ps", "worker"))
    spec = JobSpec(name="a", command="true", image_uri="python:3.11", job_type="TaskRoles", roles=roles)
    text, _ = submission.job_text(spec, os.urandom(MOST_CODE // 2), job_id="j", user="bob")
    assert len(text) < 100_000
    with pytest.raises(SpecError, match=r"on a cluster without HDFS it may have 30000"):
        submission.job_text(spec, os.urandom(MOST_CODE // 2 + 1), job_id="j", user="bob")
    with pytest.raises(SpecError, match=r"the job file has \d+ bytes; servers take 100000"):
        submission.job_text(replace(spec, command="x" * 60_000), b"", job_id="j", user="bob")
