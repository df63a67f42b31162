"""Code and data on their way into the bucket: once, under the name of their content. And outputs on their way down."""

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.backends.pai import outputs
from pai_jupyter.backends.pai.submission import uploads
from pai_jupyter.backends.threads import in_thread
from pai_jupyter.cloud.session import Session
from pai_jupyter.errors import BackendError, NotFoundError, PaiJupyterError
from pai_jupyter.package import Package, build
from pai_jupyter.spec import JobSpec
from pai_jupyter.storage import TransferCancelled
from pai_jupyter.store import JobStore
from tests.fakes.oss import BUCKET, FakeOss
from tests.support.storages import ODD_NAMES, oss, read_tree, session, write_tree

__all__ = ["oss", "session"]  # fixtures


@pytest.fixture
def package(tmp_path: Path) -> Package:
    return build(None, to=tmp_path / "package.tar.gz", files={"train.py": b"print()"})


@pytest.fixture
def empty(tmp_path: Path) -> Package:
    return build(None, to=tmp_path / "empty.tar.gz")


def upload(session: Session, package: Package, **fields: Any) -> Any:  # Any: fields of a spec, Places
    spec = JobSpec(name="a", command="true", **fields)
    return uploads.upload(session, spec, package, threading.Event(), folder=JobStore().path("j1"))


def test_code_lies_under_its_digest_and_is_sent_once(oss: FakeOss, session: Session, package: Package) -> None:
    first = upload(session, package)
    assert first.code.object_key == f"pai-jupyter/code/{package.digest}.tar.gz"
    assert oss.objects[first.code.object_key].data == package.path.read_bytes()
    assert upload(session, package) == first
    assert len(oss.asked("PUT")) == 1


def test_code_of_two_hundred_files_costs_no_upload_the_second_time(
    oss: FakeOss, session: Session, tmp_path: Path
) -> None:
    source = write_tree(tmp_path / "src", {f"m{number}.py": b"x = %d" % number for number in range(200)})
    packages = [build(source, to=tmp_path / f"{number}.tar.gz") for number in range(2)]
    for package in packages:
        upload(session, package, source_dir=source)
    assert len(oss.asked("PUT")) == 1
    assert len(oss.requests) <= 5


def test_code_that_was_damaged_there_is_sent_again(oss: FakeOss, session: Session, package: Package) -> None:
    key = upload(session, package).code.object_key
    oss.put(key, b"x" * len(oss.objects[key].data))
    upload(session, package)
    assert oss.objects[key].data == package.path.read_bytes()


@pytest.mark.parametrize("place", ["oss://bucket/code/", "oss://bucket.host:80/code.tar.gz"])
def test_code_in_oss_is_passed_as_it_is(oss: FakeOss, session: Session, empty: Package, place: str) -> None:
    assert str(upload(session, empty, source_dir=place).code) == place
    assert oss.requests == []


def test_a_job_without_code_sends_none(oss: FakeOss, session: Session, empty: Package) -> None:
    assert upload(session, empty).code is None
    assert oss.requests == []


def test_what_the_service_reaches_itself_is_passed_as_it_is(oss: FakeOss, session: Session, empty: Package) -> None:
    inputs = {"a": "oss://b/x y#?", "b": "nas://fs/x", "c": "cpfs://x", "d": "bmcpfs://x", "t": "odps://p/tables/t"}
    inputs["s"] = "d-g1bt7qk8nm6gvg"
    assert upload(session, empty, inputs=inputs).inputs == inputs
    assert oss.requests == []


@pytest.mark.parametrize("name", ODD_NAMES)
def test_a_file_keeps_its_name(oss: FakeOss, session: Session, empty: Package, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"1,2")
    place = upload(session, empty, inputs={"a": str(tmp_path / name)}).inputs["a"]
    key = place.removeprefix(f"oss://{BUCKET}/")
    assert key.rpartition("/")[2] == name
    assert oss.objects[key].data == b"1,2"


def test_the_same_data_is_there_once_whatever_its_place(
    oss: FakeOss, session: Session, empty: Package, tmp_path: Path
) -> None:
    files = {"a b.csv": b"1", "sub/数据": b"2", "nothing/": b""}
    first, second = (write_tree(tmp_path / name, files) for name in ("one", "two"))
    places = upload(session, empty, inputs={"a": str(first), "b": str(second)}).inputs
    assert places["a"] == places["b"]
    assert places["a"].endswith("/")
    key = places["a"].removeprefix(f"oss://{BUCKET}/")
    assert {name.removeprefix(key): each.data for name, each in oss.objects.items()} == files
    oss.requests.clear()
    upload(session, empty, inputs={"a": str(first)})
    assert [request.method for request in oss.requests] == ["GET"]


def test_changed_data_is_other_data(oss: FakeOss, session: Session, empty: Package, tmp_path: Path) -> None:
    data = write_tree(tmp_path / "data", {"a": b"1"})
    first = upload(session, empty, inputs={"a": str(data)}).inputs["a"]
    (data / "a").write_bytes(b"2")
    second = upload(session, empty, inputs={"a": str(data)}).inputs["a"]
    assert first != second
    assert oss.objects[f"{first.removeprefix(f'oss://{BUCKET}/')}a"].data == b"1"


def test_an_upload_that_was_cut_off_is_completed(
    oss: FakeOss, session: Session, empty: Package, tmp_path: Path
) -> None:
    data = write_tree(tmp_path / "data", {"a": b"1", "b": b"2"})
    place = upload(session, empty, inputs={"a": str(data)}).inputs["a"]
    del oss.objects[f"{place.removeprefix(f'oss://{BUCKET}/')}b"]
    upload(session, empty, inputs={"a": str(data)})
    assert len(oss.objects) == 2


def test_an_empty_directory_can_be_mounted(oss: FakeOss, session: Session, empty: Package, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    place = upload(session, empty, inputs={"a": str(tmp_path / "data")}).inputs["a"]
    assert list(oss.objects) == [place.removeprefix(f"oss://{BUCKET}/")]


def test_data_that_changes_on_the_way_is_refused(
    oss: FakeOss, session: Session, empty: Package, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = write_tree(tmp_path / "data", {"a": b"1"})
    plain = Session.upload

    def upload_and_change(self: Session, path: Any, uri: str, **options: Any) -> str:  # Any: as there
        (data / "a").write_bytes(b"22")
        return plain(self, path, uri, **options)

    monkeypatch.setattr(Session, "upload", upload_and_change)
    with pytest.raises(PaiJupyterError, match="changed while they were uploaded"):
        upload(session, empty, inputs={"a": str(data)})
    assert oss.objects == {}


def test_an_interrupt_ends_an_upload(oss: FakeOss, session: Session, package: Package, tmp_path: Path) -> None:
    data = write_tree(tmp_path / "data", {"a": b"1"})
    cancel = threading.Event()
    cancel.set()
    spec = JobSpec(name="a", command="true", inputs={"a": str(data)})
    with pytest.raises(TransferCancelled):
        uploads.upload(session, spec, package, cancel, folder=JobStore().path("j1"))


async def test_whoever_is_cancelled_calls_the_work_off_and_waits_for_it() -> None:
    started, ended = threading.Event(), []

    def work(cancel: threading.Event) -> None:
        started.set()
        ended.append(cancel.wait(30))

    task = asyncio.create_task(in_thread(work))
    await asyncio.to_thread(started.wait)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended == [True]


# --- outputs -----------------------------------------------------------------------------------------------------

FIELDS = {
    "OutputChannels": [
        {"Name": "model", "OutputUri": f"oss://{BUCKET}/jobs/j1/model"},
        {"Name": "tensorboard", "OutputUri": f"oss://{BUCKET}/tb/"},
        {"Name": "shared", "OutputUri": "nas://fs/x"},
        {"Name": "set", "DatasetId": "d-12345678"},
    ]
}


@pytest.mark.parametrize(("channel", "place"), [("model", "jobs/j1/model/"), ("tensorboard", "tb/"), ("logs", "tb/")])
def test_an_output_lies_where_the_service_has_noted(channel: str, place: str) -> None:
    assert outputs.place_of(FIELDS, channel, job_id="j1") == f"oss://{BUCKET}/{place}"


def test_an_output_that_the_job_does_not_have_is_not_found() -> None:
    with pytest.raises(NotFoundError, match="no output 'modle'; it has model, tensorboard, shared, set"):
        outputs.place_of(FIELDS, "modle", job_id="j1")


@pytest.mark.parametrize("channel", ["shared", "set"])
def test_an_output_that_nobody_here_reaches_is_said(channel: str) -> None:
    with pytest.raises(BackendError, match="which only jobs of PAI reach"):
        outputs.place_of(FIELDS, channel, job_id="j1")


async def test_an_output_comes_down_as_it_is(oss: FakeOss, session: Session, tmp_path: Path) -> None:
    files = {"model.bin": b"\x00\xff", "sub/a b": b"1"}
    for name, data in files.items():
        oss.put(f"jobs/j1/model/{name}", data)
    place = outputs.place_of(FIELDS, "model", job_id="j1")
    assert read_tree(await outputs.bring(session, place, tmp_path / "deep" / "模型")) == files
