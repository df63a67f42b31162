"""The storage explorer: addresses that lead back to what they were given for, whole listings, and nothing outside."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.jobs import Job
from pai_jupyter.spec import JobRef
from pai_jupyter.storage.oss.connection import load
from pai_jupyter.wire.files import explorer
from tests.server.conftest import at
from tests.support import buckets
from tests.support.emulators import BUCKET, Emulator
from tests.support.hostile import SECRET, nested
from tests.support.server import Server
from tests.support.storages import LEADING_OUT, ODD_NAMES
from tests.support.wire import RecordedJob

oss2 = load()
PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))


def listed(server: Server, uri: str, **more: str) -> dict[str, Any]:  # Any: JSON values
    reply = server.ask(f"storage{at(uri)}" + "".join(f"&{name}={value}" for name, value in more.items()))
    assert reply.status == 200, reply.body
    told: dict[str, Any] = reply.json()
    return told


def names(told: Mapping[str, Any]) -> list[str]:  # Any: JSON values
    return [entry["name"] for entry in told["entries"]]


def status(server: Server, method: str, uri: str) -> int:
    return server.ask(f"storage{at(uri)}", method=method).status


@pytest.fixture
def emptied(cloud: Emulator) -> Iterator[None]:
    """The bucket is empty, before and behind the test."""
    with buckets.emptied(cloud.bucket()) as bucket:
        for found in oss2.ObjectIterator(bucket):
            bucket.delete_object(found.key)
        yield


@pytest.fixture
def live(server: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[RecordedJob]:
    """A job that has not ended, whose outputs are in OSS."""
    monkeypatch.setenv("PAI_JUPYTER_HOME", str(server.home))
    ref = JobRef(backend="fake", job_id="live", data={})
    written = RecordedJob("live", ref=ref, output_path=f"oss://{BUCKET}/live")
    yield written
    written.release()
    server.store.remove("live")


# Places


def test_one_begins_at_the_jobs_and_at_the_bucket(server: Server) -> None:
    told = server.ask("storage").json()
    assert [(entry["name"], entry["uri"]) for entry in told["entries"]] == [
        ("jobs", "job:"),
        (BUCKET, "oss://emulator/"),
    ]
    assert (told["parent"], told["can_write"], told["can_delete"]) == (None, False, False)


def test_every_directory_leads_back_up_to_the_places(server: Server, job: Job, model: Path) -> None:
    (model / "deep" / "er").mkdir(parents=True, exist_ok=True)
    way, uri = [], f"job:{job.id}/model/deep/er"
    while uri:
        told = listed(server, uri)
        way.append(told["uri"])
        uri = told["parent"]
    assert way == [f"job:{job.id}/{path}" for path in ("model/deep/er/", "model/deep/", "model/", "")] + ["job:"]


def test_jobs_are_directories_with_their_names_and_ids(server: Server, job: Job) -> None:
    entry = next(entry for entry in listed(server, "job:")["entries"] if job.id in entry["uri"])
    assert (entry["name"], entry["is_directory"]) == (f"{job.name} {job.id}", True)
    channels = {"model", "checkpoints", "tensorboard", "output_parameters", "workdir"}
    assert set(names(listed(server, entry["uri"]))) == channels


# Names


@pytest.mark.parametrize("name", [*ODD_NAMES, "100%", "%41", "%", "%2f", "?a=b&c#d"])
def test_a_file_of_a_job_is_found_again_by_the_address_it_was_listed_with(
    server: Server, job: Job, model: Path, name: str
) -> None:
    folder = model / "odd %20 names"
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(name.encode())
    entry = next(
        each for each in listed(server, f"job:{job.id}/model/odd %2520 names")["entries"] if each["name"] == name
    )
    assert server.ask(f"storage/file{at(entry['uri'])}").body == name.encode()
    assert server.ask(f"storage/preview{at(entry['uri'])}").json()["text"] == name
    assert server.ask(f"storage{at(entry['uri'])}", method="DELETE").json() == {"count": 1}
    assert not (folder / name).exists()


def test_a_name_that_is_no_text_leads_back_too(server: Server, job: Job, model: Path) -> None:
    Path(os.fsdecode(os.fsencode(model) + b"/caf\xe9%")).write_bytes(b"latin")
    entry = next(each for each in listed(server, f"job:{job.id}/model")["entries"] if each["name"] == "caf\ufffd%")
    assert entry["uri"].endswith("/caf%E9%25")
    assert server.ask(f"storage/file{at(entry['uri'])}").body == b"latin"


@pytest.mark.parametrize("name", [name for name in ODD_NAMES if name.isprintable()])
def test_an_object_is_found_again_by_the_address_it_was_listed_with(
    server: Server, cloud: Emulator, emptied: None, name: str
) -> None:
    cloud.put(f"odd/{name}", name)
    (entry,) = listed(server, "oss://emulator/odd")["entries"]
    assert entry["name"] == name
    assert server.ask(f"storage/file{at(entry['uri'])}").body == name.encode()
    assert server.ask(f"storage{at(entry['uri'])}", method="DELETE").json() == {"count": 1}
    assert cloud.keys() == []


# Long listings


@pytest.fixture
def pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explorer, "MOST_ENTRIES", 3)


def all_pages(uri: str) -> list[list[str]]:
    """The names of each answer, up to the last one."""
    after, found = "", []
    while True:
        told = explorer.listing(uri, after)
        found.append(names(told))
        if told["after"] is None:
            return found
        after = told["after"]


def test_a_long_directory_comes_in_pages_directories_first(
    job: Job, model: Path, server: Server, monkeypatch: pytest.MonkeyPatch, pages: None
) -> None:
    monkeypatch.setenv("PAI_JUPYTER_HOME", str(server.home))
    folder = model / "long"
    for name in ("z", "y"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for name in ("a", "b", "%", "训练", os.fsdecode(b"\xe9")):
        (folder / name).touch()
    assert all_pages(f"job:{job.id}/model/long") == [["y", "z", "%"], ["a", "b", "训练"], ["\ufffd"]]


def test_a_long_directory_in_oss_comes_in_pages_and_none_twice(
    server: Server, cloud: Emulator, emptied: None, monkeypatch: pytest.MonkeyPatch, pages: None
) -> None:
    monkeypatch.setenv("PAI_JUPYTER_SERVICES", cloud.address)
    monkeypatch.setenv("PAI_JUPYTER_HOME", str(server.home))
    for key in ("a", "b", "c/1", "c/2", "d", "训练/1", "训练2"):
        cloud.put(f"long/{key}", "x")
    cloud.put("long/", "")
    found = all_pages("oss://emulator/long/")
    assert [sorted(page) for page in found] == [["a", "b", "c"], ["d", "训练", "训练2"]]


# Previews


def test_a_preview_is_that_of_the_files_tab(server: Server, job: Job, model: Path) -> None:
    (model / "结果.json").write_text('{"a": 1}')
    uri = f"job:{job.id}/model/结果.json"
    told = server.ask(f"storage/preview{at(uri)}").json()
    assert told == {
        "uri": uri,
        "size": 8,
        "type": "json",
        "mime": "application/json",
        "text": '{"a": 1}',
        "is_cut": False,
    }


def test_an_image_comes_as_the_buffer_of_a_frame(server: Server, cloud: Emulator, emptied: None) -> None:
    cloud.bucket().put_object("plot.png", PNG)
    header, (image,) = server.ask(f"storage/preview{at('oss://emulator/plot.png')}").frame()
    assert (header["type"], header["mime"], image) == ("image", "image/png", PNG)


# Deleting


def test_a_directory_goes_with_all_that_is_in_it_and_links_are_not_followed(
    server: Server, job: Job, model: Path, tmp_path: Path
) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "file").touch()
    (model / "run" / "deep").mkdir(parents=True)
    (model / "run" / "a").touch()
    (model / "run" / "deep" / "b").touch()
    (model / "run" / "link").symlink_to(kept)
    os.mkfifo(model / "run" / "pipe")
    reply = server.ask(f"storage{at(f'job:{job.id}/model/run/')}", method="DELETE")
    assert reply.json() == {"count": 3}
    assert not (model / "run").exists()
    assert (kept / "file").exists()


def test_a_directory_that_is_nested_without_end_is_refused_in_a_sentence(server: Server, job: Job, model: Path) -> None:
    with nested(model):
        refused = server.ask(f"storage{at(f'job:{job.id}/model/nested')}", method="DELETE")
    assert refused.status == 400
    assert "rm -r" in refused.json()["message"]


def test_a_link_is_deleted_and_not_what_it_leads_to(server: Server, job: Job, model: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(SECRET)
    (model / "leading").symlink_to(tmp_path)
    assert status(server, "DELETE", f"job:{job.id}/model/leading/file") == 400
    assert status(server, "DELETE", f"job:{job.id}/model/leading") == 200
    assert (tmp_path / "file").exists()


def test_a_directory_in_oss_goes_with_all_that_is_in_it_and_no_neighbour(
    server: Server, cloud: Emulator, emptied: None
) -> None:
    for key in ("run/", "run/a", "run/deep/b", "run/deep/", "run2", "running/c"):
        cloud.put(key, "")
    assert server.ask(f"storage{at('oss://emulator/run')}", method="DELETE").json() == {"count": 2}
    assert cloud.keys() == ["run2", "running/c"]


@pytest.mark.parametrize(("uri", "left"), [("oss://emulator/run/", ["run"]), ("oss://emulator/run", ["run/a"])])
def test_of_a_file_and_a_directory_of_one_name_only_that_which_is_meant_is_deleted(
    server: Server, cloud: Emulator, emptied: None, uri: str, left: list[str]
) -> None:
    cloud.put("run", "a file")
    cloud.put("run/a", "in a directory")
    assert server.ask(f"storage{at(uri)}", method="DELETE").json() == {"count": 1}
    assert cloud.keys() == left


def test_a_file_is_not_deleted_as_a_directory(server: Server, job: Job, model: Path) -> None:
    (model / "kept").write_text("x")
    reply = server.ask(f"storage{at(f'job:{job.id}/model/kept/')}", method="DELETE")
    assert reply.status == 400
    assert "is a file, no directory" in reply.json()["message"]
    assert (model / "kept").exists()


@pytest.mark.parametrize("path", ["", "{job}", "{job}/", "{job}/model", "{job}/model/", "{job}/model//"])
def test_a_place_of_jobs_is_never_deleted(server: Server, job: Job, model: Path, path: str) -> None:
    assert status(server, "DELETE", f"job:{path.format(job=job.id)}") == 400
    assert model.exists()


@pytest.mark.parametrize("uri", ["oss://emulator", "oss://emulator/", "oss://emulator//"])
def test_a_bucket_is_never_emptied(server: Server, cloud: Emulator, emptied: None, uri: str) -> None:
    cloud.put("a", "")
    assert status(server, "DELETE", uri) == 400
    assert cloud.keys() == ["a"]


def test_what_is_not_there_is_not_deleted(server: Server, job: Job, emptied: None) -> None:
    assert status(server, "DELETE", f"job:{job.id}/model/nothing") == 404
    assert status(server, "DELETE", "oss://emulator/nothing") == 404
    assert status(server, "DELETE", "oss://emulator/nothing/") == 404


def test_outputs_of_a_job_that_runs_are_read_and_not_deleted(
    server: Server, cloud: Emulator, emptied: None, live: RecordedJob
) -> None:
    cloud.put("live/model/a", "x")
    told = listed(server, "job:live/model")
    assert (names(told), told["can_write"], told["can_delete"]) == (["a"], False, False)
    refused = server.ask(f"storage{at('job:live/model/a')}", method="DELETE")
    assert refused.status == 409
    assert "Stop it first" in refused.json()["message"]
    assert cloud.keys() == ["live/model/a"]


# What there is no way to


@pytest.mark.parametrize("method", ["GET", "DELETE"])
@pytest.mark.parametrize(
    "path",
    [
        *(path for path in LEADING_OUT if path.strip("/")),
        "%2e%2e",
        "%2e%2e%2f%2e%2e%2fsecret",
        "a%2f..%2f..",
        "%00",
        "%252e",
    ],
)
def test_no_address_leads_out_of_a_channel(server: Server, job: Job, model: Path, method: str, path: str) -> None:
    (model.parent.parent / "secret").write_bytes(SECRET)
    reply = server.ask(f"storage{at(f'job:{job.id}/model/{path}')}", method=method)
    assert reply.status in (400, 404), reply.body
    assert (model.parent.parent / "secret").exists()
    assert SECRET not in server.ask(f"storage/file{at(f'job:{job.id}/model/{path}')}").body
    assert SECRET not in server.ask(f"storage/preview{at(f'job:{job.id}/model/{path}')}").body


@pytest.mark.parametrize(
    "uri",
    [
        "/etc/passwd",
        "file:///etc/passwd",
        "job",
        "jobs:x",
        "JOB:",
        ":",
        "http://127.0.0.1/",
        "oss:",
        "oss://",
        "oss:///x",
        "oss://emulator.evil.example/x",
        "oss://emulator.127.0.0.1:9/x",
        "oss://emulator.oss-cn-x.aliyuncs.com.evil.example/x",
        "oss://emulator@evil.example/x",
        "oss://EMULATOR/",
        "\0",
        "job:" + "x" * 5_000,
    ],
)
def test_what_is_no_address_is_refused_in_a_sentence(server: Server, uri: str) -> None:
    for path in ("storage", "storage/preview", "storage/file"):
        reply = server.ask(f"{path}{at(uri)}")
        assert reply.status in (400, 404), (path, reply.body)
        assert reply.json()["message"]


def test_a_bucket_that_is_not_there_is_not_found(server: Server) -> None:
    assert status(server, "GET", "oss://no-such-bucket/") == 404


def test_a_file_is_no_directory_and_a_directory_no_file(
    server: Server, job: Job, cloud: Emulator, emptied: None
) -> None:
    cloud.put("a/b", "x")
    for uri in (f"job:{job.id}/model/model.bin", "oss://emulator/a/b"):
        assert status(server, "GET", uri) in (400, 404)
    for uri in (f"job:{job.id}/model", f"job:{job.id}", "job:", "oss://emulator/a/", "oss://emulator/"):
        assert server.ask(f"storage/file{at(uri)}").status in (400, 404), uri
