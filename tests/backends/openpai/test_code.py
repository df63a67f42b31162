"""The code of a job file on its way to `codeDir`: whole, before the job, and nothing of it where something fails."""

import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import hdfs
import pytest

from pai_jupyter.backends.openpai import files
from pai_jupyter.backends.openpai.backend import OpenPaiBackend
from pai_jupyter.backends.openpai.clusters import cluster_of
from pai_jupyter.backends.openpai.code import directory_url, hdfs_of
from pai_jupyter.config import settings
from pai_jupyter.errors import PaiJupyterError, SpecError
from pai_jupyter.events import LogChunk, Status, StatusChanged
from pai_jupyter.package import Package, build
from pai_jupyter.spec import JobRef, JobSpec
from pai_jupyter.store import JobRecord, JobStore
from tests.support.openpai_cluster import LabCluster, lab_cluster
from tests.support.openpai_files import V1, changed

SEEDS_PLACE = "$PAI_DEFAULT_FS_URI/$PAI_USER_NAME/$PAI_JOB_NAME"
FILES = {"train.sh": b"echo trained $(cat data/words)\n", "data/words": b"in code", "empty.py": b""}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabCluster]:
    with lab_cluster(tmp_path_factory.mktemp("cluster") / "data", "v0.14") as lab:
        yield lab


@pytest.fixture
def lab(cluster: LabCluster, monkeypatch: pytest.MonkeyPatch) -> Iterator[LabCluster]:
    monkeypatch.setattr("pai_jupyter.storage.retry.FIRST_PAUSE", 0.001)
    cluster.know()
    yield cluster
    cluster.emulator.clear_faults()


@pytest.fixture
def stored(lab: LabCluster) -> hdfs.InsecureClient:
    return hdfs.InsecureClient(lab.emulator.address, user=lab.user, timeout=30)


@pytest.fixture
async def backend(lab: LabCluster) -> AsyncIterator[OpenPaiBackend]:
    backend = OpenPaiBackend()
    yield backend
    await backend.aclose()


def spec_of(lab: LabCluster, *, has_own_name: bool = False, **fields: object) -> JobSpec:
    fields = {"codeDir": SEEDS_PLACE, "taskRoles/0/command": "cd $PAI_JOB_NAME && sh train.sh", **fields}
    config = changed(V1, {"taskRoles/0/taskNumber": 1, **fields})
    return files.cluster_job(json.dumps(config), cluster=None, user=lab.user, has_own_name=has_own_name)


async def submitted(
    backend: OpenPaiBackend, spec: JobSpec, folder: Path, job_id: str, content: dict[str, bytes] | None = None
) -> JobRef:
    if not JobStore().path(job_id).exists():
        JobStore().create(JobRecord(id=job_id, spec=spec, backend="openpai", created=0.0))
    return await backend.submit(spec, packed(folder, FILES if content is None else content), job_id=job_id)


def packed(folder: Path, content: dict[str, bytes]) -> Package:
    return build(None, to=folder / "package.tar.gz", files=content)


def tree(stored: hdfs.InsecureClient, path: str) -> list[str]:
    """The files below a directory, hidden ones too; [] if it is not there."""
    if stored.status(path, strict=False) is None:
        return []
    return sorted(f"{place.removeprefix(path)}/{name}" for place, _, names in stored.walk(path) for name in names)


async def test_code_lies_in_its_directory_before_the_job_and_runs_there(
    lab: LabCluster, backend: OpenPaiBackend, stored: hdfs.InsecureClient, tmp_path: Path
) -> None:
    ref = await submitted(backend, spec_of(lab), tmp_path, "code-1")
    assert tree(stored, f"/{lab.user}/{ref.data['name']}") == ["/data/words", "/empty.py", "/train.sh"]
    events = [event async for event in backend.follow(ref, {})]
    assert b"trained in code" in b"".join(event.data for event in events if isinstance(event, LogChunk))
    assert isinstance(events[-1], StatusChanged)
    assert events[-1].status is Status.SUCCEEDED
    again = await submitted(backend, spec_of(lab), tmp_path, "code-1")
    assert again == ref


@pytest.mark.parametrize(("fault", "action"), [("data-node-away", "HDFS:CREATE"), ("no-permission", "HDFS:RENAME")])
async def test_of_code_that_cannot_be_sent_nothing_is_left_and_no_job(
    lab: LabCluster, backend: OpenPaiBackend, stored: hdfs.InsecureClient, tmp_path: Path, fault: str, action: str
) -> None:
    lab.fault(fault, action=action, times=None)
    with pytest.raises(PaiJupyterError):
        await submitted(
            backend, spec_of(lab, jobName=fault), tmp_path, f"code-{fault}", {**FILES, "large.py": bytes(3_000_000)}
        )
    lab.emulator.clear_faults()
    assert not [name for name in stored.list(f"/{lab.user}") if name.startswith(fault)]
    assert not [job for job in await backend.recorded() if str(job.name).startswith(fault)]


async def test_code_of_a_job_that_the_cluster_refuses_is_removed_again(
    lab: LabCluster, backend: OpenPaiBackend, stored: hdfs.InsecureClient, tmp_path: Path
) -> None:
    with pytest.raises(PaiJupyterError, match="Virtual cluster vision is not found"):
        await submitted(backend, spec_of(lab, jobName="refused", virtualCluster="vision"), tmp_path, "code-2")
    assert not [
        name for name in stored.list("/") if name == lab.user and "refused" in " ".join(stored.list(f"/{lab.user}"))
    ]
    stored.write("/kept/theirs.txt", b"x", overwrite=True)
    with pytest.raises(PaiJupyterError, match="Virtual cluster vision is not found"):
        await submitted(backend, spec_of(lab, codeDir="/kept", virtualCluster="vision"), tmp_path, "code-3")
    assert "/theirs.txt" in tree(stored, "/kept")


async def test_what_lies_there_counts_for_the_limit(
    lab: LabCluster,
    backend: OpenPaiBackend,
    stored: hdfs.InsecureClient,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("pai_jupyter.backends.openpai.code.MOST_CODE", 100)
    stored.write("/full/old.bin", bytes(90), overwrite=True)
    with pytest.raises(SpecError, match=r"would have 128 bytes with what is at hdfs://127.0.0.1/full already"):
        await submitted(backend, spec_of(lab, codeDir="$PAI_DEFAULT_FS_URI/full"), tmp_path, "code-4")
    assert tree(stored, "/full") == ["/old.bin"]


async def test_without_files_the_code_directory_must_be_there(
    lab: LabCluster, backend: OpenPaiBackend, stored: hdfs.InsecureClient, tmp_path: Path
) -> None:
    with pytest.raises(SpecError, match=r"there is no `codeDir` at hdfs://127.0.0.1/nothing/here"):
        await submitted(backend, spec_of(lab, codeDir="/nothing/here"), tmp_path, "code-5", {})
    stored.write("/there/x.py", b"", overwrite=True)
    await submitted(backend, spec_of(lab, codeDir="/there"), tmp_path, "code-6", {})


async def test_a_name_of_its_own_stays_and_is_one_jobs_only(
    lab: LabCluster, backend: OpenPaiBackend, stored: hdfs.InsecureClient, tmp_path: Path
) -> None:
    spec = spec_of(lab, has_own_name=True, jobName="mine", extras={"note": 1})
    first = await submitted(backend, spec, tmp_path, "code-7")
    assert first.data["name"] == "mine"
    assert await submitted(backend, spec, tmp_path, "code-7") == first
    with pytest.raises(SpecError, match=r"there is a job mine already\. Change its name in the job file"):
        await submitted(backend, spec, tmp_path, "code-8", {"other.py": b"other"})
    assert "/other.py" not in tree(stored, f"/{lab.user}/mine")


# --- addresses ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code_dir", "address"),
    [
        ("$PAI_DEFAULT_FS_URI/bob/a job", "hdfs://pai.example.org/bob/a job"),
        ("/bob//job/", "hdfs://pai.example.org/bob//job"),
        ("hdfs://master:9000/bob/job", "hdfs://master:9000/bob/job"),
    ],
)
def test_a_code_directory_is_an_address_in_the_clusters_hdfs(code_dir: str, address: str) -> None:
    assert str(directory_url(code_dir, "pai.example.org")) == address


@pytest.mark.parametrize(
    "code_dir",
    [
        "",
        "/",
        "$PAI_DEFAULT_FS_URI",
        "bob/job",
        "$HOME/job",
        "/bob/../job",
        "webhdfs://a/b",
        "hdfs://",
        "hdfs://a:9000/",
        "/$WHO/x",
    ],
)
def test_what_is_no_directory_of_hdfs_is_refused(code_dir: str) -> None:
    with pytest.raises(SpecError, match="HDFS"):
        directory_url(code_dir, "pai.example.org")


@pytest.mark.parametrize(
    ("address", "setting", "base"),
    [
        ("pai.example.org", "", "http://pai.example.org/webhdfs/api/v1"),
        ("https://pai.example.org/lab", "", "https://pai.example.org/lab/webhdfs/api/v1"),
        ("pai.example.org:9186", "", "http://pai.example.org:50070/webhdfs/v1"),
        ("pai.example.org", "http://pai.example.org:5070", "http://pai.example.org:5070/webhdfs/v1"),
        ("pai.example.org", "http://other.example.org:50070", "http://pai.example.org/webhdfs/api/v1"),
    ],
)
def test_files_of_a_cluster_are_had_at_its_proxy_or_as_the_settings_say(address: str, setting: str, base: str) -> None:
    settings().set("hdfs_url", setting)
    settings().set("hdfs_datanodes", "node-1=10.0.0.5:50075")
    try:
        access = hdfs_of(cluster_of("a", address, "bob"))
    finally:
        settings.cache_clear()
    assert (access.user, access.base, access.data_nodes) == ("bob", base, {"node-1": "10.0.0.5:50075"})
