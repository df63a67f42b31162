"""Faults between storage and HDFS, which only the emulated one has: lost answers, breaks, pages, other data nodes."""

import os
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpcore
import httpx
import pytest

from pai_jupyter.emulator.state.faults import FaultName
from pai_jupyter.emulator.webhdfs import data_node
from pai_jupyter.errors import (
    AuthError,
    BackendError,
    LimitExceededError,
    NotFoundError,
    PaiJupyterError,
    ProtocolError,
    SpecError,
    UnavailableError,
)
from pai_jupyter.storage import Storage, download, open_storage
from pai_jupyter.storage.hdfs import HdfsAccess, connection
from pai_jupyter.storage.hdfs.faults import HdfsFault, translate
from tests.support.hdfs import EmulatedHdfs, access, ask, emulated, open_hdfs, place, uri
from tests.support.storages import read_tree

MEGABYTE = 1024 * 1024


@pytest.fixture
def there(emulated_hdfs: EmulatedHdfs) -> Iterator[str]:
    with place(emulated_hdfs, "there") as path:
        yield path
    emulated_hdfs.emulator.faults.clear()


@pytest.fixture
def storage(emulated_hdfs: EmulatedHdfs, there: str) -> Storage:
    return open_hdfs(emulated_hdfs, there)


def listed(hdfs: EmulatedHdfs, path: str) -> list[str]:
    return [
        status["pathSuffix"] for status in ask(hdfs, "GET", path, "LISTSTATUS").json()["FileStatuses"]["FileStatus"]
    ]


@pytest.mark.parametrize(
    ("fault", "action"),
    [
        (FaultName.DROPPED, "HDFS:CREATE"),
        (FaultName.DROPPED, "HDFS-DATA:CREATE"),
        (FaultName.LOST_ANSWER, "HDFS-DATA:CREATE"),
        (FaultName.LOST_ANSWER, "HDFS:RENAME"),
        (FaultName.LOST_ANSWER, "HDFS:GETFILESTATUS"),
        (FaultName.HTML, "HDFS:RENAME"),
        (FaultName.SERVER_ERROR, "HDFS-DATA:CREATE"),
        (FaultName.DATA_NODE_AWAY, "HDFS:CREATE"),
        (FaultName.CUT, "HDFS-DATA:CREATE"),
    ],
)
def test_an_upload_survives_one_fault(
    emulated_hdfs: EmulatedHdfs, storage: Storage, there: str, fault: FaultName, action: str
) -> None:
    content = os.urandom(3 * MEGABYTE)
    emulated_hdfs.fail(fault, action)
    storage.put("file", content)
    assert storage.read("file") == content
    assert listed(emulated_hdfs, there) == ["file"]
    assert emulated_hdfs.emulator.faults.rules[0].times == 0


@pytest.mark.parametrize("fault", [FaultName.DROPPED, FaultName.TRUNCATED, FaultName.SERVER_ERROR])
def test_a_download_survives_one_fault(
    emulated_hdfs: EmulatedHdfs, storage: Storage, tmp_path: Path, fault: FaultName
) -> None:
    content = os.urandom(3 * MEGABYTE)
    storage.put("file", content)
    emulated_hdfs.fail(fault, "HDFS-DATA:OPEN")
    storage.get("file", tmp_path / "copy")
    assert read_tree(tmp_path) == {"copy": content}


def test_a_download_that_is_always_cut_leaves_nothing(
    emulated_hdfs: EmulatedHdfs, storage: Storage, tmp_path: Path
) -> None:
    storage.put("file", bytes(MEGABYTE))
    emulated_hdfs.fail(FaultName.TRUNCATED, "HDFS-DATA:OPEN", times=None)
    with pytest.raises(UnavailableError, match=r"data node 127\.0\.0\.1:\d+ breaks the connection"):
        storage.get("file", tmp_path / "copy")
    assert read_tree(tmp_path) == {}


@pytest.mark.parametrize("service", ["HDFS", "HDFS-DATA"])
def test_a_node_that_does_not_answer_is_given_up(
    emulated_hdfs: EmulatedHdfs, storage: Storage, service: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    storage.put("file", b"x")
    monkeypatch.setattr(connection._client(os.getpid(), True), "timeout", httpx.Timeout(0.2))
    emulated_hdfs.fail(FaultName.SLOW, f"{service}:OPEN", times=3, seconds=1)
    node = "data node" if service == "HDFS-DATA" else "name node"
    with pytest.raises(UnavailableError, match=f"the {node} 127.* answers too slowly"):
        storage.read("file")


def test_a_data_node_that_stops_in_the_middle_is_given_up(
    storage: Storage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    storage.put("file", bytes(MEGABYTE))
    read = data_node._read

    def stopping(content: Path, offset: int, size: int) -> bytes:
        time.sleep(1 if offset else 0)
        return read(content, offset, size)

    monkeypatch.setattr(data_node, "_read", stopping)
    monkeypatch.setattr(connection, "TIMEOUT", httpx.Timeout(0.2))
    with pytest.raises(UnavailableError, match=r"the data node 127.* answers too slowly"):
        storage.get("file", tmp_path / "copy")
    assert read_tree(tmp_path) == {}


def test_a_file_that_is_listed_as_large_is_opened_once(
    emulated_hdfs: EmulatedHdfs, storage: Storage, there: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pai_jupyter.storage.hdfs.storage.LARGE", MEGABYTE)
    storage.put("file", bytes(2 * MEGABYTE))
    emulated_hdfs.fail(FaultName.SLOW, "HDFS-DATA:OPEN", times=9, seconds=0)
    download(uri(f"{there}/file"), tmp_path / "copy", hdfs=access(emulated_hdfs))
    assert read_tree(tmp_path) == {"copy": bytes(2 * MEGABYTE)}
    assert emulated_hdfs.emulator.faults.rules[0].times == 8


def test_tls_within_the_tls_of_a_proxy_is_not_read_from_its_socket() -> None:
    inner = ssl.create_default_context().wrap_bio(ssl.MemoryBIO(), ssl.MemoryBIO(), server_hostname="node")

    class Tunnel(httpcore.NetworkStream):
        def get_extra_info(self, info: str) -> Any:  # Any: as in httpcore
            return {"ssl_object": inner}[info]

    answer = httpx.Response(
        200,
        headers={"content-length": "4"},
        content=iter([b"ab", b"cd"]),
        extensions={"network_stream": Tunnel()},
    )
    assert b"".join(connection.blocks(answer)) == b"abcd"


def test_nobody_at_the_address_is_told(storage: Storage) -> None:
    nobody = open_storage(uri("x"), hdfs=HdfsAccess.of(user="alice", base="http://127.0.0.1:1"))
    with pytest.raises(UnavailableError, match=r"the name node 127\.0\.0\.1:1 cannot be reached.*hdfs_url"):
        list(nobody.list())


def test_what_is_no_webhdfs_is_told(emulated_hdfs: EmulatedHdfs) -> None:
    other = HdfsAccess.of(user="alice", base=emulated_hdfs.base.replace("/webhdfs/v1", "/elsewhere"))
    with pytest.raises(
        ProtocolError, match=r"not WebHDFS .*an HTML page with status 404.* storages cannot be browsed here"
    ):
        list(open_storage(uri("x"), hdfs=other).list())


def test_the_base_of_a_proxy_is_taken(emulated_hdfs: EmulatedHdfs, storage: Storage) -> None:
    storage.put("50%/file", b"x")
    proxied = HdfsAccess.of(user="alice", base=emulated_hdfs.base.replace("/webhdfs/v1", "/webhdfs/api/v1"))
    assert open_storage(uri("there"), hdfs=proxied).read("50%/file") == b"x"


def test_data_nodes_that_decode_a_path_once_get_it_as_it_is(tmp_path: Path) -> None:
    with emulated(tmp_path / "hadoop3", is_decoding_twice=False) as hdfs, place(hdfs, "50%25") as path:
        storage = open_hdfs(hdfs, path)
        for name in ("50%.txt", "%41", "50%25.txt"):
            storage.put(f"{name}/{name}", b"x")
            assert storage.read(f"{name}/{name}") == b"x"
        assert listed(hdfs, path) == ["%41", "50%.txt", "50%25.txt"]


def test_no_cookie_is_kept(storage: Storage) -> None:
    storage.put("file", b"x")
    assert not connection._client(os.getpid(), True).cookies


@pytest.mark.parametrize("user", ["1alice", "a b", "alice@x", "a/b", "$"])
def test_a_user_that_webhdfs_refuses_is_told_before_a_request(user: str) -> None:
    with pytest.raises(SpecError, match="hdfs_user"):
        HdfsAccess.of(user=user)


@pytest.mark.parametrize(
    ("base", "completed"),
    [
        ("http://host:50070", "http://host:50070/webhdfs/v1"),
        ("http://host:50070/", "http://host:50070/webhdfs/v1"),
        ("https://host/webhdfs/api/v1/", "https://host/webhdfs/api/v1"),
    ],
)
def test_a_base_is_completed(base: str, completed: str) -> None:
    assert HdfsAccess.of(base=base).base == completed


@pytest.mark.parametrize(
    ("status", "name", "message", "kind", "sentence"),
    [
        (404, "FileNotFoundException", "File does not exist: /x", NotFoundError, "no such file"),
        (403, "RemoteException", "Permission denied: user=a\n\tat org.x", AuthError, "another hdfs_user"),
        (403, "RemoteException", "Cannot create file/x. Name node is in safe mode.\nIt", UnavailableError, "safe mode"),
        (403, "RemoteException", "Invalid path name /a:b", SpecError, "no such name"),
        (403, "RemoteException", "The DiskSpace quota of /x is exceeded", LimitExceededError, "space is used up"),
        (403, "RemoteException", "this file lease is currently owned by x", UnavailableError, "somebody else writes"),
        (403, "StandbyException", "Operation category READ", UnavailableError, "in reserve"),
        (401, "AuthenticationException", "", AuthError, "Kerberos"),
        (503, "", "status 503", UnavailableError, "HDFS fails"),
        (403, "NewException", "what nobody knows", BackendError, "HDFS refuses"),
    ],
)
def test_what_hadoop_says_becomes_a_sentence(
    status: int, name: str, message: str, kind: type[PaiJupyterError], sentence: str
) -> None:
    error = translate(HdfsFault(status, name, message), "reading x")
    assert type(error) is kind
    assert sentence in str(error)
    assert "\tat" not in str(error)


HUGE = b"1" + b"0" * 400
WHOLE = b'"type": "FILE", "length": 1, "modificationTime": 1'


@pytest.mark.parametrize(
    "body",
    [
        *(b"{", b"[1]", b"{}", b'{"FileStatus": {}, "FileStatuses": {}}'),
        *(b'{"FileStatus": 3, "FileStatuses": 3, "ContentSummary": 3}', b'{"FileStatuses": {"FileStatus": [null]}}'),
        *(
            b'{"FileStatus": {%b}, "FileStatuses": {"FileStatus": [{"pathSuffix": "a", %b}]}}' % (status, status)
            for status in (
                WHOLE.replace(b'"length": 1', b'"length": "1"'),
                WHOLE.replace(b'"length": 1', b'"length": -1'),
                WHOLE.replace(b'Time": 1', b'Time": ' + HUGE),
                WHOLE.replace(b'Time": 1', b'Time": null'),
                WHOLE.replace(b'"FILE"', b"3"),
            )
        ),
        *(
            b'{"FileStatuses": {"FileStatus": [{"pathSuffix": %b, %b}]}}' % (name, WHOLE)
            for name in (b'".."', b'"../../x"', b'"a/b"', b"3", b"null")
        ),
    ],
)
def test_an_answer_that_is_no_answer_is_no_traceback(body: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    with answering(
        lambda _: httpx.Response(200, content=body, headers={"content-type": "application/json"}), monkeypatch
    ):
        storage = open_storage(uri("x"), hdfs=HdfsAccess.of(user="alice"))
        for look in (lambda: storage.head("file"), lambda: list(storage.list())):
            with pytest.raises(ProtocolError, match="not WebHDFS"):
                look()


@pytest.mark.parametrize("location", ["file:///etc/passwd", "/x", "http://node.invalid:50075/x"])
def test_a_redirect_leads_to_a_data_node_and_not_on(location: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.host)
        if "GETFILESTATUS" in str(request.url):
            return httpx.Response(200, content=b'{"FileStatus": {%b}}' % WHOLE)
        return httpx.Response(307, headers={"location": location})

    with answering(answer, monkeypatch), pytest.raises(ProtocolError, match=r"not WebHDFS .*a redirect "):
        open_storage(uri("x"), hdfs=HdfsAccess.of(user="alice")).read("file")
    assert asked.count("node.invalid") <= 1


@contextmanager
def answering(answer: Callable[[httpx.Request], httpx.Response], monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with httpx.Client(transport=httpx.MockTransport(answer)) as client:
        monkeypatch.setattr(connection, "_client", lambda *_: client)
        yield
