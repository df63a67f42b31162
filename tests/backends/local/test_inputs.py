"""Jobs of this machine with data and code from a bucket: what they see, what is said, what is left when it goes wrong."""

import asyncio
import gzip
import io
import json
import os
import signal
import tarfile
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.backends.local.remote import RemoteData
from pai_jupyter.config import settings
from pai_jupyter.errors import (
    AuthError,
    NotFoundError,
    PackageError,
    PaiJupyterError,
    SpecError,
)
from pai_jupyter.events import Notice, Status
from pai_jupyter.jobs import Draft, Job, Target, close_runtime, draft, rerun
from pai_jupyter.package import unpacking
from pai_jupyter.spec import JobSpec
from pai_jupyter.storage.progress import Report
from pai_jupyter.store import JobStore
from tests.fakes.oss import BUCKET, FakeOss
from tests.support.archives import beyond_path_max, crafted
from tests.support.local_inputs import bring, objects_asked, session, until
from tests.support.local_jobs import LocalJobs
from tests.support.storages import oss

__all__ = ["oss", "session"]
pytestmark = pytest.mark.usefixtures("session")

LOOK = """
import json, os
env = os.environ
print(json.dumps({"all": env["PAI_INPUT_ALL"], "names": sorted(os.listdir(env["PAI_INPUT_ALL"])),
                  "one": env["PAI_INPUT_ONE"], "content": open(env["PAI_INPUT_ONE"]).read(),
                  "beside": os.listdir(os.path.dirname(env["PAI_INPUT_ONE"]))}))
"""
WRITE = "import os\nopen(os.environ['PAI_INPUT_ALL'] + 'new', 'w')\n"


@pytest.fixture
async def jobs(tmp_path: Path) -> AsyncIterator[LocalJobs]:
    jobs = LocalJobs(tmp_path)
    yield jobs
    await jobs.end()


@pytest.fixture
def data(oss: FakeOss) -> dict[str, str]:
    """Two inputs: a directory, and one object of it."""
    oss.put("data/训练 a.csv", b"1,2")
    oss.put("data/b", b"other")
    return {"all": oss.uri("data/"), "one": oss.uri("data/训练 a.csv")}


# --- what a job sees ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["bwrap", "proot", "plain"])
async def test_data_of_a_bucket_are_where_the_contract_says(
    jobs: LocalJobs, data: dict[str, str], monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    monkeypatch.setenv("PAI_JUPYTER_ML", way)
    ended = await jobs.run(LOOK, inputs=data)
    assert ended.end.status is Status.SUCCEEDED, ended.log()
    seen = json.loads(ended.log())
    root = "/ml" if way != "plain" else str(ended.folder / "ml")
    assert seen == {
        "all": f"{root}/input/data/all/",
        "names": ["b", "训练 a.csv"],
        "one": f"{root}/input/data/one/训练 a.csv",
        "content": "1,2",
        "beside": ["训练 a.csv"],
    }


async def test_a_job_cannot_write_there(jobs: LocalJobs, data: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAI_JUPYTER_ML", "bwrap")
    ended = await jobs.run(WRITE, inputs=data)
    assert "Read-only file system" in ended.log()


async def test_it_is_said_what_was_brought_and_what_was_here(jobs: LocalJobs, data: dict[str, str]) -> None:
    def said(ended: Any) -> list[str]:  # Any: an Ended
        return [event.text for event in ended.events if isinstance(event, Notice)]

    first = said(await jobs.run(LOOK, inputs=data))
    assert first[0].startswith(f"input 'all': 2 files, 8 bytes, brought from {data['all']} in ")
    assert first[1].startswith("input 'one': 1 file, 3 bytes, brought from ")
    second = said(await jobs.run(LOOK, inputs=data))
    assert second[0] == f"input 'all': 2 files, 8 bytes, unchanged since they were brought from {data['all']}."


@pytest.mark.usefixtures("data")
async def test_an_address_without_endpoint_means_the_one_of_the_session(jobs: LocalJobs, oss: FakeOss) -> None:
    settings().set("endpoint", f"http://{oss.endpoint}")
    ended = await jobs.run(LOOK, inputs={"all": f"oss://{BUCKET}/data/", "one": f"oss://{BUCKET}/data/b"})
    assert json.loads(ended.log())["content"] == "other"


# --- what is checked before --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("place", "sentence"),
    [
        ("oss://b", "input 'train': 'oss://b' is no address in OSS."),
        ("OSS://bucket/x/", "input 'train': 'OSS://bucket/x/' is no address in OSS."),
        ("oss://bucket", "input 'train': 'oss://bucket' is a whole bucket."),
        ("oss://bucket/a/..", "input 'train': the key '..' is refused"),
        ("oss://bucket/x/", "note: input 'train' is brought from oss://bucket/x/ before the job starts"),
    ],
)
def test_an_address_is_checked_before_anybody_is_asked(jobs: LocalJobs, place: str, sentence: str) -> None:
    [said] = jobs.backend.check(JobSpec(name="a", command="true", inputs={"train": place}))
    assert said.startswith(sentence)


# --- when it goes wrong ------------------------------------------------------------------------------------------


def prepared(inputs: dict[str, str], script: str = LOOK, **spec: Any) -> Draft:  # Any: of a JobSpec
    wanted = JobSpec(name="a", command="python train.py", inputs=inputs, **spec)
    return draft(wanted, Target(backend="process", reason="asked for"), files={"train.py": script.encode()})


def submitted(inputs: dict[str, str], script: str = LOOK) -> Job:
    with prepared(inputs, script) as ready:
        return ready.submit()


@pytest.fixture
def runtime() -> Iterator[None]:
    yield
    close_runtime()


@pytest.mark.usefixtures("runtime")
@pytest.mark.parametrize(
    ("address", "error", "words"),
    [
        ("oss://{bucket}/data", SpecError, "ends with a slash"),
        ("oss://{bucket}/none/", NotFoundError, "there is nothing at"),
        ("oss://other-bucket.{endpoint}/x/", NotFoundError, r"there is no such bucket\. Check its name and region"),
    ],
)
def test_what_the_bucket_refuses_is_one_sentence_and_nothing_is_left(
    data: dict[str, str], oss: FakeOss, address: str, error: type[Exception], words: str
) -> None:
    place = address.format(bucket=f"{BUCKET}.{oss.endpoint}", endpoint=oss.endpoint)
    with pytest.raises(error, match=words) as caught:
        submitted({"train": place})
    assert "\n" not in str(caught.value)
    assert list(JobStore().folders()) == []
    assert not list(JobStore().home.joinpath("jobs").iterdir())


@pytest.mark.usefixtures("runtime")
def test_a_key_that_is_refused_is_said_before_anything_starts(data: dict[str, str], oss: FakeOss) -> None:
    oss.keys.clear()
    with pytest.raises(AuthError, match="does not know this access key"):
        submitted(data)


@pytest.mark.usefixtures("runtime")
def test_an_interrupt_ends_the_download_and_leaves_nothing_but_what_can_go_on(
    data: dict[str, str], oss: FakeOss, session: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    oss.fault("hold", "GET", key="data/b")
    cancels: list[threading.Event] = []
    download = RemoteData.download

    def seen(self: RemoteData, to: Path, cancel: threading.Event, progress: Report | None = None) -> None:
        cancels.append(cancel)
        download(self, to, cancel, progress)

    monkeypatch.setattr(RemoteData, "download", seen)

    def interrupt() -> None:
        until(lambda: "data/b" in objects_asked(oss))
        os.kill(os.getpid(), signal.SIGINT)
        until(lambda: any(cancel.is_set() for cancel in cancels))  # or the download might be whole before
        oss.gate.set()

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        submitted(data)
    assert not list((session / "jobs").iterdir())
    assert not list((session / "packing").iterdir())
    job = submitted(data)
    job.wait()
    assert json.loads("\n".join(line.text for line in job.logs()))["content"] == "1,2"


async def test_a_submission_that_is_cancelled_does_not_download_the_rest(jobs: LocalJobs, oss: FakeOss) -> None:
    for number in range(100):
        oss.put(f"many/{number}", b"x")
    oss.fault("hold", "GET", key="many/", times=100)
    submitting = asyncio.ensure_future(jobs.start(inputs={"train": oss.uri("many/")}))
    await asyncio.to_thread(until, lambda: len(objects_asked(oss)) == 8)
    submitting.cancel()
    await asyncio.sleep(0)
    oss.gate.set()
    with pytest.raises(asyncio.CancelledError):
        await submitting
    assert len(objects_asked(oss)) == 8
    assert not (jobs.folder_of(jobs.refs[0]) / "run").exists()


@pytest.mark.usefixtures("runtime")
def test_the_record_says_where_the_data_come_from(data: dict[str, str]) -> None:
    job = submitted(data)
    job.wait()
    assert job.folder.record.spec.inputs == data
    assert [notice.text[:12] for notice in job.state.notices] == ["input 'all':", "input 'one':"]


# --- code --------------------------------------------------------------------------------------------------------


def archive(files: dict[str, bytes], kind: bytes = tarfile.REGTYPE) -> bytes:
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w:gz") as tar:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size, info.type = len(content), kind
            info.linkname = "/etc/passwd" if kind == tarfile.SYMTYPE else ""
            tar.addfile(info, io.BytesIO(content))
    return whole.getvalue()


SCRIPT = b"from lib import x\nprint(x)\n"


def put_directory(oss: FakeOss) -> str:
    oss.put("code/train.py", SCRIPT)
    oss.put("code/lib/__init__.py", b"x = 'imported'")
    return oss.uri("code/")


def put_archive(oss: FakeOss) -> str:
    oss.put("code.tar.gz", archive({"train.py": SCRIPT, "lib/__init__.py": b"x = 'imported'"}))
    return oss.uri("code.tar.gz")


def with_source(uri: str) -> Draft:
    wanted = JobSpec(name="a", command="python train.py", source_dir=uri)
    return draft(wanted, Target(backend="process", reason="asked for"))


@pytest.mark.usefixtures("runtime")
@pytest.mark.parametrize("put", [put_directory, put_archive])
def test_code_may_lie_in_a_bucket(oss: FakeOss, put: Callable[[FakeOss], str]) -> None:
    uri = put(oss)
    with with_source(uri) as ready:
        assert [file.name for file in ready.package.files] == ["lib/__init__.py", "train.py"]
        job = ready.submit()
    job.wait()
    assert [line.text for line in job.logs()] == ["imported"]
    assert job.folder.record.spec.source_dir == uri
    oss.objects.clear()
    again = rerun(job)
    again.wait()
    assert [line.text for line in again.logs()] == ["imported"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (archive({"../out.py": b"1"}), "was not unpacked"),
        (archive({"/tmp/out.py": b"1"}), "was not unpacked"),
        (archive({"x": b""}, tarfile.SYMTYPE), "was not unpacked"),
        (archive({"x": b""}, tarfile.CHRTYPE), "was not unpacked"),
        (gzip.compress(b"no tar"), "is damaged"),
        (b"no gzip", "is damaged"),
    ],
    ids=["above", "absolute", "link", "device", "no tar", "no gzip"],
)
def test_an_archive_that_cannot_be_trusted_is_refused(oss: FakeOss, content: bytes, words: str) -> None:
    oss.put("code.tar.gz", content)
    with pytest.raises(PackageError, match=words) as refused, with_source(oss.uri("code.tar.gz")):
        pass
    assert str(refused.value).startswith(f"`source_dir`: {oss.uri('code.tar.gz')!r} ")


def test_an_archive_that_leads_out_of_what_the_system_can_follow_writes_nowhere(oss: FakeOss, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("good")
    oss.put("code.tar.gz", crafted(tmp_path / "evil.tar.gz", beyond_path_max(victim)).read_bytes())
    with pytest.raises(PackageError, match="was not unpacked"), with_source(oss.uri("code.tar.gz")):
        pass
    assert victim.read_text() == "good"


def test_a_large_archive_is_unpacked_when_it_is_allowed(oss: FakeOss, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "MAX_FILES", 1)
    uri = put_archive(oss)
    with pytest.raises(PackageError, match=r"allow it: --option package\.allow_large=true\Z"), with_source(uri):
        pass
    spec = JobSpec(name="a", command="python train.py", source_dir=uri)
    with draft(spec, Target(backend="process", reason="asked for"), allow_large=True) as ready:
        assert len(ready.package.files) == 2


@pytest.mark.parametrize(
    ("key", "error", "words"),
    [
        ("code.zip", SpecError, r"`source_dir`: .* neither a directory, .*, nor a \.tar\.gz"),
        ("none/", NotFoundError, "there is nothing at"),
        ("none.tar.gz", NotFoundError, "there is nothing at"),
    ],
)
def test_code_that_is_not_there_is_missed(oss: FakeOss, key: str, error: type[PaiJupyterError], words: str) -> None:
    with pytest.raises(error, match=words), with_source(oss.uri(key)):
        pass


def test_code_in_the_cache_is_not_changed_by_packing_it(oss: FakeOss) -> None:
    uri = put_directory(oss)
    with with_source(uri):
        pass
    assert not bring(oss, "code/").is_new
