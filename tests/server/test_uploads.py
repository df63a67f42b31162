"""Uploads: whole and verified at their place, or no trace of them; downloads of the same, and who may."""

import http.client
import socket
import struct
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from threading import Event

import psutil
import pytest

from pai_jupyter.jobs import Job
from pai_jupyter.server.storage import BrowserUpload
from pai_jupyter.spec import Json
from pai_jupyter.storage.disk import sweep
from pai_jupyter.storage.oss.connection import load
from pai_jupyter.wire.files import explorer
from tests.server.conftest import at
from tests.support import buckets
from tests.support.emulators import Emulator
from tests.support.server import AUTHORIZED, PREFIX, Reply, Server
from tests.support.started import until

MB = 1024 * 1024
TARGET = "oss://emulator/up/file.bin"


@pytest.fixture(autouse=True)
def emptied(cloud: Emulator) -> Iterator[None]:
    with buckets.emptied(cloud.bucket()):
        yield


@pytest.fixture(autouse=True)
def no_trace(server: Server) -> Iterator[None]:
    """Behind every test nothing is left of an upload on the server's disk, and nothing unexpected has happened."""
    yield
    until(lambda: not spooled(server))
    assert "Traceback" not in server.log
    assert "Uncaught" not in server.log


def spooled(server: Server) -> list[Path]:
    return [path for path in server.home.glob("uploads/*") if path.name.endswith(".tmp")]


def put(server: Server, uri: str, body: bytes, headers: dict[str, str] = AUTHORIZED) -> Reply:
    return server.ask(f"storage/file{at(uri)}", method="PUT", body=body, headers=headers)


def begun(server: Server, length: int, *, uri: str = TARGET, headers: dict[str, str] = AUTHORIZED) -> socket.socket:
    """A connection on which an upload of `length` bytes has begun."""
    connection = socket.create_connection(("127.0.0.1", server.port), timeout=60)
    given = {"Host": f"127.0.0.1:{server.port}", "Content-Length": str(length), **headers}
    head = [f"PUT {PREFIX}pai-jupyter/api/storage/file{at(uri)} HTTP/1.1", *(f"{n}: {v}" for n, v in given.items())]
    connection.sendall("\r\n".join([*head, "", ""]).encode())
    return connection


def break_off(connection: socket.socket) -> None:
    """End a connection as a killed program does."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


@pytest.mark.parametrize("size", [0, 1, 64 * 1024, 3 * MB + 7, 25 * MB])
def test_a_file_arrives_byte_for_byte_and_comes_back_so(server: Server, cloud: Emulator, size: int) -> None:
    body = bytes(range(256)) * (size // 256 + 1)
    body = body[:size]
    entry = put(server, TARGET, body).json()
    assert (entry["name"], entry["uri"], entry["size"], entry["is_directory"]) == ("file.bin", TARGET, size, False)
    assert cloud.get("up/file.bin") == body
    assert server.ask(f"storage/file{at(TARGET)}").body == body


def test_a_body_without_a_length_arrives_too(server: Server, cloud: Emulator) -> None:
    with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)) as connection:
        pieces = iter([b"one", b"two" * 100_000, b"three"])
        target = f"{PREFIX}pai-jupyter/api/storage/file{at(TARGET)}"
        connection.request("PUT", target, body=pieces, headers=AUTHORIZED, encode_chunked=True)
        assert connection.getresponse().status == 200
    assert cloud.get("up/file.bin") == b"one" + b"two" * 100_000 + b"three"


def test_a_second_upload_takes_the_place_of_the_first(server: Server, cloud: Emulator) -> None:
    put(server, TARGET, b"first, and longer")
    put(server, TARGET, b"second")
    assert cloud.get("up/file.bin") == b"second"


def test_an_upload_that_is_broken_off_leaves_nothing(server: Server, cloud: Emulator) -> None:
    connection = begun(server, 10 * MB)
    connection.sendall(bytes(4 * MB))
    until(lambda: spooled(server))
    break_off(connection)
    until(lambda: not spooled(server))
    assert cloud.keys() == []


def test_one_that_is_broken_off_leaves_what_was_there(server: Server, cloud: Emulator) -> None:
    cloud.put("up/file.bin", "before")
    connection = begun(server, 10 * MB)
    connection.sendall(bytes(MB))
    until(lambda: spooled(server))
    break_off(connection)
    until(lambda: not spooled(server))
    assert cloud.get("up/file.bin") == b"before"


def test_one_that_is_cancelled_on_its_way_to_the_bucket_leaves_no_object_and_no_parts(
    server: Server, cloud: Emulator
) -> None:
    cloud.fault("slow", action="OSS:PUT", seconds=2.0, times=None)
    try:
        connection = begun(server, 60 * MB)
        for _ in range(60):
            connection.sendall(bytes(MB))
        oss2 = load()
        until(lambda: list(oss2.MultipartUploadIterator(cloud.bucket())))
        break_off(connection)
        until(lambda: not spooled(server))
        until(lambda: not list(oss2.MultipartUploadIterator(cloud.bucket())))
    finally:
        cloud.clear_faults()
    assert cloud.keys() == []


def test_what_a_killed_server_leaves_is_swept_by_the_next_upload(server: Server) -> None:
    (server.home / "uploads").mkdir(exist_ok=True)
    left = server.home / "uploads" / ".pai-0123456789abcdef.tmp"
    left.write_bytes(b"left")
    assert put(server, TARGET, b"x").status == 200
    assert not left.exists()


def test_a_large_upload_passes_through_the_server_in_little_memory(server: Server) -> None:
    process = psutil.Process(server.process.pid)
    put(server, TARGET, b"warm")
    before = highest = process.memory_info().rss
    connection = begun(server, 200 * MB)
    for _ in range(150):
        connection.sendall(bytes(MB))
        highest = max(highest, process.memory_info().rss)
    break_off(connection)
    assert highest - before < 40 * MB


def test_more_than_jupyter_takes_is_taken(server: Server) -> None:
    """Its own limit for a body is 512 MiB; nobody is told that an upload is too large before the disk says so."""
    connection = begun(server, 600 * MB)
    connection.sendall(bytes(MB))
    until(lambda: any(path.stat().st_size for path in spooled(server)))
    break_off(connection)


def test_a_full_disk_is_said_in_a_sentence(server: Server) -> None:
    process = psutil.Process(server.process.pid)
    before = process.rlimit(psutil.RLIMIT_FSIZE)
    process.rlimit(psutil.RLIMIT_FSIZE, (5 * MB, before[1]))  # to the server it is as if the disk had no more
    try:
        reply = put(server, TARGET, bytes(20 * MB))
    finally:
        process.rlimit(psutil.RLIMIT_FSIZE, before)
    assert (reply.status, reply.json()["type"]) == (409, "LimitExceededError")
    assert "the disk of the Jupyter server is too full" in reply.json()["message"]
    assert put(server, TARGET, b"again").status == 200


@pytest.mark.parametrize(
    ("uri", "status"),
    [
        ("", 400),
        ("job:", 400),
        ("job:{job}/model/new.bin", 400),
        ("job:{job}/../x", 404),
        ("job:j0/model/x", 404),
        ("oss://emulator", 400),
        ("oss://emulator/", 400),
        ("oss://emulator/a/", 400),
        ("oss://emulator/a/../b", 400),
        ("oss://emulator/a//b", 400),
        ("oss://emulator/\0", 400),
        ("oss://emulator/" + "x" * 5_000, 400),
        ("oss://emulator.evil.example/x", 400),
        ("oss://no-such-bucket/x", 404),
        ("/tmp/x", 400),
    ],
)
def test_nothing_is_put_where_nothing_belongs(server: Server, cloud: Emulator, job: Job, uri: str, status: int) -> None:
    before = sorted(job.folder.path.rglob("*"))
    reply = put(server, uri.format(job=job.id), b"x" * 100_000)
    assert reply.status == status
    assert reply.json()["message"]
    assert cloud.keys() == []
    assert sorted(job.folder.path.rglob("*")) == before


@pytest.mark.parametrize("path", ["", "new", "new/", "训练 数据/深", "a%41"])
def test_a_folder_is_made_where_files_can_be_put(server: Server, cloud: Emulator, path: str) -> None:
    reply = server.ask(f"storage/folder{at(f'oss://emulator/{path}')}", method="POST")
    if not path:
        assert reply.status == 400
        return
    entry = reply.json()
    assert entry["is_directory"]
    assert entry["uri"] == f"oss://emulator/{path.rstrip('/')}/"
    assert cloud.keys() == [f"{path.rstrip('/')}/"]


def test_no_folder_is_made_in_the_outputs_of_a_job(server: Server, job: Job, model: Path) -> None:
    assert server.ask(f"storage/folder{at(f'job:{job.id}/model/new')}", method="POST").status == 400
    assert not (model / "new").exists()


# Who may


@pytest.mark.parametrize(
    "headers", [{}, {"Authorization": "token another"}, {"Authorization": ""}], ids=["none", "another", "empty"]
)
def test_nobody_uploads_without_the_token_and_no_byte_is_taken(
    server: Server, cloud: Emulator, headers: dict[str, str]
) -> None:
    with closing(begun(server, 10 * MB, headers=headers)) as connection:
        assert connection.recv(64).startswith(b"HTTP/1.1 403 ")
    assert not spooled(server)
    assert cloud.keys() == []


def test_a_page_from_elsewhere_uploads_nothing(server: Server, cloud: Emulator) -> None:
    browser = server.log_in()
    foreign = browser.changing(Origin="http://evil.example")
    for headers in (foreign, browser.headers()):  # and nobody without the XSRF token
        assert put(server, TARGET, b"x", headers=headers).status in (403, 404)
    assert cloud.keys() == []
    assert put(server, TARGET, b"x", headers=browser.changing()).status == 200


async def test_an_upload_on_the_way_to_its_place_is_not_swept_away_by_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    def put_at(uri: str, source: Path, cancel: Event) -> dict[str, Json]:
        sweep(source.parent)  # as the next one does when it begins
        return {"uri": uri, "name": source.read_text()}

    monkeypatch.setattr(explorer, "check_target", lambda uri: None)
    monkeypatch.setattr(explorer, "put_at", put_at)
    upload = BrowserUpload.begin(TARGET)
    await upload.take(b"whole")
    assert (await upload.finish())["name"] == "whole"
