"""The emulated cluster of v0.14 with its HDFS: what a client of either finds, and what a task is given."""

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hdfs
import httpx
import pytest

from pai_jupyter.emulator.openpai.code import bring_code
from pai_jupyter.emulator.webhdfs.namespace import SUPERUSER, Namespace
from pai_jupyter.errors import BackendError
from pai_jupyter.storage import open_storage
from pai_jupyter.storage.hdfs import HdfsAccess
from tests.support.openpai_cluster import LabCluster, lab_cluster
from tests.support.openpai_files import V1, changed
from tests.support.started import until

FILE_SYSTEM = "hdfs://127.0.0.1:9000"


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabCluster]:
    with lab_cluster(tmp_path_factory.mktemp("cluster") / "data", "v0.14") as lab:
        yield lab


@pytest.fixture
def files(lab: LabCluster) -> hdfs.InsecureClient:
    return hdfs.InsecureClient(lab.emulator.address, user=lab.user, timeout=30)


def submit(lab: LabCluster, **fields: object) -> dict[str, Any]:  # Any: JSON
    """Submit a job file as any client would, and return the job when it has ended."""
    api = f"{lab.emulator.address}/rest-server/api/v1"
    with httpx.Client(trust_env=False, timeout=30) as http:
        login = http.post(f"{api}/token", json={"username": lab.user, "password": lab.password}).json()
        config = changed(V1, {"taskRoles/0/taskNumber": 1, "taskRoles/0/name": "worker", **fields})
        headers = {"Authorization": f"Bearer {login['token']}"}
        answer = http.post(f"{api}/user/{lab.user}/jobs", json=config, headers=headers)
        assert answer.status_code == 201, answer.text
        place = f"{api}/user/{lab.user}/jobs/{config['jobName']}"
        until(lambda: http.get(place).json()["jobStatus"]["completedTime"] or _has_failed(http.get(place).json()))
        job: dict[str, Any] = http.get(place).json()  # Any: JSON
    return job


def _has_failed(job: dict[str, Any]) -> bool:  # Any: JSON
    return bool(job["jobStatus"]["state"] == "FAILED")


def test_its_files_are_at_the_proxys_path_and_at_the_name_nodes_own(
    lab: LabCluster, files: hdfs.InsecureClient
) -> None:
    files.write("/shared/notes.txt", b"hello")
    access = HdfsAccess.of(user=lab.user, base=f"{lab.emulator.address}/webhdfs/api/v1")
    assert open_storage("hdfs://127.0.0.1/shared", hdfs=access).read("notes.txt") == b"hello"


def test_a_cluster_of_v1_x_has_no_hdfs(tmp_path: Path) -> None:
    with lab_cluster(tmp_path / "data", "v1.x") as lab:
        answer = httpx.get(f"{lab.emulator.address}/webhdfs/api/v1/?op=LISTSTATUS", trust_env=False)
    assert answer.status_code == 404


def test_a_task_begins_above_its_code_and_is_told_where_it_lies(lab: LabCluster, files: hdfs.InsecureClient) -> None:
    files.write(f"/{lab.user}/told/run.sh", b"test -f data/*.txt\n")
    files.write(f"/{lab.user}/told/data/a b.txt", b"words")
    command = (
        "python -c \"import hdfs, os; names = ('JOB_NAME', 'USER_NAME', 'DEFAULT_FS_URI', 'CODE_DIR', 'DATA_DIR', 'OUTPUT_DIR');"
        f"client = hdfs.InsecureClient('{lab.emulator.address}', user='{lab.user}');"
        "client.write('/seen', ' '.join(os.environ['PAI_' + name] for name in names) + open('told/data/a b.txt').read())\" "
        "&& cd told && sh run.sh"
    )
    place = "$PAI_DEFAULT_FS_URI/$PAI_USER_NAME/$PAI_JOB_NAME"
    job = submit(
        lab,
        **{"jobName": "told", "codeDir": place, "dataDir": "$PAI_DEFAULT_FS_URI/data", "taskRoles/0/command": command},
    )
    assert job["jobStatus"]["state"] == "SUCCEEDED"
    user = lab.user
    with files.read("/seen", encoding="utf-8") as seen:
        assert seen.read() == (
            f"{user}~told {user} {FILE_SYSTEM} {FILE_SYSTEM}/{user}/told {FILE_SYSTEM}/data {FILE_SYSTEM}/Output/{user}/toldwords"
        )


def test_code_that_is_not_there_fails_the_job(lab: LabCluster) -> None:
    job = submit(lab, jobName="gone", codeDir=f"{FILE_SYSTEM}/code/gone", **{"taskRoles/0/command": "true"})
    assert job["jobStatus"]["state"] == "FAILED"
    assert job["jobStatus"]["appExitDiagnostics"] == f"Can not stat {FILE_SYSTEM}/code/gone"


@pytest.fixture
def names(tmp_path: Path) -> Iterator[Namespace]:
    names = Namespace(tmp_path / "hdfs", time.time)
    yield names
    names.close()


def store(names: Namespace, path: str, size: int) -> None:
    content, writer = names.create(path, SUPERUSER, "755", replaces=False)
    os.truncate(content, size)
    names.close_file(writer)


@pytest.mark.parametrize(
    ("sizes", "found"), [([100_000_000, 100_000_000], ["job/0", "job/1"]), ([0, 0], []), ([5], ["job/0"])]
)
def test_code_of_up_to_200_mb_comes_and_none_of_an_empty_directory(
    names: Namespace, tmp_path: Path, sizes: list[int], found: list[str]
) -> None:
    for number, size in enumerate(sizes):
        store(names, f"bob/job/{number}", size)
    (tmp_path / "to").mkdir()
    bring_code(names, f"{FILE_SYSTEM}/bob/job", tmp_path / "to", user="bob")
    assert sorted(str(path.relative_to(tmp_path / "to")) for path in (tmp_path / "to").rglob("*/*")) == found


def test_code_of_more_than_200_mb_does_not_come(names: Namespace, tmp_path: Path) -> None:
    store(names, "bob/job/large", 200_000_001)
    with pytest.raises(BackendError, match="larger than 200MB"):
        bring_code(names, f"{FILE_SYSTEM}/bob/job", tmp_path, user="bob")


def test_its_files_are_there_in_a_later_emulator(tmp_path: Path) -> None:
    for content in (b"first", b"second"):
        with lab_cluster(tmp_path / "data", "v0.14") as lab:
            client = hdfs.InsecureClient(lab.emulator.address, user=lab.user, timeout=30)
            if content == b"second":
                with client.read("/kept") as reader:
                    assert reader.read() == b"first"
            client.write("/kept", content, overwrite=True)


def test_a_fault_strikes_its_hdfs(lab: LabCluster, files: hdfs.InsecureClient) -> None:
    files.write("/struck", b"x")
    lab.fault("server-error", action="HDFS:OPEN")
    address = f"{lab.emulator.address}/webhdfs/v1/struck?op=OPEN"
    assert [httpx.get(address, trust_env=False).status_code for _ in range(2)] == [503, 307]
